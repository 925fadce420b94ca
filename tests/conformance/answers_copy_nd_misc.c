/* SPDX-License-Identifier: MIT */
/*
 * 2D and 3D copies: NULL, contexts, streams, element sizes and shapes of arrays.
 */
#include "copy_operands.h"

static struct operand from[OPERAND_COUNT], to[OPERAND_COUNT];

static void misc_null_and_zero(void)
{
    CUDA_MEMCPY3D copy3d;
    CUDA_MEMCPY2D copy2d;

    CHECK("2D-null", cuda.cuMemcpy2D(NULL));
    CHECK("2DUnaligned-null", cuda.cuMemcpy2DUnaligned(NULL));
    CHECK("2DAsync-null", cuda.cuMemcpy2DAsync(NULL, async_stream));
    CHECK("3D-null", cuda.cuMemcpy3D(NULL));
    CHECK("3DAsync-null", cuda.cuMemcpy3DAsync(NULL, async_stream));
    CHECK("3DPeer-null", cuda.cuMemcpy3DPeer(NULL));
    CHECK("3DPeerAsync-null", cuda.cuMemcpy3DPeerAsync(NULL, async_stream));

    memset(&copy3d, 0, sizeof copy3d);
    memset(&copy2d, 0, sizeof copy2d);
    CHECK("2D-allzero", cuda.cuMemcpy2D(&copy2d));
    CHECK("2DUnaligned-allzero", cuda.cuMemcpy2DUnaligned(&copy2d));
    CHECK("3D-allzero", cuda.cuMemcpy3D(&copy3d));
    CUDA_MEMCPY3D_PEER zero_peer;
    memset(&zero_peer, 0, sizeof zero_peer);
    CHECK("3DPeer-allzero", cuda.cuMemcpy3DPeer(&zero_peer));
}

static void misc_peer_contexts(void)
{
    struct box box = {12, 1, 0, 20, 2, 1, 100, 7, 2};
    CUDA_MEMCPY3D copy3d;

    /* Contexts of the peer form. */
    CUcontext other = context_new();
    cuda.cuCtxSetCurrent(context);
    CUcontext contexts[] = {NULL, context, other};
    static const char *context_names[] = {"null", "cur", "other"};

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            copy3d_set(&copy3d, &from[AS_DEVICE], &to[AS_DEVICE], box);
            CUDA_MEMCPY3D_PEER peer;
            memcpy(&peer, &copy3d, sizeof peer);
            peer.srcContext = contexts[i];
            peer.dstContext = contexts[j];
            operand_fill(&from[AS_DEVICE], LAYERS, 1);
            operand_fill(&to[AS_DEVICE], LAYERS, 2);
            CHECK_DATA(format("3DPeer-src%s-dst%s", context_names[i], context_names[j]),
                       cuda.cuMemcpy3DPeer(&peer), sync_stream(0),
                       box_check(&to[AS_DEVICE], LAYERS, box));
            copy3d_set(&copy3d, &from[AS_HOST_PAGEABLE], &to[AS_HOST_PINNED], box);
            memcpy(&peer, &copy3d, sizeof peer);
            peer.srcContext = contexts[i];
            peer.dstContext = contexts[j];
            CHECK(format("3DPeer-host-src%s-dst%s", context_names[i], context_names[j]),
                  cuda.cuMemcpy3DPeer(&peer), "sync=%s", sync_stream(0));
        }
}

static void misc_streams(void)
{
    CUDA_MEMCPY3D copy3d;
    CUDA_MEMCPY2D copy2d;

    for (int f = 0; f < 7; f++)
        if (strstr(copies[f].name, "Async")) {
            CUstream streams[] = {0, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD};
            static const char *stream_names[] = {"null", "legacy", "perthread"};
            for (int i = 0; i < 3; i++) {
                CUstream saved = async_stream;
                async_stream = streams[i];
                struct box box = {12, 1, 0, 20, 2, 0, 100, 7, 1};
                copy3d_set(&copy3d, &from[AS_HOST_PINNED], &to[AS_DEVICE], box);
                copy2d_set(&copy2d, &from[AS_HOST_PINNED], &to[AS_DEVICE], box);
                operand_fill(&from[AS_HOST_PINNED], LAYERS, 1);
                operand_fill(&to[AS_DEVICE], LAYERS, 2);
                CHECK_DATA(format("%s-stream-%s", copies[f].name, stream_names[i]),
                           copies[f].call(copies[f].dim == 2 ? (void *)&copy2d : (void *)&copy3d),
                           sync_stream(async_stream), box_check(&to[AS_DEVICE], LAYERS, box));
                async_stream = saved;
            }
        }
}

