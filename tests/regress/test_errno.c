/* SPDX-License-Identifier: MIT */
/* cuInit and the first cuMemAllocManaged changed errno: both read the amount of memory from the
 * system, with functions that set it. */
#include "test.h"

#include <errno.h>

TEST(init_and_the_first_managed_allocation_keep_errno)
{
    CUcontext context;
    CUdeviceptr memory;

    not_under_tsan("what it does itself changes errno");
    errno = 1234;
    check_success(cuInit(0));
    check(errno == 1234);
    check_success(cuDevicePrimaryCtxRetain(&context, 0));
    check_success(cuCtxSetCurrent(context));
    check(errno == 1234);
    check_success(cuMemAllocManaged(&memory, 4096, CU_MEM_ATTACH_GLOBAL));
    check(errno == 1234);
    check_success(cuMemFree(memory));
    check(errno == 1234);
}
