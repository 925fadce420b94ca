/* SPDX-License-Identifier: MIT */
/* The parts of OpenGL and OpenGL ES that the library uses: constants, functions, and the current
 * context. The library does not link OpenGL; it resolves the functions from the libraries that the
 * process has loaded. Without these no context can be current.
 *
 * All work is framed by cup_gl_begin() and cup_gl_end(). Errors in between are the library's own;
 * afterwards the application finds the error state it had. */
#ifndef CUP_INTEROP_GL_H
#define CUP_INTEROP_GL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

enum {
    GL_NO_ERROR = 0,
    GL_INVALID_ENUM = 0x0500,
    GL_INVALID_VALUE = 0x0501,
    GL_VERSION = 0x1F02,

    GL_UNSIGNED_BYTE = 0x1401,
    GL_BYTE = 0x1400,
    GL_UNSIGNED_SHORT = 0x1403,
    GL_SHORT = 0x1402,
    GL_UNSIGNED_INT = 0x1405,
    GL_INT = 0x1404,
    GL_FLOAT = 0x1406,
    GL_HALF_FLOAT = 0x140B,

    GL_STENCIL_INDEX = 0x1901,
    GL_RED = 0x1903,
    GL_ALPHA = 0x1906,
    GL_RGB = 0x1907,
    GL_RGBA = 0x1908,
    GL_LUMINANCE = 0x1909,
    GL_LUMINANCE_ALPHA = 0x190A,
    GL_BGRA = 0x80E1,
    GL_RG = 0x8227,
    GL_RG_INTEGER = 0x8228,
    GL_RED_INTEGER = 0x8D94,
    GL_RGBA_INTEGER = 0x8D99,
    GL_ALPHA_INTEGER = 0x8D97,
    GL_LUMINANCE_INTEGER = 0x8D9C,

    GL_TEXTURE_2D = 0x0DE1,
    GL_TEXTURE_3D = 0x806F,
    GL_TEXTURE_RECTANGLE = 0x84F5,
    GL_TEXTURE_CUBE_MAP = 0x8513,
    GL_TEXTURE_CUBE_MAP_POSITIVE_X = 0x8515,
    GL_TEXTURE_2D_ARRAY = 0x8C1A,
    GL_RENDERBUFFER = 0x8D41,
    GL_TEXTURE_BINDING_2D = 0x8069,
    GL_TEXTURE_BINDING_3D = 0x806A,
    GL_TEXTURE_BINDING_RECTANGLE = 0x84F6,
    GL_TEXTURE_BINDING_CUBE_MAP = 0x8514,
    GL_TEXTURE_BINDING_2D_ARRAY = 0x8C1D,
    GL_RENDERBUFFER_BINDING = 0x8CA7,
    GL_TEXTURE_WIDTH = 0x1000,
    GL_TEXTURE_HEIGHT = 0x1001,
    GL_TEXTURE_INTERNAL_FORMAT = 0x1003,
    GL_TEXTURE_DEPTH = 0x8071,
    GL_TEXTURE_BASE_LEVEL = 0x813C,
    GL_TEXTURE_VIEW_MIN_LEVEL = 0x82DB,
    GL_RENDERBUFFER_WIDTH = 0x8D42,
    GL_RENDERBUFFER_HEIGHT = 0x8D43,
    GL_RENDERBUFFER_INTERNAL_FORMAT = 0x8D44,
    GL_RENDERBUFFER_SAMPLES = 0x8CAB,

    GL_READ_FRAMEBUFFER = 0x8CA8,
    GL_READ_FRAMEBUFFER_BINDING = 0x8CAA,
    GL_FRAMEBUFFER_COMPLETE = 0x8CD5,
    GL_COLOR_ATTACHMENT0 = 0x8CE0,
    GL_STENCIL_ATTACHMENT = 0x8D20,

    GL_COPY_READ_BUFFER = 0x8F36,
    GL_COPY_WRITE_BUFFER = 0x8F37,
    GL_ELEMENT_ARRAY_BUFFER = 0x8893,
    GL_ELEMENT_ARRAY_BUFFER_BINDING = 0x8895,
    GL_PIXEL_PACK_BUFFER = 0x88EB,
    GL_PIXEL_UNPACK_BUFFER = 0x88EC,
    GL_PIXEL_PACK_BUFFER_BINDING = 0x88ED,
    GL_PIXEL_UNPACK_BUFFER_BINDING = 0x88EF,
    GL_VERTEX_ARRAY_BINDING = 0x85B5,
    GL_BUFFER_SIZE = 0x8764,
    GL_BUFFER_MAPPED = 0x88BC,
    GL_BUFFER_MAP_POINTER = 0x88BD,
    GL_BUFFER_ACCESS_FLAGS = 0x911F,
    GL_BUFFER_MAP_LENGTH = 0x9120,
    GL_BUFFER_MAP_OFFSET = 0x9121,
    GL_BUFFER_IMMUTABLE_STORAGE = 0x821F,
    GL_BUFFER_STORAGE_FLAGS = 0x8220,
    GL_MAP_READ_BIT = 0x0001,
    GL_MAP_WRITE_BIT = 0x0002,
    GL_MAP_PERSISTENT_BIT = 0x0040,
    GL_DYNAMIC_STORAGE_BIT = 0x0100,
    GL_STREAM_DRAW = 0x88E0,

