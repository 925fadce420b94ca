/* SPDX-License-Identifier: MIT */
/* Found by fuzz_api under UBSan: a request for more bytes than any piece of a pool can have was
 * looked for in a bin that does not exist, by a shift of more bits than a word has. */
#include "test.h"

TEST(a_huge_request_is_refused_where_freed_memory_waits)
{
    CUdeviceptr memory, other;
    CUstream stream;

    with_context();
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (unsigned shift = 40; shift < 64; shift++) {
        check_success(cuMemAllocAsync(&memory, 3 << 20, stream));
        check_success(cuMemFreeAsync(memory, stream));
        check_result(cuMemAllocAsync(&other, (size_t)1 << shift, stream), CUDA_ERROR_OUT_OF_MEMORY);
    }
    check_success(cuStreamSynchronize(stream));
}
