/* SPDX-License-Identifier: MIT */
/* The parts of EGL that the library uses, and a private EGL context in the application's display.
 * An EGL image is accessible from any context of its display, so reading and writing one does not
 * touch the application's contexts. */
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

/* Returns NULL if the process has not loaded EGL. */
const struct cup_egl *cup_egl_find(void);

/* Returns the display of the calling thread's current context or, without a current context, the
 * display that the last successful call in any thread returned. NULL: none yet. */
void *cup_egl_display(const struct cup_egl *egl);

/* The scope in which the library's private context of a display is current. Entering finishes the
 * work of the thread's current context; leaving makes that context current again. */
struct cup_egl_current_scope {
    const struct cup_egl *egl;
    struct cup_egl_context *egl_context;
    void *display, *context, *draw, *read; /* what was current before */
    unsigned api;
    bool abandoned;
};

/* Returns false if the display refuses. Other threads block until the scope ends. */
bool cup_egl_enter(struct cup_egl_current_scope *scope, void *display);
void cup_egl_leave(struct cup_egl_current_scope *scope);

/* Call this if a call into the driver faulted: the private context is never entered again. */
void cup_egl_abandon(struct cup_egl_current_scope *scope);

#endif
