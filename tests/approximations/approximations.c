/* SPDX-License-Identifier: MIT */
/* Holds the approximate instructions against checksums of every result that an H200 gave.
 *
 *   approximations CHECKSUMS [--blocks N] [FUNCTION...]
 *
 * A line of the file is a function, a block in hexadecimal, and the sum, modulo 2^64, of
 * mix(input << 32 | output) over the block's inputs. --blocks takes so many blocks of each function
 * instead of all: first those with the most special cases.
 *
 *   f32    block b has the 2^23 inputs from b << 23: bits of the operand
 *   f64    likewise, for the upper word; the lower one is 0, of FUNCTION+low all ones; the output
 * is the upper word ^ the lower one * 0x9e3779b1 16 bit all 2^16 inputs div    the pairs number b
 * << 15 and on, of which the number is the input: `any` has mix() of 2k and 2k+1 as operands,
 * `near` has those with an exponent near 0
 *
 * Includes cuda.h and links libcuda.so.1 only, so that the same program runs on NVIDIA's driver. */
#include <cuda.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 512, GRID = 64, THREADS = 256, MAX_FUNCTIONS = 64 };

struct function {
    char name[48];
    uint64_t sums[BLOCKS];
    unsigned char has[BLOCKS];
};

static struct function functions[MAX_FUNCTIONS];
static unsigned function_count;

static void need(CUresult result, const char *what)
{
    const char *name = "?";

    if (!result)
        return;
    cuGetErrorName(result, &name);
    fprintf(stderr, "%s: %s\n", what, name);
    exit(2);
}

static struct function *function_named(const char *name)
{
    for (unsigned f = 0; f < function_count; f++)
        if (!strcmp(functions[f].name, name))
            return &functions[f];
    if (function_count == MAX_FUNCTIONS)
        return NULL;
    snprintf(functions[function_count].name, sizeof functions[0].name, "%s", name);
    return &functions[function_count++];
}

static int read_sums(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[256], name[48];
    unsigned block;
    unsigned long long sum;

    if (!file) {
        perror(path);
        return 0;
    }
    while (fgets(line, sizeof line, file)) {
        struct function *f;

        if (*line == '#' || sscanf(line, "%47s %x %llx", name, &block, &sum) != 3 ||
            block >= BLOCKS || !(f = function_named(name)))
            continue;
        f->sums[block] = sum;
        f->has[block] = 1;
    }
    fclose(file);
    return 1;
}

/* The kernel's text. */
static char text[8192];
static size_t text_length;

static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    text_length +=
        (size_t)vsnprintf(text + text_length, sizeof text - text_length, format, arguments);
    va_end(arguments);
}

/* %z = mix(%z) */
static void put_mix(void)
{
    put("add.u64 %%z, %%z, 0x9e3779b97f4a7c15;\n"
        "shr.u64 %%t, %%z, 30;\nxor.b64 %%z, %%z, %%t;\nmul.lo.u64 %%z, %%z, 0xbf58476d1ce4e5b9;\n"
        "shr.u64 %%t, %%z, 27;\nxor.b64 %%z, %%z, %%t;\nmul.lo.u64 %%z, %%z, 0x94d049bb133111eb;\n"
        "shr.u64 %%t, %%z, 31;\nxor.b64 %%z, %%z, %%t;\n");
}

/* The operand number 2 * %in + more of a pair, to `to`. */
static void put_operand(const char *to, int more, int near)
{
    put("mul.wide.u32 %%z, %%in, 2;\nadd.u64 %%z, %%z, %d;\n", more);
    put_mix();
    put("cvt.u32.u64 %%m, %%z;\n");
    if (near) /* sign and fraction of the bits, an exponent from -8 to 8 */
        put("shr.u32 %%e, %%m, 24;\nrem.u32 %%e, %%e, 17;\nadd.u32 %%e, %%e, 119;\n"
            "shl.b32 %%e, %%e, 23;\nand.b32 %%m, %%m, 0x807fffff;\nor.b32 %%m, %%m, %%e;\n");
    put("mov.b32 %s, %%m;\n", to);
}

/* %in to %out */
static void put_function(const char *name)
{
    const char *mode = strpbrk(name, ":+");
    int length = mode ? (int)(mode - name) : (int)strlen(name);

    if (!strncmp(name, "div", 3)) {
        put_operand("%a", 0, mode && !strcmp(mode, ":near"));
        put_operand("%b", 1, mode && !strcmp(mode, ":near"));
        put("%.*s %%c, %%a, %%b;\nmov.b32 %%out, %%c;\n", length, name);
    } else if (strstr(name, "f64")) {
        put("mov.u32 %%m, %s;\nmov.b64 %%p, {%%m, %%in};\n%.*s %%q, %%p;\n",
            mode ? "0xffffffff" : "0", length, name);
        put("mov.b64 {%%m, %%e}, %%q;\nmul.lo.u32 %%m, %%m, 0x9e3779b1;\n"
            "xor.b32 %%out, %%e, %%m;\n");
    } else if (strstr(name, "f16")) {
        put("cvt.u16.u32 %%h, %%in;\n%.*s %%k, %%h;\ncvt.u32.u16 %%out, %%k;\n", length, name);
    } else {
        put("mov.b32 %%a, %%in;\n%.*s %%c, %%a;\nmov.b32 %%out, %%c;\n", length, name);
    }
}

