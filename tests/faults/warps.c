/* SPDX-License-Identifier: MIT */
/* Kernels that take memory while they run: for lanes that wait for others of their warp in
 * different places, for calls that wait, for alloca and for products of matrices; and one that
 * takes none, for the compiler alone. */
#include "ladder.h"

#include "../api/kernels.h"

enum { THREADS = 64 };

/* out[t] = 10 (t ^ 31) + (1 or 1000) + 16 + t: halves of a warp that exchange a number in two
 * different places, sixteen products of 1 and 1, and a detour through a lane's own memory. */
static const char ptx_apart[] =
    PTX_HEAD ".visible .entry apart(.param .u64 out)\n"
             "{\n"
             "    .reg .pred %p;\n"
             "    .reg .b32 %t, %l, %v, %i, %r, %ones, %d0, %d1;\n"
             "    .reg .b64 %o, %d, %size, %a;\n"
             "    ld.param.u64 %o, [out];\n"
             "    mov.u32 %t, %tid.x;\n"
             "    mov.u32 %l, %laneid;\n"
             "    mul.wide.u32 %d, %t, 4;\n"
             "    add.u64 %o, %o, %d;\n"
             "    mov.u32 %ones, 0x01010101;\n"
             "    mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%d0, %d1}, {%ones}, {%ones}, "
             "{%t, %t};\n"
             "    mul.lo.u32 %v, %t, 10;\n"
             "    xor.b32 %i, %l, 31;\n"
             "    setp.lt.u32 %p, %l, 16;\n"
             "    @%p bra LOW;\n"
             "    add.u32 %v, %v, 1;\n"
             "    shfl.sync.idx.b32 %r, %v, %i, 31, -1;\n"
             "    add.u32 %r, %r, 1000;\n"
             "    bra.uni JOIN;\n"
             "LOW:\n"
             "    shfl.sync.idx.b32 %r, %v, %i, 31, -1;\n"
             "JOIN:\n"
             "    add.u32 %r, %r, %d0;\n"
             "    mov.u64 %size, 16;\n"
             "    alloca.u64 %a, %size, 16;\n"
             "    st.local.u32 [%a], %r;\n"
             "    ld.local.u32 %v, [%a];\n"
             "    st.global.u32 [%o], %v;\n"
             "    ret;\n"
             "}\n";

/* out[t] = t + (1 or 8): halves of a warp that wait at the block's barrier in two calls. */
static const char ptx_meet[] = PTX_HEAD ".func (.param .u32 r) together(.param .u32 v)\n"
                                        "{\n"
                                        "    .reg .u32 %v;\n"
                                        "    ld.param.u32 %v, [v];\n"
                                        "    barrier.sync 0;\n"
                                        "    add.u32 %v, %v, 1;\n"
                                        "    st.param.u32 [r], %v;\n"
                                        "    ret;\n"
                                        "}\n"
                                        ".visible .entry meet(.param .u64 out)\n"
                                        "{\n"
                                        "    .reg .pred %p;\n"
                                        "    .reg .u32 %t, %l, %r;\n"
                                        "    .reg .u64 %o, %d;\n"
                                        "    ld.param.u64 %o, [out];\n"
                                        "    mov.u32 %t, %tid.x;\n"
                                        "    mov.u32 %l, %laneid;\n"
                                        "    mul.wide.u32 %d, %t, 4;\n"
                                        "    add.u64 %o, %o, %d;\n"
                                        "    setp.lt.u32 %p, %l, 16;\n"
                                        "    @%p bra LOW;\n"
                                        "    {\n"
                                        "        .param .u32 i;\n"
                                        "        .param .u32 o;\n"
                                        "        st.param.u32 [i], %t;\n"
                                        "        call (o), together, (i);\n"
                                        "        ld.param.u32 %r, [o];\n"
                                        "    }\n"
                                        "    add.u32 %r, %r, 7;\n"
                                        "    bra.uni JOIN;\n"
                                        "LOW:\n"
                                        "    {\n"
                                        "        .param .u32 i;\n"
                                        "        .param .u32 o;\n"
                                        "        st.param.u32 [i], %t;\n"
                                        "        call (o), together, (i);\n"
                                        "        ld.param.u32 %r, [o];\n"
                                        "    }\n"
                                        "JOIN:\n"
                                        "    st.global.u32 [%o], %r;\n"
                                        "    ret;\n"
                                        "}\n";

static const char ptx_one[] = PTX_HEAD ".visible .entry one(.param .u64 out)\n"
                                       "{\n"
                                       "    .reg .u32 %t;\n"
                                       "    .reg .u64 %o, %d;\n"
                                       "    ld.param.u64 %o, [out];\n"
                                       "    mov.u32 %t, %tid.x;\n"
                                       "    mul.wide.u32 %d, %t, 4;\n"
                                       "    add.u64 %o, %o, %d;\n"
                                       "    st.global.u32 [%o], %t;\n"
                                       "    ret;\n"
                                       "}\n";

static unsigned one_of(unsigned t)
{
    return t;
}

static unsigned apart_of(unsigned t)
{
    return 10 * (t ^ 31) + (t % 32 < 16 ? 1 : 1000) + 16 + t;
}

static unsigned meet_of(unsigned t)
{
    return t + (t % 32 < 16 ? 1 : 8);
}

static void run(struct work *work, const char *text, const char *name,
                unsigned (*wanted)(unsigned thread))
{
    unsigned came[THREADS];
    CUmodule module = NULL;
    CUdeviceptr memory = 0;
    CUfunction function;
    void *arguments[] = {&memory};

    TRY(cuModuleLoadData(&module, text));
    TRY(cuModuleGetFunction(&function, module, name));
    TRY(cuMemAlloc(&memory, sizeof(came)));
    TRY(cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, NULL, arguments, NULL));
    TRY(cuMemcpyDtoH(came, memory, sizeof(came)));
    for (unsigned t = 0; t < THREADS; t++) {
        if (came[t] != wanted(t))
            work->wrong = name;
    }
    work->bytes += sizeof(came);
out:
    if (module)
        GIVE_BACK(cuModuleUnload(module));
    GIVE_BACK(cuMemFree(memory));
}

bool run_warps(struct work *work)
{
    run(work, ptx_apart, "apart", apart_of);
    run(work, ptx_meet, "meet", meet_of);
    return is_good(work);
}

bool run_one_kernel(struct work *work)
{
    run(work, ptx_one, "one", one_of);
    return is_good(work);
}
