/* SPDX-License-Identifier: MIT */
/* Resolves OpenGL: the libraries of the process, their functions, and the current context.
 *
 * A process may use EGL and GLX side by side; each has a table of its own. The libraries are looked
 * for again whenever no context is found, because the application may load them at any time. This
 * file never loads them itself. */
#include "interop/gl.h"

#include "core/error.h"
#include "core/thread.h"
#include "interop/gl_current.h"
#include "interop/gl_library.h"
#include "os/dynlib.h"
#include "os/mutex.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct window_system {
    const char *libraries[4];
    const char *current; /* the function that returns the current context */
    const char *address; /* the function that resolves functions */
    _Atomic(bool) ready;
    void *(*get_current)(void);
    struct cup_gl gl;
};

static struct window_system systems[] = {
    {.libraries = {"libEGL.so.1", "libEGL.so"},
     .current = "eglGetCurrentContext",
     .address = "eglGetProcAddress"},
    {.libraries = {"libGLX.so.0", "libGL.so.1", "libGL.so"},
     .current = "glXGetCurrentContext",
     .address = "glXGetProcAddressARB"},
};

enum { SYSTEM_COUNT = sizeof(systems) / sizeof(systems[0]) };

/* Libraries with the functions that GetProcAddress does not return. */
static const char *const client_libraries[] = {"libOpenGL.so.0", "libGL.so.1", "libGLESv2.so.2"};

/* Leaf mutex: guards loading the functions of OpenGL. */
static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;

void *cup_gl_library(const char *name)
{
    return cup_dynlib_open(name, CUP_DYNLIB_IF_LOADED);
}

static void *find_function(void *(*address)(const char *name), const char *name)
{
    void *function = address(name);

    for (size_t i = 0; !function && i < sizeof(client_libraries) / sizeof(client_libraries[0]);
         i++) {
        void *library = cup_gl_library(client_libraries[i]);
        if (library)
            cup_dynlib_resolve(library, &(struct cup_dynlib_symbol){name, &function}, 1);
    }
    return function;
}

#define LOAD(result, name, arguments)                                                              \
    {                                                                                              \
        void *function = find_function(address, "gl" #name);                                       \
        memcpy(&gl->name, &function, sizeof(function));                                            \
    }

static bool load_functions(struct cup_gl *gl, void *(*address)(const char *name))
{
    CUP_GL_FUNCTIONS(LOAD)
    return gl->GetError && gl->GetString && gl->GetIntegerv && gl->PixelStorei && gl->BindBuffer;
}

static bool load_locked(struct window_system *system)
{
    cup_mutex_assert_held(&load_lock);
    void *(*address)(const char *name) = NULL;
    const struct cup_dynlib_symbol symbols[] = {
        {system->address, &address},
        {system->current, &system->get_current},
    };
    void *library = NULL;

    for (int i = 0; !library && i < 4 && system->libraries[i]; i++)
        library = cup_gl_library(system->libraries[i]);
    if (!library)
        return false;
    return cup_dynlib_resolve(library, symbols, 2) && load_functions(&system->gl, address);
}

static bool system_is_ready(struct window_system *system)
{
    if (atomic_load_explicit(&system->ready, memory_order_acquire))
        return true;
    pthread_mutex_lock(&load_lock);
    bool ready = atomic_load(&system->ready) || load_locked(system);
    atomic_store_explicit(&system->ready, ready, memory_order_release);
    pthread_mutex_unlock(&load_lock);
    return ready;
}

bool cup_gl_is_present(void)
{
    bool found = false;

    for (int i = 0; !found && i < SYSTEM_COUNT; i++)
        found = system_is_ready(&systems[i]);
    return found;
}

static struct window_system *current_system(void **context)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < SYSTEM_COUNT; i++) {
            if (pass == 0 ? !atomic_load_explicit(&systems[i].ready, memory_order_acquire)
                          : !system_is_ready(&systems[i]))
                continue;
            *context = systems[i].get_current();
            if (*context)
                return &systems[i];
        }
    }
    return NULL;
}

bool cup_gl_is_current(void)
{
    void *context;

    return current_system(&context) != NULL;
}

/* "4.5 (Core Profile) …" or "OpenGL ES 3.2 …". */
static bool read_version(struct cup_gl_work *work)
{
    static const char es_prefix[] = "OpenGL ES ";
    const char *text = (const char *)work->gl->GetString(GL_VERSION);
    char *end;

    if (!text)
        return false;
    work->es = strncmp(text, es_prefix, sizeof(es_prefix) - 1) == 0;
    long major = strtol(work->es ? text + sizeof(es_prefix) - 1 : text, &end, 10);
    long minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;
    work->version = (int)(major * 10 + minor);
    return work->version >= 30;
}

/* The version of the OpenGL context that a thread used last. */
struct known_version {
    void *context;
    int version;
    bool es;
};

CUP_THREAD_STATE(gl, struct known_version);

