/* SPDX-License-Identifier: MIT */
/* Prints a kernel as PTX. Its parameters: results, the threads' own memory, counters, input, and a
 * word. */
#include "kernel_text.h"

#include <string.h>

/* The index, made small, in %t0. */
static void put_index(struct text *text, const struct instruction *one, unsigned mask)
{
    char buffer[32];

    put(text, "mov.b32 %%t0, %s;\nand.b32 %%t0, %%t0, %u;\n", name(buffer, 'r', &one->sources[0]),
        mask);
}

/* Registers for addresses: each instruction's own, so that their class is that of the address. */
static void open_scope(struct text *text, const struct kernel *kernel)
{
    if (kernel->newer)
        put(text, "{\n.reg .b32 %%t<8>;\n.reg .b64 %%a<6>;\n.reg .pred %%c<2>;\n");
}

static void close_scope(struct text *text, const struct kernel *kernel)
{
    if (kernel->newer)
        put(text, "}\n");
}

/* Weak, volatile and relaxed accesses of a thread's own memory give the same. */
static const char *strength(const struct kernel *kernel, unsigned number)
{
    static const char *const words[] = {"", "", ".volatile", ".relaxed.gpu"};

    return words[kernel->newer ? number % 4 : 0];
}

static void put_access(struct text *text, const struct kernel *kernel,
                       const struct instruction *one, unsigned number)
{
    static const char *const types[] = {"u8", "u16", "u32", "u64"};
    unsigned shift = one->mode >> MODE_SHIFT, all = kernel_threads(kernel);
    char class = shift == 3 ? 'd' : 'r', buffer[32];

    open_scope(text, kernel);
    if (kernel->newer && one->mode & MODE_SPREAD) {
        char index[32];

        put(text, "and.b32 %%t1, %s, %u;\nmad.lo.s32 %%t2, %%t1, %u, %%g;\n",
            name(index, 'r', &one->sources[0]), PRIVATE_WORDS - 1, all);
        put(text, "mul.wide.u32 %%a1, %%t2, 4;\nadd.s64 %%a0, %%a1, %%memory;\n");
    } else if (one->mode & MODE_SPREAD) {
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
        put(text, "ld%s.global.%s %%%c%u, [%%a0];\n", strength(kernel, number), types[shift], class,
            one->result);
    else
        put(text, "st%s.global.%s [%%a0], %s;\n", strength(kernel, number), types[shift],
            name(buffer, class, &one->sources[1]));
    close_scope(text, kernel);
}

static void put_chain(struct text *text, const struct instruction *one)
{
    static const char *const names[] = {"add", "sub", "mad", "mad"}, *const halves[] = {
                                                                         "", "", ".lo", ".hi"};
    unsigned kind = one->mode & CHAIN_KIND;
    char class = one->mode & CHAIN_WIDE ? 'd' : 'r', buffer[32];

    put_guard(text, one);
    put(text, "%s%s%s%s.%s %%%c%u", names[kind], one->mode & CHAIN_IN ? "c" : "", halves[kind],
        one->mode & CHAIN_OUT ? ".cc" : "", class == 'd' ? "u64" : "u32", class, one->result);
    for (int i = 0; i < (kind < CHAIN_MAD_LOW ? 2 : 3); i++)
        put(text, ", %s", name(buffer, class, &one->sources[i]));
    put(text, ";\n");
}

/* The lanes whose address is a multiple of the access, by a guard or round a branch. */
static void put_wide(struct text *text, const struct kernel *kernel, const struct instruction *one,
                     unsigned number)
{
    unsigned words = 1u << one->mode, all = kernel_threads(kernel);
    size_t offset =
        4 * ((size_t)all * PRIVATE_WORDS * 2 + (one->mode == 2 ? kernel_wide_words(kernel) : 0));
    bool store = one->op == OP_STORE_WIDE, branch = number % 2;
    const char *parts = words == 2 ? "{%t2, %t3}" : "{%t2, %t3, %t4, %t5}", *guard;
    char buffer[32];

    open_scope(text, kernel);
    put(text, "and.b32 %%t0, %%g, %u;\nsetp.eq.u32 %%c0, %%t0, 0;\n", words - 1);
    if (one->guard >= 0 && one->guard_negated)
        put(text, "not.pred %%c1, %%p%d;\nand.pred %%c0, %%c0, %%c1;\n", one->guard);
    else if (one->guard >= 0)
        put(text, "and.pred %%c0, %%c0, %%p%d;\n", one->guard);
    put(text, "and.b32 %%t1, %%g, %u;\n", INPUT_WORDS - 1);
    put(text, "mul.wide.u32 %%a0, %s, 4;\nadd.s64 %%a1, %%a0, %s;\n", store ? "%g" : "%t1",
        store ? "%memory" : "%input");
    if (store)
        put(text, "add.s64 %%a2, %%a1, %zu;\n", offset);
    if (branch)
        put(text, "@!%%c0 bra W%u;\n", number);
    guard = branch ? "" : "@%c0 ";
    put(text, "%sld.global.v%u.u32 %s, [%s];\n", guard, words, parts, store ? "%a2" : "%a1");
    for (unsigned i = 0; store && i < words; i++)
        put(text, "%sadd.u32 %%t%u, %%t%u, %s;\n", guard, 2 + i, 2 + i,
            name(buffer, 'r', &one->sources[i & 1]));
    if (store && words == 2)
        put(text, "mov.b64 %%a3, {%%t2, %%t3};\n%sst.global.u64 [%%a2], %%a3;\n", guard);
    else if (store)
        put(text, "%sst.global.v4.u32 [%%a2], %s;\n", guard, parts);
    put(text, "%smov.b32 %%r%u, %%t2;\n", guard, one->result);
    for (unsigned i = 1; i < words; i++)
        put(text, "shl.b32 %%t6, %%t%u, %u;\n%sadd.u32 %%r%u, %%r%u, %%t6;\n", 2 + i, i, guard,
            one->result, one->result);
    if (branch)
        put(text, "W%u:\n", number);
    close_scope(text, kernel);
}

static void put_named(struct text *text, const struct instruction *one, unsigned number)
{
    static const char *const places[] = {"place", "table", "constants", "place"},
                             *const spaces[] = {"local", "global", "const", "local"};
    const char *place = places[one->mode];
    bool named = number % 2 || one->mode == NAMED_CONST; /* .const has no generic form */
    char buffer[32];

    put_guard(text, one);
    if (one->mode == NAMED_STORE_LOCAL)
        put(text, "st%s%s.b32 [%s+%u], %s;\n", named ? "." : "", named ? "local" : "", place,
            4u * one->target, name(buffer, 'r', &one->sources[1]));
    else
        put(text, "ld%s%s.b32 %%r%u, [%s+%u];\n", named ? "." : "", named ? spaces[one->mode] : "",
            one->result, place, 4u * one->target);
}

static const char *const position_names[POSITIONS] = {
    "tid.x",       "tid.y",       "tid.z",       "laneid",      "lanemask_eq",
    "lanemask_le", "lanemask_lt", "lanemask_ge", "lanemask_gt", "ctaid.x",
    "nctaid.x",    "ntid.x",      "ntid.y",      "ntid.z"};

/* Each step in a register of its own, so that its class is that of its value. */
static void put_position(struct text *text, const struct instruction *one)
{
    char buffer[32];

    put(text, "{\n.reg .b32 %%s<%u>;\n", 2 + POSITION_STEPS);
    put(text, "mov.u32 %%s0, %%%s;\nmov.u32 %%s1, %%%s;\n", position_names[one->table[0]],
        position_names[one->table[1]]);
    for (unsigned i = 0; i < POSITION_STEPS; i++)
        put(text, "%s %%s%u, %%s%u, %s;\n", kernel_op_texts[one->steps[i]], 2 + i, i ? 1 + i : 0,
            one->sources[i].is_immediate ? name(buffer, 'r', &one->sources[i]) : "%s1");
    put_guard(text, one);
    put(text, "add.u32 %%r%u, %s, %%s%u;\n}\n", one->result,
        name(buffer, 'r', &one->sources[POSITION_STEPS]), 1 + POSITION_STEPS);
}

static void put_halves(struct text *text, const struct instruction *one)
{
    char a[32], b[32];

    if (one->mode == HALVES_OF_POSITION) {
        put(text, "{\n.reg .b32 %%s<3>;\n.reg .b64 %%w;\nmov.u32 %%s0, %%%s;\n",
            position_names[one->table[0]]);
        put(text, "mul.wide.u32 %%w, %%s0, %u;\nadd.s64 %%w, %%w, %lld;\n",
            (unsigned)one->sources[0].immediate, (long long)one->sources[1].immediate);
        put(text, "mov.b64 {%%s1, %%s2}, %%w;\n");
        put_guard(text, one);
        put(text, "add.u32 %%r%u, %s, %%s2;\n}\n", one->result, name(a, 'r', &one->sources[2]));
        return;
    }
    put_guard(text, one);
    switch (one->mode) {
    case HALVES_OF_64:
        put(text, "mov.b64 {%%r%u, %%r%u}, %s;\n", one->result, one->table[0],
            name(a, 'd', &one->sources[0]));
        break;
    case HALVES_TO_64:
        put(text, "mov.b64 %%d%u, {%s, %s};\n", one->result, name(a, 'r', &one->sources[0]),
            name(b, 'r', &one->sources[1]));
        break;
    case HALVES_OF_32:
        put(text, "mov.b32 {%%h%u, %%h%u}, %s;\n", one->result, one->table[0],
            name(a, 'r', &one->sources[0]));
        break;
    default:
        put(text, "mov.b32 %%r%u, {%s, %s};\n", one->result, name(a, 'h', &one->sources[0]),
            name(b, 'h', &one->sources[1]));
    }
}

static void put_call_vector(struct text *text, const struct instruction *one)
{
    char a[32], b[32];

    put(text, "{\n.reg .v2 .b32 %%u, %%w;\nmov.b32 %%u.x, %s;\nmov.b32 %%u.y, %s;\n",
        name(a, 'r', &one->sources[0]), name(b, 'r', &one->sources[1]));
    put(text, "call (%%w), vectors, (%%u);\nadd.u32 %%r%u, %%w.x, %%w.y;\n}\n", one->result);
}

/* A word of shared memory by its name, without its state space. */
static void put_shared_word(struct text *text, const struct instruction *one, unsigned number)
{
    char a[32];
    bool sum = one->op == OP_SUM;

    put(text, "{\n.reg .pred %%c0;\nsetp.eq.u32 %%c0, %%lin, %u;\n",
        (unsigned)one->sources[1].immediate);
    put(text, "@%%c0 st%s.b32 [word+4], %s;\nbar.sync 0;\n", number % 2 ? ".shared" : "",
        sum ? "0" : name(a, 'r', &one->sources[0]));
    if (sum)
        put(text, "red%s.add.u32 [word+4], %s;\nbar.sync 0;\n", number % 3 ? "" : ".shared",
            name(a, 'r', &one->sources[0]));
    put(text, "ld%s.b32 %%r%u, [word+4];\nbar.sync 0;\n}\n", number % 4 < 2 ? "" : ".volatile",
        one->result);
}

static void put_local(struct text *text, const struct kernel *kernel, const struct instruction *one)
{
    char buffer[32];

    open_scope(text, kernel);
    put_index(text, one, LOCAL_WORDS - 1);
    put(text, "mul.wide.u32 %%a0, %%t0, 4;\nmov.u64 %%a1, place;\nadd.s64 %%a0, %%a0, %%a1;\n");
    put_guard(text, one);
    if (one->op == OP_LOAD_LOCAL)
        put(text, "ld.local.u32 %%r%u, [%%a0];\n", one->result);
    else
        put(text, "st.local.u32 [%%a0], %s;\n", name(buffer, 'r', &one->sources[1]));
    close_scope(text, kernel);
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
        open_scope(text, kernel);
        put(text, "mul.wide.u32 %%a0, %%lin, 4;\nmov.u64 %%a1, box;\nadd.s64 %%a0, %%a0, %%a1;\n");
        put(text, "st.shared.b32 [%%a0], %s;\nbar.sync 0;\n", name(a, 'r', &one->sources[0]));
        put(text, "add.s32 %%t0, %%lin, %u;\nrem.u32 %%t0, %%t0, %u;\n",
            (unsigned)one->sources[1].immediate, kernel_block_threads(kernel));
        put(text, "mul.wide.u32 %%a0, %%t0, 4;\nadd.s64 %%a0, %%a0, %%a1;\n");
        put(text, "ld.shared.b32 %%r%u, [%%a0];\nbar.sync 0;\n", one->result);
        close_scope(text, kernel);
    }
}

