/* SPDX-License-Identifier: MIT */
/* Found by the fuzzer in builds with sanitizers, which checked rows of a copy before the fault
 * guard could: short rows read from address 0, and from the program's stack, where ASan has
 * redzones between variables. */
#include "test.h"

enum { WIDTH = 4, PITCH = 16, ROWS = 32 };

static CUresult copy_rows(CUdeviceptr to, const void *from, size_t first, size_t width)
{
    CUDA_MEMCPY2D copy = {
        .srcMemoryType = CU_MEMORYTYPE_HOST,
        .srcHost = from,
        .srcPitch = PITCH,
        .srcY = first,
        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
        .dstDevice = to,
        .dstPitch = PITCH,
        .WidthInBytes = width,
        .Height = ROWS,
    };

    return cuMemcpy2DUnaligned(&copy);
}

static CUdeviceptr begin(void)
{
    CUdeviceptr memory;

    with_context();
    only_cupipe();
    check_success(cuMemAlloc(&memory, PITCH * ROWS));
    return memory;
}

/* An address of 0 is refused before; but rows are counted from the first, which may be elsewhere.
 * Some widths have loops of their own. */
TEST(rows_at_address_zero_are_an_answer)
{
    CUdeviceptr memory = begin();

    for (size_t width = 1; width <= PITCH; width++)
        check(copy_rows(memory, (const void *)-(uintptr_t)PITCH, 1, width) != CUDA_SUCCESS);
}

/* More rows than the variable has: what lies behind it is the stack's. */
static __attribute__((noinline)) void copy_from_stack(CUdeviceptr memory)
{
    unsigned char rows[ROWS / 4 * PITCH], back[sizeof(rows)];

    for (size_t i = 0; i < sizeof(rows); i++)
        rows[i] = (unsigned char)i;
    for (size_t width = 1; width <= PITCH; width++)
        check_success(copy_rows(memory, rows, 0, width));
    check_success(cuMemcpyDtoH(back, memory, sizeof(back)));
    check(memcmp(back, rows, sizeof(back)) == 0);
}

TEST(rows_on_the_stack_are_copied)
{
    unsigned char above[4096] = {1}; /* so that there is stack behind the variable */

    copy_from_stack(begin());
    check(above[0] == 1);
}
