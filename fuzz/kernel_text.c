/* SPDX-License-Identifier: MIT */
/* Prints a kernel as PTX. Its parameters: results, the threads' own memory, counters, input, and a
 * word. */
#include "kernel_program.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct text {
    char *at;
    size_t left;
    bool is_function;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(text->at, text->left, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= text->left) {
        text->left = 0;
        return;
    }
    text->at += length;
    text->left -= (size_t)length;
}

static const char *name(char buffer[32], char class, const struct source *source)
{
    if (source->is_immediate)
        snprintf(buffer, 32, "%s%llu", "", (unsigned long long)source->immediate);
    else
        snprintf(buffer, 32, "%%%c%u", class, source->index);
    return buffer;
}

static void put_guard(struct text *text, const struct instruction *one)
{
    if (one->guard >= 0)
        put(text, "@%s%%p%d ", one->guard_negated ? "!" : "", one->guard);
}

/* The index, made small, in %t0. */
static void put_index(struct text *text, const struct instruction *one, unsigned mask)
{
    char buffer[32];

    put(text, "mov.b32 %%t0, %s;\nand.b32 %%t0, %%t0, %u;\n", name(buffer, 'r', &one->sources[0]),
        mask);
}

static void put_access(struct text *text, const struct kernel *kernel,
                       const struct instruction *one)
{
    static const char *const types[] = {"u8", "u16", "u32", "u64"};
    unsigned shift = one->mode >> MODE_SHIFT, all = kernel_threads(kernel);
    char class = shift == 3 ? 'd' : 'r', buffer[32];

    if (one->mode & MODE_SPREAD) {
        put_index(text, one, PRIVATE_WORDS - 1);
        put(text, "mad.lo.s32 %%t0, %%t0, %u, %%g;\nmul.wide.u32 %%a0, %%t0, 4;\n", all);
        put(text, "add.s64 %%a0, %%a0, %%memory;\n");
    } else {
        put_index(text, one, (PRIVATE_WORDS * 4u >> shift) - 1);
        put(text, "mul.wide.u32 %%a0, %%t0, %u;\nmul.wide.u32 %%a1, %%g, %u;\n", 1u << shift,
            PRIVATE_WORDS * 4);
        put(text, "add.s64 %%a0, %%a0, %%a1;\nadd.s64 %%a0, %%a0, %%memory;\n");
        put(text, "add.s64 %%a0, %%a0, %u;\n", all * PRIVATE_WORDS * 4);
    }
    put_guard(text, one);
    if (one->op == OP_LOAD)
        put(text, "ld.global.%s %%%c%u, [%%a0];\n", types[shift], class, one->result);
    else
        put(text, "st.global.%s [%%a0], %s;\n", types[shift],
            name(buffer, class, &one->sources[1]));
}

static void put_local(struct text *text, const struct instruction *one)
{
    char buffer[32];

    put_index(text, one, LOCAL_WORDS - 1);
    put(text, "mul.wide.u32 %%a0, %%t0, 4;\nmov.u64 %%a1, place;\nadd.s64 %%a0, %%a0, %%a1;\n");
    put_guard(text, one);
    if (one->op == OP_LOAD_LOCAL)
        put(text, "ld.local.u32 %%r%u, [%%a0];\n", one->result);
    else
        put(text, "st.local.u32 [%%a0], %s;\n", name(buffer, 'r', &one->sources[1]));
}

static void put_call(struct text *text, const struct instruction *one)
{
    char a[32], b[32];

    put(text, "{\n.param .b32 x;\n.param .b32 y;\n.param .b32 z;\n");
    put(text, "st.param.b32 [x], %s;\nst.param.b32 [y], %s;\n", name(a, 'r', &one->sources[0]),
        name(b, 'r', &one->sources[1]));
    put(text, "call (z), function, (x, y);\nld.param.b32 %%r%u, [z];\n}\n", one->result);
}