/* ptxas divides numbers of 64 bits by a text of its own, in which a register and a number are no
 * operand (docs/PTXAS-BUGS.md): their sum is a register. */
static const char *divided(struct text *text, char buffer[32], unsigned place,
                           const struct source *source)
{
    if (source->is_immediate || !source->immediate)
        return name(buffer, 'd', source);
    put(text, "add.s64 %%a%u, %%d%u, %llu;\n", place, source->index,
        (unsigned long long)source->immediate);
    snprintf(buffer, 32, "%%a%u", place);
    return buffer;
}

static void put_computation(struct text *text, const struct instruction *one)
{
    const char *classes = kernel_op_sources[one->op];
    bool divides = one->op >= OP_DIVUD && one->op <= OP_REMSD;
    char sources[4][32];

    for (unsigned i = 0; classes[i]; i++) {
        if (divides)
            divided(text, sources[i], i, &one->sources[i]);
        else
            name(sources[i], classes[i], &one->sources[i]);
    }
    put_guard(text, one);
    put(text, "%s %%%c%u", kernel_op_texts[one->op], kernel_op_results[one->op], one->result);
    for (unsigned i = 0; classes[i]; i++)
        put(text, ", %s", sources[i]);
    put(text, ";\n");
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

    open_scope(text, kernel);
    put(text, "mul.wide.u32 %%a1, %%g, 4;\nadd.s64 %%a0, %%a1, %%results;\n");
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
    for (unsigned i = 0; kernel->has_matrices && i < MATRIX_REGISTERS; i++) {
        snprintf(value, sizeof(value), "%%m%u", i);
        if (matrix_is_kept(&kernel->matrices, i))
            put_result(text, kernel, &word, value);
        else
            word++;
    }
    close_scope(text, kernel);
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
    case OP_CALL_VECTOR:
        put_call_vector(text, one);
        break;
    case OP_CHAIN:
        put_chain(text, one);
        break;
    case OP_POSITION:
        put_position(text, one);
        break;
    case OP_HALVES:
        put_halves(text, one);
        break;
    case OP_LOAD_WIDE:
    case OP_STORE_WIDE:
        put_wide(text, kernel, one, number);
        break;
    case OP_LOAD_NAMED:
        put_named(text, one, number);
        break;
    case OP_BROADCAST:
    case OP_SUM:
        put_shared_word(text, one, number);
        break;
    case OP_LOAD:
    case OP_STORE:
        put_access(text, kernel, one, number);
        break;
    case OP_LOAD_LOCAL:
    case OP_STORE_LOCAL:
        put_local(text, kernel, one);
        break;
    case OP_LOAD_INPUT:
        open_scope(text, kernel);
        put_index(text, one, INPUT_WORDS - 1);
        put(text, "mul.wide.u32 %%a0, %%t0, 4;\nadd.s64 %%a0, %%a0, %%input;\n");
        put_guard(text, one);
        put(text, "ld.global%s.u32 %%r%u, [%%a0];\n", number % 2 ? ".nc" : "", one->result);
        close_scope(text, kernel);
        break;
    case OP_COUNT:
        put_guard(text, one);
        put(text, "red.global.add.u32 [%%counters+%u], %s;\n", 4u * one->mode,
            name(buffer, 'r', &one->sources[0]));
        break;
    case OP_PRODUCT:
    case OP_MATRIX_LOAD:
    case OP_MATRIX_STORE:
    case OP_LDMATRIX:
    case OP_ROWS:
    case OP_SCRATCH:
    case OP_MATRIX_LANE:
        kernel_put_matrix(text, kernel, one, number);
        break;
    case OP_APART:
    case OP_SPLIT:
        kernel_put_apart(text, one);
        break;
    case OP_KEEP:
        put_results(text, kernel);
        break;
    case OP_LEAVE:
        put(text, "ret;\n");
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

static void put_older_numbers(struct text *text, const struct kernel *kernel)
{
    put(text, "mov.u32 %%t0, %%tid.z;\nmov.u32 %%t1, %%ntid.y;\nmov.u32 %%t2, %%tid.y;\n");
    put(text, "mad.lo.s32 %%t0, %%t0, %%t1, %%t2;\nmov.u32 %%t1, %%ntid.x;\n");
    put(text, "mov.u32 %%t2, %%tid.x;\nmad.lo.s32 %%lin, %%t0, %%t1, %%t2;\n");
    put(text, "mov.u32 %%t0, %%ctaid.x;\nmad.lo.s32 %%g, %%t0, %u, %%lin;\n",
        kernel_block_threads(kernel));
}

/* The thread's number in its block and in the grid, in registers that are written once. */
static void put_numbers(struct text *text, const struct kernel *kernel)
{
    put(text, "{\n.reg .b32 %%t<8>;\nmov.u32 %%t0, %%tid.x;\nmov.u32 %%t1, %%tid.y;\n");
    put(text, "mov.u32 %%t2, %%tid.z;\nmov.u32 %%t3, %%ctaid.x;\n");
    if (kernel->block[1] * kernel->block[2] == 1)
        put(text, "mov.u32 %%lin, %%t0;\n");
    else
        put(text, "mad.lo.s32 %%t4, %%t2, %u, %%t1;\nmad.lo.s32 %%lin, %%t4, %u, %%t0;\n",
            kernel->block[1], kernel->block[0]);
    put(text, "mad.lo.s32 %%g, %%t3, %u, %%lin;\n}\n", kernel_block_threads(kernel));
}

static void put_starts(struct text *text, const struct kernel *kernel)
{
    static const char *const names[] = {"results", "memory", "counters", "input"};

    for (int i = 0; i < 4; i++)
        put(text, "ld.param.u64 %%%s, [p_%s];\n", names[i], names[i]);
    if (kernel->newer)
        put_numbers(text, kernel);
    else
        put_older_numbers(text, kernel);
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

static void put_table(struct text *text, const struct kernel *kernel)
{
    static const char *const variables[] = {".global .b32 table", ".const .b32 constants"};

    for (int v = 0; kernel->newer && v < 2; v++) {
        put(text, "%s[%u] = {", variables[v], LOCAL_WORDS);
        for (unsigned i = 0; i < LOCAL_WORDS; i++)
            put(text, "%s%u", i ? ", " : "", kernel_table_word(i));
        put(text, "};\n");
    }
}

bool kernel_print(const struct kernel *kernel, char *buffer, size_t bytes)
{
    struct text text = {buffer, bytes, false};

    put(&text, ".version 8.0\n.target sm_80\n.address_size 64\n");
    put_table(&text, kernel);
    put_function(&text, kernel);
    if (kernel->newer)
        put(&text, ".func (.reg .v2 .b32 w) vectors(.reg .v2 .b32 v)\n{\n"
                   ".reg .b32 %%a<3>;\n"
                   "mov.b32 %%a0, v.x;\nmov.b32 %%a1, v.y;\ncall (%%a2), function, (%%a0, %%a1);\n"
                   "mov.b32 w.x, %%a2;\nxor.b32 w.y, v.x, v.y;\nret;\n}\n");
    put(&text, ".visible .entry kernel(.param .u64 p_results, .param .u64 p_memory, "
               ".param .u64 p_counters, .param .u64 p_input, .param .u32 parameter)\n{\n");
    put_registers(&text);
    put(&text, ".reg .b64 %%results, %%memory, %%counters, %%input;\n");
    put(&text, ".local .align 8 .b8 place[%u];\n.shared .align 8 .b8 box[%u];\n", 4 * LOCAL_WORDS,
        4 * kernel_block_threads(kernel));
    if (kernel->newer)
        put(&text, ".shared .b32 word[2];\n");
    if (kernel->has_matrices)
        kernel_put_matrix_names(&text, kernel);
    put_starts(&text, kernel);
    if (kernel->has_matrices)
        kernel_put_matrix_starts(&text, kernel);
    put_code(&text, kernel, &kernel->body);
    put_results(&text, kernel);
    put(&text, "ret;\n}\n");
    return text.left > 0;
}
