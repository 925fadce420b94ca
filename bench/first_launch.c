/* SPDX-License-Identifier: MIT */
/* What a program waits for that runs a kernel once: from cuModuleLoadData to the end of the first
 * launch, of one block, in a new process without the disk cache. The reference is ptxas -O3 of the
 * same text, as a process, for that is what runs before the first launch on a GPU; where there is
 * none, what it was recorded to take (ptxas.c). */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 7, TEXT_BYTES = 4 << 20, PARAMETERS = 64, LONG_LINES = 20000, TOGETHER = 8 };

/* In place of a kernel's name: all kernels of the module, in a stream or in a graph. */
static const char all_in_stream[] = "+stream", all_in_graph[] = "+graph";

static char *read_file(const char *path)
{
    char *text = calloc(1, TEXT_BYTES);
    FILE *file = fopen(path, "r");

    if (text && file && fread(text, 1, TEXT_BYTES - 1, file) == 0)
        text[0] = '\0';
    if (file)
        fclose(file);
    return text;
}

/* Pointers are valid, all other arguments are zero, so most kernels do nothing. */
static void **arguments_for(CUfunction function, CUdeviceptr memory)
{
    static uint64_t values[PARAMETERS][512];
    static void *arguments[PARAMETERS];
    size_t offset, size;

    for (unsigned i = 0; i < PARAMETERS; i++) {
        arguments[i] = values[i];
        if (cuFuncGetParamInfo(function, i, &offset, &size) == CUDA_SUCCESS && size == 8)
            values[i][0] = memory;
    }
    return arguments;
}

static void launch(CUfunction function, CUdeviceptr memory)
{
    must(cuLaunchKernel(function, 1, 1, 1, 256, 1, 1, 0, NULL, arguments_for(function, memory),
                        NULL));
}

static void launch_graph(const CUfunction *functions, CUdeviceptr memory)
{
    CUgraphExec executable;
    CUgraphNode node = NULL;
    CUgraph graph;

    must(cuGraphCreate(&graph, 0));
    for (int i = 0; i < TOGETHER; i++)
        node = bench_kernel_node(graph, i ? &node : NULL, i != 0, functions[i], 256,
                                 arguments_for(functions[i], memory));
    must(cuGraphInstantiate(&executable, graph, 0));
    must(cuGraphLaunch(executable, NULL));
}

static void launch_all(CUmodule module, CUdeviceptr memory, bool in_graph)
{
    CUfunction functions[TOGETHER];

    must(cuModuleEnumerateFunctions(functions, TOGETHER, module));
    for (int i = 0; i < TOGETHER && !in_graph; i++)
        launch(functions[i], memory);
    if (in_graph)
        launch_graph(functions, memory);
}

/* The child process: prints the time in nanoseconds. */
int bench_first_launch_child(const char *path, const char *name)
{
    CUmodule module;
    CUfunction function;
    CUdeviceptr memory;
    char *text = read_file(path);

    bench_open();
    must(cuMemAlloc(&memory, 16 << 20));
    must(cuMemsetD8(memory, 0, 16 << 20));
    double start = bench_now_ns();
    must(cuModuleLoadData(&module, text));
    if (name[0] == '+') {
        launch_all(module, memory, strcmp(name, all_in_graph) == 0);
    } else {
        must(cuModuleGetFunction(&function, module, name));
        launch(function, memory);
    }
    must(cuCtxSynchronize());
    printf("%.0f\n", bench_now_ns() - start);
    free(text);
    return 0;
}

/* `settings` are variables for the process. */
static double first_launch_with(const char *settings, const char *path, const char *name)
{
    char command[2048];
    double time = 0;

    snprintf(command, sizeof command,
             "CUPIPE_CACHE=off CUPIPE_JIT=both %s /proc/%d/exe --first-launch-of %s %s", settings,
             (int)getpid(), path, name);
    FILE *answer = popen(command, "r");
    if (answer && fscanf(answer, "%lf", &time) != 1)
        time = 0;
    return answer && pclose(answer) == 0 ? time : 0;
}

static double first_launch_ns(const char *path, const char *name)
{
    return first_launch_with("", path, name);
}

