/* SPDX-License-Identifier: MIT */
/* A kernel of more instructions than the compiler makes two variants of at first: branches on which
 * lanes disagree, reads of shared memory at any address, shuffles whose distance is in a register,
 * additions in shared memory and barriers, in a loop. */
#include "kernels.h"

enum { STEPS = 60, TABLE = 64, BLOCK = 128, GRID = 3, ROUNDS = 3, TEXT_BYTES = 1 << 16 };

static char text[TEXT_BYTES];
static size_t length;

static void write_text(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    length += (size_t)vsnprintf(text + length, sizeof text - length, format, arguments);
    va_end(arguments);
    check(length < sizeof text);
}

static void write_step(unsigned step)
{
    write_text("mad.lo.u32 %%x, %%x, 1664525, %u;\n", 1013904223 + step);
    write_text("and.b32 %%t, %%x, %u;\n", 1u << (step % 31));
    write_text("setp.eq.u32 %%p, %%t, 0;\n@%%p bra skip%u;\n", step);
    write_text("shr.u32 %%t, %%x, 20;\nand.b32 %%t, %%t, 63;\nshl.b32 %%t, %%t, 2;\n"
               "add.u32 %%t, %%t, %%table;\nld.shared.u32 %%t, [%%t];\nxor.b32 %%x, %%x, %%t;\n");
    write_text("skip%u:\n", step);
}

