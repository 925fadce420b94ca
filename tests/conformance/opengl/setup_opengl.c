/* SPDX-License-Identifier: MIT */
/*
 * Contexts of OpenGL by EGL, and buffers, textures and arrays with known contents.
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

static const char *aval(int a, const unsigned char *b, CUdeviceptr q)
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
void ptr_attrs(const char *pfx, CUdeviceptr p)
{
    for (const struct named_value *t = pointer_attribute_names; t->name; t++) {
        unsigned char b[64];
        memset(b, 0xA5, 64);
        CHECK_THEN(format("%s-attr-%s", pfx, t->name), cuda.cuPointerGetAttribute(b, t->value, p),
                   const char *v = result ? "" : aval(t->value, b, p), "%s", v);
    }
}
const char *fmtname(int f)
{
    for (const struct named_value *t = format_names; t->name; t++)
        if (t->value == f)
            return t->name;
    return format("fmt_0x%x", f);
}
const char *adesc(CUarray a)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    memset(&d, 0, sizeof d);
    CUresult r = cuda.cuArray3DGetDescriptor(&d, a);
    return r ? format("desc=%s", result_name(r))
             : format("desc=%zux%zux%zu,%s,ch%u,flags0x%x", d.Width, d.Height, d.Depth,
                      fmtname(d.Format), d.NumChannels, d.Flags);
}

struct gltab gl;
struct egltab egl;
EGLDisplay ED;
EGLContext EC;
EGLSurface ES;
EGLConfig ECFG;
const char *eplat = "none";
int n_egldev, sel_egldev = -1, sel_cuda, egl_cuda_attr = -1;
char glver[16];
#ifndef EGL_CUDA_DEVICE_NV
#define EGL_CUDA_DEVICE_NV 0x323A
#endif
int hasext(const char *l, const char *e)
{
    size_t n = strlen(e);
    if (!l)
        return 0;
    for (const char *p = l; (p = strstr(p, e)); p += n)
        if ((p == l || p[-1] == ' ') && (!p[n] || p[n] == ' '))
            return 1;
    return 0;
}
static EGLContext mkctx(int compat, EGLContext share)
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
        EGLContext c = egl.CreateContext(ED, ECFG, share, a);
        if (c) {
            snprintf(glver, sizeof glver, "%d.%d%s", ver[i][0], ver[i][1],
                     compat ? "compat" : "core");
            return c;
        }
    }
    return 0;
}
EGLContext gl_ctx(int compat, EGLContext share)
{
    return mkctx(compat, share);
}
int gl_cur(EGLContext c)
{
    return egl.MakeCurrent(ED, c ? ES : EGL_NO_SURFACE, c ? ES : EGL_NO_SURFACE,
                           c ? c : EGL_NO_CONTEXT);
}
int gl_try(int load, int compat, char *why, size_t wn)
{
    const char *l = getenv("LIBEGL"), *m = getenv("PROBE_GLLOAD");
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
#define G_E(n)                                                                                     \
    p = dlsym(h, "egl" #n);                                                                        \
    if (!p) {                                                                                      \
        snprintf(why, wn, "no egl" #n);                                                            \
        return 0;                                                                                  \
    }                                                                                              \
    memcpy(&egl.n, &p, sizeof p);
    EGL_FNS(G_E)
#define G_X(n)                                                                                     \
    p = (void *)egl.GetProcAddress("egl" #n);                                                      \
    memcpy(&egl.n, &p, sizeof p);
    EGLX_FNS(G_X)
    const char *ce = egl.QueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    EGLint maj, min;
    egl.GetError();
    if (egl.QueryDevicesEXT && egl.GetPlatformDisplayEXT && hasext(ce, "EGL_EXT_platform_device")) {
        static EGLDeviceEXT d[32];
        EGLint n = 0;
        if (!egl.QueryDevicesEXT(32, d, &n))
            n = 0;
        n_egldev = n;
        int pick = -1;
        for (int i = 0; i < n; i++) {
            EGLAttrib v = -1;
            if (egl.QueryDeviceAttribEXT &&
                egl.QueryDeviceAttribEXT(d[i], EGL_CUDA_DEVICE_NV, &v) && v == 0 && pick < 0) {
                pick = i;
                sel_cuda = 1;
                egl_cuda_attr = 0;
            }
        }
        for (int k = 0; k < n && !ED; k++) {
            int i = pick >= 0 ? (pick + k) % n : k;
            EGLDisplay D = egl.GetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, d[i], NULL);
            if (D && egl.Initialize(D, &maj, &min)) {
                ED = D;
                sel_egldev = i;
                eplat = "device";
                if (i != pick)
                    sel_cuda = 0;
            }
        }
    }
    if (!ED && egl.GetPlatformDisplayEXT && hasext(ce, "EGL_MESA_platform_surfaceless")) {
        EGLDisplay D =
            egl.GetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
        if (D && egl.Initialize(D, &maj, &min)) {
            ED = D;
            eplat = "surfaceless";
        }
    }
    if (!ED) {
        EGLDisplay D = egl.GetDisplay(EGL_DEFAULT_DISPLAY);
        if (D && egl.Initialize(D, &maj, &min)) {
            ED = D;
            eplat = "default";
        }
    }
    if (!ED) {
        snprintf(why, wn, "no EGL display (devices=%d err=0x%x client_ext=%s)", n_egldev,
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
    if (!egl.ChooseConfig(ED, at, &ECFG, 1, &nc) || !nc) {
        EGLint a2[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
        egl.ChooseConfig(ED, a2, &ECFG, 1, &nc);
    }
    if (!nc) {
        snprintf(why, wn, "eglChooseConfig found none err=0x%x", egl.GetError());
        return 0;
    }
    EC = mkctx(compat, EGL_NO_CONTEXT);
    if (!EC) {
        snprintf(why, wn, "eglCreateContext err=0x%x", egl.GetError());
        return 0;
    }
    ES = EGL_NO_SURFACE;
    if (!hasext(egl.QueryString(ED, EGL_EXTENSIONS), "EGL_KHR_surfaceless_context")) {
        EGLint pa[] = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
        ES = egl.CreatePbufferSurface(ED, ECFG, pa);
    }
    if (!gl_cur(EC)) {
        snprintf(why, wn, "eglMakeCurrent err=0x%x", egl.GetError());
        return 0;
    }
#define G_G(n)                                                                                     \
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
    GL_FNS(G_G)
    gl.PixelStorei(GL_PACK_ALIGNMENT, 1);
    gl.PixelStorei(GL_UNPACK_ALIGNMENT, 1);
    return 1;
}
static void up(int compat)
{
    more_functions_resolve();
    char w[900] = "";
    if (!gl_try(LOAD_ALL, compat, w, sizeof w))
        gl_stop("GL %s", w);
}
void gl_up(void)
{
    up(0);
}
void gl_up_compat(void)
{
    up(1);
}
void both(void)
{
    use_cuda();
    gl_up();
}
const char *gerr(void)
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
const char *wg(const char *d)
{
    return format("%s glerr=%s", d, gerr());
}
static void (*th_fn)(void);
static int th_cuda;
static void *th_main(void *u)
{
    (void)u;
    if (th_cuda)
        cuda.cuCtxSetCurrent(context);
    th_fn();
    if (egl.ReleaseThread)
        egl.ReleaseThread();
    return 0;
}
void on_thread(void (*fn)(void), int cuda)
{
    pthread_t t;
    th_fn = fn;
    th_cuda = cuda;
    if (!pthread_create(&t, 0, th_main, 0))
        pthread_join(t, 0);
}

/* ---- buffers ---- */
GLuint mkbuf(size_t n, GLenum usage, int seed)
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
void bput(GLuint b, size_t n, unsigned seed)
{
    unsigned char *d = malloc(n);
    pattern_fill(d, n, seed);
    gl.BindBuffer(GL_ARRAY_BUFFER, b);
    gl.BufferSubData(GL_ARRAY_BUFFER, 0, n, d);
    gl.BindBuffer(GL_ARRAY_BUFFER, 0);
    free(d);
}
const char *bsame(GLuint b, size_t n, unsigned seed)
{
    unsigned char *d = calloc(1, n + 1);
    gl.BindBuffer(GL_ARRAY_BUFFER, b);
    gl.GetBufferSubData(GL_ARRAY_BUFFER, 0, n, d);
    gl.BindBuffer(GL_ARRAY_BUFFER, 0);
    const char *r = pattern_check(d, n, seed);
    free(d);
    return r;
}
long long bsize(GLuint b)
{
    GLint64 v = -1;
    gl.BindBuffer(GL_ARRAY_BUFFER, b);
    gl.GetBufferParameteri64v(GL_ARRAY_BUFFER, GL_BUFFER_SIZE, &v);
    gl.BindBuffer(GL_ARRAY_BUFFER, 0);
    return v;
}

