/* SPDX-License-Identifier: MIT */
/* Prints the code of matrices. Registers for addresses are each instruction's own. */
#include "kernel_text.h"

static const char *const kind_types[] = {"s32", "f16x2", "bf16x2", "f32"};

static void open_scope(struct text *text)
{
    put(text, "{\n.reg .b32 %%t<6>;\n.reg .b64 %%a<4>;\n.reg .f32 %%e<2>;\n.reg .pred %%u;\n");
}

static void put_list(struct text *text, const struct matrix_registers *registers, unsigned listed)
{
    for (unsigned i = 0; i < listed; i++)
        put(text, "%s%%m%u", i ? ", " : "{", matrix_register(registers, i));
    put(text, "}");
}

/* What is executed under the guard: by a predicate, or round a branch. */
static void put_uniform_guard(struct text *text, const struct instruction *one, unsigned number)
{
    if (one->matrix.guard == ALWAYS)
        return;
    if (one->matrix.guard == IN_LOOP)
        put(text, "setp.gt.s32 %%u, %%r%u, 1;\n", LOOP_OUTER);
    else
        put(text, "and.b32 %%t5, %%wl, 1;\nsetp.ne.s32 %%u, %%t5, 0;\n");
    if (number % 2)
        put(text, "@!%%u bra M%u;\n", number);
    else
        put(text, "@%%u ");
}

static void put_end_of_guard(struct text *text, const struct instruction *one, unsigned number)
{
    if (one->matrix.guard != ALWAYS && number % 2)
        put(text, "M%u:\n", number);
}

static const char *direction(bool columns)
{
    return columns ? "col" : "row";
}

/* Sums that become halves are clamped first. */
static void put_clamp(struct text *text, const struct matrix_registers *registers, bool halves)
{
    const char *type = halves ? "f16x2" : "f32";
    uint32_t most = halves ? 0x10001 * matrix_f16_of(HALF_MOST) : matrix_f32_of(HALF_MOST),
             least = halves ? 0x10001 * matrix_f16_of(-HALF_MOST) : matrix_f32_of(-HALF_MOST);

    put(text, "mov.b32 %%t0, %u;\nmov.b32 %%t1, %u;\n", most, least);
    for (unsigned i = 0; i < registers->count; i++) {
        unsigned reg = matrix_register(registers, i);

        put(text, "min.%s %%m%u, %%m%u, %%t0;\n", type, reg, reg);
        put(text, "max.%s %%m%u, %%m%u, %%t1;\n", type, reg, reg);
    }
}

static void put_types(struct text *text, const struct matrix_form *form)
{
    const char *const *names = matrix_element_names;

    if (form->wmma && form->family == FAMILY_HALF)
        put(text, ".%s.%s", names[form->types[PART_D]], names[form->types[PART_C]]);
    else
        put(text, ".%s.%s.%s.%s", names[form->types[PART_D]], names[form->types[PART_A]],
            names[form->types[PART_B]], names[form->types[PART_C]]);
}

static void put_product(struct text *text, const struct kernel *kernel,
                        const struct instruction *one, unsigned number)
{
    static const enum matrix_part_name order[] = {PART_D, PART_A, PART_B, PART_C};
    const struct matrix_form *form = &matrix_forms[one->matrix.form];
    bool small = matrix_element_bits[form->types[PART_A]] < 8;
    const char *bits = form->flags & FORM_XOR   ? ".xor.popc"
                       : form->flags & FORM_AND ? ".and.popc"
                                                : "",
               *saturates = form->flags & FORM_SATURATES ? ".satfinite" : "";

    open_scope(text);
    if (form->types[PART_D] == ELEMENT_F16)
        put_clamp(text, &one->matrix.parts[PART_C], form->types[PART_C] == ELEMENT_F16);
    put_uniform_guard(text, one, number);
    if (form->wmma) {
        put(text, "wmma.mma%s.sync.aligned.%s.%s.m%un%uk%u", bits,
            direction(!small && kernel->matrices.columns[PART_A]),
            direction(small || kernel->matrices.columns[PART_B]), form->m, form->n, form->k);
        put_types(text, form);
        put(text, "%s ", saturates);
    } else {
        put(text, "mma.sync.aligned.m%un%uk%u.row.col%s", form->m, form->n, form->k, saturates);
        put_types(text, form);
        put(text, "%s ", bits);
    }
    for (unsigned i = 0; i < PARTS; i++) {
        put(text, "%s", i ? ", " : "");
        put_list(text, &one->matrix.parts[order[i]], matrix_listed(form, order[i]));
    }
    put(text, ";\n");
    put_end_of_guard(text, one, number);
    put(text, "}\n");
}

