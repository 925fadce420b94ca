/* SPDX-License-Identifier: MIT */
/*
 * Forms of the texture and surface instructions that few programs use: which of them are taken, and
 * what they answer: queries of samplers, comparison with a depth, samples of a pixel, residency,
 * kinds of handles.
 */
#include "textures.h"
#include <stdbool.h>

enum { LANES = 8, WORDS = 5, WIDTH = 16, HEIGHT = 8 };

/* What a kernel is run on. */
enum image {
    NO_IMAGE, /* it is only loaded */
    FLAT,
    FLAT_LINEAR,
    FLAT_DEPTH, /* the array's flag says so */
    FLAT_BYTES,
    FLAT_WORDS,
    FLAT_GATHER,
    FLAT_NORMALIZED,
    LAYERS,
    CUBE,
    CUBES,
    LINE,
    LINES,
    SOLID,
    LEVELS,
    SPARSE,
    SURFACE,
    REFERENCE, /* the texture reference `image`; the handle is 0 */
    IMAGES
};
static const char *const image_names[IMAGES] = {
    "load", "flat",  "linear", "depth", "bytes", "words",  "gather", "normalized", "layers",
    "cube", "cubes", "line",   "lines", "solid", "levels", "sparse", "surface",    "reference"};

struct form {
    const char *name, *head, *body;
    unsigned char images[8];
};

#define PTX_90 ".version 9.0\n.target sm_90\n.address_size 64\n"
#define PTX_INDEPENDENT ".version 9.0\n.target sm_90, texmode_independent\n.address_size 64\n"
#define PTX_PLAIN_SAMPLER PTX_INDEPENDENT ".global .samplerref sampler;\n"
#define PTX_NO_SAMPLER PTX_INDEPENDENT "//no sampler\n"
#define PTX_BARE PTX_INDEPENDENT "//bare\n"
#define OUT "{%r0, %r1, %r2, %r3}"
#define AT_1D "[%h, {%x}]"
#define AT_2D "[%h, {%x, %y}]"
#define AT_3D "[%h, {%x, %y, %z, %z}]"
#define AT_A1D "[%h, {%i, %x}]"
#define AT_A2D "[%h, {%i, %x, %y, %y}]"
#define AT_CUBE "[%h, {%x, %y, %z, %z}]"
#define AT_ACUBE "[%h, {%i, %x, %y, %z}]"
#define SAMPLE_CASES                                                                               \
    {                                                                                              \
        FLAT, FLAT_LINEAR, FLAT_DEPTH, FLAT_BYTES, FLAT_WORDS, FLAT_NORMALIZED, LEVELS             \
    }

