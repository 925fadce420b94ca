/* SPDX-License-Identifier: MIT */
/* Texture and surface objects: making them, and kernels that read and write through them. */
#include "test.h"

#include "textures.h"

static CUarray float_array(void)
{
    return new_array(describe(WIDE, HIGH, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST));
}

static CUarray word_array(void)
{
    return new_array(
        describe(WIDE, HIGH, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST));
}

static void count_up(uint32_t *words, uint32_t from)
{
    for (uint32_t i = 0; i < WIDE * HIGH; i++)
        words[i] = from + i;
}

static void sample_all(CUtexObject texture, float dx, float dy, float *result)
{
    CUdeviceptr out;
    void *parameters[] = {&texture, &out, &dx, &dy};

    check_success(cuMemAlloc(&out, 4 * WIDE * HIGH));
    run_kernel("sample", parameters);
    check_success(cuMemcpyDtoH(result, out, 4 * WIDE * HIGH));
    check_success(cuMemFree(out));
}

TEST(a_kernel_reads_texels_of_an_array)
{
    float pixels[WIDE * HIGH], result[WIDE * HIGH];

    with_context();
    CUarray array = float_array();
    for (int i = 0; i < WIDE * HIGH; i++)
        pixels[i] = (float)i * 1.5f;
    fill_array(array, pixels);
    sample_all(new_texture(array), 0.5f, 0.5f, result);
    check(memcmp(result, pixels, sizeof pixels) == 0);
    sample_all(new_texture(array), 1.5f, 0.5f, result);
    check(result[0] == pixels[1] && result[WIDE - 1] == pixels[WIDE - 1]);
}

TEST(linear_filtering_is_between_texels)
{
    float pixels[WIDE * HIGH], result[WIDE * HIGH];
    CUDA_TEXTURE_DESC texture = clamped();
    CUtexObject object;

    with_context();
    CUarray array = float_array();
    for (int i = 0; i < WIDE * HIGH; i++)
        pixels[i] = (float)(i % WIDE);
    fill_array(array, pixels);
    CUDA_RESOURCE_DESC resource = resource_of(array);
    texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
    check_success(cuTexObjectCreate(&object, &resource, &texture, NULL));
    sample_all(object, 1.0f, 0.5f, result);
    check(result[0] == 0.5f && result[WIDE + 3] == 3.5f && result[WIDE - 1] == WIDE - 1);
}

TEST(linear_memory_is_a_texture_too)
{
    float pixels[WIDE * HIGH], result[WIDE * HIGH];
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_PITCH2D};
    CUDA_TEXTURE_DESC texture = clamped();
    CUtexObject object;
    CUdeviceptr at;

    with_context();
    for (int i = 0; i < WIDE * HIGH; i++)
        pixels[i] = (float)i;
    check_success(cuMemAlloc(&at, sizeof pixels));
    check_success(cuMemcpyHtoD(at, pixels, sizeof pixels));
    resource.res.pitch2D.devPtr = at;
    resource.res.pitch2D.format = CU_AD_FORMAT_FLOAT;
    resource.res.pitch2D.numChannels = 1;
    resource.res.pitch2D.width = WIDE;
    resource.res.pitch2D.height = HIGH;
    resource.res.pitch2D.pitchInBytes = 4 * WIDE;
    check_success(cuTexObjectCreate(&object, &resource, &texture, NULL));
    sample_all(object, 0.5f, 0.5f, result);
    check(memcmp(result, pixels, sizeof pixels) == 0);
}

/* Without rows, linear memory has texels for integer coordinates of one dimension only. */
TEST(float_coordinates_read_zeros_from_memory_without_rows)
{
    float pixels[WIDE * HIGH], result[WIDE * HIGH];
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};
    CUDA_TEXTURE_DESC texture = clamped();
    CUtexObject object;
    CUdeviceptr at;

    with_context();
    for (int i = 0; i < WIDE * HIGH; i++)
        pixels[i] = (float)(i + 7);
    check_success(cuMemAlloc(&at, sizeof pixels));
    check_success(cuMemcpyHtoD(at, pixels, sizeof pixels));
    resource.res.linear.devPtr = at;
    resource.res.linear.format = CU_AD_FORMAT_FLOAT;
    resource.res.linear.numChannels = 1;
    resource.res.linear.sizeInBytes = sizeof pixels;
    check_success(cuTexObjectCreate(&object, &resource, &texture, NULL));
    sample_all(object, 0.0f, 0.0f, result);
    for (int i = 0; i < WIDE; i++)
        check(result[i] == 0);
}

