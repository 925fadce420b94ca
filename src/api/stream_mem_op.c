/* SPDX-License-Identifier: MIT */
/* Stream memory operations: cuStreamWriteValue, cuStreamWaitValue and batches of them.
 *
 * Every form is converted to struct cup_memop. The first versions of these functions return
 * NOT_SUPPORTED, as with NVIDIA's driver, where they need a module option. */
#include "impl.h"
#include "core/error.h"
#include "graph/work_submit.h"
#include "memory/value_op.h"
#include "stream/memop.h"
#include "stream/stream.h"

static CUresult make_checked(const struct CUstream_st *stream,
                             const CUstreamBatchMemOpParams *given, struct cup_memop *op)
{
    CUresult result = cup_value_op_parse(given, op);

    return result == CUDA_SUCCESS ? cup_value_op_check(op, stream->context) : result;
}

struct batch_work {
    const CUstreamBatchMemOpParams *given;
    const struct cup_memop *ops;
    unsigned count;
};

static CUresult batch_describe(struct CUstream_st *stream, void *work,
                               struct cup_captured_work *captured)
{
    const struct batch_work *batch = work;
    CUgraphNodeParams node = {.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
                              .memOp = {.ctx = stream->context,
                                        .count = batch->count,
                                        .paramArray = (CUstreamBatchMemOpParams *)batch->given}};

    return cup_work_node(&node, captured);
}

static CUresult batch_run(struct CUstream_st *stream, void *work)
{
    const struct batch_work *batch = work;
    CUresult result = CUDA_SUCCESS;

    for (unsigned i = 0; i < batch->count && result == CUDA_SUCCESS; i++)
        result = cup_memop_submit(stream, &batch->ops[i]);
    return result;
}

static const struct cup_work_type batch_type = {batch_describe, batch_run};

static CUresult submit_one(CUstream handle, const CUstreamBatchMemOpParams *given)
{
    struct CUstream_st *stream;
    struct cup_memop op;
    struct batch_work work = {given, &op, 1};
    CUresult result = cup_stream_find(handle, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    result = make_checked(stream, given, &op);
    if (result == CUDA_SUCCESS)
        result = cup_work_submit(stream, &batch_type, &work);
    cup_stream_unref(stream);
    return result;
}

CUresult impl_cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                      unsigned int flags)
{
    CUstreamBatchMemOpParams op = {.writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32,
                                                  .address = addr,
                                                  .value = value,
                                                  .flags = flags}};

    return submit_one(stream, &op);
}

CUresult impl_cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                      unsigned int flags)
{
    CUstreamBatchMemOpParams op = {.writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64,
                                                  .address = addr,
                                                  .value64 = value,
                                                  .flags = flags}};

    return submit_one(stream, &op);
}

CUresult impl_cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                     unsigned int flags)
{
    CUstreamBatchMemOpParams op = {.waitValue = {.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32,
                                                 .address = addr,
                                                 .value = value,
                                                 .flags = flags}};

    return submit_one(stream, &op);
}

CUresult impl_cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                     unsigned int flags)
{
    CUstreamBatchMemOpParams op = {.waitValue = {.operation = CU_STREAM_MEM_OP_WAIT_VALUE_64,
                                                 .address = addr,
                                                 .value64 = value,
                                                 .flags = flags}};

    return submit_one(stream, &op);
}

/* Submits nothing unless every operation is valid. */
static CUresult submit_batch(struct CUstream_st *stream, unsigned count,
                             const CUstreamBatchMemOpParams *parameters)
{
    struct cup_memop ops[CUP_VALUE_OPS_MAX];
    struct batch_work work = {parameters, ops, count};
    CUresult result = CUDA_SUCCESS;

    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++)
        result = make_checked(stream, &parameters[i], &ops[i]);
    return result == CUDA_SUCCESS ? cup_work_submit(stream, &batch_type, &work) : result;
}

CUresult impl_cuStreamBatchMemOp_v2(CUstream stream, unsigned int count,
                                    CUstreamBatchMemOpParams *paramArray, unsigned int flags)
{
    struct CUstream_st *found;
    CUresult result = cup_stream_find(stream, &found);

    if (result != CUDA_SUCCESS)
        return result;
    if (count > CUP_VALUE_OPS_MAX || flags != 0 || (count && !paramArray))
        result = cup_error(CUDA_ERROR_INVALID_VALUE,
                           "invalid batch of %u operations with flags 0x%x", count, flags);
    else
        result = submit_batch(found, count, paramArray);
    cup_stream_unref(found);
    return result;
}

static CUresult not_supported(CUstream handle)
{
    struct CUstream_st *stream;
    CUresult result = cup_stream_find(handle, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    cup_stream_unref(stream);
    return cup_error(CUDA_ERROR_NOT_SUPPORTED,
                     "the first version of this function is switched off");
}

CUresult impl_cuStreamWriteValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                   unsigned int flags)
{
    (void)addr, (void)value, (void)flags;
    return not_supported(stream);
}

CUresult impl_cuStreamWriteValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                   unsigned int flags)
{
    (void)addr, (void)value, (void)flags;
    return not_supported(stream);
}

CUresult impl_cuStreamWaitValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                  unsigned int flags)
{
    (void)addr, (void)value, (void)flags;
    return not_supported(stream);
}

CUresult impl_cuStreamWaitValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                  unsigned int flags)
{
    (void)addr, (void)value, (void)flags;
    return not_supported(stream);
}

CUresult impl_cuStreamBatchMemOp(CUstream stream, unsigned int count,
                                 CUstreamBatchMemOpParams *paramArray, unsigned int flags)
{
    CUresult result = not_supported(stream);

    (void)paramArray, (void)flags;
    if (result == CUDA_ERROR_NOT_SUPPORTED && count > CUP_VALUE_OPS_MAX)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a batch of %u", count);
    return result;
}