/* ---- textures ---- */
#define UB GL_UNSIGNED_BYTE
#define US GL_UNSIGNED_SHORT
#define UI GL_UNSIGNED_INT
#define FL GL_FLOAT
#define HF GL_HALF_FLOAT
#define Q4(n, ch, in8, in8s, in16, in16s, in16f, in32f, in8ui, in8i, in16ui, in16i, in32ui, in32i, \
           f, fi)                                                                                  \
    {n "8", in8, f, UB, ch}, {n "8_SNORM", in8s, f, GL_BYTE, ch}, {n "16", in16, f, US, 2 * ch},   \
        {n "16_SNORM", in16s, f, GL_SHORT, 2 * ch}, {n "16F", in16f, f, HF, 2 * ch},               \
        {n "32F", in32f, f, FL, 4 * ch}, {n "8UI", in8ui, fi, UB, ch},                             \
        {n "8I", in8i, fi, GL_BYTE, ch}, {n "16UI", in16ui, fi, US, 2 * ch},                       \
        {n "16I", in16i, fi, GL_SHORT, 2 * ch}, {n "32UI", in32ui, fi, UI, 4 * ch},                \
    {                                                                                              \
        n "32I", in32i, fi, GL_INT, 4 * ch                                                         \
    }
const struct tf tfs[] = {
    Q4("R", 1, GL_R8, GL_R8_SNORM, GL_R16, GL_R16_SNORM, GL_R16F, GL_R32F, GL_R8UI, GL_R8I,
       GL_R16UI, GL_R16I, GL_R32UI, GL_R32I, GL_RED, GL_RED_INTEGER),
    Q4("RG", 2, GL_RG8, GL_RG8_SNORM, GL_RG16, GL_RG16_SNORM, GL_RG16F, GL_RG32F, GL_RG8UI, GL_RG8I,
       GL_RG16UI, GL_RG16I, GL_RG32UI, GL_RG32I, GL_RG, GL_RG_INTEGER),
    Q4("RGBA", 4, GL_RGBA8, GL_RGBA8_SNORM, GL_RGBA16, GL_RGBA16_SNORM, GL_RGBA16F, GL_RGBA32F,
       GL_RGBA8UI, GL_RGBA8I, GL_RGBA16UI, GL_RGBA16I, GL_RGBA32UI, GL_RGBA32I, GL_RGBA,
       GL_RGBA_INTEGER),
    Q4("RGB", 3, GL_RGB8, GL_RGB8_SNORM, GL_RGB16, GL_RGB16_SNORM, GL_RGB16F, GL_RGB32F, GL_RGB8UI,
       GL_RGB8I, GL_RGB16UI, GL_RGB16I, GL_RGB32UI, GL_RGB32I, GL_RGB, GL_RGB_INTEGER),
    {"SRGB8", GL_SRGB8, GL_RGB, UB, 3},
    {"SRGB8_ALPHA8", GL_SRGB8_ALPHA8, GL_RGBA, UB, 4},
    {"RGB10_A2", GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV, 4},
    {"RGB10_A2UI", GL_RGB10_A2UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT_2_10_10_10_REV, 4},
    {"R11F_G11F_B10F", GL_R11F_G11F_B10F, GL_RGB, GL_UNSIGNED_INT_10F_11F_11F_REV, 4},
    {"RGB9_E5", GL_RGB9_E5, GL_RGB, GL_UNSIGNED_INT_5_9_9_9_REV, 4},
    {"RGB565", GL_RGB565, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, 2},
    {"RGBA4", GL_RGBA4, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, 2},
    {"RGB5_A1", GL_RGB5_A1, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, 2},
    {"RGBA8-bgra", GL_RGBA8, GL_BGRA, UB, 4},
    {"RGBA8-bgra-rev", GL_RGBA8, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, 4},
    {"RGBA-unsized", GL_RGBA, GL_RGBA, UB, 4},
    {"RGB-unsized", GL_RGB, GL_RGB, UB, 3},
    {"RED-unsized", GL_RED, GL_RED, UB, 1},
    {"RG-unsized", GL_RG, GL_RG, UB, 2},
    {"RGBA8UI-bgra", GL_RGBA8UI, GL_BGRA_INTEGER, UB, 4},
    {"RGBA32F-bgra", GL_RGBA32F, GL_BGRA, FL, 16},
    {"DEPTH16", GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT, US, 2},
    {"DEPTH24", GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, UI, 4},
    {"DEPTH32F", GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, FL, 4},
    {"DEPTH24_STENCIL8", GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8, 4},
    {"DEPTH32F_STENCIL8", GL_DEPTH32F_STENCIL8, GL_DEPTH_STENCIL, GL_FLOAT_32_UNSIGNED_INT_24_8_REV,
     8},
    {"STENCIL8", GL_STENCIL_INDEX8, GL_STENCIL_INDEX, UB, 1},
    /* compatibility profile only */
    {"LUMINANCE8", GL_LUMINANCE8, GL_LUMINANCE, UB, 1},
    {"LUMINANCE16", GL_LUMINANCE16, GL_LUMINANCE, US, 2},
    {"LUMINANCE16F", 0x881E, GL_LUMINANCE, HF, 2},
    {"LUMINANCE32F", 0x8818, GL_LUMINANCE, FL, 4},
    {"ALPHA8", GL_ALPHA8, GL_ALPHA, UB, 1},
    {"ALPHA16", GL_ALPHA16, GL_ALPHA, US, 2},
    {"ALPHA32F", 0x8816, GL_ALPHA, FL, 4},
    {"LUMINANCE8_ALPHA8", GL_LUMINANCE8_ALPHA8, GL_LUMINANCE_ALPHA, UB, 2},
    {"LUMINANCE_ALPHA32F", 0x8819, GL_LUMINANCE_ALPHA, FL, 8},
    {"INTENSITY8", GL_INTENSITY8, GL_LUMINANCE, UB, 1},
    {"INTENSITY32F", 0x8817, GL_LUMINANCE, FL, 4},
    {"ALPHA8UI", 0x8D7E, 0x8D97, UB, 1},
    {"LUMINANCE8UI", 0x8D80, 0x8D9C, UB, 1},
};
const int ntf = COUNT_OF(tfs);
const struct tf *tfind(const char *n)
{
    for (int i = 0; i < ntf; i++)
        if (!strcmp(tfs[i].n, n))
            return &tfs[i];
    return 0;
}
void tgen(void *o, size_t bytes, const struct tf *f, unsigned seed)
{ /* values that survive a format round trip */
    unsigned char *c = o;
    pattern_fill(o, bytes, seed);
    switch (f->ty) {
    case GL_FLOAT:
        for (size_t i = 0; i + 4 <= bytes; i += 4) {
            float v = f->fmt == GL_DEPTH_COMPONENT
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
        if (f->fmt == GL_DEPTH_COMPONENT)
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
const char *tcmp(const void *p, size_t row, int h, int d, const struct tf *f, unsigned seed)
{
    size_t n = row * h * d;
    unsigned char *e = malloc(n + 1), *t = malloc(n + 1);
    const unsigned char *c = p;
    const char *r = 0;
    tgen(e, n, f, seed);
    if (!memcmp(e, p, n))
        r = "ok";
    if (!r) {
        for (int z = 0; z < d; z++)
            for (int y = 0; y < h; y++)
                memcpy(t + ((size_t)z * h + y) * row, e + ((size_t)z * h + (h - 1 - y)) * row, row);
        if (!memcmp(t, p, n))
            r = "flipY";
    }
    if (!r && f->bpp % 4 == 0) {
        int k = f->bpp / 4;
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
int lv(int x, int l)
{
    x >>= l;
    return x ? x : 1;
}
static int isarr(GLenum t)
{
    return t == GL_TEXTURE_2D_ARRAY || t == GL_TEXTURE_CUBE_MAP_ARRAY;
}
struct tx mktex(GLenum tgt, const struct tf *f, int w, int h, int d, int levels, int how,
                unsigned seed)
{
    struct tx t = {0, tgt, w, h, d, levels, f, seed};
    gl.GenTextures(1, &t.t);
    gl.BindTexture(tgt, t.t);
    int is3 = tgt == GL_TEXTURE_3D || isarr(tgt), is1 = tgt == GL_TEXTURE_1D,
        faces = tgt == GL_TEXTURE_CUBE_MAP ? 6 : 1, nomip = tgt == GL_TEXTURE_RECTANGLE;
    if (how == TEX_STORAGE) {
        if (is1)
            gl.TexStorage1D(tgt, levels, f->in, w);
        else if (is3)
            gl.TexStorage3D(tgt, levels, f->in, w, h, d);
        else
            gl.TexStorage2D(tgt, levels, f->in, w, h);
    } else if (!nomip) {
        gl.TexParameteri(tgt, GL_TEXTURE_MAX_LEVEL, levels - 1);
    }
    if (!nomip) {
        int z = f->fmt == GL_DEPTH_COMPONENT || strchr(f->n, 'I') ? GL_NEAREST : GL_LINEAR;
        gl.TexParameteri(tgt, GL_TEXTURE_MIN_FILTER,
                         levels > 1        ? GL_NEAREST_MIPMAP_NEAREST
                         : z == GL_NEAREST ? GL_NEAREST
                                           : GL_LINEAR);
    }
    for (int l = 0; l < levels; l++)
        for (int k = 0; k < faces; k++) {
            int W = lv(w, l), H = is1 || (isarr(tgt) && 0) ? 1 : lv(h, l),
                D = tgt == GL_TEXTURE_3D ? lv(d, l)
                    : is3                ? d
                                         : 1;
            if (tgt == GL_TEXTURE_1D_ARRAY)
                H = h;
            size_t n = (size_t)W * H * D * f->bpp;
            void *b = malloc(n);
            tgen(b, n, f, seed + 16 * l + k);
            GLenum tt = faces == 6 ? (GLenum)GL_TEXTURE_CUBE_MAP_POSITIVE_X + k : tgt;
            if (how == TEX_STORAGE) {
                if (is1)
                    gl.TexSubImage1D(tt, l, 0, W, f->fmt, f->ty, b);
                else if (is3)
                    gl.TexSubImage3D(tt, l, 0, 0, 0, W, H, D, f->fmt, f->ty, b);
                else
                    gl.TexSubImage2D(tt, l, 0, 0, W, H, f->fmt, f->ty, b);
            } else {
                if (is1)
                    gl.TexImage1D(tt, l, f->in, W, 0, f->fmt, f->ty, b);
                else if (is3)
                    gl.TexImage3D(tt, l, f->in, W, H, D, 0, f->fmt, f->ty, b);
                else
                    gl.TexImage2D(tt, l, f->in, W, H, 0, f->fmt, f->ty, b);
            }
            free(b);
        }
    gl.BindTexture(tgt, 0);
    return t;
}
const char *tsame(const struct tx *t, int face, int l, unsigned seed)
{
    int W = lv(t->w, l),
        H = t->tgt == GL_TEXTURE_1D         ? 1
            : t->tgt == GL_TEXTURE_1D_ARRAY ? t->h
                                            : lv(t->h, l),
        D = t->tgt == GL_TEXTURE_3D ? lv(t->d, l)
            : isarr(t->tgt)         ? t->d
                                    : 1;
    size_t n = (size_t)W * H * D * t->f->bpp;
    unsigned char *b = malloc(n + 64);
    memset(b, 0xCD, n);
    gl.BindTexture(t->tgt, t->t);
    gl.GetTexImage(t->tgt == GL_TEXTURE_CUBE_MAP ? (GLenum)GL_TEXTURE_CUBE_MAP_POSITIVE_X + face
                                                 : t->tgt,
                   l, t->f->fmt, t->f->ty, b);
    gl.BindTexture(t->tgt, 0);
    const char *r = tcmp(b, (size_t)W * t->f->bpp, H, D, t->f, seed);
    free(b);
    return r;
}
/* ---- CUDA arrays ---- */
static CUresult acp(CUarray a, void *o, size_t row, int h, int d, int put)
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
CUresult aget(CUarray a, void *o, size_t row, int h, int d)
{
    return acp(a, o, row, h, d, 0);
}
CUresult aput(CUarray a, const void *o, size_t row, int h, int d)
{
    return acp(a, (void *)(uintptr_t)o, row, h, d, 1);
}
const char *acheck(CUarray a, size_t row, int h, int d, const struct tf *f, unsigned seed)
{
    size_t n = row * h * d;
    unsigned char *b = malloc(n + 64);
    memset(b, 0xCD, n);
    CUresult r = aget(a, b, row, h, d);
    const char *o = r ? result_name(r) : tcmp(b, row, h, d, f, seed);
    free(b);
    return o;
}
CUresult afill(CUarray a, size_t row, int h, int d, const struct tf *f, unsigned seed)
{
    size_t n = row * h * d;
    unsigned char *b = malloc(n + 64);
    tgen(b, n, f, seed);
    CUresult r = aput(a, b, row, h, d);
    free(b);
    return r;
}
