/* SPDX-License-Identifier: MIT */
/* Variables of modules, shared memory of the launch's size, parameters, shapes of grids. */
#include "kernels.h"
#include <stddef.h>

static uint32_t constants(uint32_t i)
{
    static const uint32_t factors[] = {3, 5, 7, 11}, numbers[] = {10, 20, 30, 40, 0, 0};

    return factors[i % 4] * numbers[i % 6];
}

TEST(constants_and_initialised_variables)
{
    check_words_in_shapes(kernel_from("spaces.ptx", "constants"), constants);
}

static CUdeviceptr global_of(CUmodule module, const char *name, size_t expected)
{
    CUdeviceptr ptr;
    size_t size;

    check_success(cuModuleGetGlobal(&ptr, &size, module, name));
    check(size == expected);
    return ptr;
}

TEST(constant_that_the_host_changed)
{
    CUfunction function = kernel_from("spaces.ptx", "constants");
    uint32_t changed[4] = {100, 200, 300, 400}, got;
    CUmodule module;
    CUdeviceptr out = device_zeros(4);
    unsigned count = 1;
    void *parameters[] = {&out, &count};

    check_success(cuFuncGetModule(&module, function));
    check_success(cuMemcpyHtoD(global_of(module, "factors", 16), changed, sizeof changed));
    launch_line(function, 1, 1, 0, parameters);
    check_success(cuMemcpyDtoH(&got, out, 4));
    check(got == 1000);
}

TEST(variables_that_hold_addresses)
{
    CUfunction function = kernel_from("spaces.ptx", "pointers");
    CUmodule module;
    CUdeviceptr out = device_zeros(20), held;
    void *parameters[] = {&out};
    uint32_t got[5];
    double real;

    launch_line(function, 1, 1, 0, parameters);
    check_success(cuMemcpyDtoH(got, out, sizeof got));
    check(got[0] == 30 && got[1] == 30 && got[2] == 40 && got[3] == 20 && got[4] == 'o');
    check_success(cuFuncGetModule(&module, function));
    check_success(cuMemcpyDtoH(&held, global_of(module, "to_third", 8), 8));
    check(held == global_of(module, "numbers", 24) + 8);
    check_success(cuMemcpyDtoH(&real, global_of(module, "real", 8), 8));
    check(real == 1.5);
}

TEST(managed_variable_seen_by_host_and_kernel)
{
    CUfunction function = kernel_from("spaces.ptx", "managed");
    CUdeviceptr out = device_zeros(4);
    void *parameters[] = {&out};
    CUmodule module;

    check_success(cuFuncGetModule(&module, function));
    uint64_t *words = (uint64_t *)(uintptr_t)global_of(module, "managed_words", 32);
    check(words[0] == 1 && words[2] == 3 && words[3] == 0);
    words[0] = 1000;
    launch_line(function, 1, 1, 0, parameters);
    check_success(cuCtxSynchronize());
    check(words[3] == 1005);
}

TEST(variable_of_each_module_is_its_own)
{
    with_context();
    CUmodule first = module_from("spaces.ptx"), second = module_from("spaces.ptx");
    uint32_t got;

    launch_line(kernel_of(first, "count_up"), 3, 50, 0, NULL);
    check_success(cuMemcpyDtoH(&got, global_of(first, "counter", 4), 4));
    check(got == 150);
    check_success(cuMemcpyDtoH(&got, global_of(second, "counter", 4), 4));
    check(got == 0);
}

static void check_coordinates(CUfunction function, const unsigned grid[3], const unsigned block[3])
{
    size_t count = (size_t)grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2], i = 0;
    uint32_t(*got)[6] = malloc(count * sizeof *got);
    CUdeviceptr out = device_zeros(count * sizeof *got);
    void *parameters[] = {&out};

    check_success(cuLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                 0, NULL, parameters, NULL));
    check_success(cuMemcpyDtoH(got, out, count * sizeof *got));
    for (unsigned cz = 0; cz < grid[2]; cz++)
        for (unsigned cy = 0; cy < grid[1]; cy++)
            for (unsigned cx = 0; cx < grid[0]; cx++)
                for (unsigned z = 0; z < block[2]; z++)
                    for (unsigned y = 0; y < block[1]; y++)
                        for (unsigned x = 0; x < block[0]; x++, i++) {
                            uint32_t wanted[6] = {x, y, z, cx, cy, cz};
                            check(memcmp(got[i], wanted, sizeof wanted) == 0);
                        }
    check_success(cuMemFree(out));
    free(got);
}

TEST(grids_and_blocks_of_three_dimensions)
{
    static const unsigned shapes[][2][3] = {
        {{1, 1, 1}, {1, 1, 1}},   {{7, 1, 1}, {31, 1, 1}},   {{3, 5, 1}, {33, 1, 1}},
        {{2, 3, 4}, {5, 6, 7}},   {{1, 1, 1}, {1000, 1, 1}}, {{1, 9, 1}, {1, 1000, 1}},
        {{1, 1, 11}, {2, 3, 64}}, {{65, 2, 2}, {8, 8, 2}},
    };
    CUfunction function = kernel_from("spaces.ptx", "coordinates");

    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check_coordinates(function, shapes[i][0], shapes[i][1]);
}