TEST(lanes_may_have_different_textures)
{
    uint32_t words[WIDE * HIGH], result[WIDE * HIGH];
    CUtexObject textures[2];
    CUdeviceptr out;
    CUDA_TEXTURE_DESC texture = clamped();

    with_context();
    texture.flags = CU_TRSF_READ_AS_INTEGER;
    for (uint32_t i = 0; i < 2; i++) {
        CUarray array = word_array();
        CUDA_RESOURCE_DESC resource = resource_of(array);
        count_up(words, 1000 * i);
        fill_array(array, words);
        check_success(cuTexObjectCreate(&textures[i], &resource, &texture, NULL));
    }
    check_success(cuMemAlloc(&out, sizeof result));
    void *parameters[] = {&textures[0], &textures[1], &out};
    run_kernel("choose", parameters);
    check_success(cuMemcpyDtoH(result, out, sizeof result));
    for (uint32_t i = 0; i < WIDE * HIGH; i++)
        check(result[i] == i + 1000 * (i & 1));
}

TEST(surfaces_are_read_and_written)
{
    uint32_t words[WIDE * HIGH], result[WIDE * HIGH], add = 7, odd = 0;

    with_context();
    CUarray from = word_array(), to = word_array();
    count_up(words, 5);
    fill_array(from, words);
    CUsurfObject source = new_surface(from), target = new_surface(to);
    void *parameters[] = {&source, &target, &add, &odd};
    run_kernel("copy", parameters);
    read_array(to, result);
    for (uint32_t i = 0; i < WIDE * HIGH; i++)
        check(result[i] == words[i] + 7);
}

TEST(lanes_that_are_off_store_nothing)
{
    uint32_t words[WIDE * HIGH], result[WIDE * HIGH], add = 100, odd = 1;

    with_context();
    CUarray array = word_array();
    count_up(words, 0);
    fill_array(array, words);
    CUsurfObject surface = new_surface(array);
    void *parameters[] = {&surface, &surface, &add, &odd};
    run_kernel("copy", parameters);
    read_array(array, result);
    for (uint32_t i = 0; i < WIDE * HIGH; i++)
        check(result[i] == words[i] + (i & 1 ? 0 : 100));
}

