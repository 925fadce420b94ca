/* SPDX-License-Identifier: MIT */
/* Text of kernels with matrix instructions; see the header. */
#include "matrix_text.h"
#include "variants.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *const spread_names[] = {"near", "wide", "all"};

static const struct element elements[] = {
    {"f16", 16, {{0x8fff8fff, 0x30003000}, {0xbfffbfff, 0}, {0xffffffff, 0}}},
    {"bf16", 16, {{0x81ff81ff, 0x3e003e00}, {0x8fff8fff, 0x38003800}, {0xffffffff, 0}}},
    {"tf32", 32, {{0x81ffffff, 0x3e000000}, {0x8fffffff, 0x38000000}, {0xffffffff, 0}}},
    {"f32", 32, {{0x81ffffff, 0x3f000000}, {0x8fffffff, 0x38000000}, {0xffffffff, 0}}},
    {"e4m3", 8, {{0x9f9f9f9f, 0x20202020}, {0xbfbfbfbf, 0}, {0xffffffff, 0}}},
    {"e5m2", 8, {{0x8f8f8f8f, 0x30303030}, {0xbfbfbfbf, 0}, {0xffffffff, 0}}},
    {"s8", 8, {{0xffffffff, 0}, {0xffffffff, 0}, {0xffffffff, 0}}},
    {"u8", 8, {{0xffffffff, 0}, {0xffffffff, 0}, {0xffffffff, 0}}},
    {"s4", 4, {{0xffffffff, 0}, {0xffffffff, 0}, {0xffffffff, 0}}},
    {"u4", 4, {{0xffffffff, 0}, {0xffffffff, 0}, {0xffffffff, 0}}},
    {"b1", 1, {{0xffffffff, 0}, {0xffffffff, 0}, {0xffffffff, 0}}},
    {"s32", 32, {{0x00ffffff, 0}, {0xffffffff, 0}, {0xffffffff, 0}}},
};

const struct element *element_named(const char *name)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (!strcmp(elements[i].name, name))
            return &elements[i];
    abort();
}

bool is_float(const char *type)
{
    return strchr(type, 'f') || type[0] == 'e';
}

/* Of the elements that are spread wide, one word in sixteen is zero. */
void word_write(FILE *file, const struct element *element, enum spread spread, const char *to,
                const char *from, unsigned number)
{
    fprintf(file,
            "add.u32 m0, %s, %u; mul.lo.u32 m0, m0, 0x9E3779B1; shr.u32 m1, m0, 15;\n"
            "xor.b32 m0, m0, m1; mul.lo.u32 m0, m0, 0x85EBCA77; shr.u32 m1, m0, 13;\n"
            "xor.b32 m0, m0, m1; mul.lo.u32 m0, m0, 0xC2B2AE3D; shr.u32 m1, m0, 16;\n"
            "xor.b32 m0, m0, m1; and.b32 %s, m0, 0x%x; add.u32 %s, %s, 0x%x;\n",
            from, number * 0x1003, to, element->spread[spread].keep, to, to,
            element->spread[spread].add);
    if (spread == WIDE)
        fprintf(file,
                "mul.lo.u32 m0, m0, 0x2545F491; shr.u32 m0, m0, 28; setp.eq.u32 mp, m0, 0;\n"
                "selp.b32 %s, 0, %s, mp;\n",
                to, to);
}

/* The first registers are hashes of the lane, later ones follow from the one before. */
void registers_write(FILE *file, const char *element, enum spread spread, char prefix,
                     unsigned count, unsigned number)
{
    enum { HASHED = 4 };
    const struct element *e = element_named(element);

    for (unsigned i = 0; i < count; i++) {
        char name[16];

        snprintf(name, sizeof name, "%c%u", prefix, i);
        if (i < HASHED)
            word_write(file, e, spread, name, "mi", number + i);
        else
            fprintf(file,
                    "mad.lo.u32 m0, m0, 0x9E3779B1, 0x7F4A7C15; and.b32 %s, m0, 0x%x; add.u32 %s, "
                    "%s, 0x%x;\n",
                    name, e->spread[spread].keep, name, name, e->spread[spread].add);
    }
}

void list_write(FILE *file, char prefix, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        fprintf(file, "%s%c%u", i ? "," : "{", prefix, i);
    fprintf(file, "}");
}

/* Indices of two of four elements in growing order; .tf32: one of two. */
void metadata_write(FILE *file, unsigned element_bits)
{
    fprintf(file, ".reg .b32 e, f, g; mul.lo.u32 e, mi, 0x9E3779B1; shr.u32 f, e, 7;\n"
                  "xor.b32 e, e, f; mov.u32 g, 0;\n");
    for (unsigned i = 0; i < 8; i++)
        fprintf(file, "bfe.u32 f, e, %u, 2; %s\nshl.b32 f, f, %u; or.b32 g, g, f;\n", 3 * i,
                element_bits == 32 ? "setp.eq.u32 mp, f, 0; selp.u32 f, 0xe, 0x4, mp;"
                                   : "shl.b32 f, f, 2; shr.u32 f, 0xedc4, f; and.b32 f, f, 15;",
                4 * i);
}

FILE *text_open(char **text)
{
    static size_t size;
    FILE *file = open_memstream(text, &size);

    fprintf(file, ".reg .b32 m0, m1, mi, a<8>, b<8>, c<128>; .reg .pred mp, md;\n"
                  "mul.lo.u32 mi, %%i, 64;\n");
    return file;
}

/* Folds `count` registers c into the results. */
static void results_write(FILE *file, unsigned count, unsigned results)
{
    for (unsigned i = 0; i < count; i++)
        if (i < results)
            fprintf(file, "mov.b32 %%d%u, c%u;\n", i, i);
        else
            fprintf(file, "mad.lo.u32 %%d%u, %%d%u, 0x01000193, c%u;\n", i % results, i % results,
                    i);
}

void matrix_add(const char *opcode, FILE *file, char **text, unsigned registers, unsigned results,
                unsigned lanes, const char *format, ...)
{
    char name[200], sizes[80] = "";
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    if (results > registers)
        results = registers;
    results_write(file, registers, results);
    fclose(file);
    for (unsigned i = 0; i < results; i++)
        strcat(sizes, "32 ");
    variant_add(opcode, name, sizes, "", "%s", *text)->lanes = lanes;
    free(*text);
}
