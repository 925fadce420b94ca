/* SPDX-License-Identifier: MIT */
/* Threads that do not know of each other use the same graphics resources. */
#include "test.h"

#include "gl_resources.h"

enum { THREADS = 4, TURNS = 3000, BYTES = 5000, SIDE = 16 };

static struct {
    CUcontext context;
    unsigned buffer, texture;
    _Atomic(CUgraphicsResource) resources[2];
    void *gl_contexts[THREADS];
    unsigned name, target; /* an object that each thread registers; target 0: a buffer */
} shared;

/* Whoever loses a race is told so, and nothing else happens. */
static void check_one_of(CUresult result, CUresult first, CUresult second)
{
    check(result == CUDA_SUCCESS || result == first || result == second ||
          result == CUDA_ERROR_INVALID_HANDLE);
}

static void renew(unsigned which)
{
    CUgraphicsResource resource = atomic_exchange(&shared.resources[which], NULL), made;

    if (!resource)
        return;
    CUresult result = cuGraphicsUnregisterResource(resource);
    check_one_of(result, CUDA_ERROR_ALREADY_MAPPED, CUDA_SUCCESS);
    made = resource;
    if (result == CUDA_SUCCESS)
        made = which ? register_image(shared.texture, O_TEXTURE_2D, 0)
                     : register_buffer(shared.buffer, 0);
    atomic_store(&shared.resources[which], made);
}

static void use(CUgraphicsResource resource, unsigned which)
{
    CUdeviceptr pointer;
    CUarray array;
    size_t size;

    if (which)
        check_one_of(cuGraphicsSubResourceGetMappedArray(&array, resource, 0, 0),
                     CUDA_ERROR_NOT_MAPPED, CUDA_SUCCESS);
    else
        check_one_of(cuGraphicsResourceGetMappedPointer(&pointer, &size, resource),
                     CUDA_ERROR_NOT_MAPPED, CUDA_SUCCESS);
}

static void *race(void *argument)
{
    unsigned random = (unsigned)(uintptr_t)argument * 7919 + 1;

    check_success(cuCtxSetCurrent(shared.context));
    opengl_make_current(&gl, shared.gl_contexts[(uintptr_t)argument]);
    for (int i = 0; i < TURNS; i++) {
        random = random * 1103515245 + 12345;
        unsigned which = random >> 16 & 1, what = (random >> 20) % 8;
        CUgraphicsResource resource = atomic_load(&shared.resources[which]);
        if (!resource)
            continue;
        if (what == 0)
            renew(which);
        else if (what < 4)
            check_one_of(map(resource), CUDA_ERROR_ALREADY_MAPPED, CUDA_SUCCESS);
        else if (what < 7)
            check_one_of(unmap(resource), CUDA_ERROR_NOT_MAPPED, CUDA_SUCCESS);
        else
            use(resource, which);
    }
    opengl_make_current(&gl, NULL);
    return NULL;
}

static void make_gl_contexts(void)
{
    for (uintptr_t i = 0; i < THREADS; i++) {
        shared.gl_contexts[i] = opengl_context(&gl, gl.context);
        check(shared.gl_contexts[i] != NULL);
    }
}

