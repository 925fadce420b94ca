/* SPDX-License-Identifier: MIT */
/* What the first launch of a kernel costs: compiled, and out of the disk cache. Each compiled one
 * is a kernel nobody has seen, for a number in it is new. The reference is what LLVM's own O2 and
 * code generation need for the code that our compiler gives them. */
#include "bench.h"
#include "kernels/llvm.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 15 };

static const char text_format[] =
    ".version 7.8\n.target sm_75\n.address_size 64\n"
    ".visible .entry small(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n"
    "    .reg .pred %%p<2>;\n    .reg .b32 %%r<6>;\n    .reg .f32 %%f<3>;\n    .reg .b64 %%rd<8>;\n"
    "    ld.param.u64 %%rd1, [in];\n    ld.param.u64 %%rd2, [out];\n    ld.param.u32 %%r1, [n];\n"
    "    mov.u32 %%r2, %%ctaid.x;\n    mov.u32 %%r3, %%ntid.x;\n    mov.u32 %%r4, %%tid.x;\n"
    "    mad.lo.s32 %%r5, %%r2, %%r3, %%r4;\n    setp.ge.s32 %%p1, %%r5, %%r1;\n    @%%p1 bra "
    "END;\n"
    "    cvta.to.global.u64 %%rd3, %%rd1;\n    mul.wide.s32 %%rd4, %%r5, 4;\n"
    "    add.s64 %%rd5, %%rd3, %%rd4;\n    ld.global.f32 %%f1, [%%rd5];\n"
    "    add.f32 %%f2, %%f1, 0f%08x;\n    cvta.to.global.u64 %%rd6, %%rd2;\n"
    "    add.s64 %%rd7, %%rd6, %%rd4;\n    st.global.f32 [%%rd7], %%f2;\nEND:\n    ret;\n}\n";

static double launch_text_ns(const char *text, const char *name)
{
    CUmodule module;
    CUfunction function;
    CUdeviceptr memory;
    int n = 64;
    void *arguments[] = {&memory, &memory, &n};

    must(cuMemAlloc(&memory, 4 * 64));
    double start = bench_now_ns();
    must(cuModuleLoadData(&module, text));
    must(cuModuleGetFunction(&function, module, name));
    must(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
    must(cuCtxSynchronize());
    double time = bench_now_ns() - start;
    must(cuModuleUnload(module));
    must(cuMemFree(memory));
    return time;
}

static unsigned new_number(void)
{
    static unsigned last;

    if (last == 0)
        last = (unsigned)(bench_now_ns() / 1000) ^ (unsigned)getpid() << 16;
    return (++last & 0x7fffff) | 0x3f000000;
}

/* For the process that leaves the intermediate code behind; see --first-launch in bench.c. */
void bench_first_launch(void)
{
    char text[sizeof text_format + 64];

    bench_open();
    snprintf(text, sizeof text, text_format, new_number());
    launch_text_ns(text, "small");
}

/* Has another process compile the kernel and dump its code. */
static bool dump_code(char *folder, char *path, size_t path_bytes)
{
    char pattern[256];
    glob_t found;
    pid_t child = fork();
    int status = 1;

    if (child == 0) {
        setenv("CUPIPE_DUMP", folder, 1);
        execl("/proc/self/exe", "bench", "--first-launch", (char *)NULL);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        return false;
    snprintf(pattern, sizeof pattern, "%s/*.plain.ll", folder);
    bool there = glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc > 0;
    if (there)
        snprintf(path, path_bytes, "%s", found.gl_pathv[0]);
    globfree(&found);
    return there;
}

static struct bench_result first_launch(const struct bench_row *row)
{
    struct bench_result result = {0};
    char folder[] = "/tmp/cupipe_bench_XXXXXX", path[512], text[sizeof text_format + 64];
    const char *why = "no code was dumped";
    bool cached = row->bytes != 0;

    bench_open();
    snprintf(text, sizeof text, text_format, new_number());
    launch_text_ns(text, "small"); /* loads the compiler */
    if (!mkdtemp(folder) || !dump_code(folder, path, sizeof path)) {
        snprintf(result.note, sizeof result.note, "%s", why);
        return result;
    }
    for (int round = 0; round < ROUNDS; round++) {
        snprintf(text, sizeof text, text_format, new_number());
        double compiled = launch_text_ns(text, "small"), again = launch_text_ns(text, "small");
        double subject = cached ? again : compiled;
        double reference = cached ? compiled : llvm_compile_ns(path, &why);
        if (reference == 0) {
            snprintf(result.note, sizeof result.note, "%s", why);
            break;
        }
        if (round == 0 || subject < result.subject)
            result.subject = subject;
        if (round == 0 || reference < result.reference)
            result.reference = reference;
    }
    snprintf(text, sizeof text, "rm -rf %s", folder);
    if (system(text) != 0)
        fprintf(stderr, "bench: %s is left behind\n", folder);
    result.subject /= 1e6;
    result.reference /= 1e6;
    return result;
}

const struct bench_row bench_compile_rows[] = {
    {.name = "first launch of a small kernel",
     .reference = "LLVM O2",
     .unit = BENCH_MS,
     .goal = BENCH_RATIO_AT_MOST,
     .limit = 2,
     .measure = first_launch},
    {.name = "first launch out of the disk cache",
     .reference = "compiled",
     .unit = BENCH_MS,
     .goal = BENCH_RATIO_AT_MOST,
     .limit = 0.1,
     .measure = first_launch,
     .bytes = 1},
    {.name = NULL},
};
