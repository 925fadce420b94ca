/* SPDX-License-Identifier: MIT */
#include "memory/value_op.h"

#include "core/checks.h"
#include "core/compiler.h"
#include "core/driver_version.h"
#include "core/error.h"
#include "device/context.h"
#include "memory/map.h"
#include "memory/peer_access.h"

static CUresult refuse_address(const struct cup_memop *op)
{
    return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx is not the address of a %u-byte value",
                     (unsigned long long)op->address, op->size_bytes);
}

/* True if the context's device has the rights, as a peer or by cuMemSetAccess. */
static bool may_access(struct CUctx_st *context, const struct cup_memop *op)
{
    unsigned wanted = cup_memop_is_wait(op->kind) ? CUP_GRANT_READ : CUP_GRANT_WRITE;
    uint8_t class;

    if (!cup_access_is_limited())
        return true;
    class = cup_access_class_at(op->address);
    if (class == CUP_ACCESS_ASK)
        return cup_peer_access_is_allowed(context->device, op->address, op->size_bytes, wanted);
    return cup_access_allows(context, class, wanted);
}

CUresult cup_value_op_check(const struct cup_memop *op, struct CUctx_st *context)
{
    struct cup_span span;

    if (op->kind == CUP_MEMOP_NONE)
        return CUDA_SUCCESS;
    if (!cup_map_find(op->address, &span) || span.kind == CUP_RANGE_MANAGED ||
        (span.flags & (CUP_RANGE_POOL | CUP_RANGE_MULTICAST)) ||
        !cup_map_holds(&span, op->address, op->size_bytes, CUP_RANGE_NO_READ))
        return refuse_address(op);
    if (!may_access(context, op))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "device %d has no access to 0x%llx",
                         context->device->ordinal, (unsigned long long)op->address);
    if (op->kind == CUP_MEMOP_WRITE)
        cup_check_written(op->address, op->size_bytes);
    return CUDA_SUCCESS;
}

static CUresult check_alignment(const struct cup_memop *op)
{
    return op->address % op->size_bytes == 0 ? CUDA_SUCCESS : refuse_address(op);
}

static CUresult make_write(CUdeviceptr address, uint64_t value, unsigned size_bytes, unsigned flags,
                           struct cup_memop *op)
{
    if (flags != CU_STREAM_WRITE_VALUE_DEFAULT)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid write flags 0x%x", flags);
    *op = (struct cup_memop){CUP_MEMOP_WRITE, size_bytes, address, value};
    return check_alignment(op);
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
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid wait flags 0x%x", flags);
    if (flags & CU_STREAM_WAIT_VALUE_FLUSH)
        return cup_error(CUDA_ERROR_NOT_SUPPORTED, "the device cannot flush remote writes");
    *op = (struct cup_memop){kinds[test], size_bytes, address, value};
    return check_alignment(op);
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

static enum cup_memop_kind reduction_kind(CUstreamAtomicReductionOpType operation)
{
    return operation == CU_STREAM_ATOMIC_REDUCTION_OP_ADD   ? CUP_MEMOP_ADD
           : operation == CU_STREAM_ATOMIC_REDUCTION_OP_AND ? CUP_MEMOP_AND
           : operation == CU_STREAM_ATOMIC_REDUCTION_OP_OR  ? CUP_MEMOP_OR
                                                            : CUP_MEMOP_NONE;
}

static unsigned reduction_bytes(CUstreamAtomicReductionDataType type)
{
    return type == CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_32   ? 4
           : type == CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_64 ? 8
                                                            : 0;
}

static CUresult make_reduction(const CUstreamBatchMemOpParams *p, struct cup_memop *op)
{
    enum cup_memop_kind kind = reduction_kind(p->atomicReduction.reductionOp);
    unsigned bytes = reduction_bytes(p->atomicReduction.dataType);

    if (p->atomicReduction.flags || kind == CUP_MEMOP_NONE || bytes == 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "invalid reduction %d of data type 0x%x, or flags 0x%x are not 0",
                         (int)p->atomicReduction.reductionOp, (unsigned)p->atomicReduction.dataType,
                         p->atomicReduction.flags);
    *op = (struct cup_memop){kind, bytes, p->atomicReduction.address, p->atomicReduction.value};
    return check_alignment(op);
}

/* Every operation is a barrier in this implementation. */
static CUresult make_barrier(const CUstreamBatchMemOpParams *p, struct cup_memop *op)
{
    if (p->memoryBarrier.flags > CU_STREAM_MEMORY_BARRIER_TYPE_GPU)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid barrier %u", p->memoryBarrier.flags);
    *op = (struct cup_memop){.kind = CUP_MEMOP_NONE};
    return CUDA_SUCCESS;
}

static CUresult make_flush(const CUstreamBatchMemOpParams *p, struct cup_memop *op)
{
    (void)p;
    (void)op;
    return cup_error(CUDA_ERROR_NOT_SUPPORTED, "the device cannot flush remote writes");
}

CUresult cup_value_op_parse(const CUstreamBatchMemOpParams *p, struct cup_memop *op)
{
    static CUresult (*const make[])(const CUstreamBatchMemOpParams *p, struct cup_memop *op) = {
        [CU_STREAM_MEM_OP_WAIT_VALUE_32] = make_wait32,
        [CU_STREAM_MEM_OP_WRITE_VALUE_32] = make_write32,
        [CU_STREAM_MEM_OP_WAIT_VALUE_64] = make_wait64,
        [CU_STREAM_MEM_OP_WRITE_VALUE_64] = make_write64,
        [CU_STREAM_MEM_OP_BARRIER] = make_barrier,
        [CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES] = make_flush,
        [CU_STREAM_MEM_OP_ATOMIC_REDUCTION] = make_reduction,
    };
    unsigned operation =
        (unsigned)cup_driver_enumerator(CUP_ENUM_MEMORY_OPERATION, (int)p->operation);

    if (operation >= CUP_ARRAY_COUNT(make) || !make[operation])
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid operation %u", operation);
    return make[operation](p, op);
}
