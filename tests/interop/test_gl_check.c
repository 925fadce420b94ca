/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK with OpenGL: buffers used after they were unmapped or past their end, resources left
 * registered or mapped. Each test looks at the stderr of a child that does it. */
#include "test.h"

#include "checked_kernels.h"
#include "gl_resources.h"
#include "invert.h"

static void with_checked_opengl(const char *value)
{
    setenv("CUPIPE_CHECK", value, 1);
    with_opengl(OPENGL_CORE);
    only_cupipe();
}

A_FUNCTION unmap_it(CUgraphicsResource resource)
{
    check_success(unmap(resource));
}

A_FUNCTION use_after_unmap(void)
{
    with_checked_opengl("memory");
    unsigned buffer = new_buffer(40000, 1);
    CUgraphicsResource resource = register_buffer(buffer, 0);

    check_success(map(resource));
    CUdeviceptr pointer = pointer_of(resource);
    launch_and_wait(pointer, 10000, CUDA_SUCCESS);
    unmap_it(resource);
    check_result(cuMemsetD8(pointer + 5, 0, 1), CUDA_ERROR_INVALID_VALUE);
    launch_and_wait(pointer + 100, 1, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(a_buffer_used_after_it_was_unmapped_is_named)
{
    struct told *told = told_well_by(use_after_unmap);

    check_says(told, "cuMemsetD8_v2 was given 0x");
    check_says(told, ", 5 bytes into the 40000 bytes of a mapped graphics buffer at 0x");
    check_says(told, "kernel fill wrote 4 bytes at 0x");
    check_says_next(told, ", 100 bytes into the 40000 bytes of a mapped graphics buffer at 0x",
                    "  made by cuGraphicsMapResources, called from", "use_after_unmap+0x");
    check_says(told, ", which were unmapped\n");
    check_says(told, "  unmapped by cuGraphicsUnmapResources, called from\n");
    check_says(told, "unmap_it+0x");
}

A_FUNCTION use_too_much(void)
{
    with_checked_opengl("memory");
    unsigned buffer = new_buffer(40960, 1);
    CUgraphicsResource resource = register_buffer(buffer, 0);

    check_success(map(resource));
    CUdeviceptr pointer = pointer_of(resource);
    check_result(cuMemsetD8(pointer, 0, 40970), CUDA_ERROR_INVALID_VALUE);
    launch_and_wait(pointer, 10241, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(a_buffer_used_past_its_end_is_named)
{
    struct told *told = told_well_by(use_too_much);

    check_says(told, "up to 10 bytes past the end of the 40960 bytes of a mapped graphics buffer");
    check_says(told, "up to 4 bytes past the end of the 40960 bytes of a mapped graphics buffer");
}

A_FUNCTION use_a_bit_too_much(void)
{
    with_checked_opengl("memory");
    unsigned buffer = new_buffer(40000, 1);
    CUgraphicsResource resource = register_buffer(buffer, 0);

    check_success(map(resource));
    launch_and_wait(pointer_of(resource), 10001, CUDA_SUCCESS);
    check_success(unmap(resource));
}

TEST(a_word_past_the_end_of_a_buffer_is_named)
{
    struct told *told = told_well_by(use_a_bit_too_much);

    check_says(told, "kernel fill wrote 4 bytes at 0x");
    check_says(told, "up to 4 bytes past the end of the 40000 bytes of a mapped graphics buffer");
}

A_FUNCTION use_read_only_late(void)
{
    with_checked_opengl("memory");
    unsigned buffer = new_buffer(40000, 1);
    CUgraphicsResource resource = register_buffer(buffer, CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY);

    check_success(map(resource));
    CUdeviceptr pointer = pointer_of(resource);
    check(device_is(pointer, 40000, 1));
    check_success(unmap(resource));
    launch_and_wait(pointer, 1, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(a_buffer_that_is_only_read_is_watched_too)
{
    struct told *told = told_well_by(use_read_only_late);

    check_says(told, ", 0 bytes into the 40000 bytes of a mapped graphics buffer at 0x");
    check_says(told, ", which were unmapped\n");
}

/* What works works. */
TEST(buffers_are_read_and_written_back)
{
    with_checked_opengl("memory");
    unsigned buffer = new_buffer(50000, 1);
    CUgraphicsResource resource = register_buffer(buffer, 0);
    CUdeviceptr first = 0;

    for (unsigned round = 1; round < 5; round++) {
        check_success(map(resource));
        CUdeviceptr pointer = pointer_of(resource);
        check(!first || pointer == first);
        first = pointer;
        check(device_is(pointer, 50000, round));
        device_fill(pointer, 50000, round + 1);
        check_success(unmap(resource));
        check(buffer_is(buffer, 50000, round + 1));
    }
    check_success(cuGraphicsUnregisterResource(resource));
    check(gl.GetError() == 0);
}

A_FUNCTION write_unmapped_image(void)
{
    enum { WIDTH = 16, HEIGHT = 16 };
    unsigned texture;

    with_checked_opengl("memory");
    gl.GenTextures(1, &texture);
    gl.BindTexture(O_TEXTURE_2D, texture);
    gl.TexParameteri(O_TEXTURE_2D, O_TEXTURE_MAX_LEVEL, 0);
    gl.TexImage2D(O_TEXTURE_2D, 0, O_RGBA8, WIDTH, HEIGHT, 0, O_RGBA, O_UNSIGNED_BYTE, NULL);
    CUgraphicsResource resource =
        register_image(texture, O_TEXTURE_2D, CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST);
    check_success(map(resource));
    CUarray array = array_of(resource, 0, 0);
    invert(array, WIDTH, HEIGHT);
    check_success(unmap(resource));
    fputs("so far all was well\n", stderr);
    invert(array, WIDTH, HEIGHT);
}

TEST(an_image_used_after_it_was_unmapped_is_named)
{
    struct told *told = told_by(write_unmapped_image);

    check(strncmp(told->text, "so far", 6) == 0);
    check_says(told, " used the texture object 0x");
    check_says(told, ", whose graphics resource is not mapped\n");
}

A_FUNCTION map_it(CUgraphicsResource resource)
{
    check_success(map(resource));
}

A_FUNCTION leave_resources(void)
{
    with_checked_opengl("leaks");
    CUgraphicsResource registered = register_buffer(new_buffer(5000, 1), 0);
    CUgraphicsResource mapped = register_buffer(new_buffer(6000, 1), 0);
    CUgraphicsResource gone = register_buffer(new_buffer(7000, 1), 0);

    (void)registered;
    map_it(mapped);
    check_success(cuGraphicsUnregisterResource(gone));
    check_success(cuGLRegisterBufferObject(new_buffer(8000, 1)));
}

TEST(resources_that_are_registered_or_mapped_are_named)
{
    struct told *told = told_well_by(leave_resources);

    check_says_next(told, " graphics resource 0x", "  made by cuGraphicsGLRegisterBuffer",
                    "leave_resources+0x");
    check_says(told, " was never unregistered\n");
    check_says(told, "  still mapped by cuGraphicsMapResources, called from\n");
    check_says(told, "map_it+0x");
    check_says(told, "  made by cuGLRegisterBufferObject, called from\n");
    check_says(told, "cupipe: CUPIPE_CHECK: 4 left behind\n"); /* and the primary context */
}
