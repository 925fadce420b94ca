/* SPDX-License-Identifier: MIT */
/*
 * The kernel of a case: it loads a lane's operands, does the one instruction and stores four words.
 */
#include "textures.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *out;

static void line(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void line(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
    fputc('\n', out);
}

static const char *geometry_name(enum geometry geometry)
{
    static const char *const names[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};

    return names[geometry];
}

/* The coordinate operand as the instruction wants it. %x0 to %x2 are coordinates, %x3 the layer. */
static const char *coordinates_of(enum geometry geometry)
{
    static const char *const vectors[] = {"{%x0}",
                                          "{%x0, %x1}",
                                          "{%x0, %x1, %x2, %x2}",
                                          "{%x3, %x0}",
                                          "{%x3, %x0, %x1, %x1}",
                                          "{%x0, %x1, %x2, %x2}",
                                          "{%x3, %x0, %x1, %x2}"};

    return vectors[geometry];
}

static void sample_instruction(const struct sample *s)
{
    static const char *const gradients[] = {"{%x5}, {%x8}", "{%x5, %x6}, {%x8, %x9}",
                                            "{%x5, %x6, %x7, %x7}, {%x8, %x9, %x10, %x10}"};
    static const char components[] = " rgba";
    const char *type = s->result == 'f'   ? "f32"
                       : s->result == 'h' ? "f16"
                       : s->result == 's' ? "s32"
                                          : "u32";
    const char *outputs = s->result == 'h' ? "{%h0, %h1, %h2, %h3}" : "{%r0, %r1, %r2, %r3}";
    char offset[60] = "";
    unsigned axes = s->asked == G_1D || s->asked == G_1D_LAYERED   ? 0
                    : s->asked == G_2D || s->asked == G_2D_LAYERED ? 1
                                                                   : 2;

    if (s->has_offset && axes == 0)
        snprintf(offset, sizeof offset, ", {%d}", s->offset[0]);
    else if (s->has_offset && axes == 1)
        snprintf(offset, sizeof offset, ", {%d, %d}", s->offset[0], s->offset[1]);
    else if (s->has_offset)
        snprintf(offset, sizeof offset, ", {%d, %d, %d, %d}", s->offset[0], s->offset[1],
                 s->offset[2], s->offset[2]);
    if (s->gather)
        line("tld4.%c.%s.v4.%s.f32 %s, [%%handle, %s]%s;", components[s->gather],
             geometry_name(s->asked), type, outputs, coordinates_of(s->asked), offset);
    else if (s->level_mode == LEVEL_GIVEN)
        line("tex.level.%s.v4.%s.f32 %s, [%%handle, %s], %%x4%s;", geometry_name(s->asked), type,
             outputs, coordinates_of(s->asked), offset);
    else if (s->level_mode == LEVEL_GRADIENT)
        line("tex.grad.%s.v4.%s.f32 %s, [%%handle, %s], %s%s;", geometry_name(s->asked), type,
             outputs, coordinates_of(s->asked), gradients[axes], offset);
    else
        line("tex.%s.v4.%s.%s %s, [%%handle, %s]%s;", geometry_name(s->asked), type,
             s->integer_coordinates ? "s32" : "f32", outputs, coordinates_of(s->asked), offset);
    if (s->result == 'h')
        for (int i = 0; i < 4; i++)
            line("cvt.u32.u16 %%r%d, %%h%d;", i, i);
}

static const char *vector_of(const char *stem, unsigned components)
{
    static char text[80];
    size_t length = (size_t)snprintf(text, sizeof text, "{");

    for (unsigned i = 0; i < components; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%%%s%u", i ? ", " : "",
                                   stem, i);
    snprintf(text + length, sizeof text - length, "}");
    return text;
}

static const char *suffix_of(unsigned components)
{
    return components == 1 ? "" : components == 2 ? ".v2" : ".v4";
}

static void surface_load(const struct sample *s)
{
    const char *stem = s->element_bits < 32 ? "h" : s->element_bits == 32 ? "r" : "d";

    line("suld.b.%s%s.b%u.%s %s, [%%handle, %s];", geometry_name(s->asked),
         suffix_of(s->components), s->element_bits, s->boundary, vector_of(stem, s->components),
         coordinates_of(s->asked));
    if (s->element_bits < 32)
        for (unsigned i = 0; i < s->components; i++)
            line("cvt.u32.u16 %%r%u, %%h%u;", i, i);
    if (s->element_bits == 64)
        for (unsigned i = 0; i < s->components; i++)
            line("mov.b64 {%%r%u, %%r%u}, %%d%u;", 2 * i, 2 * i + 1, i);
}

static void surface_store(const struct sample *s)
{
    const char *stem = s->element_bits < 32 ? "h" : s->element_bits == 32 ? "r" : "d";

    for (int i = 0; i < 4; i++) {
        line("mov.b32 %%r%d, %%x%d;", i, OPERAND_VALUE + i);
        line("cvt.u16.u32 %%h%d, %%r%d;", i, i);
    }
    line("mov.b64 %%d0, {%%r0, %%r1};");
    line("mov.b64 %%d1, {%%r2, %%r3};");
    if (s->operation == OP_REDUCE)
        line("sured.%c.%s.%s.%s.%s [%%handle, %s], %s;", s->formatted ? 'p' : 'b', s->reduction,
             geometry_name(s->asked),
             s->result == 's'   ? "s32"
             : s->result == 'u' ? "u32"
                                : "b32",
             s->boundary, coordinates_of(s->asked), "%r0");
    else
        line("sust.%c.%s%s.b%u.%s [%%handle, %s], %s;", s->formatted ? 'p' : 'b',
             geometry_name(s->asked), suffix_of(s->components), s->element_bits, s->boundary,
             coordinates_of(s->asked), vector_of(stem, s->components));
}

/* %r0 to %r3: what the case's reduction field names, up to four of them. */
static void query(const struct sample *s)
{
    char names[100], *rest = names;
    int i = 0;

    snprintf(names, sizeof names, "%s", s->reduction);
    for (char *name; (name = strsep(&rest, " ")) && i < 4; i++) {
        if (strncmp(name, "suq", 3) == 0 || strncmp(name, "txq", 3) == 0)
            line("%s.b32 %%r%d, [%%handle]%s;", name, i, strstr(name, ".level") ? ", %x0" : "");
    }
}

static void body(const struct sample *s)
{
    switch (s->operation) {
    case OP_SAMPLE:
        sample_instruction(s);
        break;
    case OP_LOAD:
        surface_load(s);
        break;
    case OP_STORE:
    case OP_REDUCE:
        surface_store(s);
        break;
    case OP_QUERY:
        query(s);
        break;
    }
}

char *kernel_text(const struct sample *s)
{
    char *text = NULL;
    size_t size;

    out = open_memstream(&text, &size);
    line(".version 8.0\n.target sm_90\n.address_size 64");
    line(
        ".visible .entry go(.param .u64 handle, .param .u64 in, .param .u64 out, .param .u32 first,"
        " .param .u32 lanes)\n{");
    line(
        ".reg .b64 %%handle, %%in, %%out, %%a, %%d<4>;\n.reg .b32 %%i, %%n, %%t, %%x<16>, %%r<4>;");
    line(".reg .b16 %%h<4>;\n.reg .pred %%p;");
    line("ld.param.u64 %%handle, [handle];\nld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];");
    line("ld.param.u32 %%n, [lanes];\nld.param.u32 %%i, [first];");
    line("mov.u32 %%t, %%ctaid.x;\nmad.lo.u32 %%i, %%t, 32, %%i;\nmov.u32 %%t, %%tid.x;");
    line("add.u32 %%i, %%i, %%t;\nsetp.ge.u32 %%p, %%i, %%n;\n@%%p ret;");
    for (int i = 0; i < OPERAND_VALUE + 4; i++) {
        line("mad.lo.u32 %%t, %%n, %d, %%i;\nmul.wide.u32 %%a, %%t, 4;\nadd.u64 %%a, %%a, %%in;",
             i);
        line("ld.global.b32 %%x%d, [%%a];", i);
    }
    for (int i = 0; i < 4; i++)
        line("mov.b32 %%r%d, 0;", i);
    body(s);
    line("mul.wide.u32 %%a, %%i, 16;\nadd.u64 %%a, %%a, %%out;");
    if (s->operation != OP_STORE && s->operation != OP_REDUCE)
        line("st.global.v4.b32 [%%a], {%%r0, %%r1, %%r2, %%r3};");
    line("ret;\n}");
    fclose(out);
    return text;
}
