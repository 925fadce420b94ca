/* SPDX-License-Identifier: MIT */
/* EGL's functions, and one private context per display. A context lives as long as the process. If
 * the application terminates the display, the context cannot be made current any more and a new one
 * is created. */
#include "interop/egl.h"

#include "core/lock.h"
#include "interop/gl.h"
#include "interop/gl_library.h"
#include "os/dynlib.h"
#include "os/mutex.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct cup_egl_context {
    struct cup_egl_context *next;
    void *display;
    struct cup_lock lock; /* held while the context is current in any thread */
    void *context;        /* guarded by lock */
};

/* Leaf mutex: guards loading the functions of EGL. */
static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(bool) loaded;
static struct cup_egl functions;
static _Atomic(void *) last_display;

static struct cup_lock egl_contexts_lock = CUP_LOCK_INITIALIZER(CUP_RANK_GRAPHICS_LIST);
static struct cup_egl_context *egl_contexts; /* guarded by egl_contexts_lock */

static void *find_function(void *library, void *(*address)(const char *name), const char *name)
{
    void *function;

    if (cup_dynlib_resolve(library, &(struct cup_dynlib_symbol){name, &function}, 1))
        return function;
    return address ? address(name) : NULL;
}

#define LOAD(result, name, arguments)                                                              \
    {                                                                                              \
        void *function = find_function(library, address, "egl" #name);                             \
        memcpy(&functions.name, &function, sizeof(function));                                      \
    }

static bool load_locked(void)
{
    cup_mutex_assert_held(&load_lock);
    void *library = cup_gl_library("libEGL.so.1");
    void *(*address)(const char *name) = NULL;

    if (!library)
        library = cup_gl_library("libEGL.so");
    if (!library)
        return false;
    cup_dynlib_resolve(library, &(struct cup_dynlib_symbol){"eglGetProcAddress", &address}, 1);
    CUP_EGL_FUNCTIONS(LOAD)
    return functions.GetCurrentContext && functions.GetCurrentDisplay &&
           functions.GetCurrentSurface && functions.MakeCurrent && functions.CreateContext &&
           functions.DestroyContext && functions.BindAPI && functions.QueryAPI;
}

const struct cup_egl *cup_egl_find(void)
{
    if (!atomic_load_explicit(&loaded, memory_order_acquire)) {
        pthread_mutex_lock(&load_lock);
        if (!atomic_load(&loaded))
            atomic_store_explicit(&loaded, load_locked(), memory_order_release);
        pthread_mutex_unlock(&load_lock);
    }
    return atomic_load(&loaded) ? &functions : NULL;
}

void *cup_egl_display(const struct cup_egl *egl)
{
    void *display = egl->GetCurrentDisplay();

    if (display)
        atomic_store(&last_display, display);
    return display ? display : atomic_load(&last_display);
}

static struct cup_egl_context *egl_context_of(void *display)
{
    struct cup_egl_context *egl_context;

    cup_lock_acquire(&egl_contexts_lock);
    for (egl_context = egl_contexts; egl_context && egl_context->display != display;
         egl_context = egl_context->next) {
    }
    if (!egl_context && (egl_context = calloc(1, sizeof(*egl_context))) != NULL) {
        cup_lock_init(&egl_context->lock, CUP_RANK_EGL_CONTEXT);
        egl_context->display = display;
        egl_context->next = egl_contexts;
        egl_contexts = egl_context;
    }
    cup_lock_release(&egl_contexts_lock);
    return egl_context;
}

/* Requires EGL_KHR_surfaceless_context and EGL_KHR_no_config_context, which software drivers have.
 * Drivers without them return an error. */
static bool make_current_locked(const struct cup_egl *egl, struct cup_egl_context *egl_context)
{
    cup_lock_assert_held(&egl_context->lock);
    static const int attributes[] = {CUP_EGL_NONE};

    if (egl_context->context &&
        egl->MakeCurrent(egl_context->display, NULL, NULL, egl_context->context))
        return true;
    egl_context->context = egl->CreateContext(egl_context->display, NULL, NULL, attributes);
    return egl_context->context &&
           egl->MakeCurrent(egl_context->display, NULL, NULL, egl_context->context);
}

bool cup_egl_enter(struct cup_egl_current_scope *scope, void *display)
{
    const struct cup_egl *egl = cup_egl_find();
    struct cup_egl_context *egl_context = egl && display ? egl_context_of(display) : NULL;
    struct cup_gl_work work;

    if (!egl_context)
        return false;
    if (cup_gl_begin(&work)) {
        work.gl->Finish();
        cup_gl_end(&work);
    }
    *scope = (struct cup_egl_current_scope){
        .egl = egl,
        .egl_context = egl_context,
        .display = egl->GetCurrentDisplay(),
        .context = egl->GetCurrentContext(),
        .draw = egl->GetCurrentSurface(CUP_EGL_DRAW),
        .read = egl->GetCurrentSurface(CUP_EGL_READ),
        .api = egl->QueryAPI(),
    };
    cup_lock_acquire(&egl_context->lock);
    egl->BindAPI(CUP_EGL_OPENGL_API);
    if (make_current_locked(egl, egl_context))
        return true;
    cup_egl_leave(scope);
    return false;
}

void cup_egl_leave(struct cup_egl_current_scope *scope)
{
    const struct cup_egl *egl = scope->egl;

    egl->BindAPI(scope->api);
    if (scope->context)
        egl->MakeCurrent(scope->display, scope->draw, scope->read, scope->context);
    else
        egl->MakeCurrent(scope->egl_context->display, NULL, NULL, NULL);
    cup_lock_release(&scope->egl_context->lock);
}

void cup_egl_abandon(struct cup_egl_current_scope *scope)
{
    scope->egl_context->context = NULL;
    scope->abandoned = true;
}
