/* SPDX-License-Identifier: MIT */
/* Calls that make streams wait, call back, copy in batches and decompress. What is waited for
 * comes: see waits.h. */
#include "api_calls.h"

#include "../tests/api/packed_text.h"
#include "waits.h"

#include <string.h>
#include <unistd.h>

/* ---- Values ---- */

struct wait {
    CUdeviceptr address;
    uint64_t value;
    unsigned flags;
};

/* A wait that ends, or one that is refused. */
static struct wait draw_wait(struct draw *draw, unsigned bytes)
{
    struct wait wait = {.value = draw_below(draw, 2) ? draw_bits(draw) : draw_number(draw),
                        .flags = draw_below(draw, 4)};

    if (bytes == 4)
        wait.value &= UINT32_MAX;
    if (wait.flags == CU_STREAM_WAIT_VALUE_AND && wait.value == 0)
        wait.value = 1;
    if (wait.flags == CU_STREAM_WAIT_VALUE_NOR)
        wait.value &= UINT32_MAX >> 1;
    wait.address = waits_word(wait.value, wait.flags, bytes);
    switch (draw_below(draw, 12)) {
    case 0:
        wait.address = 0;
        break;
    case 1:
        wait.address |= UINT64_C(1) << 63;
        break;
    case 2:
        wait.flags |= 4u << draw_below(draw, 29);
        break;
    default:
        break;
    }
    return wait;
}

static CUresult wait_value32(struct draw *draw)
{
    typedef CUresult wait_function(CUstream, CUdeviceptr, cuuint32_t, unsigned);
    wait_function *const functions[] = {cuStreamWaitValue32, cuStreamWaitValue32_ptsz,
                                        cuStreamWaitValue32_v2, cuStreamWaitValue32_v2_ptsz};
    struct wait wait = draw_wait(draw, 4);

    return functions[draw_below(draw, 4)](draw_handle(draw, KIND_CUstream), wait.address,
                                          (cuuint32_t)wait.value, wait.flags);
}

static CUresult wait_value64(struct draw *draw)
{
    typedef CUresult wait_function(CUstream, CUdeviceptr, cuuint64_t, unsigned);
    wait_function *const functions[] = {cuStreamWaitValue64, cuStreamWaitValue64_ptsz,
                                        cuStreamWaitValue64_v2, cuStreamWaitValue64_v2_ptsz};
    struct wait wait = draw_wait(draw, 8);

    return functions[draw_below(draw, 4)](draw_handle(draw, KIND_CUstream), wait.address,
                                          wait.value, wait.flags);
}

void api_draw_memory_op(struct draw *draw, CUstreamBatchMemOpParams *op)
{
    static const CUstreamBatchMemOpType kinds[] = {
        CU_STREAM_MEM_OP_WAIT_VALUE_32,    CU_STREAM_MEM_OP_WAIT_VALUE_64,
        CU_STREAM_MEM_OP_WRITE_VALUE_32,   CU_STREAM_MEM_OP_WRITE_VALUE_64,
        CU_STREAM_MEM_OP_BARRIER,          CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES,
        CU_STREAM_MEM_OP_ATOMIC_REDUCTION, (CUstreamBatchMemOpType)77};

    memset(op, 0, sizeof(*op));
    op->operation = kinds[draw_below(draw, sizeof(kinds) / sizeof(kinds[0]))];
    if (op->operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 ||
        op->operation == CU_STREAM_MEM_OP_WAIT_VALUE_64) {
        struct wait wait = draw_wait(draw, op->operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 ? 4 : 8);

        op->waitValue.address = wait.address;
        op->waitValue.value64 = wait.value;
        op->waitValue.flags = wait.flags;
    } else if (op->operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 ||
               op->operation == CU_STREAM_MEM_OP_WRITE_VALUE_64) {
        op->writeValue.address = draw_address(draw);
        op->writeValue.value64 = draw_bits(draw);
        op->writeValue.flags = draw_below(draw, 2);
    } else if (op->operation == CU_STREAM_MEM_OP_ATOMIC_REDUCTION) {
        op->atomicReduction.address = draw_address(draw);
        op->atomicReduction.value = draw_bits(draw);
        op->atomicReduction.reductionOp = (CUstreamAtomicReductionOpType)draw_below(draw, 8);
        op->atomicReduction.dataType = draw_below(draw, 2) ? CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_32
                                                           : CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_64;
    } else {
        op->memoryBarrier.flags = draw_below(draw, 3);
    }
}

