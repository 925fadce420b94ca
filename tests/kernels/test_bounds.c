/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=memory in kernels: accesses that leave a variable in shared or local memory. Each
 * test looks at the stderr of a child; `by` says how many bytes the access is off. */
#include "test.h"

#include "checks.h"

enum { THREADS = 64, SHARED_BYTES = 256 };

#define HEAD(name) ".visible .entry " name "(.param .u64 out, .param .u32 by)\n{\n"
#define START                                                                                      \
    ".reg .b32 %i, %x, %s, %t, %b, %u;\n.reg .b64 %o, %d, %g, %c;\n.reg .pred %p;\n"               \
    "ld.param.u64 %o, [out];\nld.param.u32 %b, [by];\n"                                            \
    "mov.u32 %i, %tid.x;\nmul.wide.u32 %d, %i, 4;\nadd.u64 %o, %o, %d;\nmov.u32 %x, 0;\n"
#define END "st.global.u32 [%o], %x;\nret;\n}\n"

static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".file 1 \"bounds.cu\"\n"
                          ".extern .shared .align 4 .b8 more[];\n"
                          ".shared .align 4 .b8 between[256];\n"
    /* each thread its word of `low`, which lies before `between` or `high` */
    HEAD("words") ".shared .align 4 .b8 low[256];\n.shared .align 4 .b8 high[256];\n" START
                  "mov.u32 %s, low;\nshl.b32 %t, %i, 2;\nadd.u32 %s, %s, %t;\nadd.u32 %s, %s, %b;\n"
                  ".loc 1 7 1\n"
                  "st.shared.u32 [%s], %i;\nbar.sync 0;\n"
                  "mov.u32 %u, high;\nadd.u32 %u, %u, %t;\nst.shared.u32 [%u], %i;\n"
                  "ld.shared.u32 %x, [%u];\n"
                  "st.shared.u32 [between], %i;\n" END
                      /* the last thread alone, by a generic address, in a loop that moves a pointer
                       */
                      HEAD("generic") ".shared .align 4 .b8 low[256];\n" START
                                      "setp.ne.u32 %p, %i, 63;\n@%p bra DONE;\n"
                                      "mov.u64 %g, low;\ncvta.shared.u64 %g, %g;\ncvt.u64.u32 "
                                      "%d, %b;\nadd.u64 %c, %g, 252;\n"
                                      "add.u64 %c, %c, %d;\n"
                                      "AGAIN:\nst.u32 [%g], %i;\nadd.u64 %g, %g, "
                                      "4;\nsetp.le.u64 %p, %g, %c;\n@%p bra AGAIN;\n"
                                      "DONE:\n" END
                                          /* every other word of the dynamic memory, from its
                                             end on */
                                          HEAD("dynamic") START
    "mov.u32 %s, more;\nsub.u32 %t, 63, %i;\nshl.b32 %t, %t, 2;\nadd.u32 %s, %s, %t;\n"
    "add.u32 %s, %s, %b;\nst.shared.u32 [%s], %i;\n" END
        /* an address that comes from memory */
        HEAD("loaded") ".shared .align 4 .b8 low[256];\n" START
                       "mov.u32 %s, low;\nadd.u32 %s, %s, %b;\nst.shared.u32 [between], "
                       "%s;\nbar.sync 0;\n"
                       "ld.shared.u32 %s, [between];\nst.shared.u32 [%s], %i;\n" END
                           /* an array of each thread */
                           HEAD("own") ".local .align 4 .b8 array[64];\n" START
                                       "mov.u64 %g, array;\nand.b32 %t, %i, 15;\nshl.b32 %t, %t, "
                                       "2;\nadd.u32 %t, %t, %b;\n"
                                       "cvt.u64.u32 %d, %t;\nadd.u64 %g, %g, %d;\nst.local.u32 "
                                       "[%g], %i;\n"
                                       "ld.local.u32 %x, [%g];\n" END
                                       /* the same in a function, by a generic address */
                                       ".func (.param .b32 result) keep(.param .b32 at)\n{\n"
                                       ".local .align 4 .b8 array[64];\n.reg .b32 %t, %x;\n.reg "
                                       ".b64 %g, %d;\n"
                                       "ld.param.u32 %t, [at];\nmov.u64 %g, array;\ncvta.local.u64 "
                                       "%g, %g;\n"
                                       "cvt.u64.u32 %d, %t;\nadd.u64 %g, %g, %d;\nst.u32 [%g], "
                                       "%t;\nld.u32 %x, [%g];\n"
                                       "st.param.b32 [result], %x;\nret;\n}\n" HEAD("called") START
    "and.b32 %t, %i, 15;\nshl.b32 %t, %t, 2;\nadd.u32 %t, %t, %b;\n"
    "{\n.param .b32 a;\n.param .b32 r;\nst.param.b32 [a], %t;\n"
    "call (r), keep, (a);\nld.param.b32 %x, [r];\n}\n" END;