/* Adds the sum over the inputs from `first` on, `rounds` of each thread, to *sum. */
static void put_kernel(const char *name)
{
    text_length = 0;
    put(".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry sum(.param .u64 sum, .param .u32 first, .param .u32 rounds)\n{\n"
        ".reg .b16 %%h, %%k;\n.reg .b32 %%in, %%out, %%m, %%e, %%n, %%r;\n"
        ".reg .b64 %%z, %%t, %%s, %%to;\n.reg .f32 %%a, %%b, %%c;\n.reg .f64 %%p, %%q;\n"
        ".reg .pred %%go;\n"
        "ld.param.u64 %%to, [sum];\nld.param.u32 %%in, [first];\nld.param.u32 %%n, [rounds];\n"
        "mov.u32 %%m, %%ctaid.x;\nmul.lo.u32 %%m, %%m, %%n;\nshl.b32 %%m, %%m, 8;\n"
        "add.u32 %%in, %%in, %%m;\nmov.u32 %%m, %%tid.x;\nadd.u32 %%in, %%in, %%m;\n"
        "mov.u64 %%s, 0;\nmov.u32 %%r, 0;\nagain:\n");
    put_function(name);
    put("mov.b64 %%z, {%%out, %%in};\n");
    put_mix();
    put("add.u64 %%s, %%s, %%z;\nadd.u32 %%in, %%in, 256;\nadd.u32 %%r, %%r, 1;\n"
        "setp.lt.u32 %%go, %%r, %%n;\n@%%go bra again;\n"
        "red.global.add.u64 [%%to], %%s;\nret;\n}\n");
}

/* The k-th block to try: 1.0, subnormals, 2.0, the largest, infinity, large and negative arguments,
 * then all others in order. */
static unsigned block_number(unsigned k)
{
    static const unsigned first[] = {0x7f, 0x00, 0x80, 0xfc, 0x17f, 0x185, 0x85, 0xff, 0x7d};
    unsigned count = sizeof first / sizeof *first;

    if (k < count)
        return first[k];
    for (unsigned block = 0, left = k - count; block < BLOCKS; block++) {
        int listed = 0;

        for (unsigned i = 0; i < count; i++)
            listed |= first[i] == block;
        if (!listed && !left--)
            return block;
    }
    return 0;
}

/* How many of the function's checksums differ, of at most `most`; adds those to *checked. */
static unsigned check(const struct function *f, unsigned most, CUdeviceptr sums, unsigned *checked)
{
    static uint64_t got[BLOCKS];
    unsigned shift = !strncmp(f->name, "div", 3) ? 15 : strstr(f->name, "f16") ? 16 : 23;
    unsigned rounds = (1u << shift) / (GRID * THREADS), wrong = 0, blocks = 0;
    CUmodule module;
    CUfunction kernel;

    put_kernel(f->name);
    need(cuModuleLoadData(&module, text), f->name);
    need(cuModuleGetFunction(&kernel, module, "sum"), f->name);
    need(cuMemsetD8(sums, 0, sizeof got), "cuMemsetD8");
    for (unsigned k = 0; k < BLOCKS && blocks < most; k++) {
        unsigned block = block_number(k), first = block << shift;
        CUdeviceptr sum = sums + 8 * block;

        if (!f->has[block])
            continue;
        blocks++;
        need(cuLaunchKernel(kernel, GRID, 1, 1, THREADS, 1, 1, 0, NULL,
                            (void *[]){&sum, &first, &rounds}, NULL),
             f->name);
    }
    need(cuMemcpyDtoH(got, sums, sizeof got), f->name);
    for (unsigned k = 0, n = 0; k < BLOCKS && n < blocks; k++) {
        unsigned block = block_number(k);

        if (!f->has[block])
            continue;
        n++;
        if (got[block] != f->sums[block] && !wrong++)
            printf("%s, block %03x: %016llx, and not %016llx\n", f->name, block,
                   (unsigned long long)got[block], (unsigned long long)f->sums[block]);
    }
    need(cuModuleUnload(module), "cuModuleUnload");
    *checked += blocks;
    return wrong;
}

static int is_wanted(const char *name, int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (!strcmp(argv[i], name))
            return 1;
    return argc == 0;
}

int main(int argc, char **argv)
{
    unsigned most = BLOCKS, wrong = 0, checked = 0;
    int at = 2;
    CUdevice device;
    CUcontext context;
    CUdeviceptr sums;

    if (argc < 2 || !read_sums(argv[1])) {
        fprintf(stderr, "usage: approximations CHECKSUMS [--blocks N] [FUNCTION...]\n");
        return 2;
    }
    if (argc > 3 && !strcmp(argv[2], "--blocks")) {
        most = (unsigned)atoi(argv[3]);
        at = 4;
    }
    need(cuInit(0), "cuInit");
    need(cuDeviceGet(&device, 0), "cuDeviceGet");
    need(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    need(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    need(cuMemAlloc(&sums, 8 * BLOCKS), "cuMemAlloc");
    for (unsigned f = 0; f < function_count; f++) {
        unsigned before = checked, bad = 0;

        if (!is_wanted(functions[f].name, argc - at, argv + at))
            continue;
        bad = check(&functions[f], most, sums, &checked);
        printf("%-28s %u of %u blocks equal\n", functions[f].name, checked - before - bad,
               checked - before);
        fflush(stdout);
        wrong += bad;
    }
    printf("%u of %u checksums equal\n", checked - wrong, checked);
    cuDevicePrimaryCtxRelease(device);
    return wrong || !checked;
}
