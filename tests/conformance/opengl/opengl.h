/* SPDX-License-Identifier: MIT */
/*
 * OpenGL and EGL for the recorder: their functions, contexts, and objects with known contents. The
 * groups are those of the recording; a machine without EGL has none of them.
 */
#ifndef OPENGL_RECORDER_H
#define OPENGL_RECORDER_H

#include "../recorder.h"

#include <stdarg.h>
#include <time.h>
#define GL_GLEXT_PROTOTYPES 1
#define EGL_EGLEXT_PROTOTYPES 1
#define EGL_NO_X11 1
#include <GL/gl.h>
#include <GL/glext.h>
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <cudaGL.h>
#include <cudaEGL.h>
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* What the groups call beside the functions of ../functions.def. */
struct more_functions {
#define FUNCTION(name) __typeof__(name) *name;
#include "functions.def"
#undef FUNCTION
};
extern struct more_functions more;

/* The primary context, with those functions found. */
void use_cuda(void);
void more_functions_resolve(void);

/* Ends the group: there is no such OpenGL. */
_Noreturn void gl_stop(const char *text, ...) __attribute__((format(printf, 1, 2)));
#define GONE(object) (!(object)) /* an object of the set-up that is missing */
void ptr_attrs(const char *prefix, CUdeviceptr pointer); /* one case a pointer attribute */
const char *adesc(CUarray array);                        /* a descriptor as text */
const char *fmtname(int format);

#define GL_FNS(X)                                                                                  \
    X(GenBuffers)                                                                                  \
    X(DeleteBuffers)                                                                               \
    X(BindBuffer)                                                                                  \
    X(BufferData)                                                                                  \
    X(BufferSubData)                                                                               \
    X(GetBufferSubData)                                                                            \
    X(BufferStorage)                                                                               \
    X(MapBuffer)                                                                                   \
    X(MapBufferRange)                                                                              \
    X(UnmapBuffer)                                                                                 \
    X(CreateBuffers)                                                                               \
    X(GetBufferParameteriv)                                                                        \
    X(GetBufferParameteri64v)                                                                      \
    X(CopyBufferSubData)                                                                           \
    X(IsBuffer)                                                                                    \
    X(GenTextures)                                                                                 \
    X(DeleteTextures)                                                                              \
    X(BindTexture)                                                                                 \
    X(TexImage1D)                                                                                  \
    X(TexImage2D)                                                                                  \
    X(TexImage3D)                                                                                  \
    X(TexSubImage1D)                                                                               \
    X(TexSubImage2D)                                                                               \
    X(TexSubImage3D)                                                                               \
    X(TexStorage1D)                                                                                \
    X(TexStorage2D)                                                                                \
    X(TexStorage3D)                                                                                \
    X(TexImage2DMultisample)                                                                       \
    X(TexImage3DMultisample)                                                                       \
    X(TexBuffer)                                                                                   \
    X(TexParameteri)                                                                               \
    X(GetTexImage)                                                                                 \
    X(GetTexLevelParameteriv)                                                                      \
    X(TextureView)                                                                                 \
    X(GenerateMipmap)                                                                              \
    X(CompressedTexImage2D)                                                                        \
    X(GetCompressedTexImage)                                                                       \
    X(GenRenderbuffers)                                                                            \
    X(BindRenderbuffer)                                                                            \
    X(RenderbufferStorage)                                                                         \
    X(RenderbufferStorageMultisample)                                                              \
    X(DeleteRenderbuffers)                                                                         \
    X(GenFramebuffers)                                                                             \
    X(BindFramebuffer)                                                                             \
    X(DeleteFramebuffers)                                                                          \
    X(FramebufferRenderbuffer)                                                                     \
    X(FramebufferTexture2D)                                                                        \
    X(CheckFramebufferStatus)                                                                      \
    X(ReadPixels)                                                                                  \
    X(BlitFramebuffer)                                                                             \
    X(ClearColor)                                                                                  \
    X(Clear)                                                                                       \
    X(Finish)                                                                                      \
    X(Flush)                                                                                       \
    X(GetError)                                                                                    \
    X(GetString)                                                                                   \
    X(GetIntegerv)                                                                                 \
    X(GetStringi)                                                                                  \
    X(PixelStorei) X(ReadBuffer) X(DrawBuffer) X(Viewport) X(Disable) X(ClearBufferSubData)
