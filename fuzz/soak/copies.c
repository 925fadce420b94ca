/* SPDX-License-Identifier: MIT */
/* Copies and fills between places of every kind, each with a model of what should be in it. All
 * work of a round goes through one stream, so that the model goes in the order of the calls. */
#include "soak.h"

#include <stdlib.h>
#include <string.h>

enum kind {
    PAGEABLE,
    PINNED,
    REGISTERED,
    DEVICE,
    OTHER_DEVICE,
    MANAGED,
    POOL,
    MEMORY_KINDS,
    ARRAY = MEMORY_KINDS,
    MIPMAP,
    KINDS,
};

/* Bytes as a box: a row of memory is as long as the box is wide. */
struct place {
    enum kind kind;
    size_t width, rows, slices, bytes;
    size_t element_bytes;
    bool has_row_layers; /* a layered array of one dimension */
    CUdeviceptr at;
    void *host;
    CUarray array;
    CUmipmappedArray mipmap;
    unsigned char *model;
};

static struct place memory_new(enum kind kind, CUstream stream)
{
    struct place place = {.kind = kind,
                          .width = 4 * draw_size(4096),
                          .rows = 1 + draw(40),
                          .slices = 1 + draw(5),
                          .element_bytes = 1};
    int devices;

    if (one_in(40))
        place.width *= 16; /* the larger ones go to several workers */
    place.bytes = place.width * place.rows * place.slices;
    switch (kind) {
    case PAGEABLE:
    case REGISTERED:
        place.host = aligned_alloc(4096, (place.bytes + 4095) & ~(size_t)4095);
        must_be(place.host != NULL);
        if (kind == REGISTERED)
            must(cuMemHostRegister(place.host, place.bytes, 0));
        break;
    case PINNED:
        must(cuMemHostAlloc(&place.host, place.bytes, 0));
        break;
    case MANAGED:
        must(cuMemAllocManaged(&place.at, place.bytes, CU_MEM_ATTACH_GLOBAL));
        break;
    case POOL:
        must(cuMemAllocAsync(&place.at, place.bytes, stream));
        break;
    case OTHER_DEVICE: {
        CUcontext other;

        must(cuDeviceGetCount(&devices));
        CUdevice device = (soak->device + 1) % devices;
        must(cuDevicePrimaryCtxRetain(&other, device));
        must(cuCtxSetCurrent(other));
        must(cuMemAlloc(&place.at, place.bytes));
        must(cuCtxSetCurrent(soak->context));
        break;
    }
    default:
        must(cuMemAlloc(&place.at, place.bytes));
    }
    if (place.host)
        place.at = address_of(place.host);
    return place;
}

static struct place array_new(enum kind kind)
{
    static const struct {
        CUarray_format format;
        unsigned bytes;
    } formats[] = {{CU_AD_FORMAT_UNSIGNED_INT8, 1},
                   {CU_AD_FORMAT_SIGNED_INT16, 2},
                   {CU_AD_FORMAT_HALF, 2},
                   {CU_AD_FORMAT_FLOAT, 4},
                   {CU_AD_FORMAT_UNSIGNED_INT32, 4}};
    unsigned format = (unsigned)draw(5), channels = 1u << draw(3), shape = (unsigned)draw(7);
    CUDA_ARRAY3D_DESCRIPTOR wanted = {
        .Width = 1 + draw(200), .Format = formats[format].format, .NumChannels = channels};
    struct place place = {.kind = kind,
                          .element_bytes = formats[format].bytes * channels,
                          .has_row_layers = shape == 3};
    unsigned level = 0;

