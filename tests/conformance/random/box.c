/* SPDX-License-Identifier: MIT */
/*
 * Copies of boxes: 2D, 3D, between contexts, in batches; between pitched memory and arrays.
 *
 * An endpoint is drawn so that its box lies in the first WINDOW bytes by any reading of height and
 * offsets, or in its array; some are then changed so that they do not fit.
 */
#include "random.h"

struct endpoint {
    struct slot *slot;
    struct array *array;
    CUmemorytype type;
    size_t x, y, z, lod, pitch, height, base;
};
struct box {
    size_t width, rows, slices;
};

static struct endpoint endpoint_pick(const struct endpoint * not, int is_3d)
{
    struct endpoint end = {.x = 0};

    if (chance(45)) {
        end.array = array_pick();
        if (end.array && not &&end.array == not ->array)
            end.array = NULL;
    }
    if (end.array) {
        end.type = CU_MEMORYTYPE_ARRAY;
        return end;
    }
    end.slot = slot_pick(ANY_KIND, not ? not ->slot : NULL);
    int host = HOST_KINDS >> end.slot->kind & 1;
    end.type = end.slot->kind == PAGEABLE ? CU_MEMORYTYPE_HOST
               : chance(30)               ? CU_MEMORYTYPE_UNIFIED
               : chance(3)                ? (CUmemorytype)ONE_OF(1, 2, 0, 5)
               : host && chance(70)       ? CU_MEMORYTYPE_HOST
                                          : CU_MEMORYTYPE_DEVICE;
    if (end.type == CU_MEMORYTYPE_HOST && !end.slot->host)
        end.type = CU_MEMORYTYPE_DEVICE;
    (void)is_3d;
    return end;
}

static struct box box_pick(const struct endpoint *a, const struct endpoint *b, int is_3d)
{
    size_t width = 128, rows = 12, slices = is_3d ? 4 : 1, element = 1;
    const struct endpoint *ends[2] = {a, b};

    for (int i = 0; i < 2; i++) {
        const struct array *array = ends[i]->array;
        if (!array)
            continue;
        if (array->width * array->element < width)
            width = array->width * array->element;
        if (array->rows < rows)
            rows = array->rows;
        if (array->slices < slices)
            slices = array->slices;
        if (array->element > element)
            element = array->element;
    }
    struct box box = {width, rows, slices};
    if (chance(60))
        box.width = (1 + below((unsigned)((width + element - 1) / element))) * element;
    if (chance(60))
        box.rows = 1 + below((unsigned)rows);
    if (chance(60))
        box.slices = 1 + below((unsigned)slices);
    if (chance(30))
        box.rows = 1;
    if (chance(3))
        box.width += 1;
    if (chance(2))
        *ONE_OF_TYPE(size_t *, &box.width, &box.rows, &box.slices) = 0;
    if (chance(3))
        *ONE_OF_TYPE(size_t *, &box.rows, &box.slices) += 3;
    return box;
}

static void endpoint_place(struct endpoint *end, const struct box *box, int is_3d)
{
    if (end->array) {
        const struct array *array = end->array;
        size_t columns = (box->width + array->element - 1) / array->element;
        if (columns < array->width && chance(60))
            end->x = below((unsigned)(array->width - columns + 1)) * array->element;
        if (box->rows < array->rows && chance(60))
            end->y = below((unsigned)(array->rows - box->rows + 1));
        if (is_3d && box->slices < array->slices && chance(60))
            end->z = below((unsigned)(array->slices - box->slices + 1));
        if (chance(3))
            *ONE_OF_TYPE(size_t *, &end->x, &end->y, &end->z) += 1;
        if (chance(10))
            end->pitch = below(300), end->height = below(8);
        return;
    }
    end->base = chance(60) ? 0 : below(128);
    end->x = chance(60) ? 0 : below(64);
    if (end->base + end->x >= end->slot->size)
        end->base = end->x = 0;
    end->y = chance(50) ? 0 : below(5);
    end->z = is_3d && chance(50) ? below(3) : 0;
    end->pitch = chance(80) ? end->x + box->width + (chance(50) ? 0 : below(64))
                            : ONE_SIZE_OF(0, box->width, 256, end->x + box->width - 1);
    end->height = chance(60) ? end->y + box->rows + (chance(50) ? 0 : below(3))
                             : ONE_SIZE_OF(0, 1, box->rows, box->rows - 1, 7);
    if (box->slices == 0 || box->rows == 0 || end->height > 40)
        end->height = 4;
    if (end->pitch > 512)
        end->pitch = 512;
}

