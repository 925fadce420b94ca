/* SPDX-License-Identifier: MIT */
/* Compiling kernels gives its memory back: the process does not grow from module to module. The
 * test runs with one heap of malloc's (MALLOC_ARENA_MAX=1), or every new thread of the compiler
 * could have another. */
#include "test.h"

enum {
    LARGE_LINES = 4000,
    LARGE_MODULES = 5,
    SMALL_MODULES = 100,
    GROWTH_KB = 1024,
    KEPT_KB = 8 << 10
};

static long resident_kb(void)
{
    static const char field[] = "RssAnon:";
    char line[256];
    long size = -1;
    FILE *file = fopen("/proc/self/status", "r");

    check(file != NULL);
    while (size < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, field, sizeof field - 1) == 0)
            size = strtol(line + sizeof field - 1, NULL, 10);
    fclose(file);
    check(size > 0);
    return size;
}

/* A kernel of so many lines, which is another for each number. */
static char *make_text(unsigned lines, unsigned number)
{
    static const char *const ops[] = {"add.s32", "xor.b32", "mul.lo.s32"};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    check(file != NULL);
    fputs(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry kernel(.param .u64 out)\n"
          "{\n.reg .b32 %r<64>;\n.reg .b64 %o;\nld.param.u64 %o, [out];\n",
          file);
    for (unsigned i = 0; i < 64; i++)
        fprintf(file, "mov.u32 %%r%u, %%tid.x;\n", i);
    for (unsigned i = 0; i < lines; i++)
        fprintf(file, "%s %%r%u, %%r%u, %%r%u;\n", ops[i % 3], i * 7 % 64, i * 13 % 64,
                (i * 29 + 1) % 64);
    fprintf(file, "add.s32 %%r0, %%r0, %u;\nst.global.u32 [%%o], %%r0;\nret;\n}\n", number);
    fclose(file);
    return text;
}

static void run_module(unsigned lines, unsigned number, CUdeviceptr out)
{
    char *text = make_text(lines, number);
    void *parameters[] = {&out};
    CUmodule module;
    CUfunction function;

    check_success(cuModuleLoadData(&module, text));
    check_success(cuModuleGetFunction(&function, module, "kernel"));
    check_success(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL));
    check_success(cuCtxSynchronize());
    check_success(cuModuleUnload(module));
    free(text);
}

/* What the first modules leave behind is there once. */
static void check_growth(unsigned lines, unsigned modules)
{
    CUdeviceptr out;
    long before = 0, after;

    with_context();
    check_success(cuMemAlloc(&out, 4096));
    for (unsigned m = 0; m < 2 * modules; m++) {
        if (m == modules)
            before = resident_kb();
        run_module(lines, m, out);
    }
    after = resident_kb();
    if (after - before > GROWTH_KB)
        test_fail(__FILE__, __LINE__, "%u modules of %u lines: %ld KB more than the %ld KB before",
                  modules, lines, after - before, before);
}

/* malloc would keep tens of megabytes of what the compiler has freed. */
TEST(malloc_does_not_keep_the_memory_of_a_large_kernel)
{
    CUdeviceptr out;

    setenv("CUPIPE_JIT", "optimised", 1);
    with_context();
    check_success(cuMemAlloc(&out, 4096));
    run_module(10, 0, out); /* loads the compiler */
    long before = resident_kb();
    run_module(LARGE_LINES, 1, out);
    long kept = resident_kb() - before;
    printf("%ld KB more than before\n", kept);
    check(kept <= KEPT_KB);
}

TEST(large_modules_leave_no_memory_behind)
{
    check_growth(LARGE_LINES, LARGE_MODULES);
}

TEST(small_modules_leave_no_memory_behind)
{
    check_growth(10, SMALL_MODULES);
}