static void write_kernel(void)
{
    write_text(
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry large(.param .u64 words, .param .u32 rounds)\n{\n"
        ".reg .pred %%p, %%q;\n.reg .b32 %%x, %%t, %%y, %%thread, %%i, %%n, %%rounds, %%by, "
        "%%clamp, %%all, %%table, %%counts, %%mine;\n.reg .b64 %%words, %%offset;\n"
        ".shared .b32 table[64];\n.shared .b32 counts[64];\n"
        "mov.u32 %%thread, %%tid.x;\nmov.u32 %%table, table;\nmov.u32 %%counts, counts;\n"
        "mov.u32 %%t, %%ctaid.x;\nmov.u32 %%n, %%ntid.x;\nmad.lo.u32 %%i, %%t, %%n, %%thread;\n"
        "ld.param.u64 %%words, [words];\nmul.wide.u32 %%offset, %%i, 4;\n"
        "add.u64 %%words, %%words, %%offset;\nld.global.u32 %%x, [%%words];\n"
        "ld.param.u32 %%rounds, [rounds];\n");
    write_text("and.b32 %%t, %%thread, 63;\nshl.b32 %%t, %%t, 2;\nadd.u32 %%mine, %%counts, %%t;\n"
               "setp.ge.u32 %%p, %%thread, 64;\n@%%p bra filled;\n"
               "add.u32 %%t, %%table, %%t;\nmul.lo.u32 %%y, %%thread, 0x9E3779B9;\n"
               "st.shared.u32 [%%t], %%y;\nst.shared.u32 [%%mine], 0;\nfilled:\nbar.sync 0;\n"
               "round:\n");
    for (unsigned step = 0; step < STEPS; step++)
        write_step(step);
    write_text("mov.u32 %%by, 5;\nmov.u32 %%clamp, 31;\nmov.u32 %%all, -1;\n"
               "shfl.sync.bfly.b32 %%y|%%q, %%x, %%by, %%clamp, %%all;\nadd.u32 %%x, %%x, %%y;\n"
               "shfl.sync.up.b32 %%y|%%q, %%x, 3, 0, -1;\n@%%q add.u32 %%x, %%x, %%y;\n"
               "shr.u32 %%t, %%x, 3;\nand.b32 %%t, %%t, 63;\nshl.b32 %%t, %%t, 2;\n"
               "add.u32 %%t, %%t, %%counts;\natom.shared.add.u32 %%y, [%%t], 1;\nbar.sync 0;\n"
               "ld.shared.u32 %%y, [%%mine];\nadd.u32 %%x, %%x, %%y;\nbar.sync 0;\n"
               "sub.u32 %%rounds, %%rounds, 1;\nsetp.ne.u32 %%p, %%rounds, 0;\n@%%p bra round;\n"
               "st.global.u32 [%%words], %%x;\nret;\n}\n");
}

static void expect_round(uint32_t *x, uint32_t *counts)
{
    uint32_t old[BLOCK];

    for (unsigned i = 0; i < BLOCK; i++)
        for (unsigned step = 0; step < STEPS; step++) {
            x[i] = x[i] * 1664525 + 1013904223 + step;
            if (x[i] & 1u << (step % 31))
                x[i] ^= (x[i] >> 20 & 63) * 0x9E3779B9;
        }
    memcpy(old, x, sizeof old);
    for (unsigned i = 0; i < BLOCK; i++)
        x[i] += old[i ^ 5];
    memcpy(old, x, sizeof old);
    for (unsigned i = 0; i < BLOCK; i++) {
        if (i % 32 >= 3)
            x[i] += old[i - 3];
        counts[x[i] >> 3 & 63]++;
    }
    for (unsigned i = 0; i < BLOCK; i++)
        x[i] += counts[i & 63];
}

TEST(a_large_kernel_computes_what_c_does)
{
    uint32_t words[GRID * BLOCK], expected[GRID * BLOCK];
    unsigned rounds = ROUNDS;
    CUmodule module;

    with_context();
    write_kernel();
    check_success(cuModuleLoadData(&module, text));
    for (unsigned i = 0; i < GRID * BLOCK; i++)
        words[i] = expected[i] = i * 2654435761u;
    CUdeviceptr device = device_copy_of(words, sizeof words);
    void *parameters[] = {&device, &rounds};
    launch_line(kernel_of(module, "large"), GRID, BLOCK, 0, parameters);
    check_success(cuMemcpyDtoH(words, device, sizeof words));
    for (unsigned block = 0; block < GRID; block++) {
        uint32_t counts[TABLE] = {0};

        for (unsigned round = 0; round < ROUNDS; round++)
            expect_round(expected + block * BLOCK, counts);
    }
    for (unsigned i = 0; i < GRID * BLOCK; i++)
        if (words[i] != expected[i])
            test_fail(__FILE__, __LINE__, "thread %u: %#x, and not %#x", i, words[i], expected[i]);
}

/* The sums of lanes that diverged are NaNs, which the device has as 0x7fffffff. */
static void write_nan_kernel(void)
{
    length = 0;
    write_text(".version 8.0\n.target sm_80\n.address_size 64\n"
               ".visible .entry nans(.param .u64 words, .param .f32 infinity)\n{\n"
               ".reg .pred %%p;\n.reg .b32 %%x, %%t, %%mine;\n.reg .f32 %%f, %%g;\n"
               ".reg .b64 %%words, %%offset;\n.shared .b32 cells[128];\n"
               "mov.u32 %%x, %%tid.x;\nld.param.u64 %%words, [words];\n"
               "mul.wide.u32 %%offset, %%x, 4;\nadd.u64 %%words, %%words, %%offset;\n"
               "shl.b32 %%t, %%x, 2;\nmov.u32 %%mine, cells;\nadd.u32 %%mine, %%mine, %%t;\n"
               "ld.global.u32 %%x, [%%words];\nst.shared.u32 [%%mine], %%x;\n"
               "ld.param.f32 %%f, [infinity];\nneg.f32 %%g, %%f;\n");
    for (unsigned step = 0; step < 3 * STEPS; step++)
        write_text("mad.lo.u32 %%x, %%x, 1664525, %u;\nand.b32 %%t, %%x, %u;\n"
                   "xor.b32 %%x, %%x, %%t;\n",
                   1013904223 + step, 1u << (step % 31));
    write_text("and.b32 %%t, %%x, 64;\nsetp.eq.u32 %%p, %%t, 0;\n@%%p bra same;\n"
               "add.f32 %%f, %%f, %%g;\nst.shared.f32 [%%mine], %%f;\nsame:\nbar.sync 0;\n"
               "ld.shared.u32 %%t, [%%mine];\nst.global.u32 [%%words], %%t;\nret;\n}\n");
}

static uint32_t expect_nan(uint32_t word)
{
    uint32_t x = word;

    for (unsigned step = 0; step < 3 * STEPS; step++) {
        x = x * 1664525 + 1013904223 + step;
        x ^= x & 1u << (step % 31);
    }
    return x & 64 ? 0x7fffffff : word;
}

TEST(a_large_kernel_stores_nans_of_diverged_lanes)
{
    float infinity = __builtin_inff();
    uint32_t words[BLOCK];
    CUmodule module;

    with_context();
    write_nan_kernel();
    check_success(cuModuleLoadData(&module, text));
    for (unsigned i = 0; i < BLOCK; i++)
        words[i] = i * 2654435761u;
    CUdeviceptr device = device_copy_of(words, sizeof words);
    void *parameters[] = {&device, &infinity};
    launch_line(kernel_of(module, "nans"), 1, BLOCK, 0, parameters);
    check_success(cuMemcpyDtoH(words, device, sizeof words));
    for (unsigned i = 0; i < BLOCK; i++)
        if (words[i] != expect_nan(i * 2654435761u))
            test_fail(__FILE__, __LINE__, "thread %u: %#x, and not %#x", i, words[i],
                      expect_nan(i * 2654435761u));
}