static void run_threads(void *(*work)(void *))
{
    pthread_t threads[THREADS];

    for (uintptr_t i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

TEST(threads_race_for_the_same_resources)
{
    unsigned char pixels[SIDE * SIDE * 4];

    shared.context = with_opengl(OPENGL_CORE);
    only_cupipe();
    shared.buffer = new_buffer(BYTES, 1);
    fill(pixels, sizeof(pixels), 2);
    gl.GenTextures(1, &shared.texture);
    gl.BindTexture(O_TEXTURE_2D, shared.texture);
    gl.TexImage2D(O_TEXTURE_2D, 0, O_RGBA8, SIDE, SIDE, 0, O_RGBA, O_UNSIGNED_BYTE, pixels);
    gl.Finish();
    shared.resources[0] = register_buffer(shared.buffer, 0);
    shared.resources[1] = register_image(shared.texture, O_TEXTURE_2D, 0);
    make_gl_contexts();
    run_threads(race);
    unmap(shared.resources[0]);
    unmap(shared.resources[1]);
    check(buffer_is(shared.buffer, BYTES, 1));
    memset(pixels, 0, sizeof(pixels));
    gl.GetTexImage(O_TEXTURE_2D, 0, O_RGBA, O_UNSIGNED_BYTE, pixels);
    check(is_filled(pixels, sizeof(pixels), 2));
}

/* The resource is the thread's own; the object and its memory are all threads'. */
static void *use_own_resource(void *argument)
{
    check_success(cuCtxSetCurrent(shared.context));
    opengl_make_current(&gl, shared.gl_contexts[(uintptr_t)argument]);
    for (int i = 0; i < TURNS; i++) {
        CUgraphicsResource resource = shared.target ? register_image(shared.name, shared.target, 0)
                                                    : register_buffer(shared.name, 0);
        for (int j = 0; j < 3; j++) {
            check_success(map(resource));
            if (shared.target)
                array_of(resource, 0, 0);
            else
                pointer_of(resource);
            check_success(unmap(resource));
        }
        check_success(cuGraphicsUnregisterResource(resource));
    }
    opengl_make_current(&gl, NULL);
    return NULL;
}

TEST(threads_register_the_same_buffer_in_their_contexts)
{
    shared.context = with_opengl(OPENGL_CORE);
    only_cupipe();
    shared.name = new_buffer(BYTES, 1);
    gl.Finish();
    make_gl_contexts();
    run_threads(use_own_resource);
    check(buffer_is(shared.name, BYTES, 1));
}

TEST(threads_register_the_same_texture_in_their_contexts)
{
    unsigned char pixels[SIDE * SIDE * 4];

    shared.context = with_opengl(OPENGL_CORE);
    only_cupipe();
    shared.target = O_TEXTURE_2D;
    fill(pixels, sizeof(pixels), 2);
    gl.GenTextures(1, &shared.name);
    gl.BindTexture(O_TEXTURE_2D, shared.name);
    gl.TexImage2D(O_TEXTURE_2D, 0, O_RGBA8, SIDE, SIDE, 0, O_RGBA, O_UNSIGNED_BYTE, pixels);
    gl.Finish();
    make_gl_contexts();
    run_threads(use_own_resource);
    memset(pixels, 0, sizeof(pixels));
    gl.GetTexImage(O_TEXTURE_2D, 0, O_RGBA, O_UNSIGNED_BYTE, pixels);
    check(is_filled(pixels, sizeof(pixels), 2));
}

TEST(threads_register_the_same_renderbuffer_in_their_contexts)
{
    unsigned char pixels[SIDE * SIDE * 4];

    shared.context = with_opengl(OPENGL_CORE);
    only_cupipe();
    shared.target = O_RENDERBUFFER;
    gl.GenRenderbuffers(1, &shared.name);
    gl.BindRenderbuffer(O_RENDERBUFFER, shared.name);
    gl.RenderbufferStorage(O_RENDERBUFFER, O_RGBA8, SIDE, SIDE);
    gl.Finish();
    CUgraphicsResource resource = register_image(shared.name, O_RENDERBUFFER, 0);
    check_success(map(resource));
    fill(pixels, sizeof(pixels), 3);
    copy_array(array_of(resource, 0, 0), pixels, SIDE * 4, SIDE, 1, true);
    check_success(unmap(resource));
    gl.Finish();
    make_gl_contexts();
    run_threads(use_own_resource);
    check_success(map(resource));
    memset(pixels, 0, sizeof(pixels));
    copy_array(array_of(resource, 0, 0), pixels, SIDE * 4, SIDE, 1, false);
    check(is_filled(pixels, sizeof(pixels), 3));
}
