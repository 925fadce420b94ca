/* SPDX-License-Identifier: MIT */
/* OpenGL numbers its objects from 1 on, so that the low bits of a name spread them evenly. */
#include "interop/gl_lock.h"

#include <stdalign.h>

enum { LOCK_COUNT = 64 };

static struct name_lock {
    alignas(CUP_CACHE_LINE) struct cup_lock lock;
} locks[LOCK_COUNT] = {
    [0 ... LOCK_COUNT - 1] = {.lock = CUP_LOCK_INITIALIZER(CUP_RANK_GRAPHICS)},
};

struct cup_lock *cup_gl_lock_of(unsigned name)
{
    return &locks[name % LOCK_COUNT].lock;
}
