/* SPDX-License-Identifier: MIT */
/*
 * What printf of a kernel makes of every conversion: flags, widths, precisions and lengths crossed.
 *
 *     printing FILE [FIRST COUNT]
 *
 * Writes a line for each format, or those of some numbers: the format, a tab, what was printed. A
 * format ends with conversions that show where the next arguments were taken from. The program
 * includes cuda.h and links libcuda.so.1 only, so that the same program recorded on NVIDIA's
 * driver.
 */
#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FORMATS_MAX = 8192, POOL_MAX = 1 << 18, ARGUMENT_BYTES = 128, BATCH = 64 };

/* What the arguments are. */
enum kind { WORDS, REALS, STRINGS, KINDS };

static struct format {
    enum kind kind;
    unsigned at; /* in the pool */
} formats[FORMATS_MAX];
static unsigned format_count, pool_length;
static unsigned first, last; /* the formats to print */
static char pool[POOL_MAX];

static void need(CUresult result, const char *what)
{
    if (result) {
        fprintf(stderr, "%s: error %d\n", what, (int)result);
        exit(2);
    }
}

static void add_text(enum kind kind, const char *text)
{
    size_t count = strlen(text);

    if (format_count == FORMATS_MAX || pool_length + count + 2 > POOL_MAX)
        abort();
    formats[format_count++] = (struct format){kind, pool_length};
    memcpy(pool + pool_length, text, count);
    pool_length += (unsigned)count;
    memcpy(pool + pool_length, "\n", 2);
    pool_length += 2;
}

static void add(enum kind kind, const char *flags, const char *width, const char *precision,
                const char *length, char letter)
{
    static const char *const ends[] = {">%x,%x", ">%g,%g", ">%s"};
    char text[80];

    snprintf(text, sizeof text, "<%%%s%s%s%s%c%s", flags, width, precision, length, letter,
             ends[kind]);
    add_text(kind, text);
}

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* What NVIDIA's driver knows. Where a conversion that it knows stands behind a precision of *, one
 * of the lengths j, z, t and L, or a wide string, it prints what lies in registers. */
static const char *const flags[] = {"", "-", "+", " ", "#", "0", "-0", "+ ", "# 0", "--"};
static const char *const widths[] = {"", "9", "*", "1"};
static const char *const precisions[] = {"", ".", ".0", ".3", ".12"};
static const char *const lengths[] = {"", "hh", "h", "l", "ll", "hhh", "lll"};

static void cross(enum kind kind, const char *letters, size_t length_count)
{
    for (const char *letter = letters; *letter; letter++)
        for (size_t f = 0; f < COUNT_OF(flags); f++)
            for (size_t w = 0; w < COUNT_OF(widths); w++)
                for (size_t p = 0; p < COUNT_OF(precisions); p++)
                    for (size_t l = 0; l < length_count; l++)
                        add(kind, flags[f], widths[w], precisions[p], lengths[l], *letter);
}

static enum kind kind_of(char letter)
{
    return letter == 's' ? STRINGS : strchr("aAeEfFgG", letter) ? REALS : WORDS;
}

/* Every length with every letter that libc does not know by itself. */
static void letters_and_lengths(void)
{
    static const char letters[] = "ADEFGHJKMNOPQRTUVXYacdefgikoprsuxy%!,@]&)";

    for (const char *letter = letters; *letter; letter++)
        for (size_t l = 0; l < COUNT_OF(lengths); l++) {
            enum kind kind = kind_of(*letter);

            if ((kind == REALS && l == 4) || (kind == STRINGS && l > 0))
                continue;
            add(kind, "", "", "", lengths[l], *letter);
            add(kind, "", "7", ".2", lengths[l], *letter);
        }
}

/* Behind the last conversion that the driver knows, others are text. */
static void unknown_at_the_end(void)
{
    static const char *const words[] = {
        "a%zdb", "%zd", "x%zd y%zd z", "%d %zd",  "%d %zd end", "%zd%%", "%jd %td", "%5zd|",
        "%zx",   "%zu", "%zc",         "%d%%%zd", "%d %.*d",    "%.*d",  "%Lf",     "%lld %zd"};
    static const char *const reals[] = {"%zg", "%g %zg", "%g %zd"};

    for (size_t i = 0; i < COUNT_OF(words); i++)
        add_text(WORDS, words[i]);
    for (size_t i = 0; i < COUNT_OF(reals); i++)
        add_text(REALS, reals[i]);
}

static void make_formats(void)
{
    letters_and_lengths();
    cross(WORDS, "dxo", 2);
    cross(WORDS, "uXcpi", 1);
    cross(REALS, "feGa", 1);
    cross(STRINGS, "s", 1);
    unknown_at_the_end();
}

