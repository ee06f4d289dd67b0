/* SPDX-License-Identifier: Apache-2.0 */
/* A shared library that is no backend. */
int no_backend(void);

int no_backend(void)
{
    return 0;
}
