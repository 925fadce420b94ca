/* SPDX-License-Identifier: MIT */
/* Texture and surface references. */
#include "test.h"

#include "textures.h"

static CUmodule module;
static CUtexref picture;
static CUsurfref canvas;
static CUfunction kernel;

static void with_references(void)
{
    with_context();
    check_success(cuModuleLoadData(&module, ptx_textures));
    check_success(cuModuleGetTexRef(&picture, module, "picture"));
    check_success(cuModuleGetSurfRef(&canvas, module, "canvas"));
    check_success(cuModuleGetFunction(&kernel, module, "through_references"));
}

static CUarray words(uint32_t from)
{
    uint32_t pixels[WIDE * HIGH];
    CUarray array = new_array(
        describe(WIDE, HIGH, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST));

    for (uint32_t i = 0; i < WIDE * HIGH; i++)
        pixels[i] = from + i;
    fill_array(array, pixels);
    return array;
}

static void launch(uint32_t add)
{
    void *parameters[] = {&add};

    check_success(
        cuLaunchKernel(kernel, WIDE * HIGH / 32, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL));
}

static void check_words(CUarray array, uint32_t from, uint32_t step)
{
    uint32_t pixels[WIDE * HIGH];

    check_success(cuCtxSynchronize());
    read_array(array, pixels);
    for (uint32_t i = 0; i < WIDE * HIGH; i++)
        check(pixels[i] == from + step * i);
}

TEST(references_are_looked_up_by_name)
{
    with_references();
    check_result(cuModuleGetTexRef(&picture, module, "pictures"), CUDA_ERROR_NOT_FOUND);
    check_result(cuModuleGetSurfRef(&canvas, module, "canvases"), CUDA_ERROR_NOT_FOUND);
    check_result(cuModuleGetTexRef(&picture, module, ""), CUDA_ERROR_INVALID_VALUE);
    check_result(cuModuleGetSurfRef(&canvas, module, ""), CUDA_ERROR_INVALID_VALUE);
    check_result(cuModuleGetTexRef(&picture, module, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuModuleGetSurfRef(&canvas, module, NULL), CUDA_ERROR_INVALID_VALUE);
}

TEST(a_kernel_uses_what_its_references_are_bound_to)
{
    with_references();
    CUarray from = words(10), to = words(0);
    check_success(cuTexRefSetArray(picture, from, CU_TRSA_OVERRIDE_FORMAT));
    check_success(cuTexRefSetFlags(picture, CU_TRSF_READ_AS_INTEGER));
    check_success(cuSurfRefSetArray(canvas, to, 0));
    launch(3);
    check_words(to, 13, 1);
}

TEST(it_is_the_binding_at_the_launch_that_counts)
{
    with_references();
    CUarray first = words(100), second = words(200), to[2] = {words(0), words(0)};
    check_success(cuTexRefSetFlags(picture, CU_TRSF_READ_AS_INTEGER));
    for (int i = 0; i < 2; i++) {
        check_success(cuTexRefSetArray(picture, i ? second : first, CU_TRSA_OVERRIDE_FORMAT));
        check_success(cuSurfRefSetArray(canvas, to[i], 0));
        launch(0);
    }
    check_words(to[0], 100, 1);
    check_words(to[1], 200, 1);
}

TEST(what_is_bound_to_nothing_reads_as_zero)
{
    with_references();
    CUarray to = words(50);
    check_success(cuSurfRefSetArray(canvas, to, 0));
    launch(9);
    check_words(to, 9, 0);
}

TEST(linear_memory_is_bound_with_a_rest)
{
    CUdeviceptr memory, got;
    size_t rest = 99;

    with_references();
    check_success(cuMemAlloc(&memory, 4096));
    check_success(cuTexRefSetAddress(&rest, picture, memory + 4, 1024));
    check(rest == 4);
    check_success(cuTexRefGetAddress(&got, picture));
    check_result(cuTexRefSetAddress(NULL, picture, memory + 4, 1024), CUDA_ERROR_INVALID_VALUE);
}

TEST(references_have_defaults)
{
    CUarray_format format;
    CUaddress_mode mode;
    CUarray array = NULL;
    int channels;
    unsigned flags;

    with_references();
    check_success(cuTexRefGetFormat(&format, &channels, picture));
    check(format == CU_AD_FORMAT_FLOAT && channels == 1);
    check_success(cuTexRefGetAddressMode(&mode, picture, 0));
    check(mode == CU_TR_ADDRESS_MODE_CLAMP);
    check_success(cuTexRefGetFlags(&flags, picture));
    check(flags == 0);
    check_result(cuTexRefGetArray(&array, picture), CUDA_ERROR_INVALID_VALUE);
}

TEST(a_reference_ends_with_its_module)
{
    CUaddress_mode mode;

    with_references();
    check_success(cuModuleUnload(module));
    check_result(cuTexRefGetAddressMode(&mode, picture, 0), CUDA_ERROR_INVALID_HANDLE);
}

TEST(a_reference_of_its_own_is_made_and_destroyed)
{
    CUtexref reference;

    with_context();
    only_cupipe();
    check_success(cuTexRefCreate(&reference));
    check_success(cuTexRefSetFilterMode(reference, CU_TR_FILTER_MODE_LINEAR));
    check_success(cuTexRefDestroy(reference));
    check_result(cuTexRefDestroy(reference), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuTexRefDestroy(NULL), CUDA_ERROR_INVALID_HANDLE);
}