    if (shape == 1 || shape == 2 || shape == 4)
        wanted.Height = 1 + draw(60);
    if (shape == 2)
        wanted.Depth = 1 + draw(8);
    if (shape == 3 || shape == 4) {
        wanted.Depth = 1 + draw(5);
        wanted.Flags = CUDA_ARRAY3D_LAYERED;
    }
    if (shape >= 5) {
        wanted.Height = wanted.Width = 1 + draw(40);
        wanted.Depth = 6;
        wanted.Flags = CUDA_ARRAY3D_CUBEMAP;
        if (shape == 6) {
            wanted.Depth = 6 * (1 + draw(3));
            wanted.Flags |= CUDA_ARRAY3D_LAYERED;
        }
    }
    if (one_in(2))
        wanted.Flags |= CUDA_ARRAY3D_SURFACE_LDST;
    if (kind == MIPMAP) {
        size_t side = wanted.Width > wanted.Height ? wanted.Width : wanted.Height;
        if (!(wanted.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) && wanted.Depth > side)
            side = wanted.Depth;
        unsigned levels = 64 - (unsigned)__builtin_clzll(side);
        must(cuMipmappedArrayCreate(&place.mipmap, &wanted, levels));
        level = (unsigned)draw(levels);
        must(cuMipmappedArrayGetLevel(&place.array, place.mipmap, level));
    } else {
        must(cuArray3DCreate(&place.array, &wanted));
    }
    size_t width = wanted.Width >> level, height = wanted.Height >> level, depth = wanted.Depth;
    if (!(wanted.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)))
        depth >>= level;
    place.width = (width ? width : 1) * place.element_bytes;
    place.rows = height ? height : 1;
    place.slices = depth ? depth : 1;
    place.bytes = place.width * place.rows * place.slices;
    return place;
}

/* A box of a place, in bytes. */
struct side {
    struct place *place;
    size_t x, y, z;
};

static void describe(CUDA_MEMCPY3D *copy, const struct side *to, const struct side *from)
{
    const struct place *source = from->place, *target = to->place;
    bool unified = one_in(2);

    copy->srcMemoryType = source->array  ? CU_MEMORYTYPE_ARRAY
                          : unified      ? CU_MEMORYTYPE_UNIFIED
                          : source->host ? CU_MEMORYTYPE_HOST
                                         : CU_MEMORYTYPE_DEVICE;
    copy->dstMemoryType = target->array  ? CU_MEMORYTYPE_ARRAY
                          : unified      ? CU_MEMORYTYPE_UNIFIED
                          : target->host ? CU_MEMORYTYPE_HOST
                                         : CU_MEMORYTYPE_DEVICE;
    copy->srcArray = source->array;
    copy->dstArray = target->array;
    copy->srcHost = source->host;
    copy->dstHost = target->host;
    copy->srcDevice = source->at;
    copy->dstDevice = target->at;
    copy->srcXInBytes = from->x, copy->srcY = from->y, copy->srcZ = from->z;
    copy->dstXInBytes = to->x, copy->dstY = to->y, copy->dstZ = to->z;
    copy->srcPitch = source->width, copy->srcHeight = source->rows;
    copy->dstPitch = target->width, copy->dstHeight = target->rows;
}

