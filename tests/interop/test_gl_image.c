/* SPDX-License-Identifier: MIT */
/* OpenGL textures and renderbuffers as graphics resources, on a real OpenGL. */
#include "test.h"

#include "gl_resources.h"

enum { WIDTH = 37, HEIGHT = 21, DEPTH = 5 };

/* Formats whose pixels are moved bit for bit. */
static const struct format {
    unsigned internal, transfer, type, bytes;
    CUarray_format format;
    unsigned channels;
} formats[] = {
    {0x8229, O_RED, O_UNSIGNED_BYTE, 1, CU_AD_FORMAT_UNSIGNED_INT8, 1},
    {0x822A, O_RED, O_UNSIGNED_SHORT, 2, CU_AD_FORMAT_UNSIGNED_INT16, 1},
    {0x822B, O_RG, O_UNSIGNED_BYTE, 2, CU_AD_FORMAT_UNSIGNED_INT8, 2},
    {0x822C, O_RG, O_UNSIGNED_SHORT, 4, CU_AD_FORMAT_UNSIGNED_INT16, 2},
    {0x8058, O_RGBA, O_UNSIGNED_BYTE, 4, CU_AD_FORMAT_UNSIGNED_INT8, 4},
    {0x805B, O_RGBA, O_UNSIGNED_SHORT, 8, CU_AD_FORMAT_UNSIGNED_INT16, 4},
    {0x8C43, O_RGBA, O_UNSIGNED_BYTE, 4, CU_AD_FORMAT_UNSIGNED_INT8, 4},
    {0x822D, O_RED, O_HALF_FLOAT, 2, CU_AD_FORMAT_HALF, 1},
    {0x822F, O_RG, O_HALF_FLOAT, 4, CU_AD_FORMAT_HALF, 2},
    {0x881A, O_RGBA, O_HALF_FLOAT, 8, CU_AD_FORMAT_HALF, 4},
    {0x822E, O_RED, O_FLOAT, 4, CU_AD_FORMAT_FLOAT, 1},
    {0x8230, O_RG, O_FLOAT, 8, CU_AD_FORMAT_FLOAT, 2},
    {0x8814, O_RGBA, O_FLOAT, 16, CU_AD_FORMAT_FLOAT, 4},
    {0x8232, O_RED_INTEGER, O_UNSIGNED_BYTE, 1, CU_AD_FORMAT_UNSIGNED_INT8, 1},
    {0x8231, O_RED_INTEGER, O_BYTE, 1, CU_AD_FORMAT_SIGNED_INT8, 1},
    {0x8234, O_RED_INTEGER, O_UNSIGNED_SHORT, 2, CU_AD_FORMAT_UNSIGNED_INT16, 1},
    {0x8233, O_RED_INTEGER, O_SHORT, 2, CU_AD_FORMAT_SIGNED_INT16, 1},
    {0x8236, O_RED_INTEGER, O_UNSIGNED_INT, 4, CU_AD_FORMAT_UNSIGNED_INT32, 1},
    {0x8235, O_RED_INTEGER, O_INT, 4, CU_AD_FORMAT_SIGNED_INT32, 1},
    {0x8238, O_RG_INTEGER, O_UNSIGNED_BYTE, 2, CU_AD_FORMAT_UNSIGNED_INT8, 2},
    {0x8237, O_RG_INTEGER, O_BYTE, 2, CU_AD_FORMAT_SIGNED_INT8, 2},
    {0x823A, O_RG_INTEGER, O_UNSIGNED_SHORT, 4, CU_AD_FORMAT_UNSIGNED_INT16, 2},
    {0x8239, O_RG_INTEGER, O_SHORT, 4, CU_AD_FORMAT_SIGNED_INT16, 2},
    {0x823C, O_RG_INTEGER, O_UNSIGNED_INT, 8, CU_AD_FORMAT_UNSIGNED_INT32, 2},
    {0x823B, O_RG_INTEGER, O_INT, 8, CU_AD_FORMAT_SIGNED_INT32, 2},
    {0x8D7C, O_RGBA_INTEGER, O_UNSIGNED_BYTE, 4, CU_AD_FORMAT_UNSIGNED_INT8, 4},
    {0x8D8E, O_RGBA_INTEGER, O_BYTE, 4, CU_AD_FORMAT_SIGNED_INT8, 4},
    {0x8D76, O_RGBA_INTEGER, O_UNSIGNED_SHORT, 8, CU_AD_FORMAT_UNSIGNED_INT16, 4},
    {0x8D88, O_RGBA_INTEGER, O_SHORT, 8, CU_AD_FORMAT_SIGNED_INT16, 4},
    {0x8D70, O_RGBA_INTEGER, O_UNSIGNED_INT, 16, CU_AD_FORMAT_UNSIGNED_INT32, 4},
    {0x8D82, O_RGBA_INTEGER, O_INT, 16, CU_AD_FORMAT_SIGNED_INT32, 4},
};

