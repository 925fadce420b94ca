/* SPDX-License-Identifier: MIT */
/* Reads as much of a mangled name as leads to the function's own: its scopes and itself, each with
 * its length in front. Templates and operators end the reading. */
#include "jit/debuginfo/mangled_name.h"

#include <string.h>

const char *jit_debug_short_name(const char *name, size_t *length)
{
    const char *at = name, *last = NULL;
    size_t left;

    *length = strlen(name);
    if (strncmp(name, "_Z", 2) != 0)
        return name;
    at += 2;
    while (*at == 'N' || *at == 'L' || *at == 'K')
        at++;
    while (*at >= '0' && *at <= '9') {
        size_t count = 0;

        while (*at >= '0' && *at <= '9' && count < 1 << 20)
            count = count * 10 + (size_t)(*at++ - '0');
        left = strlen(at);
        if (count == 0 || count > left)
            break;
        last = at;
        *length = count;
        at += count;
        if (name[2] != 'N')
            break;
    }
    return last ? last : name;
}
