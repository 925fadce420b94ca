/* SPDX-License-Identifier: MIT */
/* Functions called when memory in use passes the budget. */
#include "test.h"

#define MIB ((size_t)1 << 20)

static struct flag called;
static atomic_int calls;
static atomic_ullong bytes_over;
static CUresult inside;
static CUasyncCallbackHandle handle_inside;

static void over_budget(CUasyncNotificationInfo *info, void *data, CUasyncCallbackHandle handle)
{
    CUdeviceptr ptr;

    check(info->type == CU_ASYNC_NOTIFICATION_TYPE_OVER_BUDGET);
    check(data == &called);
    inside = cuMemAlloc(&ptr, 1);
    handle_inside = handle;
    atomic_store(&bytes_over, info->info.overBudget.bytesOverBudget);
    atomic_fetch_add(&calls, 1);
    flag_raise(&called);
}

static CUdeviceptr allocate(size_t bytes)
{
    CUdeviceptr ptr;

    check_success(cuMemAlloc(&ptr, bytes));
    return ptr;
}

static CUasyncCallbackHandle add(void)
{
    CUasyncCallbackHandle handle;

    check_success(cuDeviceRegisterAsyncNotification(0, over_budget, &called, &handle));
    return handle;
}

TEST(function_is_called_when_the_budget_is_passed)
{
    setenv("CUPIPE_MEMORY_BUDGET", "32M", 1);
    setenv("CUPIPE_MEMORY", "256M", 1);
    with_context();
    only_cupipe();
    CUasyncCallbackHandle handle = add();
    allocate(16 * MIB);
    usleep(20000);
    check(!flag_is_raised(&called));
    CUdeviceptr ptr = allocate(64 * MIB);
    flag_wait(&called);
    check(inside == CUDA_ERROR_NOT_PERMITTED);
    check(handle_inside == handle);
    check(atomic_load(&bytes_over) >= 48 * MIB && atomic_load(&bytes_over) <= 54 * MIB);
    called.raised = 0;
    check_success(cuMemFree(ptr));
    allocate(64 * MIB);
    flag_wait(&called);
    check(atomic_load(&calls) == 2);
}

TEST(removed_function_is_not_called)
{
    setenv("CUPIPE_MEMORY_BUDGET", "32M", 1);
    setenv("CUPIPE_MEMORY", "256M", 1);
    with_context();
    only_cupipe();
    CUasyncCallbackHandle first = add(), second = add();
    check(first != second);
    check_success(cuDeviceUnregisterAsyncNotification(0, first));
    CUdeviceptr ptr = allocate(64 * MIB);
    flag_wait(&called);
    usleep(20000);
    check(atomic_load(&calls) == 1);
    check(handle_inside == second);
    check_success(cuDeviceUnregisterAsyncNotification(0, second));
    check_success(cuMemFree(ptr));
    allocate(64 * MIB);
    usleep(20000);
    check(atomic_load(&calls) == 1);
}

TEST(without_a_budget_nothing_is_called)
{
    setenv("CUPIPE_MEMORY", "256M", 1);
    with_context();
    only_cupipe();
    add();
    allocate(200 * MIB);
    usleep(20000);
    check(!flag_is_raised(&called));
}

TEST(wrong_arguments_are_refused)
{
    CUasyncCallbackHandle handle = NULL;

    check_success(cuInit(0));
    check_result(cuDeviceRegisterAsyncNotification(99, over_budget, NULL, &handle),
                 CUDA_ERROR_INVALID_DEVICE);
    check_result(cuDeviceRegisterAsyncNotification(0, NULL, NULL, &handle),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuDeviceUnregisterAsyncNotification(0, NULL), CUDA_ERROR_INVALID_VALUE);
    only_cupipe();
    check_result(cuDeviceRegisterAsyncNotification(0, over_budget, NULL, NULL),
                 CUDA_ERROR_INVALID_VALUE);
    handle = add();
    check_result(cuDeviceUnregisterAsyncNotification(99, handle), CUDA_ERROR_INVALID_DEVICE);
    check_success(cuDeviceUnregisterAsyncNotification(0, handle));
    check_result(cuDeviceUnregisterAsyncNotification(0, handle), CUDA_ERROR_INVALID_VALUE);
    check_result(cuDeviceUnregisterAsyncNotification(0, (CUasyncCallbackHandle)&calls),
                 CUDA_ERROR_INVALID_VALUE);
}
