/* SPDX-License-Identifier: Apache-2.0 */
/* A helper thread for each call that nobody ever ends. */
#include <pthread.h>
#include <unistd.h>

#include "zoo/zoo.h"

static void *help(void *self)
{
    (void)self;
    for (;;)
        pause();
    return NULL;
}

static ts_status faulty_log(const ts_kernel_call *call)
{
    pthread_t thread;
    pthread_attr_t small;

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    if (pthread_create(&thread, &small, help, NULL) == 0)
        pthread_detach(thread);
    pthread_attr_destroy(&small);
    return zoo_original("log")(call);
}

ZOO_KIND("kept of every call");
ZOO_MEMBER("log leaves a thread of every call", "unary/S3", {"log", faulty_log})