    GL_PACK_ALIGNMENT = 0x0D05,
    GL_PACK_ROW_LENGTH = 0x0D02,
    GL_PACK_SKIP_ROWS = 0x0D03,
    GL_PACK_SKIP_PIXELS = 0x0D04,
    GL_PACK_SWAP_BYTES = 0x0D00,
    GL_PACK_LSB_FIRST = 0x0D01,
    GL_PACK_SKIP_IMAGES = 0x806B,
    GL_PACK_IMAGE_HEIGHT = 0x806C,
    GL_UNPACK_ALIGNMENT = 0x0CF5,
    GL_UNPACK_ROW_LENGTH = 0x0CF2,
    GL_UNPACK_SKIP_ROWS = 0x0CF3,
    GL_UNPACK_SKIP_PIXELS = 0x0CF4,
    GL_UNPACK_SWAP_BYTES = 0x0CF0,
    GL_UNPACK_LSB_FIRST = 0x0CF1,
    GL_UNPACK_SKIP_IMAGES = 0x806D,
    GL_UNPACK_IMAGE_HEIGHT = 0x806E,
};

/* X(result, name without the gl prefix, arguments) */
#define CUP_GL_FUNCTIONS(X)                                                                        \
    X(unsigned, GetError, (void))                                                                  \
    X(const unsigned char *, GetString, (unsigned name))                                           \
    X(void, GetIntegerv, (unsigned name, int *value))                                              \
    X(void, PixelStorei, (unsigned name, int value))                                               \
    X(void, Enable, (unsigned cap))                                                                \
    X(void, Viewport, (int x, int y, int width, int height))                                       \
    X(void, Finish, (void))                                                                        \
    X(unsigned char, IsBuffer, (unsigned buffer))                                                  \
    X(void, GenBuffers, (int count, unsigned *buffers))                                            \
    X(void, DeleteBuffers, (int count, const unsigned *buffers))                                   \
    X(void, BindBuffer, (unsigned target, unsigned buffer))                                        \
    X(void, BufferData, (unsigned target, ptrdiff_t size, const void *data, unsigned usage))       \
    X(void, BufferSubData, (unsigned target, ptrdiff_t at, ptrdiff_t size, const void *data))      \
    X(void, GetBufferSubData, (unsigned target, ptrdiff_t at, ptrdiff_t size, void *data))         \
    X(void, CopyBufferSubData,                                                                     \
      (unsigned from, unsigned to, ptrdiff_t read, ptrdiff_t write, ptrdiff_t size))               \
    X(void *, MapBufferRange, (unsigned target, ptrdiff_t at, ptrdiff_t size, unsigned access))    \
    X(unsigned char, UnmapBuffer, (unsigned target))                                               \
    X(void, GetBufferParameteriv, (unsigned target, unsigned name, int *value))                    \
    X(void, GetBufferParameteri64v, (unsigned target, unsigned name, int64_t *value))              \
    X(void, GetBufferPointerv, (unsigned target, unsigned name, void **pointer))                   \
    X(void *, MapNamedBufferRange,                                                                 \
      (unsigned buffer, ptrdiff_t at, ptrdiff_t size, unsigned access))                            \
    X(unsigned char, UnmapNamedBuffer, (unsigned buffer))                                          \
    X(void, GetNamedBufferPointerv, (unsigned buffer, unsigned name, void **pointer))              \
    X(void, GenVertexArrays, (int count, unsigned *arrays))                                        \
    X(void, DeleteVertexArrays, (int count, const unsigned *arrays))                               \
    X(void, BindVertexArray, (unsigned array))                                                     \
    X(unsigned char, IsTexture, (unsigned texture))                                                \
    X(void, GenTextures, (int count, unsigned *textures))                                          \
    X(void, DeleteTextures, (int count, const unsigned *textures))                                 \
    X(void, BindTexture, (unsigned target, unsigned texture))                                      \
    X(void, GetTexParameteriv, (unsigned target, unsigned name, int *value))                       \
    X(void, GetTexLevelParameteriv, (unsigned target, int level, unsigned name, int *value))       \
    X(void, GetTexImage,                                                                           \
      (unsigned target, int level, unsigned format, unsigned type, void *pixels))                  \
    X(void, TexStorage2D, (unsigned target, int levels, unsigned format, int width, int height))   \
    X(void, TexSubImage2D,                                                                         \
      (unsigned target, int level, int x, int y, int width, int height, unsigned format,           \
       unsigned type, const void *pixels))                                                         \
    X(void, TexSubImage3D,                                                                         \
      (unsigned target, int level, int x, int y, int z, int width, int height, int depth,          \
       unsigned format, unsigned type, const void *pixels))                                        \
    X(unsigned char, IsRenderbuffer, (unsigned renderbuffer))                                      \
    X(void, BindRenderbuffer, (unsigned target, unsigned renderbuffer))                            \
    X(void, GetRenderbufferParameteriv, (unsigned target, unsigned name, int *value))              \
    X(void, GenFramebuffers, (int count, unsigned *framebuffers))                                  \
    X(void, DeleteFramebuffers, (int count, const unsigned *framebuffers))                         \
    X(void, BindFramebuffer, (unsigned target, unsigned framebuffer))                              \
    X(void, FramebufferRenderbuffer,                                                               \
      (unsigned target, unsigned attachment, unsigned kind, unsigned renderbuffer))                \
    X(void, FramebufferTexture2D,                                                                  \
      (unsigned target, unsigned attachment, unsigned kind, unsigned texture, int level))          \
    X(void, FramebufferTextureLayer,                                                               \
      (unsigned target, unsigned attachment, unsigned texture, int level, int layer))              \
    X(unsigned, CheckFramebufferStatus, (unsigned target))                                         \
    X(void, ReadPixels,                                                                            \
      (int x, int y, int width, int height, unsigned format, unsigned type, void *pixels))         \
    X(void, CopyImageSubData,                                                                      \
      (unsigned from, unsigned from_target, int from_level, int fx, int fy, int fz, unsigned to,   \
       unsigned to_target, int to_level, int tx, int ty, int tz, int width, int height,            \
       int depth))                                                                                 \
    X(void, EGLImageTargetTexture2DOES, (unsigned target, void *image))

