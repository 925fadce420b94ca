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
void check_pointer_attributes(const char *prefix,
                              CUdeviceptr pointer); /* one case a pointer attribute */
const char *array_text(CUarray array);              /* a descriptor as text */
const char *format_name(int format);

/* OpenGL and EGL as loaded: gl.Finish() is glFinish(). */
struct gl_functions {
#define GL_FUNCTION(name) __typeof__(gl##name) *name;
#include "gl_functions.def"
#undef GL_FUNCTION
};
extern struct gl_functions gl;
struct egl_functions {
#define EGL_FUNCTION(name) __typeof__(egl##name) *name;
#define EGL_EXTENSION EGL_FUNCTION
#include "egl_functions.def"
#undef EGL_FUNCTION
#undef EGL_EXTENSION
};
extern struct egl_functions egl;

enum { LOAD_ALL, LOAD_EGL_LOCAL, LOAD_EGL_GLOBAL, LOAD_EGL_OPENGL, LOAD_EGL_GL };
extern EGLDisplay egl_display;
extern EGLContext gl_context;
extern EGLSurface egl_surface;
extern EGLConfig egl_config;
extern const char *egl_platform;
extern int egl_device_count, egl_device, egl_device_is_cuda,
    egl_cuda_attribute; /* EGL devices, chosen one, whether it is CUDA device 0, raw attribute */
extern char gl_version[16];
int gl_try(int load, int compat, char *why,
           size_t n); /* EGL display + current context; 0: failed */
EGLContext gl_context_new(int compat, EGLContext share); /* a further context of the same display */
int gl_make_current(EGLContext c);                       /* make current (0: release) */
void use_gl(void);
void use_gl_compat(void);   /* or SETUP-FAILED */
void use_cuda_and_gl(void); /* primary CUDA context, then GL */
const char *gl_error(void); /* first pending GL error, all cleared */
const char *
with_gl_error(const char *d); /* d, then the GL errors it left: fixes the order of evaluation */
int has_extension(const char *list, const char *e);
/* run fn on a new thread; cuda: with the CUDA context current */
void run_in_thread(void (*fn)(void), int cuda);

GLuint gl_buffer_new(size_t n, GLenum usage, int seed);         /* seed < 0: no data */
void gl_buffer_fill(GLuint b, size_t n, unsigned seed);         /* glBufferSubData */
const char *gl_buffer_check(GLuint b, size_t n, unsigned seed); /* glGetBufferSubData and compare */
long long gl_buffer_size(GLuint b);

struct texel_format {
    const char *n;
    GLenum internal, format, type;
    int texel_bytes;
};
extern const struct texel_format texel_formats[];
extern const int texel_format_count;
const struct texel_format *texel_format_find(const char *n);
void texels_fill(void *o, size_t bytes, const struct texel_format *f,
                 unsigned seed); /* texels of a format */
const char *texels_check(const void *p, size_t row, int h, int d, const struct texel_format *f,
                         unsigned seed);
struct texture {
    GLuint gl_name;
    GLenum target;
    int width, height, depth, levels;
    const struct texel_format *texels;
    unsigned seed;
};
enum { TEX_IMAGE, TEX_STORAGE };
struct texture texture_new(GLenum tgt, const struct texel_format *f, int w, int h, int d,
                           int levels, int how, unsigned seed);
const char *texture_check(const struct texture *t, int face, int level,
                          unsigned seed); /* glGetTexImage and compare */
int level_extent(int x, int l);           /* extent of a level */
CUresult array_read(CUarray a, void *o, size_t row, int h, int d);
CUresult array_write(CUarray a, const void *o, size_t row, int h, int d);
const char *array_check(CUarray a, size_t row, int h, int d, const struct texel_format *f,
                        unsigned seed);
CUresult array_fill(CUarray a, size_t row, int h, int d, const struct texel_format *f,
                    unsigned seed);

/* What outputs hold before the call; a resource mapped, unmapped and unregistered. */
#define UNTOUCHED_RESOURCE ((CUgraphicsResource)UNTOUCHED)
#define UNTOUCHED_ARRAY ((CUarray)UNTOUCHED)
#define UNTOUCHED_MIPMAP ((CUmipmappedArray)UNTOUCHED)
#define AS_BITS(handle) ((uint64_t)(uintptr_t)(handle))
#define RGBA8_FORMAT texel_format_find("RGBA8")
CUresult resource_map(CUgraphicsResource resource);
CUresult resource_unmap(CUgraphicsResource resource);
CUresult resource_unregister(CUgraphicsResource resource);
void texture_delete(struct texture *texture);

#endif
