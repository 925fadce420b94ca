/* SPDX-License-Identifier: MIT */
/* A call becomes work of its stream, with a copy of its arguments. */
#include "call.h"

#include <common/driver.h>
#include <common/work.h>
#include <nppcore.h>

struct job {
    const struct npp_function *function;
    struct npp_call call;
};

static CUresult run(void *arguments)
{
    struct job *job = arguments;

    return job->function->handler(job->function, &job->call, false) < 0 ? CUDA_ERROR_LAUNCH_FAILED
                                                                        : CUDA_SUCCESS;
}

NppStreamContext npp_default_context(void)
{
    NppStreamContext context = {0};

    nppGetStreamContext(&context);
    return context;
}

NppStatus npp_submit(const struct npp_function *function, const struct npp_call *call)
{
    const struct job job = {function, *call};
    const struct lib_call work = {
        .name = function->name, .stream = (CUstream)call->ctx.hStream, .nanoseconds = 1000};
    NppStatus status = function->handler(function, call, true);

    if (status != NPP_SUCCESS)
        return status;
    if (lib_ensure_context() != CUDA_SUCCESS)
        return NPP_STREAM_CTX_ERROR;
    return lib_submit(&work, run, &job, sizeof(job)) == CUDA_SUCCESS
               ? NPP_SUCCESS
               : NPP_CUDA_KERNEL_EXECUTION_ERROR;
}
