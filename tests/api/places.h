/* SPDX-License-Identifier: MIT */
/* Sources and destinations of copies, memory and arrays of every kind, each with a model of its
 * contents. The model copies byte by byte. */
#ifndef PLACES_H
#define PLACES_H

#include "test.h"

enum place_kind {
    PLACE_PAGEABLE,
    PLACE_PINNED,
    PLACE_REGISTERED,
    PLACE_DEVICE,
    PLACE_ARRAY_1D,
    PLACE_ARRAY_2D,
    PLACE_ARRAY_3D,
    PLACE_LAYERED_1D,
    PLACE_LAYERED_2D,
    PLACE_CUBE,
    PLACE_KINDS,
    PLACE_MEMORY_KINDS = PLACE_ARRAY_1D,
};

struct place {
    enum place_kind kind;
    CUdeviceptr at;
    unsigned char *host; /* NULL: device memory, or an array */
    CUarray array;
    size_t element_bytes, width_bytes, rows, slices; /* of arrays */
    size_t bytes;
    unsigned char *model; /* of arrays, row behind row */
};

/* A box in a place. Pitch and height are those of memory, as they take effect. */
struct side {
    struct place *place;
    size_t base, x, y, z, pitch, height;
};

static uint32_t place_random = 12345;

static inline uint32_t next_random(void)
{
    place_random ^= place_random << 13;
    place_random ^= place_random >> 17;
    place_random ^= place_random << 5;
    return place_random;
}

static inline size_t random_below(size_t limit)
{
    return next_random() % limit;
}

static inline bool place_is_array(const struct place *place)
{
    return place->kind >= PLACE_ARRAY_1D;
}

static inline struct place place_memory(enum place_kind kind, size_t bytes)
{
    struct place place = {.kind = kind, .bytes = bytes, .model = calloc(1, bytes)};
    void *host = NULL;

    if (kind == PLACE_DEVICE)
        check_success(cuMemAlloc(&place.at, bytes));
    else if (kind == PLACE_PINNED)
        check_success(cuMemAllocHost(&host, bytes));
    else
        host = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (kind == PLACE_REGISTERED)
        check_success(cuMemHostRegister(host, bytes, 0));
    place.host = host;
    if (host)
        place.at = (CUdeviceptr)(uintptr_t)host;
    return place;
}

/* An array of elements of so many bytes: 1, 2, 4, 8 or 16. */
static inline struct place place_array(enum place_kind kind, size_t element_bytes)
{
    static const struct {
        size_t width, height, depth;
        unsigned flags;
    } shapes[PLACE_KINDS] = {
        [PLACE_ARRAY_1D] = {100, 0, 0, 0},
        [PLACE_ARRAY_2D] = {37, 19, 0, 0},
        [PLACE_ARRAY_3D] = {23, 11, 7, 0},
        [PLACE_LAYERED_1D] = {51, 0, 5, CUDA_ARRAY3D_LAYERED},
        [PLACE_LAYERED_2D] = {29, 13, 4, CUDA_ARRAY3D_LAYERED},
        [PLACE_CUBE] = {16, 16, 6, CUDA_ARRAY3D_CUBEMAP},
    };
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {
        .Width = shapes[kind].width,
        .Height = shapes[kind].height,
        .Depth = shapes[kind].depth,
        .Format = element_bytes == 1   ? CU_AD_FORMAT_UNSIGNED_INT8
                  : element_bytes == 2 ? CU_AD_FORMAT_UNSIGNED_INT16
                                       : CU_AD_FORMAT_UNSIGNED_INT32,
        .NumChannels = element_bytes > 4 ? (unsigned)(element_bytes / 4) : 1,
        .Flags = shapes[kind].flags,
    };
    struct place place = {
        .kind = kind,
        .element_bytes = element_bytes,
        .width_bytes = shapes[kind].width * element_bytes,
        .rows = shapes[kind].height ? shapes[kind].height : 1,
        .slices = shapes[kind].depth ? shapes[kind].depth : 1,
    };
    CUresult result = cuArray3DCreate(&place.array, &descriptor);

    if (result == CUDA_ERROR_NOT_SUPPORTED)
        skip("there are no arrays");
    check_success(result);
    place.bytes = place.width_bytes * place.rows * place.slices;
    place.model = calloc(1, place.bytes);
    return place;
}

static inline struct place place_new(enum place_kind kind, size_t bytes)
{
    return kind < PLACE_MEMORY_KINDS ? place_memory(kind, bytes)
                                     : place_array(kind, (size_t)1 << random_below(5));
}

static inline void place_free(struct place *place)
{
    if (place->array)
        check_success(cuArrayDestroy(place->array));
    else if (place->kind == PLACE_DEVICE)
        check_success(cuMemFree(place->at));
    else if (place->kind == PLACE_PINNED)
        check_success(cuMemFreeHost(place->host));
    else if (place->kind == PLACE_REGISTERED)
        check_success(cuMemHostUnregister(place->host));
    if (place->kind == PLACE_PAGEABLE || place->kind == PLACE_REGISTERED)
        free(place->host);
    free(place->model);
}

/* The whole array, from or to memory without gaps. */
static inline void place_move_array(const struct place *place, void *host, bool to_array)
{
    CUDA_MEMCPY3D copy = {
        .WidthInBytes = place->width_bytes,
        .Height = place->rows,
        .Depth = place->slices,
        .srcMemoryType = to_array ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY,
        .srcHost = host,
        .srcArray = place->array,
        .srcPitch = place->width_bytes,
        .srcHeight = place->rows,
        .dstMemoryType = to_array ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST,
        .dstHost = host,
        .dstArray = place->array,
        .dstPitch = place->width_bytes,
        .dstHeight = place->rows,
    };

    check_success(cuMemcpy3D(&copy));
}

