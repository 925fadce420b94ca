/* SPDX-License-Identifier: MIT */
/* Buffers, textures and arrays with known contents. */
#include "opengl.h"

/* Buffers. */
GLuint gl_buffer_new(size_t n, GLenum usage, int seed)
{
    GLuint b = 0;
    unsigned char *d = seed >= 0 && n ? malloc(n) : 0;
    if (d)
        pattern_fill(d, n, seed);
    gl.GenBuffers(1, &b);
    gl.BindBuffer(GL_ARRAY_BUFFER, b);
    gl.BufferData(GL_ARRAY_BUFFER, n, d, usage);
    gl.BindBuffer(GL_ARRAY_BUFFER, 0);
    free(d);
    return b;
}

void gl_buffer_fill(GLuint b, size_t n, unsigned seed)
{
    unsigned char *d = malloc(n);
    pattern_fill(d, n, seed);
    gl.BindBuffer(GL_ARRAY_BUFFER, b);
    gl.BufferSubData(GL_ARRAY_BUFFER, 0, n, d);
    gl.BindBuffer(GL_ARRAY_BUFFER, 0);
    free(d);
}

const char *gl_buffer_check(GLuint b, size_t n, unsigned seed)
{
    unsigned char *d = calloc(1, n + 1);
    gl.BindBuffer(GL_ARRAY_BUFFER, b);
    gl.GetBufferSubData(GL_ARRAY_BUFFER, 0, n, d);
    gl.BindBuffer(GL_ARRAY_BUFFER, 0);
    const char *r = pattern_check(d, n, seed);
    free(d);
    return r;
}

long long gl_buffer_size(GLuint b)
{
    GLint64 v = -1;
    gl.BindBuffer(GL_ARRAY_BUFFER, b);
    gl.GetBufferParameteri64v(GL_ARRAY_BUFFER, GL_BUFFER_SIZE, &v);
    gl.BindBuffer(GL_ARRAY_BUFFER, 0);
    return v;
}

/* Textures. */
#define BYTES GL_UNSIGNED_BYTE
#define SHORTS GL_UNSIGNED_SHORT
#define INTS GL_UNSIGNED_INT
#define FLOATS GL_FLOAT
#define HALVES GL_HALF_FLOAT
#define FOUR_CHANNEL_COUNTS(n, ch, in8, in8s, in16, in16s, in16f, in32f, in8ui, in8i, in16ui,      \
                            in16i, in32ui, in32i, f, fi)                                           \
    {n "8", in8, f, BYTES, ch}, {n "8_SNORM", in8s, f, GL_BYTE, ch},                               \
        {n "16", in16, f, SHORTS, 2 * ch}, {n "16_SNORM", in16s, f, GL_SHORT, 2 * ch},             \
        {n "16F", in16f, f, HALVES, 2 * ch}, {n "32F", in32f, f, FLOATS, 4 * ch},                  \
        {n "8UI", in8ui, fi, BYTES, ch}, {n "8I", in8i, fi, GL_BYTE, ch},                          \
        {n "16UI", in16ui, fi, SHORTS, 2 * ch}, {n "16I", in16i, fi, GL_SHORT, 2 * ch},            \
        {n "32UI", in32ui, fi, INTS, 4 * ch},                                                      \
    {                                                                                              \
        n "32I", in32i, fi, GL_INT, 4 * ch                                                         \
    }