bool cup_gl_begin(struct cup_gl_work *work)
{
    struct known_version *known = cup_thread_gl(cup_thread_self());
    void *context;
    struct window_system *system = current_system(&context);

    if (!system)
        return false;
    *work = (struct cup_gl_work){.gl = &system->gl, .context = context};
    if (known->context == context) {
        work->es = known->es;
        work->version = known->version;
    } else {
        if (!read_version(work))
            return false;
        known->context = context;
        known->es = work->es;
        known->version = work->version;
    }
    work->error = work->gl->GetError();
    return true;
}

bool cup_gl_begin_uncached(struct cup_gl_work *work)
{
    cup_thread_gl(cup_thread_self())->context = NULL;
    return cup_gl_begin(work);
}

void cup_gl_begin_assumed(struct cup_gl_work *work, const struct cup_gl_work *earlier)
{
    *work = *earlier;
    work->error = work->gl->GetError();
}

bool cup_gl_failed(struct cup_gl_work *work)
{
    bool failed = false;

    /* A lost context returns errors forever. */
    for (int i = 0; i < 16 && work->gl->GetError() != GL_NO_ERROR; i++)
        failed = true;
    return failed;
}

/* GL errors cannot be set, so the error is provoked again. */
static void raise_again(const struct cup_gl *gl, unsigned error)
{
    if (error == GL_INVALID_ENUM)
        gl->Enable(0xFFFF);
    else if (error == GL_INVALID_VALUE)
        gl->Viewport(0, 0, -1, -1);
    else
        gl->BindVertexArray(0xFFFFFFF0u);
}

void cup_gl_end(struct cup_gl_work *work)
{
    cup_gl_failed(work);
    if (work->error != GL_NO_ERROR)
        raise_again(work->gl, work->error);
}

CUresult cup_gl_unregister(struct CUgraphicsResource_st *resource)
{
    struct cup_gl_work work;

    (void)resource;
    if (!cup_gl_begin(&work))
        return cup_error(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT,
                         "no OpenGL context is current in this thread");
    cup_gl_end(&work);
    return CUDA_SUCCESS;
}

/* In the order of the saved values. OpenGL ES does not have the second half, or not in both
 * directions; there it reads as 0. */
static const unsigned pixel_names[2][8] = {
    [CUP_GL_PACK] = {GL_PACK_ALIGNMENT, GL_PACK_ROW_LENGTH, GL_PACK_SKIP_ROWS, GL_PACK_SKIP_PIXELS,
                     GL_PACK_SKIP_IMAGES, GL_PACK_IMAGE_HEIGHT, GL_PACK_SWAP_BYTES,
                     GL_PACK_LSB_FIRST},
    [CUP_GL_UNPACK] = {GL_UNPACK_ALIGNMENT, GL_UNPACK_ROW_LENGTH, GL_UNPACK_SKIP_ROWS,
                       GL_UNPACK_SKIP_PIXELS, GL_UNPACK_SKIP_IMAGES, GL_UNPACK_IMAGE_HEIGHT,
                       GL_UNPACK_SWAP_BYTES, GL_UNPACK_LSB_FIRST},
};

static int pixel_value_count(const struct cup_gl_work *work, enum cup_gl_direction direction)
{
    if (!work->es)
        return 8;
    return direction == CUP_GL_PACK ? 4 : 6;
}

void cup_gl_pixels_set(struct cup_gl_work *work, struct cup_gl_pixels *saved,
                       enum cup_gl_direction direction, int row_pixels)
{
    const struct cup_gl *gl = work->gl;
    bool pack = direction == CUP_GL_PACK;

    gl->GetIntegerv(pack ? GL_PIXEL_PACK_BUFFER_BINDING : GL_PIXEL_UNPACK_BUFFER_BINDING,
                    &saved->buffer);
    if (saved->buffer)
        gl->BindBuffer(pack ? GL_PIXEL_PACK_BUFFER : GL_PIXEL_UNPACK_BUFFER, 0);
    for (int i = 0; i < pixel_value_count(work, direction); i++) {
        int wanted = i == 0 ? 1 : i == 1 ? row_pixels : 0;
        gl->GetIntegerv(pixel_names[direction][i], &saved->values[i]);
        if (saved->values[i] != wanted)
            gl->PixelStorei(pixel_names[direction][i], wanted);
    }
}

void cup_gl_pixels_restore(struct cup_gl_work *work, const struct cup_gl_pixels *saved,
                           enum cup_gl_direction direction)
{
    const struct cup_gl *gl = work->gl;

    for (int i = 0; i < pixel_value_count(work, direction); i++)
        gl->PixelStorei(pixel_names[direction][i], saved->values[i]);
    if (saved->buffer)
        gl->BindBuffer(direction == CUP_GL_PACK ? GL_PIXEL_PACK_BUFFER : GL_PIXEL_UNPACK_BUFFER,
                       (unsigned)saved->buffer);
}