enum { FORMAT_COUNT = sizeof(formats) / sizeof(formats[0]) };

/* Bytes that are ordinary numbers in every format: no halves or floats that are not numbers. */
static void fill_pixels(void *memory, size_t bytes, unsigned seed)
{
    unsigned char *byte = memory;

    for (size_t i = 0; i < bytes; i++)
        byte[i] = (unsigned char)(0x20 + ((i * 2654435761u + seed * 40503u) >> 15) % 0x30);
}

static bool is_pixels(const void *memory, size_t bytes, unsigned seed)
{
    unsigned char *expected = malloc(bytes);

    fill_pixels(expected, bytes, seed);
    bool is = memcmp(memory, expected, bytes) == 0;
    free(expected);
    return is;
}

struct texture {
    unsigned name, target;
    int width, height, depth; /* depth or layers */
    const struct format *format;
};

static int is_deep(unsigned target)
{
    return target == O_TEXTURE_3D || target == O_TEXTURE_2D_ARRAY;
}

static size_t level_bytes(const struct texture *texture)
{
    return (size_t)texture->width * texture->height *
           (is_deep(texture->target) ? texture->depth : 1) * texture->format->bytes;
}

static unsigned face_count(unsigned target)
{
    return target == O_TEXTURE_CUBE_MAP ? 6 : 1;
}

static unsigned face_target(unsigned target, unsigned face)
{
    return target == O_TEXTURE_CUBE_MAP ? O_TEXTURE_CUBE_FACE + face : target;
}

/* One level; faces are seeded one after the other. */
static struct texture new_texture(unsigned target, const struct format *format, unsigned seed)
{
    struct texture texture = {
        .target = target, .width = WIDTH, .height = HEIGHT, .depth = DEPTH, .format = format};

    if (target == O_TEXTURE_CUBE_MAP)
        texture.height = WIDTH;
    void *data = malloc(level_bytes(&texture));
    gl.GenTextures(1, &texture.name);
    gl.BindTexture(target, texture.name);
    gl.PixelStorei(O_UNPACK_ALIGNMENT, 1);
    if (target != O_TEXTURE_RECTANGLE)
        gl.TexParameteri(target, O_TEXTURE_MAX_LEVEL, 0);
    for (unsigned face = 0; face < face_count(target); face++) {
        fill_pixels(data, level_bytes(&texture), seed + face);
        if (is_deep(target))
            gl.TexImage3D(target, 0, (int)format->internal, texture.width, texture.height,
                          texture.depth, 0, format->transfer, format->type, data);
        else
            gl.TexImage2D(face_target(target, face), 0, (int)format->internal, texture.width,
                          texture.height, 0, format->transfer, format->type, data);
    }
    gl.BindTexture(target, 0);
    check(gl.GetError() == 0);
    free(data);
    return texture;
}

static bool texture_is(const struct texture *texture, unsigned face, unsigned seed)
{
    void *data = calloc(1, level_bytes(texture));

    gl.BindTexture(texture->target, texture->name);
    gl.PixelStorei(O_PACK_ALIGNMENT, 1);
    gl.GetTexImage(face_target(texture->target, face), 0, texture->format->transfer,
                   texture->format->type, data);
    gl.BindTexture(texture->target, 0);
    bool is = is_pixels(data, level_bytes(texture), seed);
    free(data);
    return is;
}