static CUresult batch_memory_ops(struct draw *draw)
{
    enum { COUNT = 6 };
    typedef CUresult batch_function(CUstream, unsigned, CUstreamBatchMemOpParams *, unsigned);
    batch_function *const functions[] = {cuStreamBatchMemOp, cuStreamBatchMemOp_ptsz,
                                         cuStreamBatchMemOp_v2, cuStreamBatchMemOp_v2_ptsz};
    CUstreamBatchMemOpParams ops[COUNT];
    unsigned count = draw_below(draw, COUNT + 1);

    for (unsigned i = 0; i < count; i++)
        api_draw_memory_op(draw, &ops[i]);
    return functions[draw_below(draw, 4)](draw_handle(draw, KIND_CUstream), count, ops,
                                          draw_below(draw, 8) ? 0 : (unsigned)draw_number(draw));
}

static CUresult register_words(struct draw *draw)
{
    (void)draw;
    return waits_register();
}

/* ---- External semaphores ---- */

static CUresult import_semaphore(struct draw *draw)
{
    bool timeline = draw_below(draw, 2);
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC file = {
        .type = timeline ? CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD
                         : CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD,
        .handle.fd = waits_semaphore(timeline)};
    CUexternalSemaphore semaphore;
    int fd = file.handle.fd;

    if (fd < 0)
        return CUDA_ERROR_UNKNOWN;
    CUresult result = cuImportExternalSemaphore(&semaphore, &file);
    if (result == CUDA_SUCCESS)
        keep(draw, KIND_CUexternalSemaphore, (uintptr_t)semaphore);
    else
        close(fd);
    return result;
}

static CUresult use_semaphores(struct draw *draw)
{
    enum { COUNT = 3 };
    typedef CUresult wait_function(const CUexternalSemaphore *,
                                   const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *, unsigned, CUstream);
    typedef CUresult signal_function(const CUexternalSemaphore *,
                                     const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *, unsigned,
                                     CUstream);
    wait_function *const waits[] = {cuWaitExternalSemaphoresAsync,
                                    cuWaitExternalSemaphoresAsync_ptsz};
    signal_function *const signals[] = {cuSignalExternalSemaphoresAsync,
                                        cuSignalExternalSemaphoresAsync_ptsz};
    CUexternalSemaphore semaphores[COUNT];
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS waited[COUNT] = {0};
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS given[COUNT] = {0};
    unsigned count = draw_below(draw, COUNT + 1), choice = draw_below(draw, 4);
    CUstream stream = draw_handle(draw, KIND_CUstream);

    for (unsigned i = 0; i < count; i++) {
        semaphores[i] = draw_handle(draw, KIND_CUexternalSemaphore);
        waited[i].params.fence.value = draw_number(draw);
        given[i].params.fence.value = draw_number(draw);
        waited[i].flags = draw_below(draw, 16) ? 0 : (unsigned)draw_number(draw);
    }
    if (choice < 2)
        return waits[choice](semaphores, waited, count, stream);
    return signals[choice - 2](semaphores, given, count, stream);
}

/* ---- Host functions ---- */

static void CUDA_CB host_function(void *counter)
{
    (void)counter;
    cuCtxSynchronize(); /* not permitted here, and must say so */
}