static const char *kernel;
static unsigned off;

A_FUNCTION run(void)
{
    CUdeviceptr out;
    CUmodule module;
    CUfunction function;
    void *arguments[] = {&out, &off};

    setenv("CUPIPE_THREADS", "1", 1); /* the first block is the one that is reported */
    with_check("memory");
    check_success(cuModuleLoadData(&module, ptx));
    check_success(cuModuleGetFunction(&function, module, kernel));
    check_success(cuMemAlloc(&out, THREADS * 4));
    check_success(
        cuLaunchKernel(function, 2, 1, 1, THREADS, 1, 1, SHARED_BYTES, NULL, arguments, NULL));
    cuCtxSynchronize(); /* an access far out faults */
    if (cuMemFree(out) == CUDA_SUCCESS)
        check_success(cuModuleUnload(module));
}

static struct told *told_of(const char *name, int by)
{
    kernel = name;
    off = (unsigned)by;
    return told_by(run);
}

static void check_silent(const char *name)
{
    struct told *told = told_of(name, 0);

    if (reports_of(told))
        test_fail(__FILE__, __LINE__, "%s says:\n%s", name, told->text);
}

static void check_reports(const char *name, int by, const char *words, unsigned reports)
{
    struct told *told = told_of(name, by);

    check_says(told, words);
    if (reports_of(told) != reports)
        test_fail(__FILE__, __LINE__, "%s does not say %u things:\n%s", name, reports, told->text);
}

TEST(accesses_inside_are_right)
{
    static const char *const kernels[] = {"words", "generic", "dynamic", "loaded", "own", "called"};

    for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
        check_silent(kernels[i]);
}

TEST(the_next_variable_is_another_one)
{
    struct told *told = told_of("words", 4);

    check_says(told,
               "kernel words wrote 4 bytes up to 4 bytes past the end of the 256 bytes of shared "
               "variable low\n");
    check_says(told, "  written by kernel words, bounds.cu:7, block (0,0,0), thread (63,0,0)\n");
    check(reports_of(told) == 1);
    check_reports("words", 8, "block (0,0,0), thread (62,0,0)\n", 1);
}

TEST(before_a_variable_is_outside)
{
    struct told *told = told_of("words", -4);

    check_says(told,
               "kernel words wrote 4 bytes 4 bytes before the 256 bytes of shared variable low");
}

TEST(generic_addresses_have_variables)
{
    check_reports("generic", 4,
                  "up to 4 bytes past the end of the 256 bytes of shared variable low\n", 1);
}

TEST(dynamic_memory_ends_with_the_launch)
{
    check_reports("dynamic", 4,
                  "up to 4 bytes past the end of the 256 bytes of dynamic shared memory more\n", 1);
}

TEST(unknown_addresses_must_be_in_the_block)
{
    check_silent("loaded");
    check_says(told_of("loaded", 1 << 12), "bytes of shared memory of its block\n");
}

TEST(local_variables_have_ends)
{
    check_reports("own", 4, "up to 4 bytes past the end of the 64 bytes of local variable array\n",
                  2);
    check_reports("called", 4,
                  "up to 4 bytes past the end of the 64 bytes of local variable array\n", 2);
}