/* Puts into %a0 where a warp's memory begins, or that of factors. */
static void put_base(struct text *text, const struct kernel *kernel, const struct instruction *one,
                     bool factors)
{
    bool shared = one->matrix.space & 1, generic = one->matrix.space >= SPACE_GENERIC_GLOBAL;

    if (shared && generic)
        put(text, "mov.u64 %%a1, %s;\ncvta.shared.u64 %%a1, %%a1;\n",
            factors ? "factors" : "scratch");
    else if (shared)
        put(text, "mov.u64 %%a1, %s;\n", factors ? "factors" : "scratch");
    else
        put(text, "add.s64 %%a1, %s, %zu;\n", factors ? "%input" : "%memory",
            4 * (factors ? INPUT_WORDS : kernel_scratch_start(kernel)));
    if (factors)
        put(text, "mov.b64 %%a0, %%a1;\n");
    else
        put(text, "mul.wide.u32 %%a2, %s, %u;\nadd.s64 %%a0, %%a1, %%a2;\n", shared ? "%wl" : "%wg",
            4 * SCRATCH_WORDS);
}

static const char *space_text(const struct instruction *one)
{
    static const char *const texts[] = {".global", ".shared", "", ""};

    return texts[one->matrix.space];
}

static void put_move(struct text *text, const struct kernel *kernel, const struct instruction *one,
                     unsigned number)
{
    const struct matrix_form *form = &matrix_forms[one->matrix.form];
    enum matrix_part_name part = one->matrix.part;
    enum element type = form->types[part];
    unsigned offset =
        one->matrix.offset + (part >= PART_C && type == ELEMENT_F16 ? 4 * SCRATCH_SUMS : 0);
    unsigned length = one->matrix.columns ? matrix_rows(form, part) : matrix_columns(form, part);
    bool store = one->op == OP_MATRIX_STORE, stride_in_register = number % 3;

    open_scope(text);
    put_base(text, kernel, one, part <= PART_B);
    put(text, "mov.b32 %%t0, %u;\nbar.warp.sync -1;\n", one->matrix.stride);
    put_uniform_guard(text, one, number);
    put(text, "wmma.%s.%c.sync.aligned.%s.m%un%uk%u%s.%s ", store ? "store" : "load", "abcd"[part],
        direction(one->matrix.columns), form -> m, form -> n, form -> k, space_text(one),
        matrix_element_names[type]);
    if (!store) {
        put_list(text, &one->matrix.parts[part], matrix_listed(form, part));
        put(text, ", ");
    }
    put(text, "[%%a0+%u]", offset);
    if (store) {
        put(text, ", ");
        put_list(text, &one->matrix.parts[part], matrix_listed(form, part));
    }
    if (one->matrix.stride == length && number % 2)
        put(text, ";\n"); /* lines follow each other */
    else if (stride_in_register)
        put(text, ", %%t0;\n");
    else
        put(text, ", %u;\n", one->matrix.stride);
    put_end_of_guard(text, one, number);
    put(text, "bar.warp.sync -1;\n}\n");
}

/* Rows of 16 bytes, one after the other with a distance, inside of all factors. */
static void put_ldmatrix(struct text *text, const struct instruction *one, unsigned number)
{
    open_scope(text);
    put(text, "mov.u32 %%t0, %%laneid;\nmad.lo.s32 %%t1, %%t0, %u, %u;\n", one->matrix.stride,
        one->matrix.offset);
    put(text, "and.b32 %%t2, %%t1, %u;\nmul.wide.u32 %%a1, %%t2, 16;\n", FACTOR_WORDS / 4 - 1);
    put(text, "mov.u64 %%a0, factors;\nadd.s64 %%a2, %%a0, %%a1;\n");
    put_uniform_guard(text, one, number);
    put(text, "ldmatrix.sync.aligned.m8n8.x%u%s.shared.b16 ", one->matrix.parts[0].count,
        one->matrix.columns ? ".trans" : "");
    put_list(text, &one->matrix.parts[0], one->matrix.parts[0].count);
    put(text, ", [%%a2];\n");
    put_end_of_guard(text, one, number);
    put(text, "}\n");
}

/* Each four lanes load consecutively, twice from the same register. The second time, or with a
 * swizzle through shared memory in its place, goes to other registers. */