static const char *endpoint_text(const struct endpoint *end)
{
    if (end->array)
        return format("%s at %zu,%zu,%zu lod %zu pitch %zu height %zu", array_text(end->array),
                      end->x, end->y, end->z, end->lod, end->pitch, end->height);
    return format("%s type %d at %zu,%zu,%zu lod %zu pitch %zu height %zu",
                  slot_text(end->slot, end->base), end->type, end->x, end->y, end->z, end->lod,
                  end->pitch, end->height);
}

static int endpoint_missing(const struct endpoint *end)
{
    return end->array ? !end->array->handle : !end->slot->ptr;
}

static CUdeviceptr endpoint_address(const struct endpoint *end)
{
    return end->slot ? end->slot->ptr + end->base : 0;
}

static CUresult copy_2d(unsigned which, const struct endpoint *to, const struct endpoint *from,
                        const struct box *box, CUstream stream)
{
    CUDA_MEMCPY2D copy = {.srcXInBytes = from->x,
                          .srcY = from->y,
                          .srcMemoryType = from->type,
                          .srcHost = as_host(endpoint_address(from)),
                          .srcDevice = endpoint_address(from),
                          .srcArray = from->array ? from->array->handle : NULL,
                          .srcPitch = from->pitch,
                          .dstXInBytes = to->x,
                          .dstY = to->y,
                          .dstMemoryType = to->type,
                          .dstHost = as_host(endpoint_address(to)),
                          .dstDevice = endpoint_address(to),
                          .dstArray = to->array ? to->array->handle : NULL,
                          .dstPitch = to->pitch,
                          .WidthInBytes = box->width,
                          .Height = box->rows};

    return which == 0   ? cuda.cuMemcpy2D(&copy)
           : which == 1 ? cuda.cuMemcpy2DUnaligned(&copy)
                        : cuda.cuMemcpy2DAsync(&copy, stream);
}

static CUresult copy_3d(unsigned which, const struct endpoint *to, const struct endpoint *from,
                        const struct box *box, CUstream stream)
{
    CUDA_MEMCPY3D copy = {.srcXInBytes = from->x,
                          .srcY = from->y,
                          .srcZ = from->z,
                          .srcLOD = from->lod,
                          .srcMemoryType = from->type,
                          .srcHost = as_host(endpoint_address(from)),
                          .srcDevice = endpoint_address(from),
                          .srcArray = from->array ? from->array->handle : NULL,
                          .srcPitch = from->pitch,
                          .srcHeight = from->height,
                          .dstXInBytes = to->x,
                          .dstY = to->y,
                          .dstZ = to->z,
                          .dstLOD = to->lod,
                          .dstMemoryType = to->type,
                          .dstHost = as_host(endpoint_address(to)),
                          .dstDevice = endpoint_address(to),
                          .dstArray = to->array ? to->array->handle : NULL,
                          .dstPitch = to->pitch,
                          .dstHeight = to->height,
                          .WidthInBytes = box->width,
                          .Height = box->rows,
                          .Depth = box->slices};

    return which == 0 ? cuda.cuMemcpy3D(&copy) : cuda.cuMemcpy3DAsync(&copy, stream);
}

static CUresult copy_peer(unsigned which, const struct endpoint *to, const struct endpoint *from,
                          const struct box *box, CUstream stream)
{
    CUDA_MEMCPY3D_PEER copy = {.srcXInBytes = from->x,
                               .srcY = from->y,
                               .srcZ = from->z,
                               .srcLOD = from->lod,
                               .srcMemoryType = from->type,
                               .srcHost = as_host(endpoint_address(from)),
                               .srcDevice = endpoint_address(from),
                               .srcArray = from->array ? from->array->handle : NULL,
                               .srcPitch = from->pitch,
                               .srcHeight = from->height,
                               .srcContext = main_context,
                               .dstXInBytes = to->x,
                               .dstY = to->y,
                               .dstZ = to->z,
                               .dstLOD = to->lod,
                               .dstMemoryType = to->type,
                               .dstHost = as_host(endpoint_address(to)),
                               .dstDevice = endpoint_address(to),
                               .dstArray = to->array ? to->array->handle : NULL,
                               .dstPitch = to->pitch,
                               .dstHeight = to->height,
                               .dstContext = main_context,
                               .WidthInBytes = box->width,
                               .Height = box->rows,
                               .Depth = box->slices};

    return which == 0 ? cuda.cuMemcpy3DPeer(&copy) : cuda.cuMemcpy3DPeerAsync(&copy, stream);
}