/* %x, %y, %z are a lane's coordinates, %i is 1, %j the lane, %d is compared with. */
static const struct form forms[] = {
    {"plain", PTX_90, "tex.2d.v4.f32.f32 " OUT ", " AT_2D ";", {FLAT, FLAT_LINEAR}},
    /* Queries. */
    {"txq-filter", PTX_90, "txq.filter_mode.b32 %r0, [%h];", {FLAT, FLAT_LINEAR, FLAT_NORMALIZED}},
    {"txq-mode0", PTX_90, "txq.addr_mode_0.b32 %r0, [%h];", {FLAT, FLAT_LINEAR, FLAT_NORMALIZED}},
    {"txq-mode1", PTX_90, "txq.addr_mode_1.b32 %r0, [%h];", {FLAT, FLAT_LINEAR, FLAT_NORMALIZED}},
    {"txq-mode2", PTX_90, "txq.addr_mode_2.b32 %r0, [%h];", {FLAT, FLAT_LINEAR, FLAT_NORMALIZED}},
    {"txq-force", PTX_90, "txq.force_unnormalized_coords.b32 %r0, [%h];", {FLAT, FLAT_NORMALIZED}},
    {"txq-normalized",
     PTX_90,
     "txq.normalized_coords.b32 %r0, [%h];",
     {FLAT, FLAT_LINEAR, FLAT_NORMALIZED}},
    {"txq-type", PTX_90, "txq.channel_data_type.b32 %r0, [%h];", {FLAT, FLAT_BYTES, FLAT_WORDS}},
    {"txq-order", PTX_90, "txq.channel_order.b32 %r0, [%h];", {FLAT, FLAT_BYTES, FLAT_WORDS}},
    {"txq-layers", PTX_90, "txq.array_size.b32 %r0, [%h];", {FLAT, LAYERS, CUBE, CUBES, LINES}},
    {"txq-levels", PTX_90, "txq.num_mipmap_levels.b32 %r0, [%h];", {FLAT, LAYERS, LEVELS}},
    {"txq-samples", PTX_90, "txq.num_samples.b32 %r0, [%h];", {FLAT, LAYERS, LEVELS}},
    {"txq-width", PTX_90, "txq.width.b32 %r0, [%h];", {FLAT, LAYERS, LEVELS}},
    {"txq-reference-width", PTX_90, "txq.width.b32 %r0, [image];", {REFERENCE}},
    {"txq-reference-filter", PTX_90, "txq.filter_mode.b32 %r0, [image];", {REFERENCE}},
    {"txq-reference-mode0", PTX_90, "txq.addr_mode_0.b32 %r0, [image];", {REFERENCE}},
    {"txq-reference-normalized", PTX_90, "txq.normalized_coords.b32 %r0, [image];", {REFERENCE}},
    {"txq-reference-type", PTX_90, "txq.channel_data_type.b32 %r0, [image];", {REFERENCE}},
    {"txq-reference-order", PTX_90, "txq.channel_order.b32 %r0, [image];", {REFERENCE}},
    {"txq-reference-force", PTX_90, "txq.force_unnormalized_coords.b32 %r0, [image];", {REFERENCE}},
    {"txq-sampler-filter", PTX_INDEPENDENT, "txq.filter_mode.b32 %r0, [sampler];", {FLAT}},
    {"txq-sampler-mode0", PTX_INDEPENDENT, "txq.addr_mode_0.b32 %r0, [sampler];", {FLAT}},
    {"txq-sampler-force",
     PTX_INDEPENDENT,
     "txq.force_unnormalized_coords.b32 %r0, [sampler];",
     {FLAT}},
    {"txq-sampler-plain", PTX_PLAIN_SAMPLER, "txq.filter_mode.b32 %r0, [sampler];", {FLAT}},
    {"txq-independent", PTX_INDEPENDENT, "txq.width.b32 %r0, [%h];", {FLAT}},
    {"independent-texture", PTX_NO_SAMPLER, "txq.width.b32 %r0, [image];", {REFERENCE}},
    {"independent-object", PTX_BARE, "txq.width.b32 %r0, [%h];", {FLAT}},
    {"independent-without", PTX_BARE, "mov.b32 %r0, 5;", {FLAT}},
    {"txq-nothing", PTX_90, "txq.colour.b32 %r0, [%h];", {NO_IMAGE}},
    {"suq-layout", PTX_90, "suq.memory_layout.b32 %r0, [%h];", {SURFACE}},
    {"suq-type", PTX_90, "suq.channel_data_type.b32 %r0, [%h];", {SURFACE}},
    {"suq-order", PTX_90, "suq.channel_order.b32 %r0, [%h];", {SURFACE}},
    {"suq-layers", PTX_90, "suq.array_size.b32 %r0, [%h];", {SURFACE}},
    {"suq-reference-layout", PTX_90, "suq.memory_layout.b32 %r0, [canvas];", {NO_IMAGE}},
    {"suq-reference-type", PTX_90, "suq.channel_data_type.b32 %r0, [canvas];", {NO_IMAGE}},
    /* Depth. */
    {"depth-2d", PTX_90, "tex.2d.v4.f32.f32 " OUT ", " AT_2D ", %d;", SAMPLE_CASES},
    {"depth-2d-offset",
     PTX_90,
     "tex.2d.v4.f32.f32 " OUT ", " AT_2D ", {1, 0}, %d;",
     {FLAT, FLAT_DEPTH}},
    {"depth-2d-level",
     PTX_90,
     "tex.level.2d.v4.f32.f32 " OUT ", " AT_2D ", 0f00000000, %d;",
     {FLAT, FLAT_LINEAR, LEVELS}},
    {"depth-2d-level-1",
     PTX_90,
     "tex.level.2d.v4.f32.f32 " OUT ", " AT_2D ", 0f3F800000, %d;",
     {LEVELS}},
    {"level-1", PTX_90, "tex.level.2d.v4.f32.f32 " OUT ", " AT_2D ", 0f3F800000;", {LEVELS}},
    {"depth-2d-gradient",
     PTX_90,
     "tex.grad.2d.v4.f32.f32 " OUT ", " AT_2D ", {%x, %y}, {%y, %x}, %d;",
     {FLAT, FLAT_LINEAR, LEVELS}},
    {"depth-2d-base", PTX_90, "tex.base.2d.v4.f32.f32 " OUT ", " AT_2D ", %d;", {FLAT, LEVELS}},
    {"depth-2d-integers", PTX_90, "tex.2d.v4.f32.s32 " OUT ", [%h, {%j, %i}], %d;", {FLAT}},
    {"depth-2d-words", PTX_90, "tex.2d.v4.u32.f32 " OUT ", " AT_2D ", %d;", {FLAT, FLAT_WORDS}},
    {"depth-1d", PTX_90, "tex.1d.v4.f32.f32 " OUT ", " AT_1D ", %d;", {LINE}},
    {"depth-a1d", PTX_90, "tex.a1d.v4.f32.f32 " OUT ", " AT_A1D ", %d;", {LINES}},
    {"depth-a2d", PTX_90, "tex.a2d.v4.f32.f32 " OUT ", " AT_A2D ", %d;", {LAYERS}},
    {"depth-3d", PTX_90, "tex.3d.v4.f32.f32 " OUT ", " AT_3D ", %d;", {SOLID}},
    {"depth-cube", PTX_90, "tex.cube.v4.f32.f32 " OUT ", " AT_CUBE ", %d;", {CUBE}},
    {"depth-acube", PTX_90, "tex.acube.v4.f32.f32 " OUT ", " AT_ACUBE ", %d;", {CUBES}},
    {"depth-old",
     ".version 4.2\n.target sm_50\n.address_size 64\n",
     "tex.2d.v4.f32.f32 " OUT ", " AT_2D ", %d;",
     {NO_IMAGE}},
    {"depth-gather",
     PTX_90,
     "tld4.r.2d.v4.f32.f32 " OUT ", " AT_2D ", %d;",
     {FLAT_GATHER, FLAT_DEPTH}},
    {"depth-gather-offset",
     PTX_90,
     "tld4.r.2d.v4.f32.f32 " OUT ", " AT_2D ", {1, -1}, %d;",
     {FLAT_GATHER}},
    {"depth-gather-green", PTX_90, "tld4.g.2d.v4.f32.f32 " OUT ", " AT_2D ", %d;", {FLAT_GATHER}},
    /* Offsets. */
    {"offset-gather", PTX_90, "tld4.r.2d.v4.f32.f32 " OUT ", " AT_2D ", {1, -1};", {FLAT_GATHER}},
    {"offset-gather-far",
     PTX_90,
     "tld4.r.2d.v4.f32.f32 " OUT ", " AT_2D ", {9, -11};",
     {FLAT_GATHER}},
    {"offset-gather-register",
     PTX_90,
     "tld4.r.2d.v4.f32.f32 " OUT ", " AT_2D ", {%j, %i};",
     {FLAT_GATHER}},
    {"offset-2d-far", PTX_90, "tex.2d.v4.f32.f32 " OUT ", " AT_2D ", {9, -9};", {FLAT}},
    {"offset-2d-register", PTX_90, "tex.2d.v4.f32.f32 " OUT ", " AT_2D ", {%j, %i};", {FLAT}},
    {"offset-cube", PTX_90, "tex.cube.v4.f32.f32 " OUT ", " AT_CUBE ", {1, 1, 1, 1};", {CUBE}},
    {"offset-old",
     ".version 4.2\n.target sm_50\n.address_size 64\n",
     "tex.2d.v4.f32.f32 " OUT ", " AT_2D ", {1, 1};",
     {NO_IMAGE}},
    /* Samples of a pixel. */
    {"2dms", PTX_90, "tex.2dms.v4.f32.s32 " OUT ", [%h, {%j, %i, %i, %i}];", {FLAT, FLAT_LINEAR}},
    {"2dms-offset", PTX_90, "tex.2dms.v4.f32.s32 " OUT ", [%h, {%i, %j, %i, %i}], {1, 1};", {FLAT}},
    {"2dms-base", PTX_90, "tex.base.2dms.v4.f32.s32 " OUT ", [%h, {%i, %j, %i, %i}];", {FLAT}},
    {"2dms-level",
     PTX_90,
     "tex.level.2dms.v4.f32.s32 " OUT ", [%h, {%i, %j, %i, %i}], %i;",
     {FLAT}},
    {"2dms-float", PTX_90, "tex.2dms.v4.f32.f32 " OUT ", [%h, {%i, %x, %y, %y}];", {NO_IMAGE}},
    {"2dms-pair", PTX_90, "tex.2dms.v4.f32.s32 " OUT ", [%h, {%j, %i}];", {NO_IMAGE}},
    {"2dms-words", PTX_90, "tex.2dms.v4.u32.s32 " OUT ", [%h, {%i, %j, %i, %i}];", {FLAT_WORDS}},
    {"a2dms", PTX_90, "tex.a2dms.v4.f32.s32 " OUT ", [%h, {%i, %i, %j, %i}];", {LAYERS, FLAT}},
    /* Integer coordinates with a level. */
    {"level-integer", PTX_90, "tex.level.2d.v4.f32.s32 " OUT ", [%h, {%j, %i}], %i;", {LEVELS}},
    {"base-2d", PTX_90, "tex.base.2d.v4.f32.f32 " OUT ", " AT_2D ";", {FLAT, LEVELS}},
    /* Residency. */
    {"resident-2d", PTX_90, "tex.2d.v4.f32.f32 " OUT "|%p, " AT_2D ";", {FLAT, SPARSE}},
    {"resident-2d-level",
     PTX_90,
     "tex.level.2d.v4.f32.f32 " OUT "|%p, " AT_2D ", 0f00000000;",
     {LEVELS, SPARSE}},
    {"resident-2d-integers",
     PTX_90,
     "tex.2d.v4.f32.s32 " OUT "|%p, [%h, {%j, %i}];",
     {FLAT, SPARSE}},
    {"resident-cube", PTX_90, "tex.cube.v4.f32.f32 " OUT "|%p, " AT_CUBE ";", {CUBE}},
    {"resident-gather",
     PTX_90,
     "tld4.r.2d.v4.f32.f32 " OUT "|%p, " AT_2D ";",
     {FLAT_GATHER, SPARSE}},
    {"resident-not", PTX_90, "tex.2d.v4.f32.f32 " OUT ", " AT_2D ";", {SPARSE}},
    {"resident-old",
     ".version 7.0\n.target sm_60\n.address_size 64\n",
     "tex.2d.v4.f32.f32 " OUT "|%p, " AT_2D ";",
     {NO_IMAGE}},
    {"resident-old-target",
     ".version 7.1\n.target sm_50\n.address_size 64\n",
     "tex.2d.v4.f32.f32 " OUT "|%p, " AT_2D ";",
     {NO_IMAGE}},
    {"resident-surface", PTX_90, "suld.b.2d.b32.zero {%r0}|%p, [%h, {%j, %i}];", {NO_IMAGE}},
    /* Kinds of handles. */
    {"istypep-object-texture", PTX_90, "istypep.texref %p, %h;", {FLAT, SURFACE}},
    {"istypep-object-surface", PTX_90, "istypep.surfref %p, %h;", {FLAT, SURFACE}},
    {"istypep-object-sampler", PTX_90, "istypep.samplerref %p, %h;", {FLAT}},
    {"istypep-texture", PTX_90, "mov.u64 %h, image;\nistypep.texref %p, %h;", {REFERENCE}},
    {"istypep-texture-surface", PTX_90, "mov.u64 %h, image;\nistypep.surfref %p, %h;", {REFERENCE}},
    {"istypep-surface", PTX_90, "mov.u64 %h, canvas;\nistypep.surfref %p, %h;", {REFERENCE}},
    {"istypep-name", PTX_90, "istypep.texref %p, image;", {REFERENCE}},
    {"istypep-independent", PTX_INDEPENDENT, "istypep.texref %p, %h;", {FLAT}},
    {"independent-2d",
     PTX_INDEPENDENT,
     "tex.2d.v4.f32.f32 " OUT ", [image, sampler, {%x, %y}];",
     {REFERENCE}},
    {"independent-plain",
     PTX_PLAIN_SAMPLER,
     "tex.2d.v4.f32.f32 " OUT ", [image, sampler, {%x, %y}];",
     {REFERENCE}},
    {"independent-handle",
     PTX_INDEPENDENT,
     "tex.2d.v4.f32.f32 " OUT ", [%h, sampler, {%x, %y}];",
     {FLAT}},
    {"independent-none", PTX_INDEPENDENT, "tex.2d.v4.f32.f32 " OUT ", " AT_2D ";", {FLAT}},
    {"unified-sampler", PTX_90, "tex.2d.v4.f32.f32 " OUT ", [%h, %h, {%x, %y}];", {FLAT}},
    {"half-2d",
     PTX_90,
     "tex.2d.v2.f16x2.f32 {%r0, %r1}, " AT_2D ";",
     {FLAT, FLAT_LINEAR, FLAT_BYTES}},
    {"gather-half", PTX_90, "tld4.r.2d.v2.f16x2.f32 {%r0, %r1}, " AT_2D ";", {NO_IMAGE}},
};