static void copy_run(CUDA_MEMCPY3D *copy, CUstream stream)
{
    if (copy->Depth == 1 && copy->srcZ == 0 && copy->dstZ == 0 && one_in(2)) {
        CUDA_MEMCPY2D flat = {
            copy->srcXInBytes, copy->srcY,          copy->srcMemoryType, copy->srcHost,
            copy->srcDevice,   copy->srcArray,      copy->srcPitch,      copy->dstXInBytes,
            copy->dstY,        copy->dstMemoryType, copy->dstHost,       copy->dstDevice,
            copy->dstArray,    copy->dstPitch,      copy->WidthInBytes,  copy->Height};

        must(cuMemcpy2DAsync(&flat, stream));
    } else {
        must(cuMemcpy3DAsync(copy, stream));
    }
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Layers of one row lie row after row in the memory of a device. */
static unsigned char *model_at(const struct side *side, const struct side *other, size_t y,
                               size_t z)
{
    const struct place *place = side->place;

    if (other->place->has_row_layers && !place->host && !place->array) {
        y += z;
        z = 0;
    }
    return place->model + ((z + side->z) * place->rows + y + side->y) * place->width + side->x;
}

static void copy_box(struct place *to_place, struct place *from_place, CUstream stream)
{
    size_t unit = to_place->element_bytes > from_place->element_bytes ? to_place->element_bytes
                                                                      : from_place->element_bytes;
    CUDA_MEMCPY3D copy = {0};
    struct side to = {.place = to_place}, from = {.place = from_place};

    if (to_place == from_place || (to_place->array && from_place->array &&
                                   to_place->element_bytes != from_place->element_bytes))
        return;
    size_t width = least(to_place->width, from_place->width) / unit;
    if (width == 0)
        return;
    copy.WidthInBytes = (1 + draw(width)) * unit;
    copy.Height = 1 + draw(least(to_place->rows, from_place->rows));
    copy.Depth = 1 + draw(least(to_place->slices, from_place->slices));
    to.x = draw((to_place->width - copy.WidthInBytes) / unit + 1) * unit;
    from.x = draw((from_place->width - copy.WidthInBytes) / unit + 1) * unit;
    to.y = draw(to_place->rows - copy.Height + 1);
    from.y = draw(from_place->rows - copy.Height + 1);
    to.z = draw(to_place->slices - copy.Depth + 1);
    from.z = draw(from_place->slices - copy.Depth + 1);
    describe(&copy, &to, &from);
    /* What pageable memory holds is for the host, which writes and reads when the stream is idle.
     */
    copy_run(&copy, stream);
    for (size_t z = 0; z < copy.Depth; z++) {
        for (size_t y = 0; y < copy.Height; y++)
            memcpy(model_at(&to, &from, y, z), model_at(&from, &to, y, z), copy.WidthInBytes);
    }
}

static void copy_line(struct place *to, struct place *from, CUstream stream)
{
    if (to->array || from->array || to == from)
        return;
    size_t count = 1 + draw(least(to->bytes, from->bytes));
    size_t at = draw(to->bytes - count + 1), source = draw(from->bytes - count + 1);

    if (to->host || from->host || one_in(2))
        must(cuMemcpyAsync(to->at + at, from->at + source, count, stream));
    else
        must(cuMemcpyDtoDAsync(to->at + at, from->at + source, count, stream));
    memcpy(to->model + at, from->model + source, count);
}

/* Three pieces of one place, which do not meet, from another. */
static void copy_batch(struct place *to, struct place *from, CUstream stream)
{
    enum { PIECES = 3 };
    CUdeviceptr targets[PIECES], sources[PIECES];
    size_t sizes[PIECES], first = 0, third = to->bytes / PIECES;
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};

    if (to->array || from->array || to == from || to->kind == PAGEABLE || from->kind == PAGEABLE ||
        third == 0)
        return;
    for (size_t i = 0; i < PIECES; i++) {
        sizes[i] = 1 + draw(least(third, from->bytes));
        size_t source = draw(from->bytes - sizes[i] + 1);
        targets[i] = to->at + i * third;
        sources[i] = from->at + source;
        memcpy(to->model + i * third, from->model + source, sizes[i]);
    }
    must(cuMemcpyBatchAsync(targets, sources, sizes, PIECES, &attributes, &first, 1, stream));
}