TEST(shared_memory_of_the_size_of_the_launch)
{
    static const unsigned blocks[] = {1, 33, 1000};
    CUfunction function = kernel_from("spaces.ptx", "reverse");
    CUdeviceptr out = device_zeros(4096 + 4);
    void *parameters[] = {&out};
    uint32_t got[1001];

    for (int b = 0; b < 3; b++) {
        launch_line(function, 1, blocks[b], blocks[b] * 4 + 100, parameters);
        check_success(cuMemcpyDtoH(got, out, (blocks[b] + 1) * 4));
        for (unsigned t = 0; t < blocks[b]; t++)
            check(got[t] == (blocks[b] - 1 - t) * 3);
        check(got[blocks[b]] == blocks[b] * 4 + 100);
    }
}

TEST(more_shared_memory_by_attribute)
{
    CUfunction function = kernel_from("spaces.ptx", "last_word");
    CUdeviceptr out = device_zeros(4);
    void *parameters[] = {&out};
    uint32_t got;

    check_result(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 100000, NULL, parameters, NULL),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(
        cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
    launch_line(function, 1, 1, 100000, parameters);
    check_success(cuMemcpyDtoH(&got, out, 4));
    check(got == 4711);
}

struct packed {
    CUdeviceptr out;
    uint8_t a;
    int16_t b;
    uint32_t c;
    double d;
    uint8_t e[12];
    float f;
};

static void check_parameters(CUdeviceptr out)
{
    struct {
        uint32_t a, b, c, hole;
        double d;
        uint32_t e8, e1;
        float f;
    } got;

    check_success(cuMemcpyDtoH(&got, out, 36));
    check(got.a == 200 && got.b == (uint32_t)-5 && got.c == 123456789 && got.d == 2.5);
    check(got.e8 == 0x0c0b0a09 && got.e1 == 2 && got.f == -1.25f);
}

TEST(parameters_by_pointers_and_in_a_buffer)
{
    CUfunction function = kernel_from("spaces.ptx", "parameters");
    struct packed packed = {
        device_zeros(64), 200, -5, 123456789, 2.5, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, -1.25f};
    void *pointers[] = {&packed.out, &packed.a, &packed.b, &packed.c,
                        &packed.d,   packed.e,  &packed.f};
    size_t size = offsetof(struct packed, f) + sizeof(float);
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};

    launch_line(function, 1, 1, 0, pointers);
    check_parameters(packed.out);
    check_success(cuMemsetD8(packed.out, 0, 64));
    check_success(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    check_parameters(packed.out);
}

/* The launch has the parameters' values of its moment. */
TEST(parameters_may_change_after_the_launch)
{
    CUfunction function = kernel_from("spaces.ptx", "step");
    CUdeviceptr words = device_zeros(4);
    unsigned factor = 1, count = 1;
    void *parameters[] = {&words, &factor, &count};
    uint32_t got, wanted = 0;

    for (factor = 1; factor < 200; factor++) {
        launch_line(function, 1, 1, 0, parameters);
        wanted = wanted * factor + 1;
    }
    check_success(cuMemcpyDtoH(&got, words, 4));
    check(got == wanted);
}

static void check_large(const char *kernel, unsigned words)
{
    CUfunction function = kernel_from("spaces.ptx", kernel);
    CUdeviceptr out = device_zeros(4);
    uint32_t *data = malloc(words * 4), sum = 0, got;
    void *parameters[] = {&out, data};

    for (unsigned i = 0; i < words; i++)
        sum += data[i] = i * 2654435761u + 12345;
    launch_line(function, 1, 1, 0, parameters);
    check_success(cuMemcpyDtoH(&got, out, 4));
    check(got == sum);
}

TEST(parameters_of_4_kib)
{
    check_large("large_4k", 1022);
}

TEST(parameters_of_32_kib)
{
    check_large("large_32k", 8188);
}

static void check_address(const char *name)
{
    CUfunction function = kernel_from("spaces.ptx", name);
    CUdeviceptr out = device_zeros(4);
    uint8_t data[64];
    uint32_t mixed = 0, got;
    void *parameters[] = {&out, data};

    for (unsigned i = 0; i < 64; i++) {
        data[i] = (uint8_t)(i * 37 + 5);
        mixed = mixed * 31 + data[i];
    }
    launch_line(function, 1, 1, 0, parameters);
    check_success(cuMemcpyDtoH(&got, out, 4));
    check(got == mixed);
}

TEST(parameter_by_its_address)
{
    check_address("through_pointer");
}

TEST(parameter_by_an_address_of_32_bits)
{
    check_address("through_short_pointer");
}
