/* SPDX-License-Identifier: MIT */
#include "memory/pool_list.h"

#include "core/lock.h"
#include "memory/pool.h"

_Atomic(bool) cup_pools_touched;

static struct cup_lock lock = CUP_LOCK_INITIALIZER(CUP_RANK_POOLS);
static struct CUmemPoolHandle_st *first_pool; /* guarded by lock */

void cup_pool_list_add(struct CUmemPoolHandle_st *pool)
{
    cup_lock_acquire(&lock);
    pool->next = first_pool;
    if (first_pool)
        first_pool->previous = pool;
    first_pool = pool;
    cup_lock_release(&lock);
}

void cup_pool_list_remove(struct CUmemPoolHandle_st *pool)
{
    cup_lock_acquire(&lock);
    *(pool->previous ? &pool->previous->next : &first_pool) = pool->next;
    if (pool->next)
        pool->next->previous = pool->previous;
    cup_lock_release(&lock);
}

struct CUmemPoolHandle_st *cup_pool_list_next(struct CUmemPoolHandle_st *after)
{
    cup_lock_acquire(&lock);
    struct CUmemPoolHandle_st *pool = after ? after->next : first_pool;
    while (pool && !cup_object_try_ref(&pool->base))
        pool = pool->next;
    cup_lock_release(&lock);
    return pool;
}