/* The layers of a texture are arrays of their own, but not the slices of a 3D texture. */
static void move_part(const struct texture *texture, CUgraphicsResource resource, unsigned index,
                      void *data, bool to_array)
{
    size_t row = (size_t)texture->width * texture->format->bytes;
    size_t depth = texture->target == O_TEXTURE_3D ? (size_t)texture->depth : 1;

    copy_array(array_of(resource, index, 0), data, row, (size_t)texture->height, depth, to_array);
}

static void check_round_trip(const struct texture *texture, unsigned seed)
{
    CUgraphicsResource resource = register_image(texture->name, texture->target, 0);
    unsigned parts = texture->target == O_TEXTURE_2D_ARRAY ? DEPTH : face_count(texture->target);
    size_t bytes = level_bytes(texture) / (texture->target == O_TEXTURE_2D_ARRAY ? DEPTH : 1);
    unsigned char *all = malloc(level_bytes(texture) * 6), *expected = malloc(bytes * 6);
    bool layered = texture->target == O_TEXTURE_2D_ARRAY;

    check_success(map(resource));
    for (unsigned i = 0; i < parts; i++)
        move_part(texture, resource, i, all + i * bytes, false);
    if (layered) {
        check(is_pixels(all, bytes * parts, seed));
    } else {
        for (unsigned i = 0; i < parts; i++)
            check(is_pixels(all + i * bytes, bytes, seed + i));
    }
    for (unsigned i = 0; i < parts; i++) {
        if (layered)
            fill_pixels(all, bytes * parts, seed + 50);
        else
            fill_pixels(all + i * bytes, bytes, seed + 50 + i);
        move_part(texture, resource, i, all + i * bytes, true);
    }
    check_success(unmap(resource));
    for (unsigned i = 0; i < face_count(texture->target); i++)
        check(texture_is(texture, i, seed + 50 + i));
    check_success(cuGraphicsUnregisterResource(resource));
    check(gl.GetError() == 0);
    free(all);
    free(expected);
}

static void every_format(unsigned target)
{
    with_opengl(OPENGL_CORE);
    for (unsigned i = 0; i < FORMAT_COUNT; i++) {
        struct texture texture = new_texture(target, &formats[i], i);
        check_round_trip(&texture, i);
        gl.DeleteTextures(1, &texture.name);
    }
}

TEST(every_format_of_2d_textures)
{
    every_format(O_TEXTURE_2D);
}

TEST(every_format_of_rectangle_textures)
{
    every_format(O_TEXTURE_RECTANGLE);
}

TEST(every_format_of_cube_textures)
{
    every_format(O_TEXTURE_CUBE_MAP);
}

TEST(every_format_of_3d_textures)
{
    every_format(O_TEXTURE_3D);
}

TEST(every_format_of_array_textures)
{
    every_format(O_TEXTURE_2D_ARRAY);
}

TEST(arrays_are_described_as_the_texture_is)
{
    with_opengl(OPENGL_CORE);
    for (unsigned i = 0; i < FORMAT_COUNT; i++) {
        struct texture texture = new_texture(O_TEXTURE_2D, &formats[i], 1);
        CUgraphicsResource resource =
            register_image(texture.name, O_TEXTURE_2D, CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST);
        CUDA_ARRAY3D_DESCRIPTOR got;
        check_success(map(resource));
        check_success(cuArray3DGetDescriptor(&got, array_of(resource, 0, 0)));
        check(got.Width == WIDTH && got.Height == HEIGHT && got.Depth == 0);
        check(got.Format == formats[i].format && got.NumChannels == formats[i].channels);
        check(got.Flags == CUDA_ARRAY3D_SURFACE_LDST);
        check_success(unmap(resource));
        check_success(cuGraphicsUnregisterResource(resource));
    }
}

static const struct format *const rgba8 = &formats[4];

