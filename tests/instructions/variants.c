/* SPDX-License-Identifier: MIT */
/*
 * The table itself, and a kernel's text.
 */
#include "variants.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VARIANTS = 8192 };

static struct variant *table;
static size_t table_count;

const char *variant_head(const struct variant *variant)
{
    return variant->accelerated ? ".version 9.0\n.target sm_90a\n.address_size 64\n"
                                : ".version 9.0\n.target sm_90\n.address_size 64\n";
}

static const struct {
    const char *word;
    enum class class;
} class_words[] = {{"i8", I8},       {"i16", I16},       {"i32", I32},   {"i64", I64},
                   {"i16x2", I16X2}, {"f16", F16},       {"bf16", BF16}, {"f16x2", F16X2},
                   {"f32", F32},     {"bf16x2", BF16X2}, {"f64", F64},   {"shift", SHIFT},
                   {"few", FEW},     {"few64", FEW64},   {"lane", LANE}, {"bool", BOOL}};

static char *copy_of(const char *text)
{
    char *copy = strdup(text);

    if (!copy)
        abort();
    return copy;
}

static enum class class_named(const char *word) {
    for (size_t i = 0; i < sizeof class_words / sizeof *class_words;
         i++) if (!strcmp(class_words[i].word, word)) return class_words[i]
        .class;
    fprintf(stderr, "no class of operands: %s\n", word);
    abort();
}

static void operands_parse(struct variant *variant, const char *words)
{
    char copy[200], *rest = copy;

    snprintf(copy, sizeof copy, "%s", words);
    for (char *word; (word = strtok_r(rest, " ", &rest));) {
        if (variant->operand_count == MAX_OPERANDS)
            abort();
        variant->operands[variant->operand_count++] = class_named(word);
    }
}

static void results_parse(struct variant *variant, const char *words)
{
    char copy[400], *rest = copy;

    snprintf(copy, sizeof copy, "%s", words);
    for (char *word; (word = strtok_r(rest, " ", &rest));) {
        if (variant->result_count == MAX_RESULTS)
            abort();
        variant->result_bits[variant->result_count++] = atoi(word);
    }
}

static struct variant *variant_new(const char *opcode, const char *name, const char *results,
                                   const char *operands, const char *text)
{
    if (table_count == MAX_VARIANTS)
        abort();
    struct variant *variant = &table[table_count++];

    variant->opcode = copy_of(opcode);
    variant->name = copy_of(name);
    variant->text = copy_of(text);
    operands_parse(variant, operands);
    results_parse(variant, results);
    variant->lanes = 768;
    return variant;
}

struct variant *variant_add(const char *opcode, const char *name, const char *results,
                            const char *operands, const char *format, ...)
{
    char text[65536];
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof text)
        abort();
    return variant_new(opcode, name, results, operands, text);
}

struct variant *variant_one(const char *opcode, const char *results, const char *operands,
                            const char *name_format, ...)
{
    static const char *const registers[] = {"%a", "%b", "%c", "%e"};
    char name[200], text[400];
    va_list arguments;

    va_start(arguments, name_format);
    vsnprintf(name, sizeof name, name_format, arguments);
    va_end(arguments);
    struct variant *variant = variant_new(opcode, name, results, operands, "");
    int length = snprintf(text, sizeof text, "%s %%d0", name);
    for (int i = 0; i < variant->operand_count; i++)
        length += snprintf(text + length, sizeof text - length, ", %s", registers[i]);
    snprintf(text + length, sizeof text - length, ";");
    free((char *)variant->text);
    variant->text = copy_of(text);
    return variant;
}

size_t variant_lane_bytes(const struct variant *variant)
{
    size_t bytes = 0;

    for (int i = 0; i < variant->result_count; i++)
        bytes += variant->result_bits[i] / 8;
    return bytes;
}

size_t variant_bytes(const struct variant *variant)
{
    return variant_lane_bytes(variant) * variant->lanes;
}

void variant_kernel_name(const struct variant *variant, char *name, size_t size)
{
    snprintf(name, size, "v%zu_%s", (size_t)(variant - table), variant->name);
    for (char *letter = name; *letter; letter++)
        if (!isalnum((unsigned char)*letter))
            *letter = '_';
}

/* The thread's index in %i. */
static const char index_line[] =
    "mov.u32 %i, %ctaid.x; mov.u32 %r0, %tid.x; mov.u32 %r1, %ntid.x;\n"
    "mad.lo.u32 %i, %i, %r1, %r0;\n";
