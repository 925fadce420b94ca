/* SPDX-License-Identifier: MIT */
/* Reads CUPIPE_GPU and CUPIPE_COMPUTE_CAPABILITY; libcuda checks them. */
#include "command/gpu.h"

#include "core/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_BYTES = 1024 };

void gpu_capabilities(unsigned *lowest, unsigned *highest)
{
    const char *names = getenv("CUPIPE_GPU"), *forced = getenv("CUPIPE_COMPUTE_CAPABILITY");
    unsigned major, minor;

    *lowest = *highest = cup_gpu_default()->capability;
    for (const char *at = names && *names ? names : NULL; at;) {
        size_t length = strcspn(at, ",");
        const struct cup_gpu *gpu = cup_gpu_find(at, length);
        unsigned capability = gpu ? gpu->capability : cup_gpu_default()->capability;
        if (at == names || capability < *lowest)
            *lowest = capability;
        if (at == names || capability > *highest)
            *highest = capability;
        at = at[length] ? at + length + 1 : NULL;
    }
    if (forced && sscanf(forced, "%2u.%1u", &major, &minor) == 2)
        *lowest = *highest = major * 10 + minor;
}

/* Calls `visit` for each GPU until it returns true; returns that GPU or NULL. */
static const struct cup_gpu *find_gpu(int (*visit)(const struct cup_gpu *gpu, unsigned argument),
                                      unsigned argument)
{
    char list[LIST_BYTES];

    cup_gpu_list(list, sizeof list);
    for (const char *at = list; *at;) {
        size_t length = strcspn(at, " ");
        const struct cup_gpu *gpu = cup_gpu_find(at, length);
        if (gpu && visit(gpu, argument))
            return gpu;
        at += length + (at[length] == ' ');
    }
    return NULL;
}

static int is_at_least(const struct cup_gpu *gpu, unsigned capability)
{
    return gpu->capability >= capability;
}

static int print_one(const struct cup_gpu *gpu, unsigned unused)
{
    (void)unused;
    printf("%-12s %2u.%u  %s\n", gpu->key, gpu->capability / 10, gpu->capability % 10, gpu->name);
    return 0;
}

const char *gpu_suggest(unsigned capability)
{
    const struct cup_gpu *gpu = find_gpu(is_at_least, capability);

    return gpu ? gpu->key : NULL;
}

void gpu_print_all(void)
{
    find_gpu(print_one, 0);
}