/* Copies the head of a file of several kernels, and one of them. */
static bool write_kernel(const char *from, const char *name, const char *to)
{
    char *text = read_file(from), entry[128];
    const char *head, *start, *end;
    FILE *file = fopen(to, "w");

    snprintf(entry, sizeof entry, ".visible .entry %s(", name);
    head = text ? strstr(text, ".address_size 64") : NULL;
    start = text ? strstr(text, entry) : NULL;
    end = start ? strstr(start, "\n}\n") : NULL;
    if (file && head && end)
        fprintf(file, "%.*s\n%.*s", (int)(head + 16 - text), text, (int)(end + 3 - start), start);
    free(text);
    return file && fclose(file) == 0 && head && end;
}

/* A kernel of many instructions that depend on each other, without loops. */
static bool write_long_kernel(const char *to)
{
    FILE *file = fopen(to, "w");

    if (!file)
        return false;
    fputs(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry straight(.param .u64 out)\n"
        "{\n.reg .b32 %r<64>;\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [out];\n",
        file);
    for (int i = 0; i < 64; i++)
        fprintf(file, "mov.u32 %%r%d, %%tid.x;\n", i);
    for (int i = 0; i < LONG_LINES; i++)
        fprintf(file, "%s %%r%d, %%r%d, %%r%d;\n",
                i % 3 == 0   ? "add.s32"
                : i % 3 == 1 ? "xor.b32"
                             : "mul.lo.s32",
                i * 7 % 64, i * 13 % 64, (i * 29 + 1) % 64);
    fputs("st.global.u32 [%rd1], %r0;\nret;\n}\n", file);
    return fclose(file) == 0;
}

/* The steps of MD5 over one block of zeros for each thread, without loops, as programs that crack
 * passwords have it. */