/* New contents, in the place and in the model. */
static inline void place_fill(struct place *place)
{
    uint32_t value = next_random();

    check_success(cuCtxSynchronize());
    for (size_t i = 0; i < place->bytes; i++)
        place->model[i] = (unsigned char)((value += 0x9e3779b9u) >> 24);
    if (place->array)
        place_move_array(place, place->model, true);
    else if (place->host)
        memcpy(place->host, place->model, place->bytes);
    else
        check_success(cuMemcpyHtoD(place->at, place->model, place->bytes));
}

static inline bool place_is_right(const struct place *place)
{
    unsigned char *buffer = place->host;

    check_success(cuCtxSynchronize());
    if (!place->host) {
        buffer = malloc(place->bytes);
        memset(buffer, 0x5a, place->bytes);
        if (place->array)
            place_move_array(place, buffer, false);
        else
            check_success(cuMemcpyDtoH(buffer, place->at, place->bytes));
    }
    bool right = memcmp(buffer, place->model, place->bytes) == 0;
    if (!place->host)
        free(buffer);
    return right;
}

static inline size_t side_offset(const struct side *side, size_t x, size_t y, size_t z)
{
    const struct place *place = side->place;

    x += side->x;
    y += side->y;
    z += side->z;
    if (place->array)
        return (z * place->rows + y) * place->width_bytes + x;
    return side->base + (z * side->height + y) * side->pitch + x;
}

/* Layers of one row lie row after row in a device's memory. */
static inline bool layers_are_rows(const struct side *side, const struct side *other)
{
    return side->place->kind == PLACE_DEVICE && other->place->kind == PLACE_LAYERED_1D;
}

static inline void model_copy(const struct side *to, const struct side *from, size_t width,
                              size_t height, size_t depth)
{
    bool to_rows = layers_are_rows(to, from), from_rows = layers_are_rows(from, to);

    for (size_t z = 0; z < depth; z++)
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x < width; x++)
                to->place->model[side_offset(to, x, to_rows ? z : y, to_rows ? 0 : z)] =
                    from->place->model[side_offset(from, x, from_rows ? z : y, from_rows ? 0 : z)];
}

/* The descriptor of that copy; memory is called UNIFIED or by its kind. */
static inline CUDA_MEMCPY3D describe(const struct side *to, const struct side *from, size_t width,
                                     size_t height, size_t depth, bool unified)
{
    CUDA_MEMCPY3D copy = {
        .srcXInBytes = from->x,
        .srcY = from->y,
        .srcZ = from->z,
        .srcPitch = from->pitch,
        .srcHeight = from->height,
        .dstXInBytes = to->x,
        .dstY = to->y,
        .dstZ = to->z,
        .dstPitch = to->pitch,
        .dstHeight = to->height,
        .WidthInBytes = width,
        .Height = height,
        .Depth = depth,
    };

    copy.srcMemoryType = from->place->array  ? CU_MEMORYTYPE_ARRAY
                         : unified           ? CU_MEMORYTYPE_UNIFIED
                         : from->place->host ? CU_MEMORYTYPE_HOST
                                             : CU_MEMORYTYPE_DEVICE;
    copy.srcArray = from->place->array;
    copy.srcHost = from->place->host ? from->place->host + from->base : NULL;
    copy.srcDevice = from->place->at + from->base;
    copy.dstMemoryType = to->place->array  ? CU_MEMORYTYPE_ARRAY
                         : unified         ? CU_MEMORYTYPE_UNIFIED
                         : to->place->host ? CU_MEMORYTYPE_HOST
                                           : CU_MEMORYTYPE_DEVICE;
    copy.dstArray = to->place->array;
    copy.dstHost = to->place->host ? to->place->host + to->base : NULL;
    copy.dstDevice = to->place->at + to->base;
    return copy;
}

static inline CUDA_MEMCPY2D describe_2d(const CUDA_MEMCPY3D *copy)
{
    return (CUDA_MEMCPY2D){
        .srcXInBytes = copy->srcXInBytes,
        .srcY = copy->srcY,
        .srcMemoryType = copy->srcMemoryType,
        .srcHost = copy->srcHost,
        .srcDevice = copy->srcDevice,
        .srcArray = copy->srcArray,
        .srcPitch = copy->srcPitch,
        .dstXInBytes = copy->dstXInBytes,
        .dstY = copy->dstY,
        .dstMemoryType = copy->dstMemoryType,
        .dstHost = copy->dstHost,
        .dstDevice = copy->dstDevice,
        .dstArray = copy->dstArray,
        .dstPitch = copy->dstPitch,
        .WidthInBytes = copy->WidthInBytes,
        .Height = copy->Height,
    };
}

/* A box of 100 x 7 x 2 bytes, with rows and layers that are longer. */
static inline CUDA_MEMCPY3D_BATCH_OP small_box(const struct place *from, const struct place *to)
{
    CUDA_MEMCPY3D_BATCH_OP box = {
        .src = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER},
        .dst = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER},
        .extent = {100, 7, 2},
        .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
    };

    box.src.op.ptr.ptr = from->at;
    box.dst.op.ptr.ptr = to->at;
    box.src.op.ptr.rowLength = box.dst.op.ptr.rowLength = 256;
    box.src.op.ptr.layerHeight = box.dst.op.ptr.layerHeight = 16;
    return box;
}

#endif