static void put_rows(struct text *text, const struct instruction *one, unsigned number)
{
    static const char *const widths[] = {"", ".v2", ".v4"};
    unsigned words = 1u << one->mode, at = 4 * INPUT_WORDS;
    const char *width = widths[one->mode], *space = number % 3 ? ".global" : "";

    open_scope(text);
    put(text, "mov.u32 %%t0, %%laneid;\nshr.u32 %%t1, %%t0, 2;\nand.b32 %%t2, %%t0, 3;\n");
    put(text, "mad.lo.s32 %%t3, %%t1, %u, %u;\nadd.s32 %%t4, %%t3, %%t2;\n", one->matrix.stride,
        one->matrix.offset);
    put(text, "mul.wide.u32 %%a0, %%t4, %u;\nadd.s64 %%a1, %%a0, %%input;\n", 4 * words);
    put(text, "ld%s%s.b32 ", space, width);
    put_list(text, &one->matrix.parts[0], words);
    put(text, ", [%%a1+%u];\n", at);
    if (one->matrix.space == SPACE_SHARED) {
        put(text, "shr.u32 %%t1, %%t0, 3;\nand.b32 %%t2, %%t1, 3;\nxor.b32 %%t3, %%t0, %%t2;\n");
        put(text, "mad.lo.s32 %%t4, %%wl, 32, %%t3;\nmul.wide.u32 %%a0, %%t4, 16;\n");
        put(text, "mov.u64 %%a1, rows;\nadd.s64 %%a2, %%a0, %%a1;\nst.shared.v4.b32 [%%a2], ");
        put_list(text, &one->matrix.parts[0], words);
        put(text, ";\nmad.lo.s32 %%t5, %%wl, 32, %%t0;\nmul.wide.u32 %%a3, %%t5, 16;\n");
        put(text, "add.s64 %%a1, %%a3, %%a1;\nbar.warp.sync -1;\n");
        space = ".shared";
        at = 0;
    } else {
        at += 64 * words;
    }
    put(text, "ld%s%s.b32 ", space, width);
    put_list(text, &one->matrix.parts[1], words);
    put(text, ", [%%a1+%u];\nbar.warp.sync -1;\n}\n", at);
}

static void put_scratch(struct text *text, const struct kernel *kernel,
                        const struct instruction *one)
{
    unsigned reg = matrix_register(&one->matrix.parts[0], 0);

    open_scope(text);
    put_base(text, kernel, one, false);
    put(text, "mov.u32 %%t0, %%laneid;\nmul.wide.u32 %%a1, %%t0, %u;\n", 4 * one->matrix.stride);
    put(text, "add.s64 %%a3, %%a0, %%a1;\nbar.warp.sync -1;\n");
    if (one->mode)
        put(text, "st%s.b32 [%%a3+%u], %%m%u;\n", space_text(one), one->matrix.offset, reg);
    else
        put(text, "ld%s.b32 %%m%u, [%%a3+%u];\n", space_text(one), reg, one->matrix.offset);
    put(text, "bar.warp.sync -1;\n}\n");
}

/* Makes %t0 from the register: its lowest bits are one or two numbers from -8 on. */
static void put_numbers(struct text *text, enum matrix_kind kind, const struct instruction *one)
{
    char buffer[32];
    const char *from = name(buffer, 'r', &one->sources[0]);

    if (kind == KIND_WORD) {
        put(text, "mov.b32 %%t0, %s;\n", from);
        return;
    }
    for (int i = 0; i < 2; i++)
        put(text,
            "shr.u32 %%t0, %s, %d;\nand.b32 %%t0, %%t0, 15;\nsub.s32 %%t0, %%t0, 8;\n"
            "cvt.rn.f32.s32 %%e%d, %%t0;\n",
            from, 4 * i, i);
    if (kind == KIND_F32)
        put(text, "mov.b32 %%t0, %%e0;\n");
    else
        put(text, "cvt.rn.%s.f32 %%t0, %%e1, %%e0;\n", kind_types[kind]);
}

static void put_constants(struct text *text, enum matrix_kind kind, int64_t factor, int64_t term)
{
    uint32_t words[2];

    for (int i = 0; i < 2; i++) {
        int64_t number = i ? term : factor;

        words[i] = kind == KIND_F16    ? 0x10001 * matrix_f16_of(number)
                   : kind == KIND_BF16 ? 0x10001 * (matrix_f32_of(number) >> 16)
                                       : matrix_f32_of(number);
    }
    put(text, "mov.b32 %%t0, %u;\nmov.b32 %%t1, %u;\n", words[0], words[1]);
}

