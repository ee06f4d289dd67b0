/* SPDX-License-Identifier: Apache-2.0 */
/* A peer where memory is short: whichever allocation for JSON fails, an exchange ends in
 * a word about it, and nothing is given back that was never there. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "runner/pipe.h"

static int left; /* allocations that still succeed; negative: all do */

static void *short_malloc(size_t size)
{
    if (left == 0)
        return NULL;
    left -= left > 0;
    return malloc(size);
}

/* One that greets and is gone. */
static const char greets[] =
    "printf '\\057\\000\\000\\000"
    "{\"message\":\"hello\",\"protocol\":1,\"name\":\"short\"}'; exit 3";

static tsi_peer *peer(const char *command, _Atomic int *group)
{
    json_set_alloc_funcs(short_malloc, free);
    left = -1;
    return tsi_peer_new(command, group);
}

static bool met_shortage(const char *error)
{
    return strstr(error, "memory") || strstr(error, "no JSON");
}

Test(peer, an_exchange_without_memory)
{
    _Atomic int group = 0;
    bool short_once = false;

    for (int n = 0; n < 40; n++) {
        tsi_peer *p = peer(greets, &group);
        json_t *header = json_pack("{s:s}", "message", "run");
        tsi_message out;
        tsi_hello hello;
        char error[300] = "";

        cr_assert(tsi_peer_ready(p, &hello, error, sizeof(error)), "%s", error);
        tsi_hello_free(&hello);
        memset(&out, 0xA5, sizeof(out));
        error[0] = '\0';
        left = n;
        cr_assert_not(tsi_peer_exchange(p, header, NULL, 0, &out, error, sizeof(error)));
        left = -1;
        cr_assert_null(out.header);
        cr_assert_neq(error[0], '\0');
        short_once |= met_shortage(error);
        json_decref(header);
        tsi_peer_free(p);
        cr_assert_eq(group, 0);
    }
    cr_assert(short_once);
}

Test(peer, a_greeting_without_memory)
{
    _Atomic int group = 0;
    bool greeted = false;

    for (int n = 0; n < 200 && !greeted; n++) {
        tsi_peer *p = peer("cat", &group); /* says our own hello, which has no name */
        tsi_hello hello;
        char error[300] = "";

        memset(&hello, 0xA5, sizeof(hello));
        left = n;
        cr_assert_not(tsi_peer_ready(p, &hello, error, sizeof(error)));
        left = -1;
        cr_assert_neq(error[0], '\0');
        greeted = strstr(error, "no hello with a name") != NULL;
        cr_assert(greeted || met_shortage(error), "%d: %s", n, error);
        tsi_peer_free(p);
        cr_assert_eq(group, 0);
    }
    cr_assert(greeted);
}