TEST(cuda_sees_what_opengl_rendered_and_opengl_what_cuda_changed)
{
    unsigned char pixels[HEIGHT][WIDTH][4];
    unsigned framebuffer;

    with_opengl(OPENGL_CORE);
    struct texture texture = new_texture(O_TEXTURE_2D, rgba8, 1);
    CUgraphicsResource resource = register_image(texture.name, O_TEXTURE_2D, 0);
    gl.GenFramebuffers(1, &framebuffer);
    gl.BindFramebuffer(O_FRAMEBUFFER, framebuffer);
    gl.FramebufferTexture2D(O_FRAMEBUFFER, O_COLOR_ATTACHMENT0, O_TEXTURE_2D, texture.name, 0);
    gl.ClearColor(1, 0, 0.4f, 1);
    gl.Clear(O_COLOR_BUFFER_BIT);
    gl.Enable(O_SCISSOR_TEST);
    gl.Scissor(0, 20, 1, 1); /* the last row */
    gl.ClearColor(0, 1, 0, 1);
    gl.Clear(O_COLOR_BUFFER_BIT);
    check_success(map(resource));
    CUarray array = array_of(resource, 0, 0);
    copy_array(array, pixels, WIDTH * 4, HEIGHT, 1, false);
    check(memcmp(pixels[0][0], "\xff\x00\x66\xff", 4) == 0);
    check(memcmp(pixels[20][0], "\x00\xff\x00\xff", 4) == 0);
    check(memcmp(pixels[20][1], "\xff\x00\x66\xff", 4) == 0);
    memset(pixels[3], 0x77, sizeof(pixels[3]));
    copy_array(array, pixels, WIDTH * 4, HEIGHT, 1, true);
    check_success(unmap(resource));
    memset(pixels, 0, sizeof(pixels));
    gl.PixelStorei(O_PACK_ALIGNMENT, 1);
    gl.ReadPixels(0, 0, WIDTH, HEIGHT, O_RGBA, O_UNSIGNED_BYTE, pixels);
    check(pixels[3][5][2] == 0x77 && pixels[4][5][2] == 0x66 && pixels[20][0][1] == 0xff);
}

TEST(read_only_never_writes_back)
{
    unsigned char pixels[WIDTH * HEIGHT * 4];

    with_opengl(OPENGL_CORE);
    struct texture texture = new_texture(O_TEXTURE_2D, rgba8, 1);
    CUgraphicsResource resource =
        register_image(texture.name, O_TEXTURE_2D, CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY);
    check_success(map(resource));
    CUarray array = array_of(resource, 0, 0);
    copy_array(array, pixels, WIDTH * 4, HEIGHT, 1, false);
    check(is_pixels(pixels, sizeof(pixels), 1));
    fill_pixels(pixels, sizeof(pixels), 2);
    copy_array(array, pixels, WIDTH * 4, HEIGHT, 1, true);
    check_success(unmap(resource));
    check(texture_is(&texture, 0, 1));
}

/* What is in the array is what was last there, not what OpenGL has. */
TEST(write_discard_never_reads)
{
    unsigned char pixels[WIDTH * HEIGHT * 4];

    with_opengl(OPENGL_CORE);
    only_cupipe();
    struct texture texture = new_texture(O_TEXTURE_2D, rgba8, 1);
    CUgraphicsResource resource =
        register_image(texture.name, O_TEXTURE_2D, CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD);
    check_success(map(resource));
    fill_pixels(pixels, sizeof(pixels), 2);
    copy_array(array_of(resource, 0, 0), pixels, WIDTH * 4, HEIGHT, 1, true);
    check_success(unmap(resource));
    check(texture_is(&texture, 0, 2));
    fill_pixels(pixels, sizeof(pixels), 3);
    gl.BindTexture(O_TEXTURE_2D, texture.name);
    gl.TexSubImage2D(O_TEXTURE_2D, 0, 0, 0, WIDTH, HEIGHT, O_RGBA, O_UNSIGNED_BYTE, pixels);
    check_success(map(resource));
    copy_array(array_of(resource, 0, 0), pixels, WIDTH * 4, HEIGHT, 1, false);
    check(is_pixels(pixels, sizeof(pixels), 2));
    check_success(unmap(resource));
}

