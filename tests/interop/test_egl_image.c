/* SPDX-License-Identifier: MIT */
/* EGL images as graphics resources, on a real EGL. */
#include "test.h"

#include "gl_resources.h"

#include <cudaEGL.h>

enum { WIDTH = 37, HEIGHT = 21, BYTES = WIDTH * HEIGHT * 4 };

static unsigned new_texture(unsigned seed)
{
    unsigned char data[BYTES];
    unsigned texture;

    fill(data, BYTES, seed);
    gl.GenTextures(1, &texture);
    gl.BindTexture(O_TEXTURE_2D, texture);
    gl.PixelStorei(O_UNPACK_ALIGNMENT, 1);
    gl.PixelStorei(O_PACK_ALIGNMENT, 1);
    gl.TexParameteri(O_TEXTURE_2D, O_TEXTURE_MAX_LEVEL, 0);
    gl.TexImage2D(O_TEXTURE_2D, 0, O_RGBA8, WIDTH, HEIGHT, 0, O_RGBA, O_UNSIGNED_BYTE, data);
    return texture;
}

static bool texture_is(unsigned texture, unsigned seed)
{
    unsigned char data[BYTES];

    gl.BindTexture(O_TEXTURE_2D, texture);
    gl.GetTexImage(O_TEXTURE_2D, 0, O_RGBA, O_UNSIGNED_BYTE, data);
    return is_filled(data, BYTES, seed);
}

static bool array_is(CUarray array, unsigned seed)
{
    unsigned char data[BYTES];

    copy_array(array, data, WIDTH * 4, HEIGHT, 1, false);
    return is_filled(data, BYTES, seed);
}

static void array_fill(CUarray array, unsigned seed)
{
    unsigned char data[BYTES];

    fill(data, BYTES, seed);
    copy_array(array, data, WIDTH * 4, HEIGHT, 1, true);
}

static void *image_of(unsigned texture)
{
    void *image = opengl_egl_image(&gl, texture);

    if (!image)
        skip("this EGL makes no images of textures");
    return image;
}

TEST(a_frame_is_the_texture)
{
    CUgraphicsResource resource;
    CUeglFrame frame;

    with_opengl(OPENGL_CORE);
    only_cupipe();
    unsigned texture = new_texture(1);
    check_success(cuGraphicsEGLRegisterImage(&resource, image_of(texture), 0));
    check_success(cuGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0));
    check(frame.frameType == CU_EGL_FRAME_TYPE_ARRAY && frame.planeCount == 1);
    check(frame.width == WIDTH && frame.height == HEIGHT && frame.numChannels == 4);
    check(frame.eglColorFormat == CU_EGL_COLOR_FORMAT_ABGR);
    check(array_is(frame.frame.pArray[0], 1));
    array_fill(frame.frame.pArray[0], 2);
    check_success(cuCtxSynchronize());
    check(texture_is(texture, 2));
    array_fill(frame.frame.pArray[0], 3);
    check_success(cuStreamSynchronize(NULL));
    check(texture_is(texture, 3));
    array_fill(frame.frame.pArray[0], 4);
    check_success(cuGraphicsUnregisterResource(resource));
    check(texture_is(texture, 4) && gl.GetError() == 0);
}

TEST(a_new_frame_has_what_opengl_drew_since)
{
    CUgraphicsResource resource;
    unsigned char data[BYTES];
    CUeglFrame frame;

    with_opengl(OPENGL_CORE);
    only_cupipe();
    unsigned texture = new_texture(1);
    check_success(cuGraphicsEGLRegisterImage(&resource, image_of(texture), 0));
    fill(data, BYTES, 2);
    gl.TexSubImage2D(O_TEXTURE_2D, 0, 0, 0, WIDTH, HEIGHT, O_RGBA, O_UNSIGNED_BYTE, data);
    check_success(cuGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0));
    check(array_is(frame.frame.pArray[0], 2));
}

TEST(read_only_never_writes_back)
{
    CUgraphicsResource resource;
    CUarray array;

    with_opengl(OPENGL_CORE);
    only_cupipe();
    unsigned texture = new_texture(1);
    check_success(cuGraphicsEGLRegisterImage(&resource, image_of(texture),
                                             CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY));
    check_success(cuGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
    array_fill(array, 2);
    check_success(cuCtxSynchronize());
    check_success(cuGraphicsUnregisterResource(resource));
    check(texture_is(texture, 1));
}

TEST(images_are_mapped_always)
{
    CUgraphicsResource resource;
    CUdeviceptr pointer;
    size_t size;

    with_opengl(OPENGL_CORE);
    check_success(cuGraphicsEGLRegisterImage(&resource, image_of(new_texture(1)), 0));
    check_result(map(resource), CUDA_ERROR_UNKNOWN);
    check_result(unmap(resource), CUDA_ERROR_UNKNOWN);
    check_result(cuGraphicsResourceGetMappedPointer(&pointer, &size, resource),
                 CUDA_ERROR_NOT_MAPPED_AS_POINTER);
    check_success(cuGraphicsUnregisterResource(resource));
}

TEST(the_image_may_be_destroyed_before_the_resource)
{
    CUgraphicsResource resource;
    CUeglFrame frame;

    with_opengl(OPENGL_CORE);
    unsigned texture = new_texture(1);
    void *image = image_of(texture);
    check_success(cuGraphicsEGLRegisterImage(&resource, image, 0));
    opengl_egl_image_destroy(&gl, image);
    gl.DeleteTextures(1, &texture);
    check_success(cuGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0));
    check_success(cuGraphicsUnregisterResource(resource));
}

TEST(what_is_no_image_is_refused)
{
    CUgraphicsResource resource, other;
    CUeglFrame frame;

    with_opengl(OPENGL_CORE);
    only_cupipe();
    unsigned texture = new_texture(1);
    check_result(cuGraphicsEGLRegisterImage(&resource, NULL, 0), CUDA_ERROR_UNKNOWN);
    check_result(cuGraphicsEGLRegisterImage(NULL, image_of(texture), 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphicsEGLRegisterImage(&resource, image_of(texture), 3),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphicsEGLRegisterImage(&resource, (void *)(uintptr_t)0x7777, 0),
                 CUDA_ERROR_UNKNOWN);
    check_success(cuGraphicsEGLRegisterImage(&resource, image_of(texture), 0));
    check_success(cuGraphicsGLRegisterImage(&other, texture, O_TEXTURE_2D, 0));
    check_result(cuGraphicsResourceGetMappedEglFrame(&frame, other, 0, 0),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphicsResourceGetMappedEglFrame(NULL, resource, 0, 0),
                 CUDA_ERROR_INVALID_VALUE);
    check(texture_is(texture, 1) && gl.GetError() == 0);
}

TEST(streams_of_frames_are_not_supported)
{
    CUeglStreamConnection connection;

    with_context();
    only_cupipe();
    check_result(cuEGLStreamConsumerConnect(&connection, NULL), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuEGLStreamConsumerConnect(&connection, (void *)&connection),
                 CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuEGLStreamProducerConnect(&connection, (void *)&connection, 16, 16),
                 CUDA_ERROR_NOT_SUPPORTED);
}
