/* SPDX-License-Identifier: MIT */
/* The version that the library has. */
#include "version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int chosen; /* 0 until the constructor has run */

int rt_version(void)
{
    return chosen ? chosen : rt_library_version;
}

/* A value that is no version counts as none: the driver reports it. */
__attribute__((constructor)) static void choose_version(void)
{
    const char *text = secure_getenv("CUPIPE_DRIVER");
    int major = rt_library_version / 1000;
    char name[16];

    chosen = rt_library_version;
    for (int version = major * 1000; text && version < rt_library_version; version += 10) {
        snprintf(name, sizeof name, "%d.%d", major, version % 1000 / 10);
        if (strcmp(name, text) == 0)
            chosen = version;
    }
}