const struct texel_format texel_formats[] = {
    FOUR_CHANNEL_COUNTS("R", 1, GL_R8, GL_R8_SNORM, GL_R16, GL_R16_SNORM, GL_R16F, GL_R32F, GL_R8UI,
                        GL_R8I, GL_R16UI, GL_R16I, GL_R32UI, GL_R32I, GL_RED, GL_RED_INTEGER),
    FOUR_CHANNEL_COUNTS("RG", 2, GL_RG8, GL_RG8_SNORM, GL_RG16, GL_RG16_SNORM, GL_RG16F, GL_RG32F,
                        GL_RG8UI, GL_RG8I, GL_RG16UI, GL_RG16I, GL_RG32UI, GL_RG32I, GL_RG,
                        GL_RG_INTEGER),
    FOUR_CHANNEL_COUNTS("RGBA", 4, GL_RGBA8, GL_RGBA8_SNORM, GL_RGBA16, GL_RGBA16_SNORM, GL_RGBA16F,
                        GL_RGBA32F, GL_RGBA8UI, GL_RGBA8I, GL_RGBA16UI, GL_RGBA16I, GL_RGBA32UI,
                        GL_RGBA32I, GL_RGBA, GL_RGBA_INTEGER),
    FOUR_CHANNEL_COUNTS("RGB", 3, GL_RGB8, GL_RGB8_SNORM, GL_RGB16, GL_RGB16_SNORM, GL_RGB16F,
                        GL_RGB32F, GL_RGB8UI, GL_RGB8I, GL_RGB16UI, GL_RGB16I, GL_RGB32UI,
                        GL_RGB32I, GL_RGB, GL_RGB_INTEGER),
    {"SRGB8", GL_SRGB8, GL_RGB, BYTES, 3},
    {"SRGB8_ALPHA8", GL_SRGB8_ALPHA8, GL_RGBA, BYTES, 4},
    {"RGB10_A2", GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV, 4},
    {"RGB10_A2UI", GL_RGB10_A2UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT_2_10_10_10_REV, 4},
    {"R11F_G11F_B10F", GL_R11F_G11F_B10F, GL_RGB, GL_UNSIGNED_INT_10F_11F_11F_REV, 4},
    {"RGB9_E5", GL_RGB9_E5, GL_RGB, GL_UNSIGNED_INT_5_9_9_9_REV, 4},
    {"RGB565", GL_RGB565, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, 2},
    {"RGBA4", GL_RGBA4, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, 2},
    {"RGB5_A1", GL_RGB5_A1, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, 2},
    {"RGBA8-bgra", GL_RGBA8, GL_BGRA, BYTES, 4},
    {"RGBA8-bgra-rev", GL_RGBA8, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, 4},
    {"RGBA-unsized", GL_RGBA, GL_RGBA, BYTES, 4},
    {"RGB-unsized", GL_RGB, GL_RGB, BYTES, 3},
    {"RED-unsized", GL_RED, GL_RED, BYTES, 1},
    {"RG-unsized", GL_RG, GL_RG, BYTES, 2},
    {"RGBA8UI-bgra", GL_RGBA8UI, GL_BGRA_INTEGER, BYTES, 4},
    {"RGBA32F-bgra", GL_RGBA32F, GL_BGRA, FLOATS, 16},
    {"DEPTH16", GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT, SHORTS, 2},
    {"DEPTH24", GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, INTS, 4},
    {"DEPTH32F", GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, FLOATS, 4},
    {"DEPTH24_STENCIL8", GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8, 4},
    {"DEPTH32F_STENCIL8", GL_DEPTH32F_STENCIL8, GL_DEPTH_STENCIL, GL_FLOAT_32_UNSIGNED_INT_24_8_REV,
     8},
    {"STENCIL8", GL_STENCIL_INDEX8, GL_STENCIL_INDEX, BYTES, 1},
    /* compatibility profile only */
    {"LUMINANCE8", GL_LUMINANCE8, GL_LUMINANCE, BYTES, 1},
    {"LUMINANCE16", GL_LUMINANCE16, GL_LUMINANCE, SHORTS, 2},
    {"LUMINANCE16F", 0x881E, GL_LUMINANCE, HALVES, 2},
    {"LUMINANCE32F", 0x8818, GL_LUMINANCE, FLOATS, 4},
    {"ALPHA8", GL_ALPHA8, GL_ALPHA, BYTES, 1},
    {"ALPHA16", GL_ALPHA16, GL_ALPHA, SHORTS, 2},
    {"ALPHA32F", 0x8816, GL_ALPHA, FLOATS, 4},
    {"LUMINANCE8_ALPHA8", GL_LUMINANCE8_ALPHA8, GL_LUMINANCE_ALPHA, BYTES, 2},
    {"LUMINANCE_ALPHA32F", 0x8819, GL_LUMINANCE_ALPHA, FLOATS, 8},
    {"INTENSITY8", GL_INTENSITY8, GL_LUMINANCE, BYTES, 1},
    {"INTENSITY32F", 0x8817, GL_LUMINANCE, FLOATS, 4},
    {"ALPHA8UI", 0x8D7E, 0x8D97, BYTES, 1},
    {"LUMINANCE8UI", 0x8D80, 0x8D9C, BYTES, 1},
};
const int texel_format_count = COUNT_OF(texel_formats);
const struct texel_format *texel_format_find(const char *n)
{
    for (int i = 0; i < texel_format_count; i++)
        if (!strcmp(texel_formats[i].n, n))
            return &texel_formats[i];
    return 0;
}

