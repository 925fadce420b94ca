/* SPDX-License-Identifier: MIT */
/* A list of names. Those of contexts that have ended stay: no other context has their id. */
#include "interop/gl_buffer_names.h"

#include "core/lock.h"
#include "device/context.h"

#include <stdlib.h>

struct name {
    struct name *next;
    uint64_t context_id;
    unsigned buffer;
    CUgraphicsResource resource;
};

static struct cup_lock lock = CUP_LOCK_INITIALIZER(CUP_RANK_GRAPHICS_LIST);
static struct name *names; /* guarded by lock */

static CUgraphicsResource look_up(unsigned buffer, bool take)
{
    struct CUctx_st *context = cup_context_current();
    CUgraphicsResource found = NULL;
    struct name *taken = NULL;

    cup_lock_acquire(&lock);
    for (struct name **link = &names; context && *link; link = &(*link)->next) {
        if ((*link)->buffer != buffer || (*link)->context_id != context->id)
            continue;
        found = (*link)->resource;
        if (take) {
            taken = *link;
            *link = taken->next;
        }
        break;
    }
    cup_lock_release(&lock);
    free(taken);
    return found;
}

CUgraphicsResource cup_gl_name_find(unsigned buffer)
{
    return look_up(buffer, false);
}

CUgraphicsResource cup_gl_name_take(unsigned buffer)
{
    return look_up(buffer, true);
}

bool cup_gl_name_add(unsigned buffer, CUgraphicsResource resource)
{
    struct name *name = malloc(sizeof(*name));

    if (!name)
        return false;
    *name = (struct name){NULL, cup_context_current()->id, buffer, resource};
    cup_lock_acquire(&lock);
    name->next = names;
    names = name;
    cup_lock_release(&lock);
    return true;
}
