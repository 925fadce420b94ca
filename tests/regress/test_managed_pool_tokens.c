/* SPDX-License-Identifier: MIT */
/* Found by fuzz_api: managed memory of a pool without a device counts as device memory, but has no
 * device ordinal to report. */
#include "test.h"

TEST(memory_of_a_managed_pool_at_the_host_has_attributes)
{
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_MANAGED,
                                 .location = {.type = CU_MEM_LOCATION_TYPE_NONE}};
    struct {
        unsigned long long token;
        unsigned space;
    } tokens;
    CUmemoryPool pool;
    CUdeviceptr memory;

    with_context();
    check_success(cuMemPoolCreate(&pool, &properties));
    check_success(cuMemAllocFromPoolAsync(&memory, 4096, pool, NULL));
    check_success(cuStreamSynchronize(NULL));
    for (int attribute = 1; attribute <= CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE; attribute++)
        cuPointerGetAttribute(&tokens, (CUpointer_attribute)attribute, memory);
    check_success(cuMemFreeAsync(memory, NULL));
    check_success(cuMemPoolDestroy(pool));
}
