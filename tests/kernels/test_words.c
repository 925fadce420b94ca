/* SPDX-License-Identifier: MIT */
/* Strong loads and stores of a vector of up to 16 bytes are one access: who reads while another
 * block writes gets all elements of one store. CUB's look-back publishes values so. */
#include "kernels.h"

enum { BLOCKS = 4, TIMES = 100000 };

struct form {
    const char *suffix;   /* of ld and st */
    const char *cvt;      /* from the counter to an element */
    const char *elements; /* in braces */
    const char *stores;
    unsigned count, bytes; /* elements, all of them */
    const char *type;      /* to compare elements */
};

static const struct form FORMS[] = {
    {"v2.u16", "cvt.u16.u32", "{%e0, %e1}", "{%s, %s}", 2, 4, "u16"},
    {"v4.u16", "cvt.u16.u32", "{%e0, %e1, %e2, %e3}", "{%s, %s, %s, %s}", 4, 8, "u16"},
    {"v2.u32", "mov.u32", "{%e0, %e1}", "{%s, %s}", 2, 8, "u32"},
    {"v4.u32", "mov.u32", "{%e0, %e1, %e2, %e3}", "{%s, %s, %s, %s}", 4, 16, "u32"},
    {"v2.u64", "cvt.u64.u32", "{%e0, %e1}", "{%s, %s}", 2, 16, "u64"},
};

/* Block 0 stores 1, 2, 3 and so on into every element; the others load until they see the last one
 * and count loads whose elements differ. */
static const char *const SOURCE =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry words(.param .u64 words, .param .u64 torn, .param .u32 active)\n{\n"
    "    .reg .pred %%p, %%q;\n    .reg .u32 %%lane, %%k, %%n, %%x;\n    .reg .u64 %%w, %%a, %%t;\n"
    "    .reg .%1$s %%e<4>, %%s, %%last;\n"
    "    ld.param.u64 %%w, [words];\n    ld.param.u64 %%t, [torn];\n"
    "    ld.param.u32 %%n, [active];\n"
    "    mov.u32 %%lane, %%tid.x;\n    setp.ge.u32 %%p, %%lane, %%n;\n    @%%p bra END;\n"
    "    mad.wide.u32 %%a, %%lane, %2$u, %%w;\n"
    "    mov.u32 %%k, %7$u;\n    %3$s %%last, %%k;\n"
    "    mov.u32 %%k, %%ctaid.x;\n    setp.ne.u32 %%p, %%k, 0;\n    @%%p bra READ;\n"
    "WRITE:\n    add.u32 %%k, %%k, 1;\n    %3$s %%s, %%k;\n"
    "    st.relaxed.gpu.global.%4$s [%%a], %5$s;\n"
    "    setp.lt.u32 %%p, %%k, %7$u;\n    @%%p bra WRITE;\n    bra END;\n"
    "READ:\n    ld.relaxed.gpu.global.%4$s %6$s, [%%a];\n"
    "    setp.ne.%1$s %%p, %%e0, %%e1;\n    %8$ssetp.ne.or.%1$s %%p, %%e2, %%e0, %%p;\n"
    "    %8$ssetp.ne.or.%1$s %%p, %%e3, %%e0, %%p;\n"
    "    @%%p atom.add.global.u32 %%x, [%%t], 1;\n"
    "    setp.ne.%1$s %%q, %%e0, %%last;\n    setp.ne.or.%1$s %%q, %%e1, %%last, %%q;\n"
    "    @%%q bra READ;\nEND:\n    ret;\n}\n";

static uint32_t torn_loads(const struct form *form, unsigned stride, unsigned active)
{
    CUdeviceptr words = device_zeros(32 * 64), torn = device_zeros(4);
    void *parameters[] = {&words, &torn, &active};
    CUfunction function;
    CUmodule module;
    char text[4096];
    uint32_t got;

    snprintf(text, sizeof(text), SOURCE, form->type, stride, form->cvt, form->suffix, form->stores,
             form->elements, TIMES, form->count == 2 ? "// " : "");
    check_success(cuModuleLoadData(&module, text));
    check_success(cuModuleGetFunction(&function, module, "words"));
    launch_line(function, BLOCKS, 32, 0, parameters);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(&got, torn, 4));
    check_success(cuModuleUnload(module));
    return got;
}

static void check_forms(unsigned stride, unsigned active)
{
    with_context();
    for (unsigned f = 0; f < sizeof(FORMS) / sizeof(FORMS[0]); f++)
        check(torn_loads(&FORMS[f], stride ? stride : FORMS[f].bytes, active) == 0);
}

TEST(vector_words_in_a_row)
{
    check_forms(0, 32);
}

TEST(vector_words_in_a_row_of_some_lanes)
{
    check_forms(0, 7);
}

TEST(vector_words_far_apart)
{
    check_forms(48, 32);
}

TEST(vector_words_far_apart_of_some_lanes)
{
    check_forms(48, 7);
}

TEST(vector_word_of_one_lane)
{
    check_forms(48, 1);
}