static void CUDA_CB callback(CUstream stream, CUresult status, void *counter)
{
    (void)status;
    (void)counter;
    cuStreamSynchronize(stream); /* neither is this */
}

static CUresult call_host(struct draw *draw)
{
    CUstream stream = draw_handle(draw, KIND_CUstream);

    switch (draw_below(draw, 6)) {
    case 0:
        return cuLaunchHostFunc(stream, host_function, NULL);
    case 1:
        return cuLaunchHostFunc_ptsz(stream, host_function, NULL);
    case 2:
        return cuLaunchHostFunc_v2(stream, host_function, NULL, draw_below(draw, 3));
    case 3:
        return cuLaunchHostFunc_v2_ptsz(stream, host_function, NULL, draw_below(draw, 3));
    case 4:
        return cuStreamAddCallback(stream, callback, NULL, draw_below(draw, 8) == 0);
    default:
        return cuStreamAddCallback_ptsz(stream, callback, NULL, draw_below(draw, 8) == 0);
    }
}

/* ---- Batches ---- */

static CUresult batch(struct draw *draw)
{
    enum { COUNT = 8 };
    CUdeviceptr to[COUNT], from[COUNT];
    size_t sizes[COUNT], index[2] = {0, draw_below(draw, COUNT)}, failed;
    CUmemcpyAttributes attributes[2] = {
        {.srcAccessOrder = (CUmemcpySrcAccessOrder)draw_number(draw)},
        {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY}};
    unsigned count = draw_below(draw, COUNT + 1), kinds = 1 + draw_below(draw, 2);
    CUstream stream = draw_handle(draw, KIND_CUstream);

    for (int i = 0; i < COUNT; i++) {
        to[i] = draw_address(draw);
        from[i] = draw_address(draw);
        sizes[i] = draw_below(draw, 16) ? draw_below(draw, 4096) : draw_size(draw);
    }
    if (draw_below(draw, 2)) /* of many, one is bad as a rule */
        count = count % 3;
    switch (draw_below(draw, 4)) {
    case 0:
        return cuMemcpyBatchAsync(to, from, sizes, count, attributes, index, kinds, &failed,
                                  stream);
    case 1:
        return cuMemcpyBatchAsync_ptsz(to, from, sizes, count, attributes, index, kinds, &failed,
                                       stream);
    case 2:
        return cuMemcpyBatchAsync_v2_ptsz(to, from, sizes, count, attributes, index, kinds, stream);
    default:
        return cuMemcpyBatchAsync_v2(to, from, sizes, count, attributes, index, kinds, stream);
    }
}

static void draw_operand(struct draw *draw, CUmemcpy3DOperand *operand)
{
    memset(operand, 0, sizeof(*operand));
    operand->type =
        draw_below(draw, 2) ? CU_MEMCPY_OPERAND_TYPE_POINTER : CU_MEMCPY_OPERAND_TYPE_ARRAY;
    if (operand->type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
        operand->op.array.array = draw_handle(draw, KIND_CUarray);
        operand->op.array.offset.x = draw_number(draw);
        return;
    }
    operand->op.ptr.ptr = draw_address(draw);
    operand->op.ptr.rowLength = draw_below(draw, 2) ? 0 : draw_size(draw);
    operand->op.ptr.layerHeight = draw_below(draw, 2) ? 0 : draw_number(draw);
    operand->op.ptr.locHint.type = (CUmemLocationType)draw_below(draw, 4);
}

