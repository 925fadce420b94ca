/* SPDX-License-Identifier: MIT */
/*
 * Batched 3D copies.
 */
#include "copy_operands.h"

static struct operand from[OPERAND_COUNT], to[OPERAND_COUNT];
static CUDA_MEMCPY3D_BATCH_OP operand[3];

static void operand3d(CUmemcpy3DOperand *out, const struct operand *operand_in, CUoffset3D offset,
                      int element)
{
    if (operand_in->array) {
        out->type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
        out->op.array.array = operand_in->array;
        out->op.array.offset = offset;
    } else {
        out->type = CU_MEMCPY_OPERAND_TYPE_POINTER;
        out->op.ptr.ptr = operand_in->memory.ptr + offset.x * element + offset.y * PITCH +
                          offset.z * PITCH * ROWS;
        out->op.ptr.rowLength = PITCH / element;
        out->op.ptr.layerHeight = ROWS;
    }
}

static void ops_reset(void)
{
    memset(operand, 0, sizeof operand);
    for (int i = 0; i < 3; i++) {
        operand[i].src.type = operand[i].dst.type = 1;
        operand[i].src.op.ptr.ptr = from[AS_DEVICE].memory.ptr;
        operand[i].dst.op.ptr.ptr = to[AS_DEVICE].memory.ptr;
        operand[i].src.op.ptr.rowLength = operand[i].dst.op.ptr.rowLength = PITCH;
        operand[i].src.op.ptr.layerHeight = operand[i].dst.op.ptr.layerHeight = ROWS;
        operand[i].extent = (CUextent3D){100, 7, 2};
        operand[i].srcAccessOrder = 1;
    }
}

static void ops_reset_to_array(void)
{
    ops_reset();
    operand[0].dst.type = 2;
    memset(&operand[0].dst.op, 0, sizeof operand[0].dst.op);
    operand[0].dst.op.array.array = to[AS_ARRAY].array;
    operand[0].src.op.ptr.rowLength = 64;
    operand[0].extent = (CUextent3D){25, 7, 2};
}

static void check_op(const char *name)
{
    CHECK(name, cuda.cuMemcpy3DBatchAsync(1, operand, 0, async_stream), "sync=%s", sync_context());
}

/* One operation with one change to it: from memory to memory; from memory to an array. */
#define CHECK_OP_WITH(name, change)                                                                \
    do {                                                                                           \
        ops_reset();                                                                               \
        change;                                                                                    \
        check_op(name);                                                                            \
    } while (0)
#define CHECK_ARRAY_OP_WITH(name, change)                                                          \
    do {                                                                                           \
        ops_reset_to_array();                                                                      \
        change;                                                                                    \
        check_op(name);                                                                            \
    } while (0)

static void batch3d_kinds(void)
{
    static const int kinds[] = {AS_DEVICE,         AS_HOST_PINNED, AS_HOST_PAGEABLE,
                                AS_DEVICE_MANAGED, AS_DEVICE_POOL, AS_ARRAY};

    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        for (size_t j = 0; j < COUNT_OF(kinds); j++)
            for (int shifted = 0; shifted < 2; shifted++) {
                struct operand *src = &from[kinds[i]], *dst = &to[kinds[j]];
                operand_fill(src, LAYERS, 1);
                operand_fill(dst, LAYERS, 2);
                int element = src->array || dst->array ? 4 : 1;
                struct box box = {0, 0, 0, 0, 0, 0, 100, 7, 2};
                memset(operand, 0, sizeof operand);
                if (shifted) {
                    box.sx = 3 * element;
                    box.sy = 2;
                    box.sz = 1;
                    box.dx = 5 * element;
                    box.dy = 4;
                    box.dz = 2;
                }
                operand3d(&operand[0].src, src, (CUoffset3D){box.sx / element, box.sy, box.sz},
                          element);
                operand3d(&operand[0].dst, dst, (CUoffset3D){box.dx / element, box.dy, box.dz},
                          element);
                operand[0].extent = (CUextent3D){100 / element, 7, 2};
                operand[0].srcAccessOrder = 1;
                CHECK_DATA(format("%s-to-%s%s", src->name, dst->name, shifted ? "-off" : ""),
                           cuda.cuMemcpy3DBatchAsync(1, operand, 0, async_stream), sync_context(),
                           box_check(dst, LAYERS, box));
            }
}

