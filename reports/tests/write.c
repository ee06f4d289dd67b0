/* SPDX-License-Identifier: Apache-2.0 */
/* write OUT RESULTS...: the report alone, without the rest of the program. */
#include "runner/html.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s OUT RESULTS...\n", argv[0]);
        return 2;
    }
    if (html_write_files((const char *const *)argv + 2, (size_t)argc - 2, NULL,
                         argv[1]) != TS_OK) {
        fprintf(stderr, "%s\n", ts_error_message());
        return 2;
    }
    return 0;
}