static void misc_element_sizes(void)
{
    CUDA_MEMCPY2D copy2d;

    /* Array element sizes: which X / width multiples are accepted. */
    static const struct {
        const char *name;
        int format_id, channels, element;
    } formats[] = {{"u8x1", 1, 1, 1},     {"u8x2", 1, 2, 2},     {"u8x4", 1, 4, 4},
                   {"u16x1", 2, 1, 2},    {"f16x4", 0x10, 4, 8}, {"f32x1", 0x20, 1, 4},
                   {"f32x2", 0x20, 2, 8}, {"f32x4", 0x20, 4, 16}};

    for (size_t i = 0; i < COUNT_OF(formats); i++)
        for (int x = 0; x < 6; x++) {
            static const int offsets[] = {0, 1, 2, 4, 8, 16};
            CUarray array = array_new(PITCH / formats[i].element, ROWS, 0, formats[i].format_id,
                                      formats[i].channels, 0);
            memset(&copy2d, 0, sizeof copy2d);
            copy2d.srcMemoryType = 2;
            copy2d.srcDevice = from[AS_DEVICE].memory.ptr;
            copy2d.srcPitch = PITCH;
            copy2d.dstMemoryType = 3;
            copy2d.dstArray = array;
            copy2d.WidthInBytes = 32;
            copy2d.Height = 4;
            copy2d.dstXInBytes = offsets[x];
            CHECK(format("array-%s-x%d", formats[i].name, offsets[x]), cuda.cuMemcpy2D(&copy2d));
            copy2d.dstXInBytes = 0;
            copy2d.WidthInBytes = 32 + offsets[x];
            CHECK(format("array-%s-w%d", formats[i].name, 32 + offsets[x]),
                  cuda.cuMemcpy2D(&copy2d));
            cuda.cuArrayDestroy(array);
        }
}

static void misc_shapes(void)
{
    CUDA_MEMCPY3D copy3d;
    CUDA_MEMCPY2D copy2d;

    /* Layered, cubemap, 1D, 3D, mip level operands: data both ways. */
    static const struct {
        const char *name;
        int width, height, depth;
        unsigned flags;
    } shapes[] = {{"1d", 64, 0, 0, 0},
                  {"2d", 64, 16, 0, 0},
                  {"3d", 64, 16, 4, 0},
                  {"1dlayered", 64, 0, 4, 1},
                  {"2dlayered", 64, 16, 4, 1},
                  {"cube", 64, 64, 6, 4},
                  {"cubelayered", 64, 64, 12, 5},
                  {"2dsurf", 64, 16, 0, 2},
                  {"2dgather", 64, 16, 0, 8}};

    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        CUarray array = array_new(shapes[i].width, shapes[i].height, shapes[i].depth,
                                  CU_AD_FORMAT_UNSIGNED_INT32, 1, shapes[i].flags);
        size_t height = shapes[i].height ? shapes[i].height : 1,
               depth = shapes[i].depth ? shapes[i].depth : 1, size = 256 * height * depth;
        unsigned char *x = malloc(size), *got = calloc(1, size);
        pattern_fill(x, size, 21);
        memset(&copy3d, 0, sizeof copy3d);
        copy3d.srcMemoryType = 1;
        copy3d.srcHost = x;
        copy3d.srcPitch = 256;
        copy3d.srcHeight = height;
        copy3d.dstMemoryType = 3;
        copy3d.dstArray = array;
        copy3d.WidthInBytes = 256;
        copy3d.Height = height;
        copy3d.Depth = depth;
        CHECK(format("shape-%s-put", shapes[i].name), cuda.cuMemcpy3D(&copy3d), "array=%d",
              array != 0);
        memset(&copy3d, 0, sizeof copy3d);
        copy3d.dstMemoryType = 1;
        copy3d.dstHost = got;
        copy3d.dstPitch = 256;
        copy3d.dstHeight = height;
        copy3d.srcMemoryType = 3;
        copy3d.srcArray = array;
        copy3d.WidthInBytes = 256;
        copy3d.Height = height;
        copy3d.Depth = depth;
        CHECK(format("shape-%s-get", shapes[i].name), cuda.cuMemcpy3D(&copy3d), "data=%s",
              pattern_check(got, size, 21));
        copy3d.Depth = depth + 1;
        CHECK(format("shape-%s-depth+1", shapes[i].name), cuda.cuMemcpy3D(&copy3d));
        copy3d.Depth = 0;
        CHECK(format("shape-%s-depth0", shapes[i].name), cuda.cuMemcpy3D(&copy3d));
        copy3d.Depth = depth;
        copy3d.Height = 0;
        CHECK(format("shape-%s-height0", shapes[i].name), cuda.cuMemcpy3D(&copy3d));
        copy3d.Height = height + 1;
        CHECK(format("shape-%s-height+1", shapes[i].name), cuda.cuMemcpy3D(&copy3d));
        copy3d.Height = height;
        copy3d.srcZ = depth;
        CHECK(format("shape-%s-z=depth", shapes[i].name), cuda.cuMemcpy3D(&copy3d));
        copy3d.srcZ = 0;
        memset(&copy2d, 0, sizeof copy2d);
        copy2d.srcMemoryType = 3;
        copy2d.srcArray = array;
        copy2d.dstMemoryType = 1;
        copy2d.dstHost = got;
        copy2d.dstPitch = 256;
        copy2d.WidthInBytes = 256;
        copy2d.Height = height;
        memset(got, 0, size);
        CHECK(format("shape-%s-get2d", shapes[i].name), cuda.cuMemcpy2D(&copy2d), "data=%s",
              pattern_check(got, 256 * height, 21));
        if (depth > 1) {
            copy2d.srcY = height;
            copy2d.Height = 1;
            CHECK(format("shape-%s-get2d-y=height", shapes[i].name), cuda.cuMemcpy2D(&copy2d));
        }
        free(x);
        free(got);
        cuda.cuArrayDestroy(array);
    }
}

