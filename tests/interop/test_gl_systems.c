/* SPDX-License-Identifier: MIT */
/* The same on every kind of context: GLX, OpenGL ES, the compatibility profile. */
#include "test.h"

#include "gl_resources.h"

enum { BYTES = 5000, WIDTH = 37, HEIGHT = 21 };

static void check_buffer(void)
{
    unsigned buffer = new_buffer(BYTES, 1);
    CUgraphicsResource resource = register_buffer(buffer, 0);

    for (unsigned i = 1; i < 4; i++) {
        check_success(map(resource));
        check(device_is(pointer_of(resource), BYTES, i));
        device_fill(pointer_of(resource), BYTES, i + 1);
        check_success(unmap(resource));
        check(buffer_is(buffer, BYTES, i + 1));
    }
    gl.DeleteBuffers(1, &buffer);
    check_success(map(resource));
    check(device_is(pointer_of(resource), BYTES, 4));
    check_success(unmap(resource));
    check_success(cuGraphicsUnregisterResource(resource));
    check(gl.GetError() == 0);
}

/* OpenGL ES hands textures out through framebuffers only. */
static void check_pixels(unsigned texture, unsigned seed)
{
    unsigned char data[WIDTH * HEIGHT * 4];
    unsigned framebuffer;

    gl.GenFramebuffers(1, &framebuffer);
    gl.BindFramebuffer(O_FRAMEBUFFER, framebuffer);
    gl.FramebufferTexture2D(O_FRAMEBUFFER, O_COLOR_ATTACHMENT0, O_TEXTURE_2D, texture, 0);
    gl.PixelStorei(O_PACK_ALIGNMENT, 1);
    gl.ReadPixels(0, 0, WIDTH, HEIGHT, O_RGBA, O_UNSIGNED_BYTE, data);
    gl.BindFramebuffer(O_FRAMEBUFFER, 0);
    check(is_filled(data, sizeof(data), seed));
}

static void check_texture(void)
{
    unsigned char data[WIDTH * HEIGHT * 4];
    unsigned texture;

    fill(data, sizeof(data), 1);
    gl.GenTextures(1, &texture);
    gl.BindTexture(O_TEXTURE_2D, texture);
    gl.PixelStorei(O_UNPACK_ALIGNMENT, 1);
    gl.TexImage2D(O_TEXTURE_2D, 0, O_RGBA8, WIDTH, HEIGHT, 0, O_RGBA, O_UNSIGNED_BYTE, data);
    CUgraphicsResource resource = register_image(texture, O_TEXTURE_2D, 0);
    check_success(map(resource));
    memset(data, 0, sizeof(data));
    copy_array(array_of(resource, 0, 0), data, WIDTH * 4, HEIGHT, 1, false);
    check(is_filled(data, sizeof(data), 1));
    fill(data, sizeof(data), 2);
    copy_array(array_of(resource, 0, 0), data, WIDTH * 4, HEIGHT, 1, true);
    check_success(unmap(resource));
    check_pixels(texture, 2);
    check_success(cuGraphicsUnregisterResource(resource));
    check(gl.GetError() == 0);
}

TEST(opengl_es)
{
    with_opengl(OPENGL_ES);
    check_buffer();
    check_texture();
}

TEST(the_compatibility_profile)
{
    with_opengl(OPENGL_COMPATIBILITY);
    check_buffer();
    check_texture();
}

TEST(glx)
{
    const char *reason = opengl_open_glx(&gl);
    unsigned count;
    CUdevice device;

    if (reason)
        skip(reason);
    with_context();
    check_success(cuGLGetDevices(&count, &device, 1, CU_GL_DEVICE_LIST_ALL));
    check(count == 1 && device == 0);
    check_buffer();
    check_texture();
}

/* Each of its many formats that can be drawn to. */
TEST(opengl_es_formats)
{
    static const struct {
        unsigned internal, transfer, type, bytes;
    } formats[] = {
        {0x8229, O_RED, O_UNSIGNED_BYTE, 1},          {0x822B, O_RG, O_UNSIGNED_BYTE, 2},
        {0x8232, O_RED_INTEGER, O_UNSIGNED_BYTE, 1},  {0x8236, O_RED_INTEGER, O_UNSIGNED_INT, 4},
        {0x8D7C, O_RGBA_INTEGER, O_UNSIGNED_BYTE, 4}, {0x8D70, O_RGBA_INTEGER, O_UNSIGNED_INT, 16},
        {0x8D82, O_RGBA_INTEGER, O_INT, 16},
    };
    unsigned char data[WIDTH * HEIGHT * 16];

    with_opengl(OPENGL_ES);
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        size_t bytes = (size_t)WIDTH * HEIGHT * formats[i].bytes;
        unsigned texture;
        fill(data, bytes, 1);
        gl.GenTextures(1, &texture);
        gl.BindTexture(O_TEXTURE_2D, texture);
        gl.TexParameteri(O_TEXTURE_2D, O_TEXTURE_MIN_FILTER, O_NEAREST);
        gl.PixelStorei(O_UNPACK_ALIGNMENT, 1);
        gl.TexImage2D(O_TEXTURE_2D, 0, (int)formats[i].internal, WIDTH, HEIGHT, 0,
                      formats[i].transfer, formats[i].type, data);
        CUgraphicsResource resource = register_image(texture, O_TEXTURE_2D, 0);
        for (unsigned seed = 1; seed < 3; seed++) {
            check_success(map(resource));
            memset(data, 0, bytes);
            copy_array(array_of(resource, 0, 0), data, WIDTH * formats[i].bytes, HEIGHT, 1, false);
            check(is_filled(data, bytes, seed));
            fill(data, bytes, seed + 1);
            copy_array(array_of(resource, 0, 0), data, WIDTH * formats[i].bytes, HEIGHT, 1, true);
            check_success(unmap(resource));
        }
        check(gl.GetError() == 0);
    }
}