#define CUP_GL_DECLARE(result, name, arguments) result(*name) arguments;

/* The functions as one window system resolves them. Missing functions are NULL. A function that is
 * present may still fail in the current context: check the version first. */
struct cup_gl {
    CUP_GL_FUNCTIONS(CUP_GL_DECLARE)
};

#undef CUP_GL_DECLARE

/* A section of work in the calling thread's current context. */
struct cup_gl_work {
    const struct cup_gl *gl;
    void *context;  /* an EGLContext or GLXContext */
    bool es;        /* OpenGL ES */
    int version;    /* 45 for 4.5 */
    unsigned error; /* the application's pending error, restored at the end */
};

/* Returns false if the thread has no current context, or one older than OpenGL 3.0 or ES 3.0. */
bool cup_gl_begin(struct cup_gl_work *work);

/* The same without the cached properties of the context: another context may have been created at
 * its address. */
bool cup_gl_begin_uncached(struct cup_gl_work *work);

/* Begins on the assumption that the context of earlier work is still current: querying it costs
 * more than mapping a buffer. The caller must verify that by the results of its calls; without a
 * context, or in another one, the calls fail. */
void cup_gl_begin_assumed(struct cup_gl_work *work, const struct cup_gl_work *earlier);
void cup_gl_end(struct cup_gl_work *work);

/* The `unregister` operation of buffers and images: needs a current context. */
CUresult cup_gl_unregister(struct CUgraphicsResource_st *resource);

/* True if a call since the beginning failed. Clears the error. */
bool cup_gl_failed(struct cup_gl_work *work);

/* True if GL 4.5's direct state access functions are available. */
static inline bool cup_gl_has_direct_access(const struct cup_gl_work *work)
{
    return !work->es && work->version >= 45;
}

static inline bool cup_gl_has_copy_image(const struct cup_gl_work *work)
{
    return work->gl->CopyImageSubData && work->version >= (work->es ? 32 : 43);
}

/* The saved pixel transfer state of a context. Setting it selects client memory instead of buffers,
 * and rows of `row_pixels` pixels. */
struct cup_gl_pixels {
    int buffer;
    int values[8];
};

enum cup_gl_direction { CUP_GL_PACK, CUP_GL_UNPACK };

void cup_gl_pixels_set(struct cup_gl_work *work, struct cup_gl_pixels *saved,
                       enum cup_gl_direction direction, int row_pixels);
void cup_gl_pixels_restore(struct cup_gl_work *work, const struct cup_gl_pixels *saved,
                           enum cup_gl_direction direction);

#endif
