/* SPDX-License-Identifier: MIT */
/* Real OpenGL contexts for tests and the benchmark, without OpenGL's headers or libraries at build
 * time: EGL without a surface (OpenGL, its compatibility profile, OpenGL ES) and GLX on an Xvfb of
 * our own. */
#ifndef INTEROP_OPENGL_H
#define INTEROP_OPENGL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPENGL_FUNCTIONS(X)                                                                        \
    X(unsigned, GetError, (void))                                                                  \
    X(void, GetIntegerv, (unsigned, int *))                                                        \
    X(void, Finish, (void))                                                                        \
    X(void, GenBuffers, (int, unsigned *))                                                         \
    X(void, DeleteBuffers, (int, const unsigned *))                                                \
    X(void, BindBuffer, (unsigned, unsigned))                                                      \
    X(void, BufferData, (unsigned, ptrdiff_t, const void *, unsigned))                             \
    X(void, BufferStorage, (unsigned, ptrdiff_t, const void *, unsigned))                          \
    X(void, BufferSubData, (unsigned, ptrdiff_t, ptrdiff_t, const void *))                         \
    X(void, GetBufferSubData, (unsigned, ptrdiff_t, ptrdiff_t, void *))                            \
    X(void *, MapBufferRange, (unsigned, ptrdiff_t, ptrdiff_t, unsigned))                          \
    X(unsigned char, UnmapBuffer, (unsigned))                                                      \
    X(void *, MapNamedBufferRange, (unsigned, ptrdiff_t, ptrdiff_t, unsigned))                     \
    X(unsigned char, UnmapNamedBuffer, (unsigned))                                                 \
    X(void, GenTextures, (int, unsigned *))                                                        \
    X(void, DeleteTextures, (int, const unsigned *))                                               \
    X(void, BindTexture, (unsigned, unsigned))                                                     \
    X(void, TexParameteri, (unsigned, unsigned, int))                                              \
    X(void, TexImage2D, (unsigned, int, int, int, int, int, unsigned, unsigned, const void *))     \
    X(void, TexImage3D,                                                                            \
      (unsigned, int, int, int, int, int, int, unsigned, unsigned, const void *))                  \
    X(void, TexSubImage2D, (unsigned, int, int, int, int, int, unsigned, unsigned, const void *))  \
    X(void, TextureSubImage2D,                                                                     \
      (unsigned, int, int, int, int, int, unsigned, unsigned, const void *))                       \
    X(void, GetTexImage, (unsigned, int, unsigned, unsigned, void *))                              \
    X(void, GetTextureImage, (unsigned, int, unsigned, unsigned, int, void *))                     \
    X(void, PixelStorei, (unsigned, int))                                                          \
    X(void, GenFramebuffers, (int, unsigned *))                                                    \
    X(void, BindFramebuffer, (unsigned, unsigned))                                                 \
    X(void, FramebufferTexture2D, (unsigned, unsigned, unsigned, unsigned, int))                   \
    X(void, FramebufferRenderbuffer, (unsigned, unsigned, unsigned, unsigned))                     \
    X(unsigned, CheckFramebufferStatus, (unsigned))                                                \
    X(void, GenRenderbuffers, (int, unsigned *))                                                   \
    X(void, BindRenderbuffer, (unsigned, unsigned))                                                \
    X(void, RenderbufferStorage, (unsigned, unsigned, int, int))                                   \
    X(void, Viewport, (int, int, int, int))                                                        \
    X(void, ClearColor, (float, float, float, float))                                              \
    X(void, Clear, (unsigned))                                                                     \
    X(void, Scissor, (int, int, int, int))                                                         \
    X(void, Enable, (unsigned))                                                                    \
    X(void, Disable, (unsigned))                                                                   \
    X(void, ReadPixels, (int, int, int, int, unsigned, unsigned, void *))

#define OPENGL_DECLARE(result, name, arguments) result(*name) arguments;

struct opengl {
    OPENGL_FUNCTIONS(OPENGL_DECLARE)
    void *display; /* EGL's, or NULL */
    void *context;
    void *(*get_address)(const char *name);
};

#undef OPENGL_DECLARE