static const char *kernel_of(const struct form *form)
{
    static char text[4000];
    bool independent = strstr(form->head, "independent") && !strstr(form->head, "samplerref") &&
                       !strstr(form->head, "//");
    bool bare = strstr(form->head, "//bare") != NULL;

    snprintf(
        text, sizeof text,
        "%s%s%s"
        ".visible .entry go(.param .u64 handle, .param .u64 out, .param .f32 depth)\n{\n"
        ".reg .b64 %%h, %%o, %%a;\n.reg .b32 %%x, %%y, %%z, %%i, %%j, %%d, %%r<5>;\n.reg .pred "
        "%%p;\n"
        ".reg .f32 %%f<2>;\n"
        "ld.param.u64 %%h, [handle];\nld.param.u64 %%o, [out];\nld.param.f32 %%f1, [depth];\n"
        "mov.b32 %%d, %%f1;\nmov.u32 %%j, %%tid.x;\nmov.b32 %%i, 1;\ncvt.rn.f32.u32 %%f0, %%j;\n"
        "fma.rn.f32 %%f1, %%f0, 0f3FC00000, 0f3F400000;\nmov.b32 %%x, %%f1;\n"
        "mov.b32 %%y, 0f40200000;\nmov.b32 %%z, 0f3F000000;\n"
        "mov.b32 %%r0, 7;\nmov.b32 %%r1, 7;\nmov.b32 %%r2, 7;\nmov.b32 %%r3, 7;\n"
        "setp.eq.u32 %%p, %%j, 8;\n%s\nselp.u32 %%r4, 1, 0, %%p;\n"
        "mul.wide.u32 %%a, %%j, 20;\nadd.u64 %%a, %%a, %%o;\n"
        "st.global.b32 [%%a], %%r0;\nst.global.b32 [%%a + 4], %%r1;\nst.global.b32 [%%a + 8], "
        "%%r2;\n"
        "st.global.b32 [%%a + 12], %%r3;\nst.global.b32 [%%a + 16], %%r4;\nret;\n}\n",
        form->head, bare ? "" : ".global .texref image;\n.global .surfref canvas;\n",
        independent ? ".global .samplerref sampler = {addr_mode_0 = wrap, filter_mode = linear, "
                      "force_unnormalized_coords = 1};\n"
                    : "",
        form->body);
    return text;
}