static bool write_md5_kernel(const char *to)
{
    static const int turns[4][4] = {
        {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    static const int mixes[4] = {0xca, 0xe4, 0x96, 0x39};
    FILE *file = fopen(to, "w");

    if (!file)
        return false;
    fputs(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry md5(.param .u64 out)\n"
          "{\n.reg .b32 %a<4>, %t<4>, %i;\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [out];\n"
          "mov.u32 %i, %tid.x;\nmov.u32 %a0, 1732584193;\nmov.u32 %a1, -271733879;\n"
          "mov.u32 %a2, -1732584194;\nmov.u32 %a3, 271733878;\n",
          file);
    for (int step = 0; step < 64; step++) {
        int a = (64 - step) % 4, b = (a + 1) % 4, c = (a + 2) % 4, d = (a + 3) % 4;

        fprintf(file, "lop3.b32 %%t0, %%a%d, %%a%d, %%a%d, %d;\nadd.s32 %%t1, %%a%d, %%t0;\n", b, c,
                d, mixes[step / 16], a);
        fprintf(file, "add.s32 %%t2, %%t1, %s;\nadd.s32 %%t3, %%t2, %d;\n",
                step % 16 == 0 ? "%i" : "0", step * 68921 + 12345);
        fprintf(file, "shf.l.wrap.b32 %%t0, %%t3, %%t3, %d;\nadd.s32 %%a%d, %%t0, %%a%d;\n",
                turns[step / 16][step % 4], a, b);
    }
    fputs("mul.wide.u32 %rd2, %i, 4;\nadd.s64 %rd3, %rd1, %rd2;\nxor.b32 %t0, %a0, %a1;\n"
          "st.global.u32 [%rd3], %t0;\nret;\n}\n",
          file);
    return fclose(file) == 0;
}

/* Rotates a picture; without threads in range it reads no texture. */
static bool write_texture_kernel(const char *to)
{
    FILE *file = fopen(to, "w");

    if (!file)
        return false;
    fputs(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry rotate(.param .u64 tex,"
          ".param .u64 out, .param .u32 n, .param .f32 s, .param .f32 c)\n{\n.reg .pred %p;\n"
          ".reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<16>;\nld.param.u64 %rd1, [tex];\n"
          "ld.param.u64 %rd2, [out];\nld.param.u32 %r1, [n];\nld.param.f32 %f1, [s];\n"
          "ld.param.f32 %f2, [c];\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n"
          "mov.u32 %r4, %tid.x;\nmad.lo.s32 %r5, %r2, %r3, %r4;\nsetp.ge.u32 %p, %r5, %r1;\n"
          "@%p bra done;\nrem.u32 %r6, %r5, %r3;\ncvt.rn.f32.u32 %f3, %r6;\n"
          "cvt.rn.f32.u32 %f4, %r2;\nmul.f32 %f5, %f3, %f2;\nmul.f32 %f6, %f4, %f1;\n"
          "sub.f32 %f7, %f5, %f6;\nmul.f32 %f8, %f3, %f1;\nfma.rn.f32 %f9, %f4, %f2, %f8;\n"
          "tex.2d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%rd1, {%f7, %f9}];\n"
          "mul.wide.u32 %rd3, %r5, 16;\nadd.s64 %rd4, %rd2, %rd3;\n"
          "st.global.v4.f32 [%rd4], {%f10, %f11, %f12, %f13};\ndone:\nret;\n}\n",
          file);
    return fclose(file) == 0;
}

/* So many kernels that differ in constants, of so many instructions more than a few. */
static bool write_kernels(const char *to, int count, int more)
{
    FILE *file = fopen(to, "w");

    if (!file)
        return false;
    fputs(".version 8.0\n.target sm_90\n.address_size 64\n", file);
    for (int k = 0; k < count; k++) {
        fprintf(
            file,
            ".visible .entry small%d(.param .u64 out)\n{\n.reg .b32 %%r<4>;\n.reg .b64 %%rd<4>;\n"
            "ld.param.u64 %%rd1, [out];\nmov.u32 %%r1, %%tid.x;\nadd.s32 %%r2, %%r1, %d;\n",
            k, k);
        for (int i = 0; i < more; i++)
            fprintf(file, "mad.lo.s32 %%r2, %%r2, %%r1, %d;\n", i);
        fputs("mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
              "st.global.u32 [%rd3], %r2;\nret;\n}\n",
              file);
    }
    return fclose(file) == 0;
}

/* Compiles CUDA C++ with nvcc, if there is one, and finds the kernel whose name has a part. */
static bool compile_cuda(const char *source, const char *part, const char *to, char *name,
                         size_t size)
{
    char command[2048], *text, *at;
    bool found = false;

    snprintf(command, sizeof command,
             "printf '%%s' '%s' > %s.cu && nvcc -arch=sm_90 -ptx -O3 %s.cu -o %s 2>/dev/null; "
             "status=$?; rm -f %s.cu; exit $status",
             source, to, to, to, to);
    if (system(command) != 0)
        return false;
    text = read_file(to);
    for (at = text; at && !found && (at = strstr(at, ".entry ")); at++) {
        size_t length = strcspn(at + 7, "( \n");

        snprintf(name, size, "%.*s", (int)length, at + 7);
        found = strstr(name, part) != NULL;
    }
    free(text);
    return found;
}

enum source { PTX_FILE, LONG, TEXTURE, MD5, CUDA };

static const struct {
    enum source kind;
    const char *file, *kernel;
} sources[] = {
    {PTX_FILE, BENCH_KERNELS_FOLDER "/../../examples/julia.ptx", "julia"},
    {PTX_FILE, BENCH_KERNELS_FOLDER "/kernels.ptx", "vecadd"},
    {PTX_FILE, BENCH_KERNELS_FOLDER "/kernels.ptx", "matmul_tiled"},
    {PTX_FILE, BENCH_KERNELS_FOLDER "/kernels.ptx", "reduce"},
    {LONG, NULL, "straight"},
    {TEXTURE, NULL, "rotate"},
    {MD5, NULL, "md5"},
    {CUDA,
     "#include <cub/cub.cuh>\n"
     "cudaError_t sort(void *t, size_t &b, unsigned *a, unsigned *o, int n)\n"
     "{ return cub::DeviceRadixSort::SortKeys(t, b, a, o, n); }\n",
     "Onesweep"},
    {CUDA,
     "#include <thrust/sort.h>\n#include <thrust/execution_policy.h>\n"
     "void sort(float *a, float *b) { thrust::sort(thrust::device, a, b); }\n",
     "SingleTile"},
};

static bool write_source(unsigned which, const char *path, char *name, size_t size)
{
    snprintf(name, size, "%s", sources[which].kernel);
    switch (sources[which].kind) {
    case PTX_FILE:
        return write_kernel(sources[which].file, sources[which].kernel, path);
    case LONG:
        return write_long_kernel(path);
    case TEXTURE:
        return write_texture_kernel(path);
    case MD5:
        return write_md5_kernel(path);
    default:
        return compile_cuda(sources[which].file, sources[which].kernel, path, name, size);
    }
}

/* The times of a round, in nanoseconds. */
static void keep_least(struct bench_result *result, double subject, double reference)
{
    if (result->subject == 0 || subject / 1e6 < result->subject)
        result->subject = subject / 1e6;
    if (result->reference == 0 || reference / 1e6 < result->reference)
        result->reference = reference / 1e6;
}

static struct bench_result measure(const struct bench_row *row)
{
    struct bench_result result = {0};
    char path[] = "/tmp/cupipe_bench_XXXXXX", name[1024];
    int fd = mkstemp(path);

    if (fd < 0)
        return result;
    close(fd);
    if (!write_source((unsigned)row->bytes, path, name, sizeof name)) {
        snprintf(result.note, sizeof result.note, "the kernel's text is not there, or no nvcc");
        unlink(path);
        return result;
    }
    for (int round = 0; round < ROUNDS; round++) {
        double subject = first_launch_ns(path, name), reference = bench_ptxas_ns(path);

        if (reference == 0) {
            reference = bench_ptxas_recorded_ns(name);
            snprintf(result.note, sizeof result.note, "%s",
                     reference ? "ptxas as recorded" : "no ptxas here");
        }
        keep_least(&result, subject, reference);
    }
    unlink(path);
    return result;
}

/* One kernel of a module of a thousand, against a module that has it alone. */
static struct bench_result one_of_many(const struct bench_row *row)
{
    struct bench_result result = {0};
    char many[] = "/tmp/cupipe_bench_XXXXXX", one[] = "/tmp/cupipe_bench_XXXXXX";
    int fds[] = {mkstemp(many), mkstemp(one)};

    (void)row;
    if (fds[0] >= 0 && fds[1] >= 0 && write_kernels(many, 1000, 0) && write_kernels(one, 1, 0))
        for (int round = 0; round < ROUNDS; round++) {
            double subject = first_launch_ns(many, "small0"),
                   reference = first_launch_ns(one, "small0");

            keep_least(&result, subject, reference);
        }
    for (int f = 0; f < 2; f++)
        if (fds[f] >= 0)
            close(fds[f]);
    unlink(many);
    unlink(one);
    return result;
}

/* Kernels that are compiled at the same time, against one worker. */
static struct bench_result together(const struct bench_row *row)
{
    enum { INSTRUCTIONS = 1000 };
    const char *name = row->bytes ? all_in_graph : all_in_stream;
    struct bench_result result = {0};
    char path[] = "/tmp/cupipe_bench_XXXXXX";
    int fd = mkstemp(path);

    if (fd < 0 || !write_kernels(path, TOGETHER, INSTRUCTIONS))
        return result;
    close(fd);
    for (int round = 0; round < ROUNDS; round++) {
        double subject = first_launch_ns(path, name),
               reference = first_launch_with("CUPIPE_THREADS=1", path, name);

        keep_least(&result, subject, reference);
    }
    unlink(path);
    return result;
}

#define AGAINST(text, what, at_most, function, number)                                             \
    {                                                                                              \
        .name = "first launch in a process: " text, .reference = (what), .unit = BENCH_MS,         \
        .goal = BENCH_RATIO_AT_MOST, .limit = (at_most), .measure = (function), .bytes = (number)  \
    }
#define ROW(text, number) AGAINST(text, "ptxas", 1, measure, number)

const struct bench_row bench_first_launch_rows[] = {
    ROW("julia", 0),
    ROW("vecadd", 1),
    ROW("matmul_tiled", 2),
    ROW("reduce", 3),
    ROW("20,000 lines", 4),
    ROW("texture", 5),
    ROW("MD5", 6),
    ROW("CUB radix sort", 7),
    ROW("Thrust sort", 8),
    AGAINST("one kernel of 1,000", "it alone", 1.5, one_of_many, 0),
    AGAINST("8 kernels in a stream", "1 worker", 0.8, together, 0),
    AGAINST("a graph of 8 kernels", "1 worker", 0.8, together, 1),
    {.name = NULL},
};
