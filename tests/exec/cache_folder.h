/* SPDX-License-Identifier: MIT */
/* A cache of compiled kernels for one test, and how often the compiler ran. */
#ifndef CACHE_FOLDER_H
#define CACHE_FOLDER_H

#include "launch.h"

#include <sys/stat.h>

static char folder[64], counter[96];

static inline void with_cache(void)
{
    strcpy(folder, "/tmp/cupipe-test-XXXXXX");
    check(mkdtemp(folder) != NULL);
    snprintf(counter, sizeof(counter), "%s.count", folder);
    setenv("EXEC_COUNT", counter, 1);
    with_kernels(folder);
}

static inline void remove_cache(void)
{
    char command[256];

    snprintf(command, sizeof(command), "rm -rf %s %s", folder, counter);
    check(system(command) == 0);
}

/* How often the compiler ran. */
static inline long compilations(void)
{
    struct stat status;

    return stat(counter, &status) == 0 ? status.st_size : 0;
}

#endif