void texels_fill(void *o, size_t bytes, const struct texel_format *f, unsigned seed)
{ /* values that survive a format round trip */
    unsigned char *c = o;
    pattern_fill(o, bytes, seed);
    switch (f->type) {
    case GL_FLOAT:
        for (size_t i = 0; i + 4 <= bytes; i += 4) {
            float v = f->format == GL_DEPTH_COMPONENT
                          ? (c[i] + 1) / 512.f
                          : (float)((int)(c[i] * 8 + (c[i + 1] & 7))) / 8 - 100;
            memcpy(c + i, &v, 4);
        }
        break;
    case GL_HALF_FLOAT:
        for (size_t i = 1; i < bytes; i += 2)
            c[i] = 0x30 | (c[i] & 0xf);
        break;
    case GL_BYTE:
        for (size_t i = 0; i < bytes; i++)
            c[i] &= 0x7f;
        break;
    case GL_SHORT:
        for (size_t i = 1; i < bytes; i += 2)
            c[i] &= 0x7f;
        break;
    case GL_UNSIGNED_INT:
        if (f->format == GL_DEPTH_COMPONENT)
            for (size_t i = 0; i < bytes; i += 4)
                c[i] = c[i + 3];
        break; /* 24 bits replicated */
    case GL_UNSIGNED_INT_10F_11F_11F_REV:
        for (size_t i = 0; i + 4 <= bytes; i += 4) {
            uint32_t v = (0x1c0u | (c[i] & 63)) | (0x1c0u | (c[i + 1] & 63)) << 11 |
                         (0xe0u | (c[i + 2] & 31)) << 22;
            v &= ~(0x200u | 0x200u << 11 | 0x100u << 22);
            memcpy(c + i, &v, 4);
        }
        break;
    case GL_UNSIGNED_INT_5_9_9_9_REV:
        for (size_t i = 0; i + 4 <= bytes; i += 4) {
            uint32_t v = 0x100u | (c[i] & 255) | (0x100u | c[i + 1]) << 9 |
                         (0x100u | c[i + 2]) << 18 | 16u << 27;
            memcpy(c + i, &v, 4);
        }
        break;
    case GL_FLOAT_32_UNSIGNED_INT_24_8_REV:
        for (size_t i = 0; i + 8 <= bytes; i += 8) {
            float v = (c[i] + 1) / 512.f;
            uint32_t s = c[i + 4];
            memcpy(c + i, &v, 4);
            memcpy(c + i + 4, &s, 4);
        }
        break;
    default:
        break;
    }
}