/* Texels rise from 0 to 1, row by row. */
static void fill(CUarray array, CUarray_format id, unsigned channels, unsigned layers)
{
    static float values[6 * WIDTH * WIDTH];
    static unsigned char bytes[4 * WIDTH * HEIGHT];
    unsigned width = layers >= 6 ? HEIGHT : WIDTH, slices = layers ? layers : 1;
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = id == CU_AD_FORMAT_FLOAT || channels == 1 ? (void *)values
                                                                               : (void *)bytes,
                          .srcPitch = width * 4u,
                          .srcHeight = HEIGHT,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array,
                          .WidthInBytes = width * 4u,
                          .Height = HEIGHT,
                          .Depth = slices};

    for (unsigned i = 0; i < width * HEIGHT * slices; i++)
        values[i] = (float)(i % (width * HEIGHT)) / (float)(width * HEIGHT) +
                    (float)(i / (width * HEIGHT)) / 512;
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i / 2);
    if (cuda.cuMemcpy3D(&copy))
        setup_note("an image could not be filled");
}

/* Everywhere ten times the level. */
static void fill_level(CUarray array, unsigned level)
{
    float values[WIDTH * HEIGHT];
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = values,
                          .srcPitch = WIDTH * 4,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array,
                          .WidthInBytes = (WIDTH >> level) * 4u,
                          .Height = HEIGHT >> level};

    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        values[i] = 10 * (float)level;
    if (cuda.cuMemcpy2D(&copy))
        setup_note("a level could not be filled");
}

