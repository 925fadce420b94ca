/* SPDX-License-Identifier: MIT */
/* Blocks that wait by the clock, against one such block: they need no processor, so that all of
 * them should take as long as one. */
#include "bench.h"

static const char text[] = ".version 8.0\n"
                           ".target sm_75\n"
                           ".address_size 64\n"
                           ".visible .entry wait(.param .u64 ns)\n"
                           "{\n"
                           "    .reg .pred %p;\n"
                           "    .reg .u64 %start, %now, %ns;\n"
                           "    ld.param.u64 %ns, [ns];\n"
                           "    mov.u64 %start, %globaltimer;\n"
                           "WAIT:\n"
                           "    mov.u64 %now, %globaltimer;\n"
                           "    sub.u64 %now, %now, %start;\n"
                           "    setp.lt.u64 %p, %now, %ns;\n"
                           "    @%p bra WAIT;\n"
                           "    ret;\n"
                           "}\n";

static CUfunction function;

/* The argument is the number of blocks. */
static void wait_blocks(void *argument, size_t count)
{
    unsigned long long ns = 20000000;
    void *arguments[] = {&ns};

    for (size_t i = 0; i < count; i++)
        must(cuLaunchKernel(function, *(unsigned *)argument, 1, 1, 32, 1, 1, 0, NULL, arguments,
                            NULL));
    must(cuCtxSynchronize());
}

static struct bench_result measure(const struct bench_row *row)
{
    unsigned many = 64, one = 1;
    struct bench_result result;
    CUmodule module;

    (void)row;
    bench_open();
    must(cuModuleLoadData(&module, text));
    must(cuModuleGetFunction(&function, module, "wait"));
    result =
        bench_long((struct bench_side){wait_blocks, &many}, (struct bench_side){wait_blocks, &one});
    must(cuModuleUnload(module));
    result.subject /= 1e6;
    result.reference /= 1e6;
    return result;
}

const struct bench_row bench_waiting_rows[] = {
    {.name = "kernel: 64 blocks wait 20 ms by the clock",
     .reference = "one block",
     .unit = BENCH_MS,
     .goal = BENCH_RATIO_AT_MOST,
     .limit = 1.5,
     .measure = measure},
    {.name = NULL},
};