static void put_meeting(struct text *text, const struct kernel *kernel,
                        const struct instruction *one)
{
    static const char *const shuffles[] = {"up", "down", "bfly", "idx"};
    static const char *const votes[] = {"all.pred", "any.pred", "ballot.b32"};
    char a[32], b[32];
    unsigned width = (unsigned)one->sources[2].immediate;

    switch (one->op) {
    case OP_SHUFFLE:
        put(text, "shfl.sync.%s.b32 %%r%u|%%p%u, %s, %s, %u, -1;\n", shuffles[one->mode],
            one->result, one->target, name(a, 'r', &one->sources[0]),
            name(b, 'r', &one->sources[1]), (32 - width) << 8 | (one->mode ? 31 : 0));
        break;
    case OP_VOTE:
        put(text, "vote.sync.%s %%%c%u, %%p%u, -1;\n", votes[one->mode],
            one->mode == VOTE_BALLOT ? 'r' : 'p', one->result, one->sources[0].index);
        break;
    case OP_REDUCE:
        put(text, "redux.sync.add.s32 %%r%u, %s, -1;\n", one->result,
            name(a, 'r', &one->sources[0]));
        break;
    default:
        put(text, "mul.wide.u32 %%a0, %%lin, 4;\nmov.u64 %%a1, box;\nadd.s64 %%a0, %%a0, %%a1;\n");
        put(text, "st.shared.b32 [%%a0], %s;\nbar.sync 0;\n", name(a, 'r', &one->sources[0]));
        put(text, "add.s32 %%t0, %%lin, %u;\nrem.u32 %%t0, %%t0, %u;\n",
            (unsigned)one->sources[1].immediate, kernel_block_threads(kernel));
        put(text, "mul.wide.u32 %%a0, %%t0, 4;\nadd.s64 %%a0, %%a0, %%a1;\n");
        put(text, "ld.shared.b32 %%r%u, [%%a0];\nbar.sync 0;\n", one->result);
    }
}

static void put_computation(struct text *text, const struct instruction *one)
{
    const char *classes = kernel_op_sources[one->op];
    char buffer[32];

    put_guard(text, one);
    put(text, "%s %%%c%u", kernel_op_texts[one->op], kernel_op_results[one->op], one->result);
    for (int i = 0; classes[i]; i++)
        put(text, ", %s", name(buffer, classes[i], &one->sources[i]));
    put(text, ";\n");
}

static void put_instruction(struct text *text, const struct kernel *kernel,
                            const struct instruction *one, unsigned number)
{
    char letter = text->is_function ? 'F' : 'L', buffer[32];

    switch (one->op) {
    case OP_LABEL:
        put(text, "%c%u:\n", letter, one->target);
        break;
    case OP_BRA:
        put_guard(text, one);
        put(text, "bra %c%u;\n", letter, one->target);
        break;
    case OP_BRX:
        put(text, "and.b32 %%t0, %s, %u;\n", name(buffer, 'r', &one->sources[0]), TABLE - 1);
        put(text, "%cT%u: .branchtargets ", letter, number);
        for (int i = 0; i < TABLE; i++)
            put(text, "%s%c%u", i ? ", " : "", letter, one->table[i]);
        put(text, ";\nbrx.idx %%t0, %cT%u;\n", letter, number);
        break;
    case OP_CALL:
        put_call(text, one);
        break;
    case OP_LOAD:
    case OP_STORE:
        put_access(text, kernel, one);
        break;
    case OP_LOAD_LOCAL:
    case OP_STORE_LOCAL:
        put_local(text, one);
        break;
    case OP_LOAD_INPUT:
        put_index(text, one, INPUT_WORDS - 1);
        put(text, "mul.wide.u32 %%a0, %%t0, 4;\nadd.s64 %%a0, %%a0, %%input;\n");
        put_guard(text, one);
        put(text, "ld.global%s.u32 %%r%u, [%%a0];\n", number % 2 ? ".nc" : "", one->result);
        break;
    case OP_COUNT:
        put_guard(text, one);
        put(text, "red.global.add.u32 [%%counters+%u], %s;\n", 4u * one->mode,
            name(buffer, 'r', &one->sources[0]));
        break;
    case OP_RETURN:
        break;
    default:
        if (one->op < OP_COMPUTING)
            put_computation(text, one);
        else
            put_meeting(text, kernel, one);
    }
}

