/* SPDX-License-Identifier: MIT */
/* OpenGL's buffers, textures and EGL images in CUDA, each thread with an OpenGL context of its own.
 * Where no EGL is, or no driver for it, the part is left out. */
#include "soak.h"

#include "../../tests/interop/opengl.h"

#include <cudaEGL.h>
#include <cudaGL.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

bool soak_opengl_open(void)
{
    struct opengl *gl = room(sizeof(*gl));

    pthread_mutex_lock(&opening);
    const char *reason = opengl_open_egl(gl, OPENGL_CORE);
    pthread_mutex_unlock(&opening);
    if (reason)
        free(gl);
    soak->opengl = reason ? NULL : gl;
    return !reason;
}

void soak_opengl_close(void)
{
    struct opengl *gl = soak->opengl;

    if (!gl)
        return;
    pthread_mutex_lock(&opening);
    opengl_make_current(gl, NULL);
    opengl_destroy(gl, gl->context);
    pthread_mutex_unlock(&opening);
    free(gl);
}

static void with_buffer(struct opengl *gl)
{
    size_t bytes = draw_size(300000), size;
    unsigned char *sent = room(bytes), *came = room(bytes);
    CUgraphicsResource resource;
    CUdeviceptr at;
    unsigned buffer;

    fill(sent, bytes, draw(1 << 30));
    gl->GenBuffers(1, &buffer);
    gl->BindBuffer(O_ARRAY_BUFFER, buffer);
    gl->BufferData(O_ARRAY_BUFFER, (ptrdiff_t)bytes, sent, O_DYNAMIC_DRAW);
    must(cuGraphicsGLRegisterBuffer(&resource, buffer, 0));
    for (int i = 0; i < 2; i++) {
        must(cuGraphicsMapResources(1, &resource, NULL));
        must(cuGraphicsResourceGetMappedPointer(&at, &size, resource));
        must_be(size == bytes);
        must(cuMemcpyDtoH(came, at, bytes));
        same(came, sent, bytes, "OpenGL's buffer in CUDA");
        fill(sent, bytes, draw(1 << 30));
        must(cuMemcpyHtoD(at, sent, bytes));
        must(cuGraphicsUnmapResources(1, &resource, NULL));
        gl->GetBufferSubData(O_ARRAY_BUFFER, 0, (ptrdiff_t)bytes, came);
        same(came, sent, bytes, "CUDA's bytes in OpenGL's buffer");
    }
    must(cuGraphicsUnregisterResource(resource));
    gl->BindBuffer(O_ARRAY_BUFFER, 0);
    gl->DeleteBuffers(1, &buffer);
    free(sent);
    free(came);
}

static void move_image(CUarray array, void *memory, int width, int height, bool in)
{
    size_t pitch = (size_t)width * 4;
    CUDA_MEMCPY2D copy = {.srcMemoryType = in ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY,
                          .dstMemoryType = in ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST,
                          .srcHost = memory,
                          .dstHost = memory,
                          .srcArray = array,
                          .dstArray = array,
                          .srcPitch = pitch,
                          .dstPitch = pitch,
                          .WidthInBytes = pitch,
                          .Height = (size_t)height};

    must(cuMemcpy2D(&copy));
}

static void with_texture(struct opengl *gl, bool by_egl)
{
    int width = 1 + (int)draw(200), height = 1 + (int)draw(100);
    size_t bytes = (size_t)(width * height * 4);
    unsigned char *sent = room(bytes), *came = room(bytes);
    CUgraphicsResource resource;
    CUeglFrame frame;
    void *image = NULL;
    CUarray array;
    unsigned texture;

    fill(sent, bytes, draw(1 << 30));
    gl->GenTextures(1, &texture);
    gl->BindTexture(O_TEXTURE_2D, texture);
    gl->TexParameteri(O_TEXTURE_2D, O_TEXTURE_MAX_LEVEL, 0);
    gl->TexImage2D(O_TEXTURE_2D, 0, O_RGBA8, width, height, 0, O_RGBA, O_UNSIGNED_BYTE, sent);
    if (by_egl && (image = opengl_egl_image(gl, texture))) {
        must(cuGraphicsEGLRegisterImage(&resource, image, 0));
        must(cuGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0));
        array = frame.frame.pArray[0];
    } else {
        must(cuGraphicsGLRegisterImage(&resource, texture, O_TEXTURE_2D, 0));
        must(cuGraphicsMapResources(1, &resource, NULL));
        must(cuGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
    }
    move_image(array, came, width, height, false);
    same(came, sent, bytes, "OpenGL's texture in CUDA");
    fill(sent, bytes, draw(1 << 30));
    move_image(array, sent, width, height, true);
    if (!image)
        must(cuGraphicsUnmapResources(1, &resource, NULL));
    must(cuGraphicsUnregisterResource(resource));
    gl->GetTexImage(O_TEXTURE_2D, 0, O_RGBA, O_UNSIGNED_BYTE, came);
    same(came, sent, bytes, "CUDA's bytes in OpenGL's texture");
    if (image)
        opengl_egl_image_destroy(gl, image);
    gl->DeleteTextures(1, &texture);
    free(sent);
    free(came);
}

void soak_opengl(void)
{
    struct opengl *gl = soak->opengl;

    with_buffer(gl);
    with_texture(gl, false);
    with_texture(gl, true);
    must_be(gl->GetError() == 0);
}
