/* SPDX-License-Identifier: MIT */
/* Kernels that read and write EGL's images in place, through textures and surfaces. */
#include "test.h"

#include "gl_resources.h"
#include "invert.h"

#include <cudaEGL.h>

enum { WIDTH = 37, HEIGHT = 21, BYTES = WIDTH * HEIGHT * 4 };

TEST(a_kernel_inverts_an_image_of_egl)
{
    unsigned char data[BYTES];
    CUgraphicsResource resource;
    CUeglFrame frame;
    unsigned texture;

    with_opengl(OPENGL_CORE);
    fill(data, BYTES, 1);
    gl.GenTextures(1, &texture);
    gl.BindTexture(O_TEXTURE_2D, texture);
    gl.PixelStorei(O_UNPACK_ALIGNMENT, 1);
    gl.PixelStorei(O_PACK_ALIGNMENT, 1);
    gl.TexParameteri(O_TEXTURE_2D, O_TEXTURE_MAX_LEVEL, 0);
    gl.TexImage2D(O_TEXTURE_2D, 0, O_RGBA8, WIDTH, HEIGHT, 0, O_RGBA, O_UNSIGNED_BYTE, data);
    void *image = opengl_egl_image(&gl, texture);
    if (!image)
        skip("this EGL makes no images of textures");
    check_success(cuGraphicsEGLRegisterImage(&resource, image, 0));
    check_success(cuGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0));
    check(frame.frameType == CU_EGL_FRAME_TYPE_ARRAY);
    invert(frame.frame.pArray[0], WIDTH, HEIGHT);
    check_success(cuGraphicsUnregisterResource(resource));
    gl.BindTexture(O_TEXTURE_2D, texture);
    gl.GetTexImage(O_TEXTURE_2D, 0, O_RGBA, O_UNSIGNED_BYTE, data);
    invert_bytes(data, BYTES);
    check(is_filled(data, BYTES, 1) && gl.GetError() == 0);
}