static CUarray array_of(enum image image)
{
    CUarray_format id = image == FLAT_BYTES   ? CU_AD_FORMAT_UNSIGNED_INT8
                        : image == FLAT_WORDS ? CU_AD_FORMAT_UNSIGNED_INT32
                                              : CU_AD_FORMAT_FLOAT;
    unsigned channels = image == FLAT_BYTES ? 4 : 1;
    CUarray array;

    switch (image) {
    case LAYERS:
        array = array_new(WIDTH, HEIGHT, 4, id, 1, CUDA_ARRAY3D_LAYERED);
        fill(array, id, 1, 4);
        return array;
    case CUBE:
        array = array_new(HEIGHT, HEIGHT, 6, id, 1, CUDA_ARRAY3D_CUBEMAP);
        fill(array, id, 1, 6);
        return array;
    case CUBES:
        array = array_new(HEIGHT, HEIGHT, 12, id, 1, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED);
        fill(array, id, 1, 6);
        return array;
    case SOLID:
        array = array_new(WIDTH, HEIGHT, 4, id, 1, 0);
        fill(array, id, 1, 4);
        return array;
    case LINE:
        return array_new(WIDTH, 0, 0, id, 1, 0);
    case LINES:
        return array_new(WIDTH, 0, 4, id, 1, CUDA_ARRAY3D_LAYERED);
    case SPARSE:
        return array_new(1024, 1024, 0, id, 1, CUDA_ARRAY3D_SPARSE);
    default:
        array = array_new(WIDTH, HEIGHT, 0, id, channels,
                          image == FLAT_GATHER ? CUDA_ARRAY3D_TEXTURE_GATHER
                          : image == SURFACE   ? CUDA_ARRAY3D_SURFACE_LDST
                                               : 0);
        fill(array, id, channels, 0);
        return array;
    }
}

