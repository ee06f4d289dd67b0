/* SPDX-License-Identifier: Apache-2.0 */
/* Driver calls by name. */
#include <dlfcn.h>

#include "core/cuda.h"

void *tsc_driver_symbol(const char *name)
{
    static void *library;

    if (!library)
        library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, name) : NULL;
}
