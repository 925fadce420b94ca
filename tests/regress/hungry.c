/* SPDX-License-Identifier: MIT */
/* A library with storage of initial-exec threads, such as programs load before ours: HUNGRY_BYTES
 * of it. */
#include <string.h>

static _Thread_local __attribute__((tls_model("initial-exec"))) char eaten[HUNGRY_BYTES];

char *hungry_touch(void);
char *hungry_touch(void)
{
    return memset(eaten, 1, sizeof eaten);
}