static CUDA_TEXTURE_DESC texture_of(enum image image)
{
    CUDA_TEXTURE_DESC texture = plain_texture();

    if (image == FLAT_LINEAR || image == FLAT_NORMALIZED)
        texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
    if (image == FLAT_NORMALIZED) {
        texture.flags = CU_TRSF_NORMALIZED_COORDINATES;
        texture.addressMode[0] = CU_TR_ADDRESS_MODE_WRAP;
        texture.addressMode[1] = CU_TR_ADDRESS_MODE_MIRROR;
        texture.addressMode[2] = CU_TR_ADDRESS_MODE_BORDER;
    }
    if (image == FLAT_WORDS)
        texture.flags = CU_TRSF_READ_AS_INTEGER;
    if (image == CUBE || image == CUBES || image == LEVELS)
        texture.flags |= CU_TRSF_NORMALIZED_COORDINATES;
    texture.maxMipmapLevelClamp = 10;
    return texture;
}

static CUresult bind_reference(CUmodule module)
{
    CUtexref reference = NULL;
    CUarray array = array_of(FLAT);
    CUresult result = driver.cuModuleGetTexRef(&reference, module, "image");

    if (!result)
        result = driver.cuTexRefSetArray(reference, array, CU_TRSA_OVERRIDE_FORMAT);
    if (!result)
        result = driver.cuTexRefSetFilterMode(reference, CU_TR_FILTER_MODE_LINEAR);
    if (!result)
        result = driver.cuTexRefSetAddressMode(reference, 0, CU_TR_ADDRESS_MODE_CLAMP);
    return result;
}

