/* SPDX-License-Identifier: MIT */
/* The list of all memory pools, and whether memory was freed since the program last synchronised.
 */
#ifndef CUP_MEMORY_POOL_LIST_H
#define CUP_MEMORY_POOL_LIST_H

#include <stdatomic.h>
#include <stdbool.h>

struct CUmemPoolHandle_st;

void cup_pool_list_add(struct CUmemPoolHandle_st *pool);
void cup_pool_list_remove(struct CUmemPoolHandle_st *pool);

/* The next pool after the given one (the first pool for NULL) that is not about to end. Takes a
 * reference to it. The caller holds a reference to the given pool, which therefore stays in the
 * list. */
struct CUmemPoolHandle_st *cup_pool_list_next(struct CUmemPoolHandle_st *after);

extern _Atomic(bool) cup_pools_touched;

/* Records that memory was freed, so that the next synchronisation examines the pools. */
static inline void cup_pools_touch(void)
{
    if (!atomic_load_explicit(&cup_pools_touched, memory_order_relaxed))
        atomic_store(&cup_pools_touched, true);
}

#endif
