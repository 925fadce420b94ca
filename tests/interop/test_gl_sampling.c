/* SPDX-License-Identifier: MIT */
/* Kernels that read and write OpenGL's textures in place, through textures and surfaces. */
#include "test.h"

#include "gl_resources.h"
#include "invert.h"

enum { WIDTH = 37, HEIGHT = 21, BYTES = WIDTH * HEIGHT * 4 };

TEST(a_kernel_inverts_a_texture_of_opengl)
{
    unsigned char data[BYTES];
    unsigned texture;

    with_opengl(OPENGL_CORE);
    fill(data, BYTES, 1);
    gl.GenTextures(1, &texture);
    gl.BindTexture(O_TEXTURE_2D, texture);
    gl.PixelStorei(O_UNPACK_ALIGNMENT, 1);
    gl.PixelStorei(O_PACK_ALIGNMENT, 1);
    gl.TexParameteri(O_TEXTURE_2D, O_TEXTURE_MAX_LEVEL, 0);
    gl.TexImage2D(O_TEXTURE_2D, 0, O_RGBA8, WIDTH, HEIGHT, 0, O_RGBA, O_UNSIGNED_BYTE, data);
    CUgraphicsResource resource =
        register_image(texture, O_TEXTURE_2D, CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST);
    check_success(map(resource));
    invert(array_of(resource, 0, 0), WIDTH, HEIGHT);
    check_success(unmap(resource));
    gl.GetTexImage(O_TEXTURE_2D, 0, O_RGBA, O_UNSIGNED_BYTE, data);
    invert_bytes(data, BYTES);
    check(is_filled(data, BYTES, 1) && gl.GetError() == 0);
    check_success(cuGraphicsUnregisterResource(resource));
}