static CUresult object_of(enum image image, unsigned long long *object)
{
    CUDA_TEXTURE_DESC texture = texture_of(image);
    CUDA_RESOURCE_DESC resource;

    if (image == LEVELS) {
        CUmipmappedArray mipmap = mipmap_new(WIDTH, HEIGHT, 0, CU_AD_FORMAT_FLOAT, 1, 0, 3);
        for (unsigned level = 0; level < 3; level++) {
            CUarray array = NULL;
            cuda.cuMipmappedArrayGetLevel(&array, mipmap, level);
            if (level == 0)
                fill(array, CU_AD_FORMAT_FLOAT, 1, 0);
            else
                fill_level(array, level);
        }
        resource = resource_of_mipmap(mipmap);
    } else if (image == FLAT_DEPTH) { /* not every driver makes one */
        CUDA_ARRAY3D_DESCRIPTOR descriptor = {
            WIDTH, HEIGHT, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_DEPTH_TEXTURE};
        CUarray array = NULL;
        CUresult result = cuda.cuArray3DCreate(&array, &descriptor);
        if (result)
            return result;
        fill(array, CU_AD_FORMAT_FLOAT, 1, 0);
        resource = resource_of_array(array);
    } else {
        resource = resource_of_array(array_of(image));
    }
    if (image == SURFACE)
        return driver.cuSurfObjectCreate(object, &resource);
    return driver.cuTexObjectCreate(object, &resource, &texture, NULL);
}

/* The words of all lanes, a component after the other; equal ones once. */
static const char *words_text(const unsigned *words)
{
    static char text[1200];
    size_t length = 0;

    for (unsigned c = 0; c < WORDS; c++) {
        bool same = true;
        for (unsigned lane = 1; lane < LANES; lane++)
            same = same && words[lane * WORDS + c] == words[c];
        for (unsigned lane = 0; lane < (same ? 1 : LANES); lane++)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%x",
                                       lane ? ","
                                       : c  ? " "
                                            : "",
                                       words[lane * WORDS + c]);
    }
    return text;
}

static void run(const struct form *form, CUmodule module, enum image image)
{
    static const float depths[] = {0.3f, 0, 1, -1};
    unsigned long long object = 0;
    unsigned count = strstr(form->name, "depth") ? 4 : 1;
    CUdeviceptr out = device_alloc(LANES * WORDS * 4);
    CUfunction function = NULL;
    const char *at = "object";
    CUresult made = image == REFERENCE ? bind_reference(module) : object_of(image, &object);

    if (!made) {
        made = driver.cuModuleGetFunction(&function, module, "go");
        at = made ? "get" : "launch";
    }
    for (unsigned i = 0; i < count; i++) {
        const char *name = format(count > 1 ? "%s-%s-%g" : "%s-%s", form->name, image_names[image],
                                  (double)depths[i]);
        unsigned words[LANES * WORDS] = {0};
        void *arguments[] = {&object, &out, (void *)&depths[i]};
        const char *sync = "none";
        CHECK_THEN(
            name,
            made ? made
                 : driver.cuLaunchKernel(function, 1, 1, 1, LANES, 1, 1, 0, NULL, arguments, NULL),
            sync = sync_context();
            if (!made) cuda.cuMemcpyDtoH(words, out, sizeof words), "%s sync=%s %s", at, sync,
            words_text(words));
    }
}

static CUresult load(const struct form *form, CUmodule *module)
{
    char log[2000] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CUresult result = driver.cuModuleLoadDataEx(module, kernel_of(form), 2, options, values);

    if (result && getenv("CONFORMANCE_LOG"))
        fprintf(stderr, "%s: %s\n", form->name, log);
    return result;
}

GROUP(820, texture_instruction, "texinst")
{
    use_textures();
    keep_after_sticky = 1;
    cases_independent = 1;
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        CUmodule module = NULL;
        CUresult loaded = CHECK(forms[i].name, load(&forms[i], &module));

        if (loaded == RESULT_SKIPPED && load(&forms[i], &module))
            continue;
        for (unsigned k = 0; module && k < sizeof forms[i].images && forms[i].images[k]; k++)
            run(&forms[i], module, (enum image)forms[i].images[k]);
    }
}
