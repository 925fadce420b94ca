/* SPDX-License-Identifier: MIT */
/*
 * Contexts of OpenGL by EGL, and CUDA beside them.
 */
#include "opengl.h"

#include <dlfcn.h>

struct more_functions more;

#define FUNCTION(name)                                                                             \
    static CUresult missing_##name(void)                                                           \
    {                                                                                              \
        return missing_function_called(#name);                                                     \
    }
#include "functions.def"
#undef FUNCTION

void more_functions_resolve(void)
{
    const char *path = getenv("LIBCUDA");
    void *library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *function;

#define FUNCTION(name)                                                                             \
    function = library ? dlsym(library, EXPANDED_STRING_OF(name)) : NULL;                          \
    if (!function)                                                                                 \
        function = (void *)missing_##name;                                                         \
    memcpy(&more.name, &function, sizeof(function));
#include "functions.def"
#undef FUNCTION
}

void use_cuda(void)
{
    more_functions_resolve();
    use_primary_context();
}

void gl_stop(const char *text, ...)
{
    char line[1000];
    va_list arguments;

    va_start(arguments, text);
    vsnprintf(line, sizeof(line), text, arguments);
    va_end(arguments);
    setup_failed(line, CUDA_SUCCESS);
}

static const char *attribute_text(int a, const unsigned char *b, CUdeviceptr q)
{ /* normalised value of attribute a found in b[64], prefilled 0xA5 */
    int w = 64;
    while (w && b[w - 1] == 0xA5)
        w--;
    unsigned long long v;
    memcpy(&v, b, 8);
    unsigned v4 = v & 0xffffffff;
    if (!w)
        return "written=0";
    switch (a) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        return format("written=%d ctx=%s", w,
                      !v                        ? "0"
                      : v == (uintptr_t)context ? "current"
                                                : "other");
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
        return format("ptr=%s", relative(v, q));
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
        return format("written=%d", w);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        return format("nonzero=%d", v != 0);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        return format("value=%llu", v);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        return format("written=%d value=%d", w, (int)v4);
    default:
        return format("written=%d value=%u", w, (b[1] == 0xA5 ? b[0] : v4));
    }
}

void check_pointer_attributes(const char *pfx, CUdeviceptr p)
{
    for (const struct named_value *t = pointer_attribute_names; t->name; t++) {
        unsigned char b[64];
        memset(b, 0xA5, 64);
        CHECK_THEN(format("%s-attr-%s", pfx, t->name), cuda.cuPointerGetAttribute(b, t->value, p),
                   const char *v = result ? "" : attribute_text(t->value, b, p), "%s", v);
    }
}

const char *format_name(int f)
{
    for (const struct named_value *t = format_names; t->name; t++)
        if (t->value == f)
            return t->name;
    return format("fmt_0x%x", f);
}

const char *array_text(CUarray a)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    memset(&d, 0, sizeof d);
    CUresult r = cuda.cuArray3DGetDescriptor(&d, a);
    return r ? format("desc=%s", result_name(r))
             : format("desc=%zux%zux%zu,%s,ch%u,flags0x%x", d.Width, d.Height, d.Depth,
                      format_name(d.Format), d.NumChannels, d.Flags);
}

struct gl_functions gl;
struct egl_functions egl;
EGLDisplay egl_display;
EGLContext gl_context;
EGLSurface egl_surface;
EGLConfig egl_config;
const char *egl_platform = "none";
int egl_device_count, egl_device = -1, egl_device_is_cuda, egl_cuda_attribute = -1;
char gl_version[16];
#ifndef EGL_CUDA_DEVICE_NV
#define EGL_CUDA_DEVICE_NV 0x323A
#endif
int has_extension(const char *l, const char *e)
{
    size_t n = strlen(e);
    if (!l)
        return 0;
    for (const char *p = l; (p = strstr(p, e)); p += n)
        if ((p == l || p[-1] == ' ') && (!p[n] || p[n] == ' '))
            return 1;
    return 0;
}

static EGLContext context_create(int compat, EGLContext share)
{
    static const int ver[][2] = {{4, 6}, {4, 5}, {4, 3}, {3, 3}};
    for (int i = 0; i < 4; i++) {
        EGLint a[] = {EGL_CONTEXT_MAJOR_VERSION,
                      ver[i][0],
                      EGL_CONTEXT_MINOR_VERSION,
                      ver[i][1],
                      EGL_CONTEXT_OPENGL_PROFILE_MASK,
                      compat ? EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT
                             : EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                      EGL_NONE};
        EGLContext c = egl.CreateContext(egl_display, egl_config, share, a);
        if (c) {
            snprintf(gl_version, sizeof gl_version, "%d.%d%s", ver[i][0], ver[i][1],
                     compat ? "compat" : "core");
            return c;
        }
    }
    return 0;
}