static void put_code(struct text *text, const struct kernel *kernel, const struct code *code)
{
    for (unsigned i = 0; i < code->count; i++)
        put_instruction(text, kernel, &code->list[i], i);
}

static void put_registers(struct text *text)
{
    put(text,
        ".reg .b32 %%r<%u>;\n.reg .b64 %%d<%u>;\n.reg .b16 %%h<%u>;\n.reg .pred %%p<%u>;\n"
        ".reg .f32 %%f<%u>;\n.reg .b32 %%t<3>, %%g, %%lin;\n.reg .b64 %%a<3>;\n",
        REGISTERS_ALL, WIDE, SHORT, PREDICATES, FLOATS);
}

static void put_function(struct text *text, const struct kernel *kernel)
{
    text->is_function = true;
    put(text, ".func (.param .b32 z) function(.param .b32 x, .param .b32 y)\n{\n");
    put_registers(text);
    for (unsigned i = 0; i < REGISTERS_ALL; i++)
        put(text, "mov.b32 %%r%u, 0;\n", i);
    for (unsigned i = 0; i < WIDE; i++)
        put(text, "mov.b64 %%d%u, 0;\n", i);
    for (unsigned i = 0; i < SHORT; i++)
        put(text, "mov.b16 %%h%u, 0;\n", i);
    for (unsigned i = 0; i < PREDICATES; i++)
        put(text, "setp.ne.s32 %%p%u, %%r0, 0;\n", i);
    for (unsigned i = 0; i < FLOATS; i++)
        put(text, "mov.f32 %%f%u, 0f00000000;\n", i);
    put(text, "ld.param.b32 %%r0, [x];\nld.param.b32 %%r1, [y];\n");
    put_code(text, kernel, &kernel->function);
    put(text, "st.param.b32 [z], %%r2;\nret;\n}\n");
    text->is_function = false;
}

static void put_start(struct text *text, const struct kernel *kernel, unsigned i)
{
    uint32_t value = kernel->start_values[i];

    switch (kernel->starts[i]) {
    case START_TID:
        put(text, "mov.u32 %%r%u, %%tid.x;\nadd.s32 %%r%u, %%r%u, %u;\n", i, i, i, value);
        break;
    case START_GLOBAL:
        put(text, "add.s32 %%r%u, %%g, %u;\n", i, value);
        break;
    case START_BLOCK:
        put(text, "mov.u32 %%r%u, %%ctaid.x;\n", i);
        break;
    case START_LANE:
        put(text, "mov.u32 %%r%u, %%laneid;\n", i);
        break;
    case START_INPUT:
        put(text, "and.b32 %%t0, %%g, %u;\nmul.wide.u32 %%a0, %%t0, 4;\n", INPUT_WORDS - 1);
        put(text, "add.s64 %%a0, %%a0, %%input;\nld.global.u32 %%r%u, [%%a0];\n", i);
        break;
    case START_PARAMETER:
        put(text, "ld.param.u32 %%r%u, [parameter];\n", i);
        break;
    default:
        put(text, "mov.u32 %%r%u, %u;\n", i, value);
    }
}

