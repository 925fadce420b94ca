/* SPDX-License-Identifier: MIT */
/* Each place where lanes of a warp may wait for each other takes room in the frame of the kernel's
 * code. A kernel with few registers and many such places overflowed the stack that was estimated
 * from its registers. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAITS = 600, THREADS = 128 };

/* Odd lanes exchange values with each other, and even ones pass them by. */
static char *kernel_text(void)
{
    static const char head[] =
        ".version 8.0\n.target sm_75\n.address_size 64\n"
        ".visible .entry k(.param .u64 out)\n{\n"
        "    .reg .b64 o, a; .reg .b32 t, v, w; .reg .pred even;\n"
        "    ld.param.u64 o, [out];\n    mov.u32 t, %tid.x;\n    mov.u32 v, t;\n"
        "    bar.sync 0;\n"
        "    and.b32 w, t, 1;\n    setp.eq.u32 even, w, 0;\n    @even bra done;\n";
    static const char wait[] =
        "    shfl.sync.bfly.b32 v, v, 2, 31, 0xaaaaaaaa;\n    add.u32 v, v, 1;\n";
    static const char tail[] =
        "done:\n    bar.sync 0;\n    mul.wide.u32 a, t, 4;\n    add.u64 a, a, o;\n"
        "    st.global.u32 [a], v;\n    ret;\n}\n";
    char *text = malloc(sizeof(head) + WAITS * (sizeof(wait) - 1) + sizeof(tail)), *at = text;

    at = stpcpy(at, head);
    for (int i = 0; i < WAITS; i++)
        at = stpcpy(at, wait);
    stpcpy(at, tail);
    return text;
}

TEST(many_places_to_wait_fit_the_stack)
{
    char *text = kernel_text();
    uint32_t words[THREADS];
    CUmodule module;
    CUfunction function;
    CUdeviceptr out;
    void *parameters[] = {&out};

    with_context();
    check_success(cuModuleLoadData(&module, text));
    check_success(cuModuleGetFunction(&function, module, "k"));
    check_success(cuMemAlloc(&out, sizeof words));
    check_success(cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, NULL, parameters, NULL));
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(words, out, sizeof words));
    for (uint32_t i = 0; i < THREADS; i++)
        check(words[i] == (i % 2 ? i + WAITS : i));
    free(text);
}
