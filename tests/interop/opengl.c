/* SPDX-License-Identifier: MIT */
#include "opengl.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
    EGL_NONE_ = 0x3038,
    EGL_OPENGL_API_ = 0x30A2,
    EGL_OPENGL_ES_API_ = 0x30A0,
    EGL_PLATFORM_SURFACELESS_ = 0x31DD,
    EGL_CONTEXT_MAJOR_ = 0x3098,
    EGL_CONTEXT_MINOR_ = 0x30FB,
    EGL_PROFILE_MASK_ = 0x30FD,
    EGL_GL_TEXTURE_2D_ = 0x30B1,
    EGL_IMAGE_PRESERVED_ = 0x30D2,
};

#define EGL_FUNCTIONS(X)                                                                           \
    X(void *, GetProcAddress, (const char *))                                                      \
    X(void *, GetPlatformDisplayEXT, (unsigned, void *, const int *))                              \
    X(unsigned, Initialize, (void *, int *, int *))                                                \
    X(unsigned, BindAPI, (unsigned))                                                               \
    X(void *, CreateContext, (void *, void *, void *, const int *))                                \
    X(unsigned, DestroyContext, (void *, void *))                                                  \
    X(unsigned, MakeCurrent, (void *, void *, void *, void *))                                     \
    X(void *, CreateImageKHR, (void *, void *, unsigned, void *, const int *))                     \
    X(unsigned, DestroyImageKHR, (void *, void *))

static struct {
#define DECLARE(result, name, arguments) result(*name) arguments;
    EGL_FUNCTIONS(DECLARE)
#undef DECLARE
} egl;

static enum opengl_kind opened_kind;

static void *find(void *library, const char *name)
{
    void *function = library ? dlsym(library, name) : NULL;

    return function || !egl.GetProcAddress ? function : egl.GetProcAddress(name);
}