enum opengl_kind { OPENGL_CORE, OPENGL_COMPATIBILITY, OPENGL_ES };

/* Makes a context current in the calling thread. NULL, or why it cannot be had. */
const char *opengl_open_egl(struct opengl *gl, enum opengl_kind kind);
const char *opengl_open_glx(struct opengl *gl); /* starts Xvfb; one a process */

/* Further contexts of the display, that share objects or not; EGL alone. */
void *opengl_context(const struct opengl *gl, void *share);
void opengl_make_current(const struct opengl *gl, void *context); /* NULL: none */
void opengl_destroy(const struct opengl *gl, void *context);

/* An EGL image of a texture's first level. NULL: not to be had. */
void *opengl_egl_image(const struct opengl *gl, unsigned texture);
void opengl_egl_image_destroy(const struct opengl *gl, void *image);

/* As OpenGL's headers name them. cudaGL.h may have brought those. */
enum {
    O_ARRAY_BUFFER = 0x8892,
    O_PIXEL_PACK_BUFFER = 0x88EB,
    O_PIXEL_UNPACK_BUFFER = 0x88EC,
    O_PIXEL_PACK_BUFFER_BINDING = 0x88ED,
    O_PIXEL_UNPACK_BUFFER_BINDING = 0x88EF,
    O_COPY_READ_BUFFER = 0x8F36,
    O_VERTEX_ARRAY_BINDING = 0x85B5,
    O_ARRAY_BUFFER_BINDING = 0x8894,
    O_DYNAMIC_DRAW = 0x88E8,
    O_MAP_READ = 1,
    O_MAP_WRITE = 2,
    O_MAP_PERSISTENT = 0x40,
    O_MAP_COHERENT = 0x80,
    O_TEXTURE_2D = 0x0DE1,
    O_TEXTURE_3D = 0x806F,
    O_TEXTURE_RECTANGLE = 0x84F5,
    O_TEXTURE_CUBE_MAP = 0x8513,
    O_TEXTURE_CUBE_FACE = 0x8515,
    O_TEXTURE_2D_ARRAY = 0x8C1A,
    O_TEXTURE_BINDING_2D = 0x8069,
    O_TEXTURE_MAX_LEVEL = 0x813D,
    O_TEXTURE_MIN_FILTER = 0x2801,
    O_NEAREST = 0x2600,
    O_RENDERBUFFER = 0x8D41,
    O_RENDERBUFFER_BINDING = 0x8CA7,
    O_FRAMEBUFFER = 0x8D40,
    O_READ_FRAMEBUFFER_BINDING = 0x8CAA,
    O_DRAW_FRAMEBUFFER_BINDING = 0x8CA6,
    O_FRAMEBUFFER_COMPLETE = 0x8CD5,
    O_COLOR_ATTACHMENT0 = 0x8CE0,
    O_COLOR_BUFFER_BIT = 0x4000,
    O_SCISSOR_TEST = 0x0C11,
    O_PACK_ALIGNMENT = 0x0D05,
    O_PACK_ROW_LENGTH = 0x0D02,
    O_UNPACK_ALIGNMENT = 0x0CF5,
    O_UNPACK_ROW_LENGTH = 0x0CF2,
    O_UNPACK_SKIP_ROWS = 0x0CF3,
    O_INVALID_ENUM = 0x0500,
    O_INVALID_OPERATION = 0x0502,
    O_RED = 0x1903,
    O_RG = 0x8227,
    O_RGBA = 0x1908,
    O_RED_INTEGER = 0x8D94,
    O_RG_INTEGER = 0x8228,
    O_RGBA_INTEGER = 0x8D99,
    O_UNSIGNED_BYTE = 0x1401,
    O_BYTE = 0x1400,
    O_UNSIGNED_SHORT = 0x1403,
    O_SHORT = 0x1402,
    O_UNSIGNED_INT = 0x1405,
    O_INT = 0x1404,
    O_FLOAT = 0x1406,
    O_HALF_FLOAT = 0x140B,
    O_RGBA8 = 0x8058,
    O_R8 = 0x8229,
    O_RGB10_A2 = 0x8059,
    O_DEPTH24 = 0x81A6,
};

#endif