static void batch3d_pitches(void)
{
    CHECK_OP_WITH("base", (void)0);
    CHECK_OP_WITH("type0", operand[0].src.type = 0);
    CHECK_OP_WITH("type3", operand[0].src.type = 3);
    CHECK_OP_WITH("dtype0", operand[0].dst.type = 0);
    CHECK_OP_WITH("dtypeMAX", operand[0].dst.type = 0x7fffffff);
    CHECK_OP_WITH("null-src", operand[0].src.op.ptr.ptr = 0);
    CHECK_OP_WITH("null-dst", operand[0].dst.op.ptr.ptr = 0);
    static const size_t row_lengths[] = {0, 1, 99, 100, 101, 0x7fffffff, 0x80000000, SIZE_MAX};

    for (size_t i = 0; i < COUNT_OF(row_lengths); i++) {
        CHECK_OP_WITH(format("src-rowLength-%zu", row_lengths[i]),
                      operand[0].src.op.ptr.rowLength = row_lengths[i]);
        CHECK_OP_WITH(format("dst-rowLength-%zu", row_lengths[i]),
                      operand[0].dst.op.ptr.rowLength = row_lengths[i]);
    }
    static const size_t layer_heights[] = {0, 1, 6, 7, 8, SIZE_MAX};
    for (size_t i = 0; i < COUNT_OF(layer_heights); i++) {
        CHECK_OP_WITH(format("src-layerHeight-%zu", layer_heights[i]),
                      operand[0].src.op.ptr.layerHeight = layer_heights[i]);
        CHECK_OP_WITH(format("dst-layerHeight-%zu", layer_heights[i]),
                      operand[0].dst.op.ptr.layerHeight = layer_heights[i]);
    }

    operand_fill(&from[AS_DEVICE], LAYERS, 1);
    cuda.cuMemsetD8(to[AS_DEVICE].memory.ptr, 0, IMAGE_SIZE);
    CHECK_OP_WITH("tight-both-0",
                  operand[0].src.op.ptr.rowLength = operand[0].dst.op.ptr.rowLength =
                      operand[0].src.op.ptr.layerHeight = operand[0].dst.op.ptr.layerHeight = 0);
    RECORD("tight-both-0-data", "linear1400=%s", device_check(to[AS_DEVICE].memory.ptr, 1400, 1));
}

static void batch3d_extents_and_attributes(void)
{
    CHECK_OP_WITH("w0", operand[0].extent.width = 0);
    CHECK_OP_WITH("h0", operand[0].extent.height = 0);
    CHECK_OP_WITH("d0", operand[0].extent.depth = 0);
    CHECK_OP_WITH("all0", (operand[0].extent = (CUextent3D){0}));
    CHECK_OP_WITH("h1d1", (operand[0].extent = (CUextent3D){100, 1, 1}));
    CHECK_OP_WITH("w-max", operand[0].extent.width = SIZE_MAX);
    CHECK_OP_WITH("h-max", operand[0].extent.height = SIZE_MAX);
    CHECK_OP_WITH("d-max", operand[0].extent.depth = SIZE_MAX);
    CHECK_OP_WITH("oob-d", operand[0].extent.depth = 100000);

    for (int out = -1; out < 6; out++) {
        CHECK_OP_WITH(format("order%d", out), operand[0].srcAccessOrder = out);
    }
    for (int bit = 0; bit < 32; bit += bit < 4 ? 1 : 9) {
        CHECK_OP_WITH(format("opflagbit%d", bit), operand[0].flags = 1u << bit);
    }
    for (int where = 0; where <= 6; where++)
        for (int id = -1; id <= 1; id++) {
            CHECK_OP_WITH(format("srcloc%d-id%d", where, id),
                          operand[0].src.op.ptr.locHint = ((CUmemLocation){where, id}));
        }
}

static void batch3d_arguments(void)
{
    ops_reset();
    for (int bit = 0; bit < 64; bit += bit < 4 ? 1 : 12)
        CHECK(format("flags-bit%d", bit),
              cuda.cuMemcpy3DBatchAsync(1, operand, 1ull << bit, async_stream));
    CHECK("count0", cuda.cuMemcpy3DBatchAsync(0, operand, 0, async_stream));
    CHECK("count0-null", cuda.cuMemcpy3DBatchAsync(0, NULL, 0, async_stream));
    CHECK("null", cuda.cuMemcpy3DBatchAsync(1, NULL, 0, async_stream));
    CHECK("stream-null", cuda.cuMemcpy3DBatchAsync(1, operand, 0, 0));
    CHECK("stream-legacy", cuda.cuMemcpy3DBatchAsync(1, operand, 0, CU_STREAM_LEGACY));
    CHECK("stream-perthread", cuda.cuMemcpy3DBatchAsync(1, operand, 0, CU_STREAM_PER_THREAD));
    CHECK("three", cuda.cuMemcpy3DBatchAsync(3, operand, 0, async_stream));
    operand[2].srcAccessOrder = 0;
    operand_fill(&from[AS_DEVICE], LAYERS, 1);
    operand_fill(&to[AS_DEVICE], LAYERS, 2);
    struct box box = {0, 0, 0, 0, 0, 0, 100, 7, 2};
    CHECK_DATA("third-bad-partial?", cuda.cuMemcpy3DBatchAsync(3, operand, 0, async_stream),
               sync_context(), box_check(&to[AS_DEVICE], LAYERS, box));
}