TEST(kernels_ask_for_extents)
{
    uint32_t result[4];
    CUfunction function;
    CUmodule module;
    CUdeviceptr out;

    with_context();
    only_cupipe();
    check_success(cuModuleLoadData(&module, ptx_ask));
    check_success(cuModuleGetFunction(&function, module, "ask"));
    CUarray array = word_array();
    CUtexObject texture = new_texture(array);
    CUsurfObject surface = new_surface(array);
    check_success(cuMemAlloc(&out, sizeof result));
    void *parameters[] = {&texture, &surface, &out};
    check_success(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    check_success(cuMemcpyDtoH(result, out, sizeof result));
    check(result[0] == WIDE && result[1] == HIGH && result[2] == WIDE && result[3] == HIGH);
}

TEST(a_handle_that_never_was_ends_the_context)
{
    CUtexObject texture = 0xdeadbeef;
    CUdeviceptr out;
    float dx = 0, dy = 0;
    void *parameters[] = {&texture, &out, &dx, &dy};

    with_context();
    check_success(cuMemAlloc(&out, 4 * WIDE * HIGH));
    check_success(
        cuLaunchKernel(texture_kernel("sample"), 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL));
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(a_store_outside_traps)
{
    uint32_t add = 0, odd = 0;

    with_context();
    CUsurfObject whole = new_surface(word_array()),
                 small = new_surface(new_array(
                     describe(8, 2, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST)));
    void *parameters[] = {&whole, &small, &add, &odd};
    check_success(
        cuLaunchKernel(texture_kernel("copy"), 4, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL));
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(a_texture_keeps_its_array)
{
    float pixels[WIDE * HIGH], result[WIDE * HIGH];

    with_context();
    CUarray array = float_array();
    for (int i = 0; i < WIDE * HIGH; i++)
        pixels[i] = (float)i;
    fill_array(array, pixels);
    CUtexObject texture = new_texture(array);
    check_success(cuArrayDestroy(array));
    sample_all(texture, 0.5f, 0.5f, result); /* what it reads is open; that it is read is not */
    check_success(cuTexObjectDestroy(texture));
}

TEST(memory_comes_back_with_the_last_texture)
{
    CUDA_ARRAY3D_DESCRIPTOR large = describe(4096, 4096, 0, CU_AD_FORMAT_FLOAT, 1, 0);

    with_context();
    size_t before = memory_free();
    CUarray array = new_array(large);
    CUtexObject texture = new_texture(array);
    check(memory_free() < before);
    check_success(cuArrayDestroy(array));
    check_success(cuTexObjectDestroy(texture));
    check(memory_free() == before);
}

TEST(handles_are_small_numbers_and_come_back)
{
    with_context();
    only_cupipe();
    CUarray array = float_array();
    CUtexObject first = new_texture(array), second = new_texture(array);

    check(first == 1 && second == 2 && new_surface(array) == 1);
    check_success(cuTexObjectDestroy(first));
    check(new_texture(array) == 1);
}

TEST(destroying_nothing_is_no_error)
{
    CUDA_RESOURCE_DESC resource;

    with_context();
    CUtexObject texture = new_texture(float_array());
    check_success(cuTexObjectDestroy(texture));
    check_success(cuTexObjectDestroy(texture));
    check_success(cuTexObjectDestroy(0));
    check_success(cuSurfObjectDestroy(0x123456789abcdef0));
    check_result(cuTexObjectGetResourceDesc(&resource, texture), CUDA_ERROR_INVALID_VALUE);
}

TEST(descriptors_that_do_not_fit_are_refused)
{
    CUDA_TEXTURE_DESC texture = clamped();
    CUtexObject object = 77;

    with_context();
    CUarray array = float_array();
    CUDA_RESOURCE_DESC resource = resource_of(array);
    CUDA_RESOURCE_VIEW_DESC view = {
        .format = CU_RES_VIEW_FORMAT_FLOAT_2X32, .width = WIDE, .height = HIGH};

    check_result(cuTexObjectCreate(&object, &resource, &texture, &view), CUDA_ERROR_INVALID_VALUE);
    view.format = CU_RES_VIEW_FORMAT_UINT_1X32;
    view.width = WIDE / 2;
    check_result(cuTexObjectCreate(&object, &resource, &texture, &view), CUDA_ERROR_INVALID_VALUE);
    texture.filterMode = (CUfilter_mode)2;
    check_result(cuTexObjectCreate(&object, &resource, &texture, NULL), CUDA_ERROR_INVALID_VALUE);
    texture = clamped();
    texture.reserved[3] = 1;
    check_result(cuTexObjectCreate(&object, &resource, &texture, NULL), CUDA_ERROR_INVALID_VALUE);
    resource.flags = 1;
    check_result(cuSurfObjectCreate(&object, &resource), CUDA_ERROR_INVALID_VALUE);
    check(object == 77);
}

TEST(textures_come_and_go_while_kernels_read)
{
    float pixels[WIDE * HIGH], result[WIDE * HIGH], dx = 0.5f, dy = 0.5f;
    CUdeviceptr out;
    CUstream stream;

    with_context();
    check_success(cuMemAlloc(&out, sizeof result));
    check_success(cuStreamCreate(&stream, 0));
    CUfunction function = texture_kernel("sample");
    for (int round = 0; round < 50; round++) {
        CUarray array = float_array();
        for (int i = 0; i < WIDE * HIGH; i++)
            pixels[i] = (float)(i + round);
        fill_array(array, pixels);
        CUtexObject texture = new_texture(array);
        void *parameters[] = {&texture, &out, &dx, &dy};
        check_success(cuLaunchKernel(function, 4, 1, 1, 32, 1, 1, 0, stream, parameters, NULL));
        check_success(cuTexObjectDestroy(texture));
        check_success(cuStreamSynchronize(stream));
        check_success(cuMemcpyDtoH(result, out, sizeof result));
        check(memcmp(result, pixels, sizeof pixels) == 0);
        check_success(cuArrayDestroy(array));
    }
}
