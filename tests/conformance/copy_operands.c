/* SPDX-License-Identifier: MIT */
/*
 * The images that 2D, 3D and batched copies move, and the check of what arrived. Arrays are filled
 * and read back with cuMemcpy3D, all else as memory.
 */
#include "copy_operands.h"

CUstream async_stream;
CUcontext src_context, dst_context;

CUarray array_new(size_t width, size_t height, size_t depth, int format_id, int channels,
                  unsigned flags)
{
    CUarray array = NULL;
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {width, height, depth, format_id, channels, flags};

    cuda.cuArray3DCreate(&array, &descriptor);
    return array;
}

static void array_write(CUarray array, void *bytes, int depth)
{
    CUDA_MEMCPY3D copy;

    memset(&copy, 0, sizeof copy);
    copy.WidthInBytes = PITCH;
    copy.Height = ROWS;
    copy.Depth = depth;
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = bytes;
    copy.srcPitch = PITCH;
    copy.srcHeight = ROWS;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    cuda.cuMemcpy3D(&copy);
    cuda.cuCtxSynchronize();
}

static void array_read(CUarray array, void *bytes, int depth)
{
    CUDA_MEMCPY3D copy;

    memset(&copy, 0, sizeof copy);
    copy.WidthInBytes = PITCH;
    copy.Height = ROWS;
    copy.Depth = depth;
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = array;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = bytes;
    copy.dstPitch = PITCH;
    copy.dstHeight = ROWS;
    cuda.cuMemcpy3D(&copy);
    cuda.cuCtxSynchronize();
}

void operands_create(struct operand *operands, int depth)
{
    static const struct {
        const char *name;
        CUmemorytype type;
        int kind;
    } rows[OPERAND_COUNT] = {
        {"HOSTpageable", CU_MEMORYTYPE_HOST, KIND_PAGEABLE},
        {"HOSTpinned", CU_MEMORYTYPE_HOST, KIND_PINNED},
        {"HOSTmanaged", CU_MEMORYTYPE_HOST, KIND_MANAGED},
        {"HOSTdevptr", CU_MEMORYTYPE_HOST, KIND_DEVICE},
        {"DEVICEdev", CU_MEMORYTYPE_DEVICE, KIND_DEVICE},
        {"DEVICEpinned", CU_MEMORYTYPE_DEVICE, KIND_PINNED},
        {"DEVICEpageable", CU_MEMORYTYPE_DEVICE, KIND_PAGEABLE},
        {"DEVICEmanaged", CU_MEMORYTYPE_DEVICE, KIND_MANAGED},
        {"DEVICEpool", CU_MEMORYTYPE_DEVICE, KIND_POOL},
        {"ARRAY", CU_MEMORYTYPE_ARRAY, KIND_DEVICE},
        {"UNIFIEDdev", CU_MEMORYTYPE_UNIFIED, KIND_DEVICE},
        {"UNIFIEDpinned", CU_MEMORYTYPE_UNIFIED, KIND_PINNED},
        {"UNIFIEDpageable", CU_MEMORYTYPE_UNIFIED, KIND_PAGEABLE},
        {"UNIFIEDmanaged", CU_MEMORYTYPE_UNIFIED, KIND_MANAGED},
    };
    struct memory kinds[KIND_COUNT];

    memory_kinds_create(kinds, IMAGE_SIZE);
    for (int i = 0; i < OPERAND_COUNT; i++) {
        operands[i] = (struct operand){rows[i].name, rows[i].type, kinds[rows[i].kind], NULL};
        if (rows[i].type == CU_MEMORYTYPE_ARRAY)
            operands[i].array = array_new(PITCH / 4, ROWS, depth > 1 ? depth : 0,
                                          CU_AD_FORMAT_UNSIGNED_INT32, 1, 0);
    }
}

void operand_fill(struct operand *operand, int depth, unsigned seed)
{
    static unsigned char bytes[IMAGE_SIZE];

    if (operand->array) {
        pattern_fill(bytes, IMAGE_SIZE, seed);
        array_write(operand->array, bytes, depth);
    } else {
        memory_fill(&operand->memory, IMAGE_SIZE, seed);
    }
}

const char *box_check(struct operand *operand, int depth, struct box box)
{
    static unsigned char got[IMAGE_SIZE];
    size_t wrong = 0, changed = 0;
    size_t size = operand->array ? (size_t)PITCH * ROWS * depth : IMAGE_SIZE;

    cuda.cuCtxSynchronize();
    if (operand->array)
        array_read(operand->array, got, depth);
    else
        memory_read(&operand->memory, got, IMAGE_SIZE);
    for (size_t i = 0; i < size; i++) {
        size_t x = i % PITCH, y = i / PITCH % ROWS, z = i / (PITCH * ROWS);
        unsigned char wanted = pattern_byte(2, i);

        changed += got[i] != wanted;
        if (x >= box.dx && x < box.dx + box.w && y >= box.dy && y < box.dy + box.h && z >= box.dz &&
            z < box.dz + box.d)
            wanted = pattern_byte(1, (x - box.dx + box.sx) + PITCH * (y - box.dy + box.sy) +
                                         PITCH * ROWS * (z - box.dz + box.sz));
        wrong += got[i] != wanted;
    }
    if (!wrong)
        return "ok";
    return changed ? format("bad%zu", wrong) : "unchanged";
}