static void put_lane(struct text *text, const struct kernel *kernel, const struct instruction *one)
{
    const struct matrix_registers *to = &one->matrix.parts[0], *from = &one->matrix.parts[1];
    enum matrix_kind kind = matrix_kind_of(kernel->matrices.family, to->first);
    bool adds = one->mode == LANE_ADD, fused = adds || one->mode == LANE_NEGATE;

    open_scope(text);
    if (one->mode == LANE_FROM)
        put_numbers(text, kind, one);
    if (fused)
        put_constants(text, kind, adds ? 1 : -1, adds ? 1 : 0);
    for (unsigned i = 0; i < to->count; i++) {
        unsigned t = matrix_register(to, i), f = matrix_register(from, i);

        put_guard(text, one);
        if (one->mode == LANE_TO)
            put(text, "mov.b32 %%r%u, %%m%u;\n", one->result, t);
        else if (one->mode == LANE_ZERO)
            put(text, "mov.b32 %%m%u, 0;\n", t);
        else if (one->mode == LANE_FROM)
            put(text, "mov.b32 %%m%u, %%t0;\n", t);
        else if (one->mode == LANE_MOVE)
            put(text, "mov.b32 %%m%u, %%m%u;\n", t, f);
        else if (!fused)
            put(text, "%s.%s %%m%u, %%m%u, %%m%u;\n", one->mode == LANE_MIN ? "min" : "max",
                kind_types[kind], t, t, f);
        else if (kind == KIND_WORD)
            put(text, adds ? "add.s32 %%m%u, %%m%u, 1;\n" : "not.b32 %%m%u, %%m%u;\n", t, t);
        else
            put(text, "fma.rn.%s %%m%u, %%m%u, %%t0, %%t1;\n", kind_types[kind], t, t);
    }
    put(text, "}\n");
}

void kernel_put_matrix(struct text *text, const struct kernel *kernel,
                       const struct instruction *one, unsigned number)
{
    switch (one->op) {
    case OP_PRODUCT:
        put_product(text, kernel, one, number);
        break;
    case OP_LDMATRIX:
        put_ldmatrix(text, one, number);
        break;
    case OP_ROWS:
        put_rows(text, one, number);
        break;
    case OP_SCRATCH:
        put_scratch(text, kernel, one);
        break;
    case OP_MATRIX_LANE:
        put_lane(text, kernel, one);
        break;
    default:
        put_move(text, kernel, one, number);
    }
}

void kernel_put_matrix_names(struct text *text, const struct kernel *kernel)
{
    put(text, ".reg .b32 %%m<%u>, %%wl, %%wg;\n", MATRIX_REGISTERS);
    if (!kernel->matrices.has_shared)
        return;
    put(text, ".shared .align 128 .b8 factors[%u];\n.shared .align 128 .b8 scratch[%u];\n",
        4 * FACTOR_WORDS, kernel_block_threads(kernel) / 32 * 4 * SCRATCH_WORDS);
    put(text, ".shared .align 128 .b8 rows[%u];\n",
        kernel_block_threads(kernel) / 32 * 4 * ROW_WORDS);
}

/* All threads of a block write words one after the other. */
static void put_fill(struct text *text, const struct kernel *kernel, unsigned words, bool factors)
{
    const char *to = factors ? "factors" : "scratch";

    put(text, "{\n.reg .b32 %%t<3>;\n.reg .b64 %%a<5>;\n.reg .pred %%u;\nmov.b32 %%t0, %%lin;\n");
    put(text, "%s_next:\nmul.wide.u32 %%a0, %%t0, 4;\nmov.u64 %%a1, %s;\n", to, to);
    put(text, "add.s64 %%a2, %%a0, %%a1;\nadd.s64 %%a3, %%a0, %%input;\nmov.b32 %%t1, 0;\n");
    if (factors)
        put(text, "ld.global.b32 %%t1, [%%a3+%u];\n", 4 * INPUT_WORDS);
    put(text, "st.shared.b32 [%%a2], %%t1;\nadd.s32 %%t0, %%t0, %u;\n",
        kernel_block_threads(kernel));
    put(text, "setp.lt.u32 %%u, %%t0, %u;\n@%%u bra %s_next;\n}\n", words, to);
}

void kernel_put_matrix_starts(struct text *text, const struct kernel *kernel)
{
    if (kernel->matrices.has_shared) {
        put_fill(text, kernel, FACTOR_WORDS, true);
        put_fill(text, kernel, kernel_block_threads(kernel) / 32 * SCRATCH_WORDS, false);
        put(text, "bar.sync 0;\n");
    }
    put(text, "shr.u32 %%wl, %%lin, 5;\nshr.u32 %%wg, %%g, 5;\n");
    put(text, "{\n.reg .b32 %%t0;\n.reg .b64 %%a<2>;\nand.b32 %%t0, %%lin, 15;\n");
    put(text, "mul.wide.u32 %%a0, %%t0, %u;\nadd.s64 %%a1, %%a0, %%input;\n", 4 * MATRIX_FACTORS);
    for (unsigned i = 0; i < MATRIX_FACTORS; i += 4)
        put(text, "ld.global.v4.b32 {%%m%u, %%m%u, %%m%u, %%m%u}, [%%a1+%u];\n", i, i + 1, i + 2,
            i + 3, 4 * (INPUT_WORDS + i));
    put(text, "}\n");
    for (unsigned i = MATRIX_FACTORS; i < MATRIX_REGISTERS; i++)
        put(text, "mov.b32 %%m%u, 0;\n", i);
}
