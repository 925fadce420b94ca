/* SPDX-License-Identifier: MIT */
#include "memory/pool_list.h"

#include "core/lock.h"
#include "memory/pool.h"

_Atomic(bool) cup_pools_touched;

static struct cup_lock lock = CUP_LOCK_INITIALIZER(CUP_RANK_POOLS);
static struct cup_list pools = CUP_LIST_INITIALIZER(pools); /* guarded by lock */

void cup_pool_list_add(struct CUmemPoolHandle_st *pool)
{
    cup_lock_acquire(&lock);
    cup_list_insert(&pools, &pool->link);
    cup_lock_release(&lock);
}

void cup_pool_list_remove(struct CUmemPoolHandle_st *pool)
{
    cup_lock_acquire(&lock);
    cup_list_remove(&pool->link);
    cup_lock_release(&lock);
}

struct CUmemPoolHandle_st *cup_pool_list_next(struct CUmemPoolHandle_st *after)
{
    struct CUmemPoolHandle_st *found = NULL;

    cup_lock_acquire(&lock);
    for (struct cup_list *link = after ? after->link.next : pools.next; link != &pools && !found;
         link = link->next) {
        struct CUmemPoolHandle_st *pool = cup_list_entry(link, struct CUmemPoolHandle_st, link);
        if (cup_object_try_ref(&pool->base))
            found = pool;
    }
    cup_lock_release(&lock);
    return found;
}