EGLContext gl_context_new(int compat, EGLContext share)
{
    return context_create(compat, share);
}

int gl_make_current(EGLContext c)
{
    return egl.MakeCurrent(egl_display, c ? egl_surface : EGL_NO_SURFACE,
                           c ? egl_surface : EGL_NO_SURFACE, c ? c : EGL_NO_CONTEXT);
}

int gl_try(int load, int compat, char *why, size_t wn)
{
    const char *l = getenv("LIBEGL"), *m = getenv("CONFORMANCE_GL_LOAD");
    if (m && load == LOAD_ALL)
        load = atoi(m);
    void *h = dlopen(l ? l : "libEGL.so.1",
                     RTLD_NOW | (load == LOAD_EGL_LOCAL ? RTLD_LOCAL : RTLD_GLOBAL)),
         *o = 0, *o2 = 0;
    if (!h) {
        snprintf(why, wn, "dlopen: %s", dlerror());
        return 0;
    }
    if (load == LOAD_ALL || load == LOAD_EGL_OPENGL)
        o = dlopen("libOpenGL.so.0", RTLD_NOW | RTLD_GLOBAL);
    if (load == LOAD_ALL || load == LOAD_EGL_GL)
        o2 = dlopen("libGL.so.1", RTLD_NOW | RTLD_GLOBAL);
    void *p;
#define EGL_FUNCTION(name)                                                                         \
    p = dlsym(h, "egl" #name);                                                                     \
    if (!p) {                                                                                      \
        snprintf(why, wn, "no egl" #name);                                                         \
        return 0;                                                                                  \
    }                                                                                              \
    memcpy(&egl.name, &p, sizeof p);
#define EGL_EXTENSION(name)                                                                        \
    p = (void *)egl.GetProcAddress("egl" #name);                                                   \
    memcpy(&egl.name, &p, sizeof p);
#include "egl_functions.def"
#undef EGL_FUNCTION
#undef EGL_EXTENSION
    const char *ce = egl.QueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    EGLint maj, min;
    egl.GetError();
    if (egl.QueryDevicesEXT && egl.GetPlatformDisplayEXT &&
        has_extension(ce, "EGL_EXT_platform_device")) {
        static EGLDeviceEXT d[32];
        EGLint n = 0;
        if (!egl.QueryDevicesEXT(32, d, &n))
            n = 0;
        egl_device_count = n;
        int pick = -1;
        for (int i = 0; i < n; i++) {
            EGLAttrib v = -1;
            if (egl.QueryDeviceAttribEXT &&
                egl.QueryDeviceAttribEXT(d[i], EGL_CUDA_DEVICE_NV, &v) && v == 0 && pick < 0) {
                pick = i;
                egl_device_is_cuda = 1;
                egl_cuda_attribute = 0;
            }
        }
        for (int k = 0; k < n && !egl_display; k++) {
            int i = pick >= 0 ? (pick + k) % n : k;
            EGLDisplay D = egl.GetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, d[i], NULL);
            if (D && egl.Initialize(D, &maj, &min)) {
                egl_display = D;
                egl_device = i;
                egl_platform = "device";
                if (i != pick)
                    egl_device_is_cuda = 0;
            }
        }
    }
    if (!egl_display && egl.GetPlatformDisplayEXT &&
        has_extension(ce, "EGL_MESA_platform_surfaceless")) {
        EGLDisplay D =
            egl.GetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
        if (D && egl.Initialize(D, &maj, &min)) {
            egl_display = D;
            egl_platform = "surfaceless";
        }
    }
    if (!egl_display) {
        EGLDisplay D = egl.GetDisplay(EGL_DEFAULT_DISPLAY);
        if (D && egl.Initialize(D, &maj, &min)) {
            egl_display = D;
            egl_platform = "default";
        }
    }
    if (!egl_display) {
        snprintf(why, wn, "no EGL display (devices=%d err=0x%x client_ext=%s)", egl_device_count,
                 egl.GetError(), ce ? ce : "none");
        return 0;
    }
    if (!egl.BindAPI(EGL_OPENGL_API)) {
        snprintf(why, wn, "eglBindAPI err=0x%x", egl.GetError());
        return 0;
    }
    EGLint at[] = {EGL_SURFACE_TYPE,
                   EGL_PBUFFER_BIT,
                   EGL_RENDERABLE_TYPE,
                   EGL_OPENGL_BIT,
                   EGL_RED_SIZE,
                   8,
                   EGL_GREEN_SIZE,
                   8,
                   EGL_BLUE_SIZE,
                   8,
                   EGL_ALPHA_SIZE,
                   8,
                   EGL_NONE},
           nc = 0;
    if (!egl.ChooseConfig(egl_display, at, &egl_config, 1, &nc) || !nc) {
        EGLint a2[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
        egl.ChooseConfig(egl_display, a2, &egl_config, 1, &nc);
    }
    if (!nc) {
        snprintf(why, wn, "eglChooseConfig found none err=0x%x", egl.GetError());
        return 0;
    }
    gl_context = context_create(compat, EGL_NO_CONTEXT);
    if (!gl_context) {
        snprintf(why, wn, "eglCreateContext err=0x%x", egl.GetError());
        return 0;
    }
    egl_surface = EGL_NO_SURFACE;
    if (!has_extension(egl.QueryString(egl_display, EGL_EXTENSIONS),
                       "EGL_KHR_surfaceless_context")) {
        EGLint pa[] = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
        egl_surface = egl.CreatePbufferSurface(egl_display, egl_config, pa);
    }
    if (!gl_make_current(gl_context)) {
        snprintf(why, wn, "eglMakeCurrent err=0x%x", egl.GetError());
        return 0;
    }
#define GL_FUNCTION(n)                                                                             \
    p = (void *)egl.GetProcAddress("gl" #n);                                                       \
    if (!p && o)                                                                                   \
        p = dlsym(o, "gl" #n);                                                                     \
    if (!p && o2)                                                                                  \
        p = dlsym(o2, "gl" #n);                                                                    \
    if (!p) {                                                                                      \
        snprintf(why, wn, "no gl" #n);                                                             \
        return 0;                                                                                  \
    }                                                                                              \
    memcpy(&gl.n, &p, sizeof p);
#include "gl_functions.def"
#undef GL_FUNCTION
    gl.PixelStorei(GL_PACK_ALIGNMENT, 1);
    gl.PixelStorei(GL_UNPACK_ALIGNMENT, 1);
    return 1;
}

static void use_gl_profile(int compat)
{
    more_functions_resolve();
    char w[900] = "";
    if (!gl_try(LOAD_ALL, compat, w, sizeof w))
        gl_stop("GL %s", w);
}

void use_gl(void)
{
    use_gl_profile(0);
}

void use_gl_compat(void)
{
    use_gl_profile(1);
}

void use_cuda_and_gl(void)
{
    use_cuda();
    use_gl();
}

const char *gl_error(void)
{
    GLenum f = 0;
    for (int i = 0; i < 50; i++) {
        GLenum e = gl.GetError();
        if (!e)
            break;
        if (!f)
            f = e;
    }
    switch (f) {
    case 0:
        return "0";
    case GL_INVALID_ENUM:
        return "INVALID_ENUM";
    case GL_INVALID_VALUE:
        return "INVALID_VALUE";
    case GL_INVALID_OPERATION:
        return "INVALID_OPERATION";
    case GL_OUT_OF_MEMORY:
        return "OUT_OF_MEMORY";
    case GL_INVALID_FRAMEBUFFER_OPERATION:
        return "INVALID_FRAMEBUFFER_OPERATION";
    default:
        return format("0x%x", f);
    }
}

const char *with_gl_error(const char *d)
{
    return format("%s glerr=%s", d, gl_error());
}

static void (*thread_function)(void);
static int thread_has_cuda;
static void *thread_run(void *u)
{
    (void)u;
    if (thread_has_cuda)
        cuda.cuCtxSetCurrent(context);
    thread_function();
    if (egl.ReleaseThread)
        egl.ReleaseThread();
    return 0;
}

void run_in_thread(void (*fn)(void), int cuda)
{
    pthread_t t;
    thread_function = fn;
    thread_has_cuda = cuda;
    if (!pthread_create(&t, 0, thread_run, 0))
        pthread_join(t, 0);
}
