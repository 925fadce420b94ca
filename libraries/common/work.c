/* SPDX-License-Identifier: MIT */
/* Work that is submitted owns its arguments in a block of memory that the driver releases. Work
 * that runs at once uses the caller's, without an allocation. */
#include "work.h"

#include "driver.h"

#include <stdlib.h>
#include <string.h>

/* Longer work would keep the caller from submitting more. */
enum { INLINE_NANOSECONDS = 20000 };

static struct cupipe_work work_of(const struct lib_call *call, lib_work *run, void *arguments)
{
    return (struct cupipe_work){
        .name = call->name,
        .run = run,
        .data = arguments,
        .ranges = call->operands,
        .range_count = call->operand_count,
        .checks_access = 1,
    };
}

/* Tries to run work in the calling thread. CUDA_ERROR_NOT_READY: it has not run. */
static CUresult run_now(const struct lib_driver *driver, const struct lib_call *call,
                        const struct cupipe_work *work)
{
    if (call->nanoseconds > INLINE_NANOSECONDS)
        return CUDA_ERROR_NOT_READY;
    return driver->cupipe->run_work(call->stream, work);
}

CUresult lib_submit_owned(const struct lib_call *call, lib_work *run, void (*release)(void *),
                          void *arguments)
{
    const struct lib_driver *driver = lib_driver();
    struct cupipe_work work = work_of(call, run, arguments);
    CUresult result = driver ? run_now(driver, call, &work) : CUDA_ERROR_NOT_INITIALIZED;

    if (result == CUDA_ERROR_NOT_READY) {
        work.release = release;
        result = driver->cupipe->launch_work(call->stream, &work);
        if (result == CUDA_SUCCESS)
            return result;
    }
    release(arguments);
    return result;
}

CUresult lib_submit(const struct lib_call *call, lib_work *run, const void *arguments, size_t bytes)
{
    const struct lib_driver *driver = lib_driver();
    struct cupipe_work work = work_of(call, run, (void *)arguments);
    CUresult result = driver ? run_now(driver, call, &work) : CUDA_ERROR_NOT_INITIALIZED;

    if (result != CUDA_ERROR_NOT_READY)
        return result;
    work.data = malloc(bytes ? bytes : 1);
    if (!work.data)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(work.data, arguments, bytes);
    work.release = free;
    result = driver->cupipe->launch_work(call->stream, &work);
    if (result != CUDA_SUCCESS)
        free(work.data);
    return result;
}

CUresult lib_submit_and_wait(const struct lib_call *call, lib_work *run, void *arguments)
{
    const struct lib_driver *driver = lib_driver();
    struct cupipe_work work = work_of(call, run, arguments);
    CUstreamCaptureStatus status;
    CUresult result =
        driver ? driver->stream_is_capturing(call->stream, &status) : CUDA_ERROR_NOT_INITIALIZED;

    if (result != CUDA_SUCCESS)
        return result;
    if (status != CU_STREAM_CAPTURE_STATUS_NONE)
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    result = driver->cupipe->run_work(call->stream, &work);
    if (result == CUDA_ERROR_NOT_READY)
        result = driver->cupipe->launch_work(call->stream, &work);
    /* Also if the work has run: the checks are told that the host has waited. */
    return result == CUDA_SUCCESS ? driver->stream_synchronize(call->stream) : result;
}

void lib_parallel(size_t count, void (*part)(void *arguments, size_t index), void *arguments)
{
    const struct lib_driver *driver = count > 1 ? lib_driver() : NULL;

    if (driver) {
        driver->cupipe->run_parts(count, part, arguments);
        return;
    }
    for (size_t i = 0; i < count; i++)
        part(arguments, i);
}

void lib_finally(void (*action)(void *arguments), void (*finally)(void *arguments), void *arguments)
{
    const struct lib_driver *driver = lib_driver();

    if (driver) {
        driver->cupipe->run_finally(action, finally, arguments);
        return;
    }
    action(arguments);
    finally(arguments);
}

unsigned lib_parallel_width(void)
{
    const struct lib_driver *driver = lib_driver();

    return driver ? driver->cupipe->parallel_width() : 1;
}
