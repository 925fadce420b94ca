/* SPDX-License-Identifier: MIT */
#include "core/rebuild.h"

#include "core/compiler.h"

#include <stddef.h>
#include <string.h>

static const struct cup_rebuild packages[] = {
#define CUP_REBUILD(name, title, part) {name, title, part},
#include "core/rebuild.def"
#undef CUP_REBUILD
};

const struct cup_rebuild *cup_rebuild_find(const char *path)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(packages); i++)
        if (strstr(path, packages[i].part))
            return &packages[i];
    return NULL;
}