static CUresult batch_3d(struct draw *draw)
{
    enum { COUNT = 4 };
    CUDA_MEMCPY3D_BATCH_OP ops[COUNT];
    unsigned count = draw_below(draw, COUNT + 1);
    unsigned long long flags = draw_below(draw, 8) ? 0 : draw_number(draw);
    CUstream stream = draw_handle(draw, KIND_CUstream);
    size_t failed;

    for (int i = 0; i < COUNT; i++) {
        memset(&ops[i], 0, sizeof(ops[i]));
        draw_operand(draw, &ops[i].src);
        draw_operand(draw, &ops[i].dst);
        ops[i].extent.width = draw_below(draw, 8) ? draw_number(draw) : draw_size(draw);
        ops[i].extent.height = draw_number(draw);
        ops[i].extent.depth = 1 + draw_below(draw, 2);
        ops[i].srcAccessOrder = (CUmemcpySrcAccessOrder)(1 + draw_below(draw, 3));
    }
    switch (draw_below(draw, 4)) {
    case 0:
        return cuMemcpy3DBatchAsync(count, ops, &failed, flags, stream);
    case 1:
        return cuMemcpy3DBatchAsync_ptsz(count, ops, &failed, flags, stream);
    case 2:
        return cuMemcpy3DBatchAsync_v2(count, ops, flags, stream);
    default:
        return cuMemcpy3DBatchAsync_v2_ptsz(count, ops, flags, stream);
    }
}

/* A good stream in memory of the device, changed now and then, and its room. */
static CUresult decompress(struct draw *draw)
{
    static const struct {
        CUmemDecompressAlgorithm algorithm;
        const unsigned char *stream;
        size_t bytes;
    } streams[] = {
        {CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE, packed_deflate_dynamic,
         sizeof(packed_deflate_dynamic)},
        {CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY, packed_snappy, sizeof(packed_snappy)},
        {CU_MEM_DECOMPRESS_ALGORITHM_LZ4, packed_lz4, sizeof(packed_lz4)},
    };
    unsigned chosen = draw_below(draw, 3);
    CUdeviceptr memory;
    size_t failed;
    CUresult result = cuMemAlloc_v2(&memory, 65536);

    if (result != CUDA_SUCCESS)
        return result;
    keep(draw, KIND_ADDRESS, memory);
    cuMemcpyHtoD_v2(memory, streams[chosen].stream, streams[chosen].bytes);
    if (draw_below(draw, 2))
        cuMemsetD8_v2(memory + draw_below(draw, (unsigned)streams[chosen].bytes),
                      (unsigned char)draw_bits(draw), 1);
    CUmemDecompressParams one = {
        .srcNumBytes = draw_below(draw, 8) ? streams[chosen].bytes : draw_size(draw),
        .dstNumBytes = draw_below(draw, 8) ? PLAIN_BYTES : draw_size(draw),
        .dstActBytes =
            (cuuint32_t *)(uintptr_t)(draw_below(draw, 8) ? memory + 60000 : draw_address(draw)),
        .src = (void *)(uintptr_t)(draw_below(draw, 8) ? memory : draw_address(draw)),
        .dst = (void *)(uintptr_t)(draw_below(draw, 8) ? memory + 8192 : draw_address(draw)),
        .algo = draw_below(draw, 8) ? streams[chosen].algorithm
                                    : (CUmemDecompressAlgorithm)draw_below(draw, 8)};
    unsigned flags = draw_below(draw, 8) ? 0 : (unsigned)draw_number(draw);
    return draw_below(draw, 2) ? cuMemBatchDecompressAsync(&one, 1, flags, &failed,
                                                           draw_handle(draw, KIND_CUstream))
                               : cuMemBatchDecompressAsync_ptsz(&one, 1, flags, &failed,
                                                                draw_handle(draw, KIND_CUstream));
}

const struct call stream_calls[] = {
    {"wait value 32", wait_value32},
    {"wait value 64", wait_value64},
    {"batch of memory operations", batch_memory_ops},
    {"register words", register_words},
    {"import semaphore", import_semaphore},
    {"use semaphores", use_semaphores},
    {"call host", call_host},
    {"batch", batch},
    {"batch 3d", batch_3d},
    {"decompress", decompress},
};
const unsigned stream_call_count = sizeof(stream_calls) / sizeof(stream_calls[0]);