const char *texels_check(const void *p, size_t row, int h, int d, const struct texel_format *f,
                         unsigned seed)
{
    size_t n = row * h * d;
    unsigned char *e = malloc(n + 1), *t = malloc(n + 1);
    const unsigned char *c = p;
    const char *r = 0;
    texels_fill(e, n, f, seed);
    if (!memcmp(e, p, n))
        r = "ok";
    if (!r) {
        for (int z = 0; z < d; z++)
            for (int y = 0; y < h; y++)
                memcpy(t + ((size_t)z * h + y) * row, e + ((size_t)z * h + (h - 1 - y)) * row, row);
        if (!memcmp(t, p, n))
            r = "flipY";
    }
    if (!r && f->texel_bytes % 4 == 0) {
        int k = f->texel_bytes / 4;
        memcpy(t, e, n);
        for (size_t i = 0; i + 4 * k <= n; i += 4 * k) {
            memcpy(t + i, e + i + 2 * k, k);
            memcpy(t + i + 2 * k, e + i, k);
        }
        if (!memcmp(t, p, n))
            r = "swapRB";
    }
    if (!r) {
        size_t i = 0, bad = 0, first = n;
        for (; i < n; i++)
            if (c[i] != e[i]) {
                bad++;
                if (first == n)
                    first = i;
            }
        size_t nz = 0, cd = 0;
        for (i = 0; i < n; i++) {
            nz += c[i] != 0;
            cd += c[i] != 0xCD;
        }
        r = !nz ? "zero" : !cd ? "untouched" : format("bad@%zu,%zu/%zu", first, bad, n);
    }
    free(e);
    free(t);
    return r;
}

int level_extent(int x, int l)
{
    x >>= l;
    return x ? x : 1;
}

static int target_is_array(GLenum t)
{
    return t == GL_TEXTURE_2D_ARRAY || t == GL_TEXTURE_CUBE_MAP_ARRAY;
}

struct texture texture_new(GLenum tgt, const struct texel_format *f, int w, int h, int d,
                           int levels, int how, unsigned seed)
{
    struct texture t = {0, tgt, w, h, d, levels, f, seed};
    gl.GenTextures(1, &t.gl_name);
    gl.BindTexture(tgt, t.gl_name);
    int is3 = tgt == GL_TEXTURE_3D || target_is_array(tgt), is1 = tgt == GL_TEXTURE_1D,
        faces = tgt == GL_TEXTURE_CUBE_MAP ? 6 : 1, nomip = tgt == GL_TEXTURE_RECTANGLE;
    if (how == TEX_STORAGE) {
        if (is1)
            gl.TexStorage1D(tgt, levels, f->internal, w);
        else if (is3)
            gl.TexStorage3D(tgt, levels, f->internal, w, h, d);
        else
            gl.TexStorage2D(tgt, levels, f->internal, w, h);
    } else if (!nomip) {
        gl.TexParameteri(tgt, GL_TEXTURE_MAX_LEVEL, levels - 1);
    }
    if (!nomip) {
        int z = f->format == GL_DEPTH_COMPONENT || strchr(f->n, 'I') ? GL_NEAREST : GL_LINEAR;
        gl.TexParameteri(tgt, GL_TEXTURE_MIN_FILTER,
                         levels > 1        ? GL_NEAREST_MIPMAP_NEAREST
                         : z == GL_NEAREST ? GL_NEAREST
                                           : GL_LINEAR);
    }
    for (int l = 0; l < levels; l++)
        for (int k = 0; k < faces; k++) {
            int W = level_extent(w, l),
                H = is1 || (target_is_array(tgt) && 0) ? 1 : level_extent(h, l),
                D = tgt == GL_TEXTURE_3D ? level_extent(d, l)
                    : is3                ? d
                                         : 1;
            if (tgt == GL_TEXTURE_1D_ARRAY)
                H = h;
            size_t n = (size_t)W * H * D * f->texel_bytes;
            void *b = malloc(n);
            texels_fill(b, n, f, seed + 16 * l + k);
            GLenum tt = faces == 6 ? (GLenum)GL_TEXTURE_CUBE_MAP_POSITIVE_X + k : tgt;
            if (how == TEX_STORAGE) {
                if (is1)
                    gl.TexSubImage1D(tt, l, 0, W, f->format, f->type, b);
                else if (is3)
                    gl.TexSubImage3D(tt, l, 0, 0, 0, W, H, D, f->format, f->type, b);
                else
                    gl.TexSubImage2D(tt, l, 0, 0, W, H, f->format, f->type, b);
            } else {
                if (is1)
                    gl.TexImage1D(tt, l, f->internal, W, 0, f->format, f->type, b);
                else if (is3)
                    gl.TexImage3D(tt, l, f->internal, W, H, D, 0, f->format, f->type, b);
                else
                    gl.TexImage2D(tt, l, f->internal, W, H, 0, f->format, f->type, b);
            }
            free(b);
        }
    gl.BindTexture(tgt, 0);
    return t;
}

