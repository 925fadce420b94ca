/* SPDX-License-Identifier: MIT */
/* Blocks that wait by the clock. The flag that they look at is read weakly, so that the clock alone
 * tells that they wait: a race that is meant, and why this is not a part of test_progress.c, whose
 * kernels have none. */
#include "kernels.h"

/* A block that waits by the clock leaves its processor to other blocks. */
TEST(blocks_that_wait_by_the_clock_run_at_once)
{
    enum { BLOCKS = 200 };
    CUfunction function = kernel_from("clock_waits.ptx", "wait_by_clock");
    CUdeviceptr words = device_zeros(8), out = device_zeros(BLOCKS * 4);
    uint64_t limit = UINT64_C(1) << 40; /* longer than the test may take */
    void *parameters[] = {&words, &out, &limit};
    uint32_t got[BLOCKS];

    only_cupipe();
    launch_line(function, BLOCKS, 1, 0, parameters);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(got, out, sizeof(got)));
    for (unsigned b = 0; b < BLOCKS; b++)
        check(got[b] == 1);
}