/* Four levels of 32 x 16, of which each knows its seed. */
static unsigned new_chain(void)
{
    unsigned char data[32 * 16 * 4];
    unsigned name;

    gl.GenTextures(1, &name);
    gl.BindTexture(O_TEXTURE_2D, name);
    for (int level = 0; level < 6; level++) {
        int width = 32 >> level, height = 16 >> level > 0 ? 16 >> level : 1;
        fill_pixels(data, (size_t)width * height * 4, 10 + level);
        gl.TexImage2D(O_TEXTURE_2D, level, O_RGBA8, width, height, 0, O_RGBA, O_UNSIGNED_BYTE,
                      data);
    }
    return name;
}

TEST(every_level_is_an_array_and_one_of_a_mipmap)
{
    unsigned char data[32 * 16 * 4];
    CUmipmappedArray mipmap;
    CUarray array;

    with_opengl(OPENGL_CORE);
    unsigned name = new_chain();
    CUgraphicsResource resource = register_image(name, O_TEXTURE_2D, 0);
    check_success(map(resource));
    check_success(cuGraphicsResourceGetMappedMipmappedArray(&mipmap, resource));
    for (unsigned level = 0; level < 6; level++) {
        size_t width = 32 >> level, height = 16 >> level > 0 ? 16 >> level : 1;
        copy_array(array_of(resource, 0, level), data, width * 4, height, 1, false);
        check(is_pixels(data, width * height * 4, 10 + level));
        check_success(cuMipmappedArrayGetLevel(&array, mipmap, level));
        fill_pixels(data, width * height * 4, 20 + level);
        copy_array(array, data, width * 4, height, 1, true);
    }
    check_result(cuGraphicsSubResourceGetMappedArray(&array, resource, 0, 6),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphicsSubResourceGetMappedArray(&array, resource, 1, 0),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(unmap(resource));
    for (int level = 0; level < 6; level++) {
        size_t bytes = (size_t)(32 >> level) * (16 >> level > 0 ? 16 >> level : 1) * 4;
        gl.GetTexImage(O_TEXTURE_2D, level, O_RGBA, O_UNSIGNED_BYTE, data);
        check(is_pixels(data, bytes, 20 + level));
    }
}

TEST(only_what_was_asked_for_is_written_back)
{
    unsigned char data[32 * 16 * 4];

    with_opengl(OPENGL_CORE);
    unsigned name = new_chain();
    CUgraphicsResource resource = register_image(name, O_TEXTURE_2D, 0);
    check_success(map(resource));
    fill_pixels(data, 16 * 8 * 4, 30);
    copy_array(array_of(resource, 0, 1), data, 16 * 4, 8, 1, true);
    fill_pixels(data, 32 * 16 * 4, 31); /* OpenGL goes on with the level CUDA does not have */
    gl.TexSubImage2D(O_TEXTURE_2D, 0, 0, 0, 32, 16, O_RGBA, O_UNSIGNED_BYTE, data);
    check_success(unmap(resource));
    gl.GetTexImage(O_TEXTURE_2D, 0, O_RGBA, O_UNSIGNED_BYTE, data);
    check(is_pixels(data, 32 * 16 * 4, 31));
    gl.GetTexImage(O_TEXTURE_2D, 1, O_RGBA, O_UNSIGNED_BYTE, data);
    check(is_pixels(data, 16 * 8 * 4, 30));
}

TEST(renderbuffers)
{
    static const unsigned internals[] = {0x8058, 0x8229, 0x822E, 0x8814, 0x8D7C, 0x8C43};

    with_opengl(OPENGL_CORE);
    for (size_t i = 0; i < sizeof(internals) / sizeof(internals[0]); i++) {
        const struct format *format = formats;
        unsigned renderbuffer, framebuffer;
        while (format->internal != internals[i])
            format++;
        size_t bytes = (size_t)WIDTH * HEIGHT * format->bytes;
        void *data = malloc(bytes);
        gl.GenRenderbuffers(1, &renderbuffer);
        gl.BindRenderbuffer(O_RENDERBUFFER, renderbuffer);
        gl.RenderbufferStorage(O_RENDERBUFFER, internals[i], WIDTH, HEIGHT);
        CUgraphicsResource resource = register_image(renderbuffer, O_RENDERBUFFER, 0);
        check_success(map(resource));
        fill_pixels(data, bytes, 5);
        copy_array(array_of(resource, 0, 0), data, WIDTH * format->bytes, HEIGHT, 1, true);
        check_success(unmap(resource));
        gl.GenFramebuffers(1, &framebuffer);
        gl.BindFramebuffer(O_FRAMEBUFFER, framebuffer);
        gl.FramebufferRenderbuffer(O_FRAMEBUFFER, O_COLOR_ATTACHMENT0, O_RENDERBUFFER,
                                   renderbuffer);
        memset(data, 0, bytes);
        gl.PixelStorei(O_PACK_ALIGNMENT, 1);
        gl.ReadPixels(0, 0, WIDTH, HEIGHT, format->transfer, format->type, data);
        check(is_pixels(data, bytes, 5));
        check_success(map(resource));
        memset(data, 0, bytes);
        copy_array(array_of(resource, 0, 0), data, WIDTH * format->bytes, HEIGHT, 1, false);
        check(is_pixels(data, bytes, 5));
        check_success(unmap(resource));
        check_success(cuGraphicsUnregisterResource(resource));
        check(gl.GetError() == 0);
        free(data);
    }
}

TEST(what_cuda_does_not_take_is_refused)
{
    CUgraphicsResource resource;
    CUdeviceptr pointer;
    unsigned name;
    size_t size;

    with_opengl(OPENGL_CORE);
    struct texture texture = new_texture(O_TEXTURE_2D, rgba8, 1);
    check_result(cuGraphicsGLRegisterImage(&resource, 0, O_TEXTURE_2D, 0),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphicsGLRegisterImage(&resource, 12345, O_TEXTURE_2D, 0),
                 CUDA_ERROR_INVALID_HANDLE);
    check_result(cuGraphicsGLRegisterImage(&resource, 12345, O_RENDERBUFFER, 0),
                 CUDA_ERROR_INVALID_HANDLE);
    check_result(cuGraphicsGLRegisterImage(&resource, texture.name, 0x8C18, 0),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphicsGLRegisterImage(&resource, texture.name, O_TEXTURE_2D, 16),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphicsGLRegisterImage(NULL, texture.name, O_TEXTURE_2D, 0),
                 CUDA_ERROR_INVALID_VALUE);
    gl.GenTextures(1, &name);
    gl.BindTexture(O_TEXTURE_2D, name);
    check_result(cuGraphicsGLRegisterImage(&resource, name, O_TEXTURE_2D, 0),
                 CUDA_ERROR_INVALID_VALUE);
    gl.TexImage2D(O_TEXTURE_2D, 0, O_RGB10_A2, 8, 8, 0, O_RGBA, O_UNSIGNED_BYTE, NULL);
    check_result(cuGraphicsGLRegisterImage(&resource, name, O_TEXTURE_2D, 0),
                 CUDA_ERROR_INVALID_VALUE);
    resource = register_image(texture.name, O_TEXTURE_2D, 0);
    check_success(map(resource));
    check_result(cuGraphicsResourceGetMappedPointer(&pointer, &size, resource),
                 CUDA_ERROR_NOT_MAPPED_AS_POINTER);
    check(gl.GetError() == 0);
}

TEST(a_deleted_or_changed_texture_is_an_error)
{
    with_opengl(OPENGL_CORE);
    only_cupipe();
    struct texture texture = new_texture(O_TEXTURE_2D, rgba8, 1);
    CUgraphicsResource resource = register_image(texture.name, O_TEXTURE_2D, 0);

    check_success(map(resource));
    array_of(resource, 0, 0);
    gl.BindTexture(O_TEXTURE_2D, texture.name);
    gl.TexImage2D(O_TEXTURE_2D, 0, O_RGBA8, 64, 64, 0, O_RGBA, O_UNSIGNED_BYTE, NULL);
    check_result(unmap(resource), CUDA_ERROR_UNMAP_FAILED);
    check_result(map(resource), CUDA_ERROR_MAP_FAILED);
    gl.DeleteTextures(1, &texture.name);
    check_result(map(resource), CUDA_ERROR_MAP_FAILED);
    check_success(cuGraphicsUnregisterResource(resource));
    check(gl.GetError() == 0);
}

TEST(a_texture_deleted_while_mapped)
{
    unsigned char pixels[WIDTH * HEIGHT * 4];

    with_opengl(OPENGL_CORE);
    struct texture texture = new_texture(O_TEXTURE_2D, rgba8, 1);
    CUgraphicsResource resource = register_image(texture.name, O_TEXTURE_2D, 0);
    check_success(map(resource));
    CUarray array = array_of(resource, 0, 0);
    gl.DeleteTextures(1, &texture.name);
    copy_array(array, pixels, WIDTH * 4, HEIGHT, 1, false);
    check(is_pixels(pixels, sizeof(pixels), 1));
    check_success(unmap(resource));
    check_success(cuGraphicsUnregisterResource(resource));
}

/* They are the resource's: destroying them does nothing. */
TEST(arrays_end_with_the_resource)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    CUmipmappedArray mipmap;
    CUarray level;

    with_opengl(OPENGL_CORE);
    only_cupipe();
    struct texture texture = new_texture(O_TEXTURE_2D, rgba8, 1);
    CUgraphicsResource resource = register_image(texture.name, O_TEXTURE_2D, 0);
    check_success(map(resource));
    CUarray array = array_of(resource, 0, 0);
    check_success(cuGraphicsResourceGetMappedMipmappedArray(&mipmap, resource));
    check_success(cuArrayDestroy(array));
    check_success(cuMipmappedArrayDestroy(mipmap));
    check(array_of(resource, 0, 0) == array);
    check_success(cuMipmappedArrayGetLevel(&level, mipmap, 0));
    check_success(cuArray3DGetDescriptor(&descriptor, array));
    check_success(unmap(resource));
    check_success(cuGraphicsUnregisterResource(resource));
    check_result(cuArray3DGetDescriptor(&descriptor, array), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuMipmappedArrayGetLevel(&level, mipmap, 0), CUDA_ERROR_INVALID_HANDLE);
}