static char *module_text(void)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    fprintf(file,
            ".version 8.0\n.target sm_75\n.address_size 64\n"
            ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
            ".global .align 1 .b8 string[9] = {115, 116, 114, 105, 110, 103, 33, 33, 0};\n"
            ".global .align 1 .b8 pool[%u] = {",
            pool_length);
    for (unsigned i = 0; i < pool_length; i++)
        fprintf(file, "%s%d%s", i ? "," : "", pool[i], i % 40 == 39 ? "\n" : "");
    fprintf(file,
            "};\n.visible .entry print(.param .u64 at, .param .align 8 .b8 arguments[%d])\n"
            "{\n.local .align 8 .b8 room[%d];\n.reg .b64 %%a, %%f, %%x, %%s; .reg .pred %%p;\n"
            "cvta.global.u64 %%s, string;\n",
            ARGUMENT_BYTES, ARGUMENT_BYTES);
    for (int i = 0; i < ARGUMENT_BYTES; i += 8)
        fprintf(file,
                "ld.param.b64 %%x, [arguments+%d]; setp.eq.u64 %%p, %%x, 0x5757575757575757;\n"
                "@%%p mov.u64 %%x, %%s; st.local.b64 [room+%d], %%x;\n",
                i, i);
    fprintf(file, "mov.u64 %%a, room; cvta.local.u64 %%a, %%a; cvta.global.u64 %%f, pool;\n"
                  "ld.param.u64 %%x, [at]; add.u64 %%f, %%f, %%x;\n"
                  "{ .param .b64 f; .param .b64 a; .param .b32 o; st.param.b64 [f], %%f;\n"
                  "st.param.b64 [a], %%a; call.uni (o), vprintf, (f, a); }\nret;\n}\n");
    fclose(file);
    return text;
}

/* A width or precision of * takes a small number before the rest. */
static void make_arguments(const struct format *format, unsigned char *bytes)
{
    const char *text = pool + format->at;
    double reals[ARGUMENT_BYTES / 8];
    uint64_t strings[ARGUMENT_BYTES / 8];
    uint32_t words[ARGUMENT_BYTES / 4];
    unsigned stars = 0;

    for (; *text; text++)
        stars += *text == '*';
    for (unsigned i = 0; i < COUNT_OF(reals); i++) {
        reals[i] = i % 2 ? -0.00123456789 * i : 12345.678901234 + i;
        strings[i] = 0x5757575757575757u;
    }
    for (unsigned i = 0; i < COUNT_OF(words); i++)
        words[i] = 0xfedcba41u + 0x11111111u * i;
    memset(bytes, 0, ARGUMENT_BYTES);
    for (unsigned i = 0; i < stars; i++)
        memcpy(bytes + 4 * i, &(uint32_t){i ? 4 : 11}, 4);
    unsigned from = format->kind == WORDS ? 4 * stars : (4 * stars + 7) / 8 * 8;
    const void *source = format->kind == WORDS   ? (const void *)words
                         : format->kind == REALS ? (const void *)reals
                                                 : (const void *)strings;
    memcpy(bytes + from, source, ARGUMENT_BYTES - from);
}

static void print_all(CUfunction function)
{
    for (unsigned i = first; i < last; i++) {
        uint64_t at = formats[i].at;
        unsigned char arguments[ARGUMENT_BYTES];
        void *parameters[] = {&at, arguments};

        make_arguments(&formats[i], arguments);
        need(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL),
             "cuLaunchKernel");
        if (i % BATCH == BATCH - 1)
            need(cuCtxSynchronize(), "cuCtxSynchronize");
    }
    need(cuCtxSynchronize(), "cuCtxSynchronize");
}

static void write_lines(FILE *captured, const char *path)
{
    FILE *file = fopen(path, "w");
    char line[400];

    if (!file)
        exit(2);
    rewind(captured);
    for (unsigned i = first; i < last; i++) {
        const char *format = pool + formats[i].at;

        fprintf(file, "%.*s\t%s", (int)strlen(format) - 1, format,
                fgets(line, sizeof line, captured) ? line : "\n");
    }
    fclose(file);
}

int main(int argc, char **argv)
{
    FILE *captured = tmpfile();
    int saved = dup(STDOUT_FILENO);
    CUcontext context;
    CUfunction function;
    CUmodule module;

    if ((argc != 2 && argc != 4) || !captured)
        return 2;
    make_formats();
    first = argc == 4 ? (unsigned)atoi(argv[2]) : 0;
    last = argc == 4 ? first + (unsigned)atoi(argv[3]) : format_count;
    last = last < format_count ? last : format_count;
    need(cuInit(0), "cuInit");
    need(cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
    need(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    need(cuModuleLoadData(&module, module_text()), "cuModuleLoadData");
    need(cuModuleGetFunction(&function, module, "print"), "cuModuleGetFunction");
    fflush(stdout);
    dup2(fileno(captured), STDOUT_FILENO);
    print_all(function);
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    write_lines(captured, argv[1]);
    printf("%u formats\n", last - first);
    return 0;
}