static const char *load_egl(void)
{
    void *library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    void *function;

    if (!library)
        return "libEGL.so.1 is not here (package libegl1)";
#define LOAD(result, name, arguments)                                                              \
    function = find(library, "egl" #name);                                                         \
    memcpy(&egl.name, &function, sizeof(function));
    EGL_FUNCTIONS(LOAD)
#undef LOAD
    return egl.GetPlatformDisplayEXT && egl.CreateContext ? NULL : "this EGL lacks functions";
}

static void load_gl(struct opengl *gl)
{
    void *function;

#define LOAD(result, name, arguments)                                                              \
    function = gl->get_address("gl" #name);                                                        \
    memcpy(&gl->name, &function, sizeof(function));
    OPENGL_FUNCTIONS(LOAD)
#undef LOAD
}

void *opengl_context(const struct opengl *gl, void *share)
{
    const int core[] = {EGL_CONTEXT_MAJOR_, 4, EGL_CONTEXT_MINOR_, 5,
                        EGL_PROFILE_MASK_,  1, EGL_NONE_};
    const int compatibility[] = {EGL_CONTEXT_MAJOR_, 4, EGL_CONTEXT_MINOR_, 5,
                                 EGL_PROFILE_MASK_,  2, EGL_NONE_};
    const int es[] = {EGL_CONTEXT_MAJOR_, 3, EGL_CONTEXT_MINOR_, 1, EGL_NONE_};
    const int *const attributes[] = {
        [OPENGL_CORE] = core, [OPENGL_COMPATIBILITY] = compatibility, [OPENGL_ES] = es};

    return egl.CreateContext(gl->display, NULL, share, attributes[opened_kind]);
}

void opengl_make_current(const struct opengl *gl, void *context)
{
    egl.MakeCurrent(gl->display, NULL, NULL, context);
}

void opengl_destroy(const struct opengl *gl, void *context)
{
    egl.DestroyContext(gl->display, context);
}

const char *opengl_open_egl(struct opengl *gl, enum opengl_kind kind)
{
    const char *reason = load_egl();

    memset(gl, 0, sizeof(*gl));
    if (reason)
        return reason;
    gl->display = egl.GetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_, NULL, NULL);
    if (!gl->display || !egl.Initialize(gl->display, NULL, NULL))
        return "no EGL display without a surface (package libegl-mesa0)";
    opened_kind = kind;
    if (!egl.BindAPI(kind == OPENGL_ES ? EGL_OPENGL_ES_API_ : EGL_OPENGL_API_))
        return "this EGL has no such OpenGL";
    gl->context = opengl_context(gl, NULL);
    if (!gl->context || !egl.MakeCurrent(gl->display, NULL, NULL, gl->context))
        return "no OpenGL context (package libgl1-mesa-dri)";
    gl->get_address = egl.GetProcAddress;
    load_gl(gl);
    return NULL;
}

void *opengl_egl_image(const struct opengl *gl, unsigned texture)
{
    const int attributes[] = {EGL_IMAGE_PRESERVED_, 1, EGL_NONE_};

    return egl.CreateImageKHR ? egl.CreateImageKHR(gl->display, gl->context, EGL_GL_TEXTURE_2D_,
                                                   (void *)(uintptr_t)texture, attributes)
                              : NULL;
}

void opengl_egl_image_destroy(const struct opengl *gl, void *image)
{
    egl.DestroyImageKHR(gl->display, image);
}

/* It ends with this process. Its name is the number that it writes. */
static bool start_xvfb(char *name, size_t name_bytes)
{
    int ends[2];
    char descriptor[16];

    if (pipe(ends) != 0)
        return false;
    snprintf(descriptor, sizeof(descriptor), "%d", ends[1]);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        close(ends[0]);
        int nowhere = open("/dev/null", O_RDWR);
        dup2(nowhere, STDERR_FILENO);
        execlp("Xvfb", "Xvfb", "-displayfd", descriptor, "-screen", "0", "64x64x24", "-nolisten",
               "tcp", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    name[0] = ':';
    size_t length = 1;
    while (length + 1 < name_bytes && read(ends[0], name + length, 1) == 1 && name[length] != '\n')
        length++;
    name[length] = 0;
    close(ends[0]);
    return pid > 0 && length > 1;
}

static const char *open_glx(struct opengl *gl, void *x11, void *glx, const char *display_name)
{
    static int visual_attributes[] = {4 /* GLX_RGBA */, 8, 8, 9, 8, 10, 8, 0};
    void *(*open_display)(const char *);
    void *(*choose_visual)(void *, int, int *);
    void *(*create_context)(void *, void *, void *, int);
    unsigned long (*create_window)(void *, unsigned long, int, int, unsigned, unsigned, unsigned,
                                   unsigned long, unsigned long);
    unsigned long (*root_window)(void *, int);
    int (*make_current)(void *, unsigned long, void *);
    const struct {
        void *library;
        const char *name;
        void *place;
    } functions[] = {
        {x11, "XOpenDisplay", &open_display},
        {x11, "XCreateSimpleWindow", &create_window},
        {x11, "XRootWindow", &root_window},
        {glx, "glXChooseVisual", &choose_visual},
        {glx, "glXCreateContext", &create_context},
        {glx, "glXMakeCurrent", &make_current},
        {glx, "glXGetProcAddressARB", &gl->get_address},
    };

    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        void *function = dlsym(functions[i].library, functions[i].name);
        if (!function)
            return "libX11 or libGL lacks functions";
        memcpy(functions[i].place, &function, sizeof(function));
    }
    void *display = open_display(display_name);
    void *visual = display ? choose_visual(display, 0, visual_attributes) : NULL;
    void *context = visual ? create_context(display, visual, NULL, 1) : NULL;
    if (!context)
        return "no GLX context on Xvfb (package libglx-mesa0)";
    unsigned long window = create_window(display, root_window(display, 0), 0, 0, 16, 16, 0, 0, 0);
    if (!make_current(display, window, context))
        return "the GLX context cannot be made current";
    gl->context = context;
    load_gl(gl);
    return NULL;
}

const char *opengl_open_glx(struct opengl *gl)
{
    void *x11 = dlopen("libX11.so.6", RTLD_NOW | RTLD_LOCAL);
    void *glx = dlopen("libGL.so.1", RTLD_NOW | RTLD_LOCAL);
    char name[32];

    memset(gl, 0, sizeof(*gl));
    if (!x11 || !glx)
        return "libX11.so.6 or libGL.so.1 is not here (packages libx11-6, libgl1)";
    if (!start_xvfb(name, sizeof(name)))
        return "Xvfb does not start (package xvfb)";
    return open_glx(gl, x11, glx, name);
}