TEST(a_texture_registered_twice_is_one)
{
    unsigned char pixels[WIDTH * HEIGHT * 4];

    with_opengl(OPENGL_CORE);
    struct texture texture = new_texture(O_TEXTURE_2D, rgba8, 1);
    CUgraphicsResource both[2];
    both[0] = register_image(texture.name, O_TEXTURE_2D, 0);
    both[1] = register_image(texture.name, O_TEXTURE_2D, CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST);
    check_success(cuGraphicsMapResources(2, both, NULL));
    fill_pixels(pixels, sizeof(pixels), 2);
    copy_array(array_of(both[0], 0, 0), pixels, WIDTH * 4, HEIGHT, 1, true);
    memset(pixels, 0, sizeof(pixels));
    copy_array(array_of(both[1], 0, 0), pixels, WIDTH * 4, HEIGHT, 1, false);
    check(is_pixels(pixels, sizeof(pixels), 2));
    check_success(cuGraphicsUnmapResources(2, both, NULL));
    check(texture_is(&texture, 0, 2));
}

static int value_of(unsigned name)
{
    int value = -1;

    gl.GetIntegerv(name, &value);
    return value;
}

TEST(the_applications_state_is_left_alone)
{
    unsigned framebuffer, renderbuffer, pack = 0, unpack = 0;

    with_opengl(OPENGL_CORE);
    struct texture texture = new_texture(O_TEXTURE_2D, rgba8, 1);
    struct texture other = new_texture(O_TEXTURE_2D, rgba8, 2);
    gl.GenRenderbuffers(1, &renderbuffer);
    gl.BindRenderbuffer(O_RENDERBUFFER, renderbuffer);
    gl.RenderbufferStorage(O_RENDERBUFFER, O_RGBA8, 8, 8);
    CUgraphicsResource list[2] = {register_image(texture.name, O_TEXTURE_2D, 0),
                                  register_image(renderbuffer, O_RENDERBUFFER, 0)};
    pack = new_buffer(100, 1);
    unpack = new_buffer(100, 1);
    gl.GenFramebuffers(1, &framebuffer);
    gl.BindFramebuffer(O_FRAMEBUFFER, framebuffer);
    gl.BindBuffer(O_PIXEL_PACK_BUFFER, pack);
    gl.BindBuffer(O_PIXEL_UNPACK_BUFFER, unpack);
    gl.BindTexture(O_TEXTURE_2D, other.name);
    gl.PixelStorei(O_PACK_ALIGNMENT, 8);
    gl.PixelStorei(O_PACK_ROW_LENGTH, 77);
    gl.PixelStorei(O_UNPACK_ALIGNMENT, 2);
    gl.PixelStorei(O_UNPACK_SKIP_ROWS, 3);
    gl.Enable(0xFFFF); /* an error the application has not looked at yet */
    check_success(cuGraphicsMapResources(2, list, NULL));
    array_of(list[0], 0, 0);
    array_of(list[1], 0, 0);
    check_success(cuGraphicsUnmapResources(2, list, NULL));
    check(gl.GetError() == O_INVALID_ENUM && gl.GetError() == 0);
    check(value_of(O_PIXEL_PACK_BUFFER_BINDING) == (int)pack);
    check(value_of(O_PIXEL_UNPACK_BUFFER_BINDING) == (int)unpack);
    check(value_of(O_TEXTURE_BINDING_2D) == (int)other.name);
    check(value_of(O_READ_FRAMEBUFFER_BINDING) == (int)framebuffer);
    check(value_of(O_DRAW_FRAMEBUFFER_BINDING) == (int)framebuffer);
    check(value_of(O_RENDERBUFFER_BINDING) == (int)renderbuffer);
    check(value_of(O_PACK_ALIGNMENT) == 8 && value_of(O_PACK_ROW_LENGTH) == 77);
    check(value_of(O_UNPACK_ALIGNMENT) == 2 && value_of(O_UNPACK_SKIP_ROWS) == 3);
    gl.BindBuffer(O_PIXEL_PACK_BUFFER, 0);
    gl.PixelStorei(O_PACK_ROW_LENGTH, 0);
    check(texture_is(&texture, 0, 1));
}