const char *texture_check(const struct texture *t, int face, int l, unsigned seed)
{
    int W = level_extent(t->width, l),
        H = t->target == GL_TEXTURE_1D         ? 1
            : t->target == GL_TEXTURE_1D_ARRAY ? t->height
                                               : level_extent(t->height, l),
        D = t->target == GL_TEXTURE_3D   ? level_extent(t->depth, l)
            : target_is_array(t->target) ? t->depth
                                         : 1;
    size_t n = (size_t)W * H * D * t->texels->texel_bytes;
    unsigned char *b = malloc(n + 64);
    memset(b, 0xCD, n);
    gl.BindTexture(t->target, t->gl_name);
    gl.GetTexImage(t->target == GL_TEXTURE_CUBE_MAP ? (GLenum)GL_TEXTURE_CUBE_MAP_POSITIVE_X + face
                                                    : t->target,
                   l, t->texels->format, t->texels->type, b);
    gl.BindTexture(t->target, 0);
    const char *r = texels_check(b, (size_t)W * t->texels->texel_bytes, H, D, t->texels, seed);
    free(b);
    return r;
}

/* CUDA arrays. */
static CUresult array_copy(CUarray a, void *o, size_t row, int h, int d, int put)
{
    CUDA_MEMCPY3D c;
    memset(&c, 0, sizeof c);
    c.WidthInBytes = row;
    c.Height = h;
    c.Depth = d;
    if (put) {
        c.srcMemoryType = CU_MEMORYTYPE_HOST;
        c.srcHost = o;
        c.srcPitch = row;
        c.srcHeight = h;
        c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        c.dstArray = a;
    } else {
        c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        c.srcArray = a;
        c.dstMemoryType = CU_MEMORYTYPE_HOST;
        c.dstHost = o;
        c.dstPitch = row;
        c.dstHeight = h;
    }
    return cuda.cuMemcpy3D(&c);
}

CUresult array_read(CUarray a, void *o, size_t row, int h, int d)
{
    return array_copy(a, o, row, h, d, 0);
}

CUresult array_write(CUarray a, const void *o, size_t row, int h, int d)
{
    return array_copy(a, (void *)(uintptr_t)o, row, h, d, 1);
}

const char *array_check(CUarray a, size_t row, int h, int d, const struct texel_format *f,
                        unsigned seed)
{
    size_t n = row * h * d;
    unsigned char *b = malloc(n + 64);
    memset(b, 0xCD, n);
    CUresult r = array_read(a, b, row, h, d);
    const char *o = r ? result_name(r) : texels_check(b, row, h, d, f, seed);
    free(b);
    return o;
}

CUresult array_fill(CUarray a, size_t row, int h, int d, const struct texel_format *f,
                    unsigned seed)
{
    size_t n = row * h * d;
    unsigned char *b = malloc(n + 64);
    texels_fill(b, n, f, seed);
    CUresult r = array_write(a, b, row, h, d);
    free(b);
    return r;
}

CUresult resource_map(CUgraphicsResource resource)
{
    return cuda.cuGraphicsMapResources(1, &resource, 0);
}

CUresult resource_unmap(CUgraphicsResource resource)
{
    return cuda.cuGraphicsUnmapResources(1, &resource, 0);
}

CUresult resource_unregister(CUgraphicsResource resource)
{
    return cuda.cuGraphicsUnregisterResource(resource);
}

void texture_delete(struct texture *texture)
{
    gl.DeleteTextures(1, &texture->gl_name);
}