#define EGL_FNS(X)                                                                                 \
    X(GetProcAddress)                                                                              \
    X(GetError)                                                                                    \
    X(GetDisplay)                                                                                  \
    X(Initialize)                                                                                  \
    X(Terminate)                                                                                   \
    X(QueryString)                                                                                 \
    X(BindAPI)                                                                                     \
    X(ChooseConfig)                                                                                \
    X(CreateContext)                                                                               \
    X(DestroyContext) X(MakeCurrent) X(CreatePbufferSurface) X(GetCurrentContext) X(ReleaseThread)
#define EGLX_FNS(X)                                                                                \
    X(QueryDevicesEXT)                                                                             \
    X(QueryDeviceAttribEXT)                                                                        \
    X(QueryDeviceStringEXT)                                                                        \
    X(GetPlatformDisplayEXT)                                                                       \
    X(CreateImageKHR)                                                                              \
    X(DestroyImageKHR) X(CreateSyncKHR) X(DestroySyncKHR) X(CreateStreamKHR) X(DestroyStreamKHR)
#define D_GL(n) __typeof__(gl##n) *n;
#define D_EGL(n) __typeof__(egl##n) *n;
struct gltab {
    GL_FNS(D_GL)
};
extern struct gltab gl;
struct egltab {
    EGL_FNS(D_EGL) EGLX_FNS(D_EGL)
};
extern struct egltab egl;

enum { LOAD_ALL, LOAD_EGL_LOCAL, LOAD_EGL_GLOBAL, LOAD_EGL_OPENGL, LOAD_EGL_GL };
extern EGLDisplay ED;
extern EGLContext EC;
extern EGLSurface ES;
extern EGLConfig ECFG;
extern const char *eplat;
extern int n_egldev, sel_egldev, sel_cuda,
    egl_cuda_attr; /* EGL devices, chosen one, whether it is CUDA device 0, raw attribute */
extern char glver[16];
int gl_try(int load, int compat, char *why,
           size_t n);                            /* EGL display + current context; 0: failed */
EGLContext gl_ctx(int compat, EGLContext share); /* a further context of the same display */
int gl_cur(EGLContext c);                        /* make current (0: release) */
void gl_up(void);
void gl_up_compat(void);       /* or SETUP-FAILED */
void both(void);               /* primary CUDA context, then GL */
const char *gerr(void);        /* first pending GL error, all cleared */
const char *wg(const char *d); /* d, then the GL errors it left: fixes the order of evaluation */
int hasext(const char *list, const char *e);
/* run fn on a new thread; cuda: with the CUDA context current */
void on_thread(void (*fn)(void), int cuda);

GLuint mkbuf(size_t n, GLenum usage, int seed);       /* seed < 0: no data */
void bput(GLuint b, size_t n, unsigned seed);         /* glBufferSubData */
const char *bsame(GLuint b, size_t n, unsigned seed); /* glGetBufferSubData and compare */
long long bsize(GLuint b);

struct tf {
    const char *n;
    GLenum in, fmt, ty;
    int bpp;
};
extern const struct tf tfs[];
extern const int ntf;
const struct tf *tfind(const char *n);
void tgen(void *o, size_t bytes, const struct tf *f, unsigned seed); /* texels of a format */
const char *tcmp(const void *p, size_t row, int h, int d, const struct tf *f, unsigned seed);
struct tx {
    GLuint t;
    GLenum tgt;
    int w, h, d, levels;
    const struct tf *f;
    unsigned seed;
};
enum { TEX_IMAGE, TEX_STORAGE };
struct tx mktex(GLenum tgt, const struct tf *f, int w, int h, int d, int levels, int how,
                unsigned seed);
const char *tsame(const struct tx *t, int face, int level,
                  unsigned seed); /* glGetTexImage and compare */
int lv(int x, int l);             /* extent of a level */
CUresult aget(CUarray a, void *o, size_t row, int h, int d);
CUresult aput(CUarray a, const void *o, size_t row, int h, int d);
const char *acheck(CUarray a, size_t row, int h, int d, const struct tf *f, unsigned seed);
CUresult afill(CUarray a, size_t row, int h, int d, const struct tf *f, unsigned seed);

/* ---- Vulkan ---- */

#endif