static void batch3d_arrays(void)
{
    CHECK_ARRAY_OP_WITH("arr-base", (void)0);
    CHECK_ARRAY_OP_WITH("arr-null", operand[0].dst.op.array.array = 0);
    CHECK_ARRAY_OP_WITH("arr-x39", operand[0].dst.op.array.offset.x = 39);
    CHECK_ARRAY_OP_WITH("arr-x40", operand[0].dst.op.array.offset.x = 40);
    CHECK_ARRAY_OP_WITH("arr-y9", operand[0].dst.op.array.offset.y = 9);
    CHECK_ARRAY_OP_WITH("arr-y10", operand[0].dst.op.array.offset.y = 10);
    CHECK_ARRAY_OP_WITH("arr-z2", operand[0].dst.op.array.offset.z = 2);
    CHECK_ARRAY_OP_WITH("arr-z3", operand[0].dst.op.array.offset.z = 3);
    CHECK_ARRAY_OP_WITH("arr-xmax", operand[0].dst.op.array.offset.x = SIZE_MAX);
    CHECK_ARRAY_OP_WITH("arr-w64", operand[0].extent.width = 64);
    CHECK_ARRAY_OP_WITH("arr-w65", operand[0].extent.width = 65);
    CHECK_ARRAY_OP_WITH("arr-d4", operand[0].extent.depth = 4);
    CHECK_ARRAY_OP_WITH("arr-d5", operand[0].extent.depth = 5);
    CHECK_ARRAY_OP_WITH("arr-rowLength24", operand[0].src.op.ptr.rowLength = 24);
    CHECK_ARRAY_OP_WITH("arr-rowLength0", operand[0].src.op.ptr.rowLength = 0);
    CHECK_ARRAY_OP_WITH("arr-rowLength25", operand[0].src.op.ptr.rowLength = 25);
    CHECK_ARRAY_OP_WITH("arr-ptr+1", operand[0].src.op.ptr.ptr += 1);
    CHECK_ARRAY_OP_WITH("arr-ptr+2", operand[0].src.op.ptr.ptr += 2);

    CUarray bytes = array_new(64, 16, 4, 1, 1, 0);
    ops_reset();
    operand[0].src.type = operand[0].dst.type = 2;
    memset(&operand[0].src.op, 0, sizeof operand[0].src.op);
    memset(&operand[0].dst.op, 0, sizeof operand[0].dst.op);
    operand[0].src.op.array.array = bytes;
    operand[0].dst.op.array.array = to[AS_ARRAY].array;
    operand[0].extent = (CUextent3D){8, 2, 1};
    CHECK("arr-elem-size-mismatch", cuda.cuMemcpy3DBatchAsync(1, operand, 0, async_stream));
    operand[0].src.op.array.array = from[AS_ARRAY].array;
    CHECK("arr-to-arr", cuda.cuMemcpy3DBatchAsync(1, operand, 0, async_stream));
    operand[0].src.op.array.array = to[AS_ARRAY].array;
    CHECK("arr-to-itself", cuda.cuMemcpy3DBatchAsync(1, operand, 0, async_stream));
    CHECK("sync-end", cuda.cuStreamSynchronize(async_stream));
}

GROUP(601, batch3d, "batch3d")
{
    use_primary_context();
    async_stream = stream_new(CU_STREAM_NON_BLOCKING);
    operands_create(from, LAYERS);
    operands_create(to, LAYERS);

    batch3d_kinds();
    batch3d_pitches();
    batch3d_extents_and_attributes();
    batch3d_arguments();
    batch3d_arrays();
}

RISKY_HANDLE(9600, batch_stream_garbage, ({
                 CUdeviceptr d = risky_device, s = risky_device + 4096;
                 size_t n = 64, ix = 0;
                 CUmemcpyAttributes a = {.srcAccessOrder = 1};
                 cuda.cuMemcpyBatchAsync(&d, &s, &n, 1, &a, &ix, 1, (CUstream)bad_handle);
             }))

RISKY_HANDLE(9600, batch3d_array_garbage, ({
                 CUDA_MEMCPY3D_BATCH_OP o;
                 memset(&o, 0, sizeof o);
                 o.src.type = 1;
                 o.src.op.ptr.ptr = risky_device;
                 o.dst.type = 2;
                 o.dst.op.array.array = (CUarray)bad_handle;
                 o.extent = (CUextent3D){4, 1, 1};
                 o.srcAccessOrder = 1;
                 cuda.cuMemcpy3DBatchAsync(1, &o, 0, risky_stream);
             }))