static unsigned endpoint_hash(const struct endpoint *end)
{
    return end->array ? array_hash(end->array) : slot_hash(end->slot);
}

static void op_box(void)
{
    static const char *const names[] = {
        "cuMemcpy2D",      "cuMemcpy2DUnaligned", "cuMemcpy2DAsync",    "cuMemcpy3D",
        "cuMemcpy3DAsync", "cuMemcpy3DPeer",      "cuMemcpy3DPeerAsync"};
    unsigned which = ONE_OF_TYPE(unsigned, 0u, 1u, 2u, 3u, 3u, 3u, 4u, 4u, 5u, 6u);
    int is_3d = which > 2;
    const char *name;
    CUstream stream = stream_pick(&name);
    struct endpoint to = endpoint_pick(NULL, is_3d), from = endpoint_pick(&to, is_3d);
    struct box box = box_pick(&to, &from, is_3d);

    endpoint_place(&to, &box, is_3d);
    endpoint_place(&from, &box, is_3d);
    if (chance(2))
        from.lod = 1;
    say("%s(%zux%zux%zu, to %s, from %s, %s)", names[which], box.width, box.rows, box.slices,
        endpoint_text(&to), endpoint_text(&from), name);
    if (endpoint_missing(&to) || endpoint_missing(&from))
        return skip();
    CUresult result = which < 3   ? copy_2d(which, &to, &from, &box, stream)
                      : which < 5 ? copy_3d(which - 3, &to, &from, &box, stream)
                                  : copy_peer(which - 5, &to, &from, &box, stream);
    answer(result, "%s", "");
    if (succeeded())
        say(" %08x", endpoint_hash(&to));
}

static CUmemcpy3DOperand operand(const struct endpoint *end, size_t element)
{
    CUmemcpy3DOperand operand;

    memset(&operand, 0, sizeof operand);
    if (end->array) {
        operand.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
        operand.op.array.array = end->array->handle;
        operand.op.array.offset = (CUoffset3D){end->x / end->array->element, end->y, end->z};
        return operand;
    }
    operand.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    operand.op.ptr.ptr = endpoint_address(end) + end->x;
    operand.op.ptr.rowLength = end->pitch / element;
    operand.op.ptr.layerHeight = end->height;
    return operand;
}

/* Extents of a batch count elements of the array, if there is one. */
static void op_box_batch(void)
{
    CUDA_MEMCPY3D_BATCH_OP operation;
    const char *name;
    CUstream stream = stream_pick(&name);
    struct endpoint to = endpoint_pick(NULL, 1), from = endpoint_pick(&to, 1);
    struct box box = box_pick(&to, &from, 1);
    size_t element = to.array ? to.array->element : from.array ? from.array->element : 1;
    unsigned long long flags = chance(96) ? 0 : 1;

    endpoint_place(&to, &box, 1);
    endpoint_place(&from, &box, 1);
    memset(&operation, 0, sizeof operation);
    operation.extent = (CUextent3D){box.width / element, box.rows, box.slices};
    operation.srcAccessOrder = (CUmemcpySrcAccessOrder)(chance(95) ? between(1, 3) : ONE_OF(0, 4));
    operation.flags = chance(90) ? 0 : below(4);
    say("cuMemcpy3DBatchAsync(%zux%zux%zu, element %zu, to %s, from %s, order %d, flags %u %llu, "
        "%s)",
        operation.extent.width, box.rows, box.slices, element, endpoint_text(&to),
        endpoint_text(&from), operation.srcAccessOrder, operation.flags, flags, name);
    if (endpoint_missing(&to) || endpoint_missing(&from))
        return skip();
    operation.dst = operand(&to, element);
    operation.src = operand(&from, element);
    answer(cuda.cuMemcpy3DBatchAsync(1, &operation, flags, stream), "%s", "");
    if (succeeded())
        say(" %08x", endpoint_hash(&to));
}

const struct operation box_operations[] = {{45, op_box, 0}, {12, op_box_batch, 0}, {0, NULL, 0}};
