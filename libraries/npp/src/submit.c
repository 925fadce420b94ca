/* SPDX-License-Identifier: MIT */
/* A call becomes work of its stream, with a copy of its arguments. */
#include "call.h"

#include <common/driver.h>
#include <common/work.h>
#include <nppcore.h>
#include <string.h>

/* Of the call only the fields up to the last one that the function has are copied. */
struct job {
    const struct npp_function *function;
    struct npp_call call;
};

static CUresult run(void *arguments)
{
    const struct job *job = arguments;
    const struct npp_function *function = job->function;
    struct npp_call call = {0};

    memcpy(&call, &job->call, function->call_bytes);
    return function->handler(function, &call, false) < 0 ? CUDA_ERROR_LAUNCH_FAILED : CUDA_SUCCESS;
}

NppStreamContext npp_default_context(void)
{
    NppStreamContext context = {0};

    nppGetStreamContext(&context);
    return context;
}

/* The memory of an operand. Of the last pixel only one channel is counted where some may be left
 * alone: the address may be that of a channel other than the first. */
static struct cupipe_range range_of(const struct npp_operand *operand, const struct npp_call *call)
{
    const char *fields = (const char *)call;
    const void *address = *(void *const *)(fields + operand->address);
    bool image = operand->step;
    long long step = image ? *(const long long *)(fields + operand->step) : 0;
    size_t width = (size_t)(image ? call->size_roi.width : call->length);
    size_t elements = width * operand->channels - (operand->partly ? operand->channels - 1u : 0);
    struct cupipe_range range =
        lib_read_pieces(address, elements * operand->element_bytes,
                        image && step > 0 ? (size_t)call->size_roi.height : 1, (size_t)step);

    return operand->partly ? lib_partly(range) : range;
}

/* Lists the operands; those that are read and written stand twice. */
static size_t list_operands(const struct npp_function *function, const struct npp_call *call,
                            struct cupipe_range *ranges)
{
    size_t count = 0;

    for (unsigned i = 0; i < function->operand_count; i++) {
        const struct npp_operand *operand = &function->operands[i];

        for (enum npp_access access = NPP_READS; access <= NPP_WRITES; access++)
            if (operand->access & access) {
                ranges[count] = range_of(operand, call);
                ranges[count++].written = access == NPP_WRITES;
            }
    }
    return count;
}

/* True if something that the function needs has no address. */
static bool lacks_memory(const struct npp_function *function, const struct npp_call *call)
{
    for (unsigned i = 0; i < function->operand_count; i++) {
        if (!*(void *const *)((const char *)call + function->operands[i].address))
            return true;
    }
    return false;
}

/* How much there is to do, roughly. */
static uint64_t pixels_of(const struct npp_call *call)
{
    if (call->length > 0)
        return (uint64_t)call->length;
    if (call->dst_rect.width > 0 && call->dst_rect.height > 0)
        return (uint64_t)call->dst_rect.width * (uint64_t)call->dst_rect.height;
    if (call->size_roi.width > 0 && call->size_roi.height > 0)
        return (uint64_t)call->size_roi.width * (uint64_t)call->size_roi.height;
    return 0;
}

NppStatus npp_submit(const struct npp_function *function, const struct npp_call *call)
{
    struct job job;
    struct cupipe_range ranges[2 * NPP_OPERANDS_MOST];
    struct lib_call work = {
        .name = function->name, .stream = (CUstream)call->ctx.hStream, .operands = ranges};
    NppStatus status = function->handler(function, call, true);
    CUresult result;

    if (status != NPP_SUCCESS && status != NPP_AFFINE_QUAD_INCORRECT_WARNING)
        return status;
    if (lacks_memory(function, call))
        return NPP_NULL_POINTER_ERROR;
    if (lib_ensure_context() != CUDA_SUCCESS)
        return NPP_STREAM_CTX_ERROR;
    job.function = function;
    memcpy(&job.call, call, function->call_bytes);
    work.operand_count = list_operands(function, call, ranges);
    work.nanoseconds = 200 + pixels_of(call) / 2;
    result = function->waits
                 ? lib_submit_and_wait(&work, run, &job)
                 : lib_submit(&work, run, &job, offsetof(struct job, call) + function->call_bytes);
    return result == CUDA_SUCCESS ? status : NPP_CUDA_KERNEL_EXECUTION_ERROR;
}