static void misc_destroyed_array(void)
{
    struct box box = {12, 1, 0, 20, 2, 1, 100, 7, 2};
    CUDA_MEMCPY2D copy2d;

    copy2d_set(&copy2d, &from[AS_ARRAY], &to[AS_HOST_PINNED], box);
    cuda.cuArrayDestroy(from[AS_ARRAY].array);
    CHECK("2D-destroyed-array", cuda.cuMemcpy2D(&copy2d));
}

GROUP(505, copyndmisc, "copyndmisc")
{
    use_primary_context();
    async_stream = stream_new(0);
    src_context = dst_context = context;
    operands_create(from, LAYERS);
    operands_create(to, LAYERS);

    misc_null_and_zero();
    misc_peer_contexts();
    misc_streams();
    misc_element_sizes();
    misc_shapes();
    misc_destroyed_array();
}

RISKY_HANDLE(9500, copy2d_array_garbage, ({
                 CUDA_MEMCPY2D c = {.srcMemoryType = 3,
                                    .srcArray = (CUarray)bad_handle,
                                    .dstMemoryType = 1,
                                    .dstHost = risky_host,
                                    .dstPitch = 64,
                                    .WidthInBytes = 64,
                                    .Height = 4};
                 cuda.cuMemcpy2D(&c);
             }))

RISKY_HANDLE(9500, copy3dpeer_ctx_garbage, ({
                 CUDA_MEMCPY3D_PEER c = {.srcMemoryType = 2,
                                         .srcDevice = risky_device,
                                         .srcPitch = 64,
                                         .srcContext = (CUcontext)bad_handle,
                                         .dstContext = context,
                                         .dstMemoryType = 2,
                                         .dstDevice = risky_device + 4096,
                                         .dstPitch = 64,
                                         .WidthInBytes = 64,
                                         .Height = 4,
                                         .Depth = 1};
                 cuda.cuMemcpy3DPeer(&c);
             }))

RISKY_HANDLE(9500, copy2dasync_stream_garbage, ({
                 CUDA_MEMCPY2D c = {.srcMemoryType = 2,
                                    .srcDevice = risky_device,
                                    .srcPitch = 64,
                                    .dstMemoryType = 2,
                                    .dstDevice = risky_device + 4096,
                                    .dstPitch = 64,
                                    .WidthInBytes = 64,
                                    .Height = 4};
                 cuda.cuMemcpy2DAsync(&c, (CUstream)bad_handle);
             }))
