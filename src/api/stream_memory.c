/* SPDX-License-Identifier: MIT */
/* Streams and values in memory: cuStreamWriteValue, cuStreamWaitValue and batches of them.
 *
 * All of it goes through one description of an operation, struct cup_memop. The first versions
 * of these functions answer NOT_SUPPORTED, as with NVIDIA's driver: they need a module option
 * there. */
#include "impl.h"
#include "core/compiler.h"
#include "core/error.h"
#include "memory/map.h"
#include "stream/memop.h"
#include "stream/stream.h"

enum { BATCH_COUNT_MAX = 255 };

/* Inside memory that the device can reach, and aligned. That memory which may only be read is not
 * written shows when the stream gets there. */
static bool address_valid(const struct cup_memop *op)
{
    struct cup_span span;

    if (op->address % op->size_bytes != 0 || !cup_map_find(op->address, &span))
        return false;
    return cup_map_holds(&span, op->address, op->size_bytes, CUP_RANGE_NO_READ);
}

static CUresult check_address(const struct cup_memop *op)
{
    if (address_valid(op))
        return CUDA_SUCCESS;
    return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx is not the address of a %u-byte value",
                     (unsigned long long)op->address, op->size_bytes);
}

static CUresult make_write(CUdeviceptr address, uint64_t value, unsigned size_bytes, unsigned flags,
                           struct cup_memop *op)
{
    if (flags != CU_STREAM_WRITE_VALUE_DEFAULT)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "there are no write flags 0x%x", flags);
    *op = (struct cup_memop){CUP_MEMOP_WRITE, size_bytes, address, value};
    return check_address(op);
}

static CUresult make_wait(CUdeviceptr address, uint64_t value, unsigned size_bytes, unsigned flags,
                          struct cup_memop *op)
{
    static const enum cup_memop_kind kinds[] = {
        [CU_STREAM_WAIT_VALUE_GEQ] = CUP_MEMOP_WAIT_GEQ,
        [CU_STREAM_WAIT_VALUE_EQ] = CUP_MEMOP_WAIT_EQ,
        [CU_STREAM_WAIT_VALUE_AND] = CUP_MEMOP_WAIT_AND,
        [CU_STREAM_WAIT_VALUE_NOR] = CUP_MEMOP_WAIT_NOR,
    };
    unsigned test = flags & ~(unsigned)CU_STREAM_WAIT_VALUE_FLUSH;

    if (test >= CUP_ARRAY_COUNT(kinds))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "there are no wait flags 0x%x", flags);
    if (flags & CU_STREAM_WAIT_VALUE_FLUSH)
        return cup_error(CUDA_ERROR_NOT_SUPPORTED, "the device cannot flush remote writes");
    *op = (struct cup_memop){kinds[test], size_bytes, address, value};
    return check_address(op);
}

typedef CUresult make_function(CUdeviceptr address, uint64_t value, unsigned size_bytes,
                               unsigned flags, struct cup_memop *op);

static CUresult submit_one(CUstream handle, make_function *make, CUdeviceptr address,
                           uint64_t value, unsigned size_bytes, unsigned flags)
{
    struct CUstream_st *stream;
    struct cup_memop op;
    CUresult result = cup_stream_find(handle, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    result = make(address, value, size_bytes, flags, &op);
    if (result == CUDA_SUCCESS)
        result = cup_memop_submit(stream, &op);
    cup_stream_unref(stream);
    return result;
}

CUresult impl_cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                      unsigned int flags)
{
    return submit_one(stream, make_write, addr, value, sizeof(value), flags);
}

CUresult impl_cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                      unsigned int flags)
{
    return submit_one(stream, make_write, addr, value, sizeof(value), flags);
}

CUresult impl_cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                     unsigned int flags)
{
    return submit_one(stream, make_wait, addr, value, sizeof(value), flags);
}

CUresult impl_cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                     unsigned int flags)
{
    return submit_one(stream, make_wait, addr, value, sizeof(value), flags);
}

static CUresult make_write32(const CUstreamBatchMemOpParams *p, struct cup_memop *op)
{
    return make_write(p->writeValue.address, p->writeValue.value, 4, p->writeValue.flags, op);
}

static CUresult make_write64(const CUstreamBatchMemOpParams *p, struct cup_memop *op)
{
    return make_write(p->writeValue.address, p->writeValue.value64, 8, p->writeValue.flags, op);
}

static CUresult make_wait32(const CUstreamBatchMemOpParams *p, struct cup_memop *op)
{
    return make_wait(p->waitValue.address, p->waitValue.value, 4, p->waitValue.flags, op);
}

static CUresult make_wait64(const CUstreamBatchMemOpParams *p, struct cup_memop *op)
{
    return make_wait(p->waitValue.address, p->waitValue.value64, 8, p->waitValue.flags, op);
}

/* Every operation is a barrier here. */
static CUresult make_barrier(const CUstreamBatchMemOpParams *p, struct cup_memop *op)
{
    if (p->memoryBarrier.flags > CU_STREAM_MEMORY_BARRIER_TYPE_GPU)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "there is no barrier %u",
                         p->memoryBarrier.flags);
    *op = (struct cup_memop){.kind = CUP_MEMOP_NONE};
    return CUDA_SUCCESS;
}

static CUresult make_flush(const CUstreamBatchMemOpParams *p, struct cup_memop *op)
{
    (void)p;
    (void)op;
    return cup_error(CUDA_ERROR_NOT_SUPPORTED, "the device cannot flush remote writes");
}

static CUresult make_any(const CUstreamBatchMemOpParams *p, struct cup_memop *op)
{
    static CUresult (*const make[])(const CUstreamBatchMemOpParams *p, struct cup_memop *op) = {
        [CU_STREAM_MEM_OP_WAIT_VALUE_32] = make_wait32,
        [CU_STREAM_MEM_OP_WRITE_VALUE_32] = make_write32,
        [CU_STREAM_MEM_OP_WAIT_VALUE_64] = make_wait64,
        [CU_STREAM_MEM_OP_WRITE_VALUE_64] = make_write64,
        [CU_STREAM_MEM_OP_BARRIER] = make_barrier,
        [CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES] = make_flush,
    };
    unsigned operation = (unsigned)p->operation;

    if (operation >= CUP_ARRAY_COUNT(make) || !make[operation])
        return cup_error(CUDA_ERROR_INVALID_VALUE, "there is no operation %u", operation);
    return make[operation](p, op);
}

/* Nothing is submitted unless every operation is right. */
static CUresult submit_batch(struct CUstream_st *stream, unsigned count,
                             const CUstreamBatchMemOpParams *parameters)
{
    struct cup_memop ops[BATCH_COUNT_MAX];
    CUresult result = CUDA_SUCCESS;

    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++)
        result = make_any(&parameters[i], &ops[i]);
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++)
        result = cup_memop_submit(stream, &ops[i]);
    return result;
}

CUresult impl_cuStreamBatchMemOp_v2(CUstream stream, unsigned int count,
                                    CUstreamBatchMemOpParams *paramArray, unsigned int flags)
{
    struct CUstream_st *found;
    CUresult result = cup_stream_find(stream, &found);

    if (result != CUDA_SUCCESS)
        return result;
    if (count > BATCH_COUNT_MAX || flags != 0 || (count && !paramArray))
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "a batch of %u with flags 0x%x", count, flags);
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
    if (result == CUDA_ERROR_NOT_SUPPORTED && count > BATCH_COUNT_MAX)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a batch of %u", count);
    return result;
}
