/* SPDX-License-Identifier: MIT */
/* CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES was always a multiple of 16. It is the size of the variables,
 * each at its alignment; it is padded only if the program declares dynamic shared memory, whether
 * or not the kernel uses it. The sizes are those that ptxas reports for sm_90. */
#include "test.h"

static int size_of(const char *program_scope, const char *kernel_scope)
{
    static const char head[] = ".version 7.0\n.target sm_80\n.address_size 64\n";
    char text[2048];
    CUmodule module;
    CUfunction function;
    int bytes = -1;

    snprintf(text, sizeof text,
             "%s%s\n.visible .entry k()\n{\n    .reg .b32 a;\n    %s\n    ret;\n}\n", head,
             program_scope, kernel_scope);
    check_success(cuModuleLoadData(&module, text));
    check_success(cuModuleGetFunction(&function, module, "k"));
    check_success(cuFuncGetAttribute(&bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function));
    check_success(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 64, NULL, NULL, NULL));
    check_success(cuCtxSynchronize());
    check_success(cuModuleUnload(module));
    return bytes;
}

static void check_size(const char *program_scope, const char *kernel_scope, int wanted)
{
    int bytes = size_of(program_scope, kernel_scope);

    if (bytes != wanted)
        test_fail(__FILE__, __LINE__, "%s %s: %d bytes, and not %d", program_scope, kernel_scope,
                  bytes, wanted);
}

TEST(size_of_one_variable_is_its_own)
{
    static const int sizes[] = {1, 3, 4, 15, 16, 17, 40, 100, 1000, 1001, 1008};
    static const int alignments[] = {1, 4, 8, 16, 128};
    char text[100];

    with_context();
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t a = 0; a < sizeof alignments / sizeof *alignments; a++) {
            snprintf(text, sizeof text, ".shared .align %d .b8 v[%d];", alignments[a], sizes[s]);
            check_size("", text, sizes[s]);
        }
}

TEST(variables_lie_in_their_order_at_their_alignment)
{
    with_context();
    check_size("", ".shared .align 1 .b8 v[5]; .shared .align 8 .b8 w[8];", 16);
    check_size("", ".shared .align 8 .b8 v[8]; .shared .align 1 .b8 w[5];", 13);
    check_size("",
               ".shared .align 1 .b8 v[5]; .shared .align 8 .b8 w[8];"
               ".shared .align 2 .b8 x[3]; .shared .align 16 .b8 y[20];",
               52);
    check_size(".shared .align 1 .b8 g[5]; .shared .align 8 .b8 h[8];",
               "mov.u32 a, g; mov.u32 a, h;", 16);
    check_size(".shared .align 8 .b8 h[8]; .shared .align 1 .b8 g[5];", "mov.u32 a, g;", 5);
}

TEST(dynamic_memory_pads_what_is_before_it)
{
    with_context();
    check_size(".extern .shared .align 4 .b8 d[];", ".shared .align 4 .b8 v[1000];", 1008);
    check_size(".extern .shared .align 1 .b8 d[];", ".shared .align 1 .b8 v[5]; mov.u32 a, d;", 16);
    check_size(".extern .shared .align 128 .b8 d[];", ".shared .align 1 .b8 v[5];", 128);
    check_size(".extern .shared .align 128 .b8 d[];", "mov.u32 a, d;", 0);
}