/* A hundred thousand with CUPIPE_TEST_LONG. */
TEST(rounds_leak_nothing)
{
    unsigned count = getenv("CUPIPE_TEST_LONG") ? 100000 : 5000;
    long before = 0;

    with_opengl(OPENGL_CORE);
    struct texture texture = new_texture(O_TEXTURE_2D, rgba8, 1);
    CUgraphicsResource resource = register_image(texture.name, O_TEXTURE_2D, 0);
    for (unsigned i = 0; i < count + 500; i++) {
        if (i == 500)
            before = resident_kib();
        check_success(map(resource));
        array_of(resource, 0, 0);
        check_success(unmap(resource));
    }
    check_growth(before, 1024);
}

TEST(registrations_leak_nothing)
{
    long before = 0;

    with_opengl(OPENGL_CORE);
    struct texture texture = new_texture(O_TEXTURE_2D_ARRAY, rgba8, 1);
    for (unsigned i = 0; i < 3000; i++) {
        CUmipmappedArray mipmap;
        if (i == 500)
            before = resident_kib();
        CUgraphicsResource resource = register_image(texture.name, O_TEXTURE_2D_ARRAY, 0);
        check_success(map(resource));
        array_of(resource, 2, 0);
        check_success(cuGraphicsResourceGetMappedMipmappedArray(&mipmap, resource));
        check_success(unmap(resource));
        check_success(cuGraphicsUnregisterResource(resource));
    }
    check_growth(before, 2048);
}