static void put_starts(struct text *text, const struct kernel *kernel)
{
    static const char *const names[] = {"results", "memory", "counters", "input"};

    for (int i = 0; i < 4; i++)
        put(text, "ld.param.u64 %%%s, [p_%s];\n", names[i], names[i]);
    put(text, "mov.u32 %%t0, %%tid.z;\nmov.u32 %%t1, %%ntid.y;\nmov.u32 %%t2, %%tid.y;\n");
    put(text, "mad.lo.s32 %%t0, %%t0, %%t1, %%t2;\nmov.u32 %%t1, %%ntid.x;\n");
    put(text, "mov.u32 %%t2, %%tid.x;\nmad.lo.s32 %%lin, %%t0, %%t1, %%t2;\n");
    put(text, "mov.u32 %%t0, %%ctaid.x;\nmad.lo.s32 %%g, %%t0, %u, %%lin;\n",
        kernel_block_threads(kernel));
    for (unsigned i = 0; i < REGISTERS; i++)
        put_start(text, kernel, i);
    for (unsigned i = REGISTERS; i < REGISTERS_ALL; i++)
        put(text, "mov.u32 %%r%u, 0;\n", i);
    for (unsigned i = 0; i < WIDE; i++)
        put(text, "mov.b64 %%d%u, {%%r%u, %%r%u};\n", i, (i + 1) % REGISTERS, i);
    for (unsigned i = 0; i < SHORT; i++)
        put(text, "cvt.u16.u32 %%h%u, %%r%u;\n", i, i);
    for (unsigned i = 0; i < PREDICATES; i++)
        put(text, "and.b32 %%t0, %%r%u, 1;\nsetp.ne.s32 %%p%u, %%t0, 0;\n", i, i);
    for (unsigned i = 0; i < FLOATS; i++)
        put(text, "cvt.rn.f32.s32 %%f%u, %%r%u;\n", i, i);
    for (unsigned i = 0; i < LOCAL_WORDS; i++)
        put(text, "st.local.u32 [place+%u], 0;\n", 4 * i);
}

static void put_result(struct text *text, const struct kernel *kernel, unsigned *word,
                       const char *value)
{
    put(text, "st.global.u32 [%%a0+%u], %s;\n", *word * kernel_threads(kernel) * 4, value);
    ++*word;
}

static void put_results(struct text *text, const struct kernel *kernel)
{
    unsigned word = 0;
    char value[16];

    put(text, "mul.wide.u32 %%a0, %%g, 4;\nadd.s64 %%a0, %%a0, %%results;\n");
    for (unsigned i = 0; i < REGISTERS; i++) {
        snprintf(value, sizeof(value), "%%r%u", i);
        put_result(text, kernel, &word, value);
    }
    for (unsigned i = 0; i < WIDE; i++) {
        put(text, "mov.b64 {%%t0, %%t1}, %%d%u;\n", i);
        put_result(text, kernel, &word, "%t0");
        put_result(text, kernel, &word, "%t1");
    }
    for (unsigned i = 0; i < SHORT; i++) {
        put(text, "cvt.u32.u16 %%t0, %%h%u;\n", i);
        put_result(text, kernel, &word, "%t0");
    }
    put(text, "mov.u32 %%t1, 0;\n");
    for (unsigned i = 0; i < PREDICATES; i++)
        put(text, "@%%p%u or.b32 %%t1, %%t1, %u;\n", i, 1u << i);
    put_result(text, kernel, &word, "%t1");
    for (unsigned i = 0; i < FLOATS; i++) {
        put(text, "mov.b32 %%t0, %%f%u;\n", i);
        put_result(text, kernel, &word, "%t0");
    }
}

bool kernel_print(const struct kernel *kernel, char *buffer, size_t bytes)
{
    struct text text = {buffer, bytes, false};

    put(&text, ".version 8.0\n.target sm_80\n.address_size 64\n");
    put_function(&text, kernel);
    put(&text, ".visible .entry kernel(.param .u64 p_results, .param .u64 p_memory, "
               ".param .u64 p_counters, .param .u64 p_input, .param .u32 parameter)\n{\n");
    put_registers(&text);
    put(&text, ".reg .b64 %%results, %%memory, %%counters, %%input;\n");
    put(&text, ".local .align 8 .b8 place[%u];\n.shared .align 8 .b8 box[%u];\n", 4 * LOCAL_WORDS,
        4 * kernel_block_threads(kernel));
    put_starts(&text, kernel);
    put_code(&text, kernel, &kernel->body);
    put_results(&text, kernel);
    put(&text, "ret;\n}\n");
    return text.left > 0;
}