void copy3d_set(CUDA_MEMCPY3D *copy, struct operand *src, struct operand *dst, struct box box)
{
    memset(copy, 0, sizeof *copy);
    copy->srcXInBytes = box.sx;
    copy->srcY = box.sy;
    copy->srcZ = box.sz;
    copy->srcMemoryType = src->type;
    if (src->type == CU_MEMORYTYPE_HOST)
        copy->srcHost = as_host(src->memory.ptr);
    else if (src->type == CU_MEMORYTYPE_ARRAY)
        copy->srcArray = src->array;
    else
        copy->srcDevice = src->memory.ptr;
    copy->srcPitch = PITCH;
    copy->srcHeight = ROWS;

    copy->dstXInBytes = box.dx;
    copy->dstY = box.dy;
    copy->dstZ = box.dz;
    copy->dstMemoryType = dst->type;
    if (dst->type == CU_MEMORYTYPE_HOST)
        copy->dstHost = as_host(dst->memory.ptr);
    else if (dst->type == CU_MEMORYTYPE_ARRAY)
        copy->dstArray = dst->array;
    else
        copy->dstDevice = dst->memory.ptr;
    copy->dstPitch = PITCH;
    copy->dstHeight = ROWS;

    copy->WidthInBytes = box.w;
    copy->Height = box.h;
    copy->Depth = box.d;
}

void copy2d_set(CUDA_MEMCPY2D *copy, struct operand *src, struct operand *dst, struct box box)
{
    CUDA_MEMCPY3D in3d;

    copy3d_set(&in3d, src, dst, box);
    *copy = (CUDA_MEMCPY2D){
        .srcXInBytes = box.sx,
        .srcY = box.sy,
        .srcMemoryType = in3d.srcMemoryType,
        .srcHost = in3d.srcHost,
        .srcDevice = in3d.srcDevice,
        .srcArray = in3d.srcArray,
        .srcPitch = PITCH,
        .dstXInBytes = box.dx,
        .dstY = box.dy,
        .dstMemoryType = in3d.dstMemoryType,
        .dstHost = in3d.dstHost,
        .dstDevice = in3d.dstDevice,
        .dstArray = in3d.dstArray,
        .dstPitch = PITCH,
        .WidthInBytes = box.w,
        .Height = box.h,
    };
}

static CUresult copy_2d(const void *descriptor)
{
    return cuda.cuMemcpy2D(descriptor);
}

static CUresult copy_2d_unaligned(const void *descriptor)
{
    return cuda.cuMemcpy2DUnaligned(descriptor);
}

static CUresult copy_2d_async(const void *descriptor)
{
    return cuda.cuMemcpy2DAsync(descriptor, async_stream);
}

static CUresult copy_3d(const void *descriptor)
{
    return cuda.cuMemcpy3D(descriptor);
}

static CUresult copy_3d_async(const void *descriptor)
{
    return cuda.cuMemcpy3DAsync(descriptor, async_stream);
}

/* A peer descriptor is a 3D one with the contexts where that has reserved words. */
static CUDA_MEMCPY3D_PEER peer_descriptor(const void *descriptor)
{
    CUDA_MEMCPY3D_PEER peer;

    memcpy(&peer, descriptor, sizeof peer);
    if (!peer.srcContext)
        peer.srcContext = src_context;
    if (!peer.dstContext)
        peer.dstContext = dst_context;
    return peer;
}

static CUresult copy_3d_peer(const void *descriptor)
{
    CUDA_MEMCPY3D_PEER peer = peer_descriptor(descriptor);

    return cuda.cuMemcpy3DPeer(&peer);
}

static CUresult copy_3d_peer_async(const void *descriptor)
{
    CUDA_MEMCPY3D_PEER peer = peer_descriptor(descriptor);

    return cuda.cuMemcpy3DPeerAsync(&peer, async_stream);
}

const struct copy copies[COPY_COUNT] = {
    [COPY_2D] = {"2D", copy_2d, 2},
    [COPY_2D_UNALIGNED] = {"2DUnaligned", copy_2d_unaligned, 2},
    [COPY_2D_ASYNC] = {"2DAsync", copy_2d_async, 2},
    [COPY_3D] = {"3D", copy_3d, 3},
    [COPY_3D_ASYNC] = {"3DAsync", copy_3d_async, 3},
    [COPY_3D_PEER] = {"3DPeer", copy_3d_peer, 3},
    [COPY_3D_PEER_ASYNC] = {"3DPeerAsync", copy_3d_peer_async, 3},
};