static const char index_box[] =
    "mov.u32 %i, %ctaid.z; mov.u32 %r0, %nctaid.y; mov.u32 %r1, %ctaid.y; mad.lo.u32 %i, %i, %r0, "
    "%r1;\n"
    "mov.u32 %r0, %nctaid.x; mov.u32 %r1, %ctaid.x; mad.lo.u32 %i, %i, %r0, %r1;\n"
    "mov.u32 %r0, %ntid.z; mov.u32 %r1, %tid.z; mad.lo.u32 %i, %i, %r0, %r1;\n"
    "mov.u32 %r0, %ntid.y; mov.u32 %r1, %tid.y; mad.lo.u32 %i, %i, %r0, %r1;\n"
    "mov.u32 %r0, %ntid.x; mov.u32 %r1, %tid.x; mad.lo.u32 %i, %i, %r0, %r1;\n";

static void operand_write(FILE *file, const struct variant *variant, int operand)
{
    static const char names[] = "abce";
    int bytes = input_bytes(variant->operands[operand]);
    int bits = bytes == 1 ? 16 : bytes * 8;

    fprintf(file, ".reg .b%d %%%c; ld.param.u64 %%l0, [p%d]; mul.wide.u32 %%l1, %%i, %d;\n", bits,
            names[operand], operand, bytes);
    fprintf(file, "add.u64 %%l0, %%l0, %%l1; ld.global.%c%d %%%c, [%%l0];\n",
            bytes == 1 ? 'u' : 'b', bytes * 8, names[operand]);
}

/* Results lie in planes, one after the other. */
static void result_write(FILE *file, const struct variant *variant, int result, size_t plane)
{
    int bytes = variant->result_bits[result] / 8;

    fprintf(file,
            "mul.wide.u32 %%l1, %%i, %d; add.u64 %%l1, %%l1, %%o; st.global.b%d [%%l1+%zu], "
            "%%d%d;\n",
            bytes, bytes * 8, plane, result);
}

char *variant_kernel(const struct variant *variant)
{
    char name[300], *text = NULL;
    size_t size, plane = 0;
    FILE *file = open_memstream(&text, &size);

    variant_kernel_name(variant, name, sizeof name);
    if (variant->prologue)
        fprintf(file, "%s\n", variant->prologue);
    fprintf(file,
            ".visible .entry %s(.param .u64 po, .param .u64 ps, .param .u64 p0, .param .u64 p1, "
            ".param .u64 p2, .param .u64 p3)\n{\n",
            name);
    fprintf(file,
            ".reg .pred %%p<8>; .reg .b16 %%h<8>; .reg .b32 %%r<16>; .reg .b64 %%l<8>;\n"
            ".reg .b32 %%i; .reg .b64 %%o, %%s;\n%s"
            "ld.param.u64 %%o, [po]; ld.param.u64 %%s, [ps]; mul.wide.u32 %%l0, %%i, 64;\n"
            "add.u64 %%s, %%s, %%l0;\n",
            variant->shape == BOX ? index_box : index_line);
    for (int i = 0; i < variant->operand_count; i++)
        operand_write(file, variant, i);
    for (int i = 0; i < variant->result_count; i++)
        fprintf(file, ".reg .b%d %%d%d;\n",
                variant->result_bits[i] == 8 ? 16 : variant->result_bits[i], i);
    fprintf(file, "%s\n", variant->text);
    for (int i = 0; i < variant->result_count; i++) {
        result_write(file, variant, i, plane);
        plane += (size_t)variant->lanes * variant->result_bits[i] / 8;
    }
    fprintf(file, "ret;\n}\n");
    fclose(file);
    return text;
}

static uint64_t variant_hash(const struct variant *variant)
{
    char *text = variant_kernel(variant);
    uint64_t hash = 1469598103934665603ull ^ variant->lanes;
    const char *letter = strchr(text, '(');

    for (; *letter; letter++)
        hash = (hash ^ (unsigned char)*letter) * 1099511628211ull;
    for (int i = 0; i < variant->operand_count; i++)
        for (unsigned lane = 0; lane < variant->lanes; lane++) {
            hash ^= input_value(variant, i, lane);
            hash *= 1099511628211ull;
        }
    free(text);
    return hash;
}

const struct variant *variants_table(size_t *count)
{
    if (!table) {
        table = calloc(MAX_VARIANTS, sizeof *table);
        variants_integer();
        variants_logic();
        variants_float();
        variants_half();
        variants_approximate();
        variants_compare();
        variants_convert();
        variants_video();
        variants_memory();
        variants_atomic();
        variants_warp();
        variants_special();
        variants_async();
        /* The recorded text of a call has its number: new chapters come last. */
        size_t first = table_count;
        variants_matrix();
        variants_group();
        variants_edges();
        variants_small();
        variants_loops();
        variants_contraction();
        variants_group_sparse();
        variants_fragments();
        variants_video_mixed();
        variants_video_whole();
        variants_smallest();
        variants_products();
        for (size_t i = 0; i < table_count; i++) {
            table[i].accelerated = i >= first;
            table[i].hash = variant_hash(&table[i]);
        }
    }
    *count = table_count;
    return table;
}
