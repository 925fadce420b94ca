/* SPDX-License-Identifier: MIT */
/* Found by fuzz_api: a copy of more bytes than there are addresses, between pieces of the program's
 * own memory, was cut into more parts than could be counted in an hour, though the first one had
 * already failed. */
#include "test.h"

#include <sys/mman.h>

TEST(a_copy_larger_than_the_address_space_fails_at_once)
{
    size_t page = 4096;
    char *from, *to;

    with_context();
    from = mmap(NULL, 16 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    to = mmap(NULL, 16 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(from != MAP_FAILED && to != MAP_FAILED);
    check(mprotect(from + page, 15 * page, PROT_NONE) == 0);
    check(mprotect(to + page, 15 * page, PROT_NONE) == 0);
    only_cupipe();
    check_result(cuMemcpy((CUdeviceptr)(uintptr_t)to, (CUdeviceptr)(uintptr_t)from, 1ul << 56),
                 CUDA_ERROR_INVALID_VALUE);
}
