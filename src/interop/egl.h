/* SPDX-License-Identifier: MIT */
/* EGL as this library uses it, and a context of its own in an application's display. An EGL image
 * can be looked at from any context of its display, so the application's contexts are not needed,
 * and not touched, to read and write one. */
#ifndef CUP_INTEROP_EGL_H
#define CUP_INTEROP_EGL_H

#include <stdbool.h>

enum {
    CUP_EGL_NONE = 0x3038,
    CUP_EGL_DRAW = 0x3059,
    CUP_EGL_READ = 0x305A,
    CUP_EGL_OPENGL_API = 0x30A2,
};

#define CUP_EGL_FUNCTIONS(X)                                                                       \
    X(void *, GetCurrentContext, (void))                                                           \
    X(void *, GetCurrentDisplay, (void))                                                           \
    X(void *, GetCurrentSurface, (int which))                                                      \
    X(unsigned, MakeCurrent, (void *display, void *draw, void *read, void *context))               \
    X(void *, CreateContext, (void *display, void *config, void *share, const int *attributes))    \
    X(unsigned, DestroyContext, (void *display, void *context))                                    \
    X(unsigned, BindAPI, (unsigned api))                                                           \
    X(unsigned, QueryAPI, (void))

#define CUP_EGL_DECLARE(result, name, arguments) result(*name) arguments;

struct cup_egl {
    CUP_EGL_FUNCTIONS(CUP_EGL_DECLARE)
};

#undef CUP_EGL_DECLARE

/* NULL when the process has no EGL. */
const struct cup_egl *cup_egl_find(void);

/* The display of the calling thread's current context; without one, that of the thread that was
 * asked last. NULL: none yet. */
void *cup_egl_display(const struct cup_egl *egl);

/* A stretch of work in our own context of a display. What the calling thread had current is
 * finished before, and current again afterwards. */
struct cup_egl_current_scope {
    const struct cup_egl *egl;
    struct cup_egl_context *egl_context;
    void *display, *context, *draw, *read; /* what was current */
    unsigned api;
    bool abandoned;
};

/* False when the display refuses. Other threads wait until the visit ends. */
bool cup_egl_enter(struct cup_egl_current_scope *visit, void *display);
void cup_egl_leave(struct cup_egl_current_scope *visit);

/* Our context was left in the middle of a call: nobody enters it again. */
void cup_egl_abandon(struct cup_egl_current_scope *visit);

#endif