static void fill_some(struct place *place, CUstream stream)
{
    unsigned value = (unsigned)draw(UINT32_MAX), unit = 1u << draw(3);
    size_t pitch = place->width, width = place->width / unit, rows = place->rows * place->slices;

    if (place->array || place->kind == PAGEABLE)
        return;
    size_t columns = 1 + draw(width), height = 1 + draw(rows);
    size_t x = draw(width - columns + 1) * unit, y = draw(rows - height + 1);
    CUdeviceptr at = place->at + y * pitch + x;
    if (unit == 1)
        must(cuMemsetD2D8Async(at, pitch, (unsigned char)value, columns, height, stream));
    else if (unit == 2)
        must(cuMemsetD2D16Async(at, pitch, (unsigned short)value, columns, height, stream));
    else
        must(cuMemsetD2D32Async(at, pitch, value, columns, height, stream));
    for (size_t row = 0; row < height; row++) {
        for (size_t i = 0; i < columns; i++)
            memcpy(place->model + (y + row) * pitch + x + i * unit, &value, unit);
    }
}

static void move_all(struct place *place, void *memory, bool in, CUstream stream)
{
    struct place other = {.kind = PAGEABLE,
                          .width = place->width,
                          .rows = place->rows,
                          .slices = place->slices,
                          .host = memory,
                          .at = address_of(memory)};
    struct side here = {.place = place}, there = {.place = &other};
    CUDA_MEMCPY3D copy = {
        .WidthInBytes = place->width, .Height = place->rows, .Depth = place->slices};

    describe(&copy, in ? &here : &there, in ? &there : &here);
    must(cuMemcpy3DAsync(&copy, stream));
    must(cuStreamSynchronize(stream));
}

static void place_check(struct place *place, CUstream stream)
{
    void *came = room(place->bytes);

    if (place->host) {
        same(place->host, place->model, place->bytes, "host memory");
    } else {
        move_all(place, came, false, stream);
        same(came, place->model, place->bytes,
             place->array ? "an array" : "device memory of one kind");
    }
    free(came);
}

static void place_free(struct place *place, CUstream stream)
{
    int devices;

    if (place->mipmap)
        must(cuMipmappedArrayDestroy(place->mipmap));
    else if (place->array)
        must(cuArrayDestroy(place->array));
    else if (place->kind == PINNED)
        must(cuMemFreeHost(place->host));
    else if (place->kind == POOL)
        must(cuMemFreeAsync(place->at, stream));
    else if (!place->host)
        must(cuMemFree(place->at));
    if (place->kind == REGISTERED)
        must(cuMemHostUnregister(place->host));
    if (place->kind == OTHER_DEVICE) {
        must(cuDeviceGetCount(&devices));
        must(cuDevicePrimaryCtxRelease((soak->device + 1) % devices));
    }
    if (place->kind == REGISTERED || place->kind == PAGEABLE)
        free(place->host);
    free(place->model);
}

void soak_copies(void)
{
    enum { PLACES = 7, STEPS = 24 };
    struct place places[PLACES];
    CUstream stream;

    must(cuStreamCreate(&stream, one_in(2) ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT));
    for (unsigned i = 0; i < PLACES; i++) {
        enum kind kind = (enum kind)draw(KINDS);
        places[i] = kind < MEMORY_KINDS ? memory_new(kind, stream) : array_new(kind);
        places[i].model = room(places[i].bytes);
        fill(places[i].model, places[i].bytes, draw(1 << 30));
        if (places[i].host)
            memcpy(places[i].host, places[i].model, places[i].bytes);
        else
            move_all(&places[i], places[i].model, true, stream);
    }
    for (unsigned i = 0; i < STEPS; i++) {
        struct place *to = &places[draw(PLACES)], *from = &places[draw(PLACES)];

        switch (draw(5)) {
        case 0:
            copy_line(to, from, stream);
            break;
        case 1:
            fill_some(to, stream);
            break;
        case 2:
            copy_batch(to, from, stream);
            break;
        default:
            copy_box(to, from, stream);
        }
    }
    must(cuStreamSynchronize(stream));
    for (unsigned i = 0; i < PLACES; i++)
        place_check(&places[i], stream);
    for (unsigned i = 0; i < PLACES; i++)
        place_free(&places[i], stream);
    must(cuStreamSynchronize(stream));
    must(cuStreamDestroy(stream));
}
