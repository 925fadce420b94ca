/* SPDX-License-Identifier: MIT */
/* Draws a kernel: pieces of straight code, branches, loops and jumps, between them places where
 * threads meet. */
#include "kernel_make.h"

#include <string.h>

const char *const kernel_op_texts[] = {
#define OP(name, text, result, sources, value) text,
#include "kernel_ops.def"
#undef OP
};
const char *const kernel_op_sources[] = {
#define OP(name, text, result, sources, value) sources,
#include "kernel_ops.def"
#undef OP
};
const char kernel_op_results[] = {
#define OP(name, text, result, sources, value) result,
#include "kernel_ops.def"
#undef OP
};

/* Immediate positions and lengths of bit fields have 8 bits. */
static bool has_fields(enum op op)
{
    return strncmp(kernel_op_texts[op], "bf", 2) == 0;
}

static void make_computation(struct maker *maker, enum op op)
{
    struct instruction *one = emit(maker, op);
    const char *classes = kernel_op_sources[op];

    one->result = (uint8_t)below(maker, class_sizes[(unsigned char)kernel_op_results[op]]);
    for (int i = 0; classes[i]; i++) {
        char class = classes[i];

        if (class == 'i') { /* divisors, and tables of lop3: neither 0 nor -1 */
            one->sources[i] = immediate(1 + below(maker, op == OP_LOP3 ? 255 : 100000));
        } else if (i > 0 && (class == 'r' || class == 'd' || class == 'h') &&
                   below(maker, 3) == 0) {
            one->sources[i] = immediate(number(maker) & (class == 'h'     ? 0x7fff
                                                         : has_fields(op) ? 0xff
                                                                          : UINT64_MAX));
        } else {
            one->sources[i] = draw_source(maker, class);
            if (maker->kernel->newer && (class == 'r' || class == 'd' || class == 'h') &&
                below(maker, 12) == 0) /* a register and a number */
                one->sources[i].immediate = number(maker);
        }
    }
    draw_guard(maker, one);
}

/* Sums and differences in several words: each takes the flag of the one before. */
static void make_chain(struct maker *maker)
{
    unsigned length = 2 + below(maker, 3);

    for (unsigned i = 0; i < length; i++) {
        struct instruction *one = emit(maker, OP_CHAIN);
        unsigned kind = below(maker, 6);
        char class;

        one->mode = kind < 2 ? CHAIN_ADD : kind < 4 ? CHAIN_SUB : kind - 2;
        if (kind < 4 && below(maker, 3) == 0)
            one->mode |= CHAIN_WIDE;
        class = one->mode & CHAIN_WIDE ? 'd' : 'r';
        one->mode |= (uint8_t)((i > 0 ? CHAIN_IN : 0) | (i + 1 < length ? CHAIN_OUT : 0));
        one->result = (uint8_t)below(maker, class_sizes[(unsigned char)class]);
        for (int s = 0; s < 3; s++)
            one->sources[s] =
                below(maker, 4) ? draw_source(maker, class) : immediate(number(maker));
        if (i > 0)
            draw_guard(maker, one);
    }
}

static void make_newer(struct maker *maker)
{
    struct instruction *one;

    switch (below(maker, 5)) {
    case 0:
        one = emit(maker, OP_LOAD_WIDE);
        one->mode = (uint8_t)(1 + below(maker, 2));
        break;
    case 1:
        one = emit(maker, OP_STORE_WIDE);
        one->mode = (uint8_t)(1 + below(maker, 2));
        break;
    case 2:
        one = emit(maker, OP_CALL_VECTOR);
        break;
    default:
        one = emit(maker, OP_LOAD_NAMED);
        one->mode = (uint8_t)below(maker, NAMEDS);
        one->target = (uint16_t)below(maker, LOCAL_WORDS);
    }
    one->sources[0] = draw_source(maker, 'r');
    one->sources[1] = draw_source(maker, 'r');
    one->result = (uint8_t)below(maker, REGISTERS);
    if (one->op != OP_CALL_VECTOR)
        draw_guard(maker, one);
}

/* Special registers where some lanes may be elsewhere, and steps that may make of them what is the
 * same for a warp. */
static void make_position(struct maker *maker)
{
    static const enum op ops[] = {OP_ADD, OP_SUB, OP_MUL, OP_SHL, OP_SHRU, OP_AND, OP_SHRS, OP_XOR};
    static const uint32_t numbers[] = {5, 31, 0xffffffe0, 32, 1, 4, 96, 16};
    struct instruction *one = emit(maker, OP_POSITION);

    for (unsigned i = 0; i < 2; i++)
        one->table[i] =
            (uint16_t)(below(maker, 2) ? below(maker, POSITION_MASK_EQ) : below(maker, POSITIONS));
    for (unsigned i = 0; i < POSITION_STEPS; i++) {
        one->steps[i] = ops[below(maker, sizeof(ops) / sizeof(ops[0]))];
        if (below(maker, 3))
            one->sources[i] = immediate(numbers[below(maker, 8)]);
    }
    one->sources[POSITION_STEPS] = draw_source(maker, 'r');
    one->result = (uint8_t)below(maker, REGISTERS);
    draw_guard(maker, one);
}

static void make_halves(struct maker *maker)
{
    static const char wholes[] =
        {[HALVES_OF_64] = 'd', [HALVES_TO_64] = 'd', [HALVES_OF_32] = 'r', [HALVES_TO_32] = 'r'},
                      halves[] = {[HALVES_OF_64] = 'r',
                                  [HALVES_TO_64] = 'r',
                                  [HALVES_OF_32] = 'h',
                                  [HALVES_TO_32] = 'h'};
    struct instruction *one = emit(maker, OP_HALVES);
    unsigned size;

    one->mode = (uint8_t)below(maker, HALVES);
    if (one->mode == HALVES_OF_POSITION) {
        one->table[0] = (uint16_t)below(maker, POSITIONS);
        one->sources[0] = immediate(1 + below(maker, 64));
        one->sources[1] = immediate((uint64_t)number(maker) << 32 | number(maker));
        one->sources[2] = draw_source(maker, 'r');
        one->result = (uint8_t)below(maker, REGISTERS);
    } else if (one->mode == HALVES_OF_64 || one->mode == HALVES_OF_32) {
        size = class_sizes[(unsigned char)halves[one->mode]];
        one->sources[0] = draw_source(maker, wholes[one->mode]);
        one->result = (uint8_t)below(maker, size);
        one->table[0] = (uint16_t)((one->result + 1 + below(maker, size - 1)) % size);
    } else {
        one->sources[0] = draw_source(maker, halves[one->mode]);
        one->sources[1] = draw_source(maker, halves[one->mode]);
        one->result = (uint8_t)below(maker, class_sizes[(unsigned char)wholes[one->mode]]);
    }
    draw_guard(maker, one);
}

static struct source draw_index(struct maker *maker)
{
    return below(maker, 3) ? draw_source(maker, 'r') : immediate(below(maker, 64));
}

static void make_access(struct maker *maker)
{
    static const enum op ops[] = {OP_LOAD, OP_STORE, OP_LOAD_LOCAL, OP_STORE_LOCAL, OP_LOAD_INPUT};
    struct instruction *one = emit(maker, ops[below(maker, 5)]);
    unsigned shift = 2;

    if (one->op == OP_LOAD || one->op == OP_STORE) {
        one->mode = (uint8_t)below(maker, 2);
        if (!(one->mode & MODE_SPREAD))
            shift = below(maker, 4);
        one->mode |= (uint8_t)(shift << MODE_SHIFT);
    }
    one->sources[0] = draw_index(maker);
    one->sources[1] = draw_source(maker, shift == 3 ? 'd' : 'r');
    one->result = (uint8_t)below(maker, shift == 3 ? WIDE : REGISTERS);
    draw_guard(maker, one);
}

static void make_plain(struct maker *maker)
{
    unsigned kind = below(maker, 40);
    struct instruction *one;

    if (maker->kernel->has_matrices && !maker->is_function && below(maker, 6) == 0) {
        kernel_make_matrix_lane(maker);
    } else if (maker->kernel->has_halves && below(maker, 8) == 0) {
        make_halves(maker);
    } else if (maker->kernel->positioned && below(maker, 8) == 0) {
        make_position(maker);
    } else if (maker->kernel->newer && below(maker, 8) == 0) {
        if (maker->is_function || below(maker, 2))
            make_chain(maker);
        else
            make_newer(maker);
    } else if (maker->is_function || kind > 6) {
        make_computation(maker, (enum op)below(maker, maker->kernel->newer ? OP_COMPUTING
                                                                           : OP_FIRST_GENERATION));
    } else if (kind > 1) {
        make_access(maker);
    } else if (kind == 1) {
        one = emit(maker, OP_COUNT);
        one->mode = (uint8_t)below(maker, COUNTERS);
        one->sources[0] = draw_source(maker, 'r');
        draw_guard(maker, one);
    } else {
        one = emit(maker, OP_CALL);
        one->sources[0] = draw_source(maker, 'r');
        one->sources[1] = draw_source(maker, 'r');
        one->result = (uint8_t)below(maker, REGISTERS);
    }
}

void kernel_make_straight(struct maker *maker, unsigned most)
{
    for (unsigned count = 1 + below(maker, most); count > 0; count--)
        make_plain(maker);
}

void kernel_make_condition(struct maker *maker)
{
    static const enum op ops[] = {OP_LTS, OP_LTU, OP_EQ, OP_GES, OP_LTD, OP_NE};

    make_computation(maker, ops[below(maker, 6)]);
}

void kernel_make_branch(struct maker *maker)
{
    unsigned other = new_label(maker), end = new_label(maker);

    kernel_make_condition(maker);
    jump_if(maker, other);
    kernel_make_straight(maker, 5);
    if (below(maker, 2)) {
        jump(maker, end);
        put_label(maker, other);
        kernel_make_straight(maker, 5);
    } else {
        put_label(maker, other);
    }
    put_label(maker, end);
}

static void set_counter(struct maker *maker, unsigned counter, bool uniform, unsigned most)
{
    struct instruction *one = emit(maker, OP_AND);

    one->result = (uint8_t)counter;
    one->sources[0] = draw_source(maker, 'r');
    one->sources[1] = immediate(most);
    if (uniform) { /* whatever it was, it is a number now */
        one->op = OP_MOV;
        one->sources[0] = immediate(1 + below(maker, most));
    }
}

void kernel_count_down(struct maker *maker, unsigned counter, unsigned label, bool keeps)
{
    struct instruction *one = emit(maker, OP_SUB);
    unsigned predicate = below(maker, PREDICATES);

    one->result = (uint8_t)counter;
    one->sources[0] = fixed(counter);
    one->sources[1] = immediate(1);
    one = emit(maker, OP_GES);
    one->result = (uint8_t)predicate;
    one->sources[0] = fixed(counter);
    one->sources[1] = immediate(1);
    if (keeps)
        emit(maker, OP_KEEP);
    jump(maker, label)->guard = (int8_t)predicate;
}

static void make_loop(struct maker *maker)
{
    unsigned top = new_label(maker), out = new_label(maker);

    set_counter(maker, FUEL, below(maker, 2), 7);
    put_label(maker, top);
    kernel_make_straight(maker, 5);
    if (below(maker, 2))
        kernel_make_branch(maker);
    if (below(maker, 3) == 0)
        jump_if(maker, out);
    kernel_count_down(maker, FUEL, top, false);
    put_label(maker, out);
}

/* Blocks that jump to each other at will, until the counter runs out. */
static void make_maze(struct maker *maker)
{
    enum { EGL_CONTEXTS_MAX = 6 };
    unsigned rooms = 2 + below(maker, EGL_CONTEXTS_MAX - 1), labels[EGL_CONTEXTS_MAX],
             out = new_label(maker);
    struct instruction *one;

    for (unsigned i = 0; i < rooms; i++)
        labels[i] = new_label(maker);
    set_counter(maker, FUEL, below(maker, 2), 15);
    for (unsigned i = 0; i < rooms; i++) {
        unsigned predicate = below(maker, PREDICATES);

        put_label(maker, labels[i]);
        one = emit(maker, OP_SUB);
        one->result = FUEL;
        one->sources[0] = fixed(FUEL);
        one->sources[1] = immediate(1);
        one = emit(maker, OP_LTS);
        one->result = (uint8_t)predicate;
        one->sources[0] = fixed(FUEL);
        one->sources[1] = immediate(0);
        jump(maker, out)->guard = (int8_t)predicate;
        kernel_make_straight(maker, 4);
        switch (below(maker, 5)) {
        case 0:
            break;
        case 1:
            jump(maker, labels[below(maker, rooms)]);
            break;
        case 2:
            one = emit(maker, OP_BRX);
            one->sources[0] = draw_source(maker, 'r');
            for (unsigned k = 0; k < TABLE; k++)
                one->table[k] = (uint16_t)labels[below(maker, rooms)];
            break;
        default:
            jump_if(maker, labels[below(maker, rooms)]);
        }
    }
    put_label(maker, out);
}

static void make_section(struct maker *maker)
{
    switch (below(maker, 5)) {
    case 0:
        kernel_make_straight(maker, 10);
        break;
    case 1:
        kernel_make_branch(maker);
        break;
    case 2:
    case 3:
        make_loop(maker);
        break;
    default:
        make_maze(maker);
    }
}

static void make_meeting(struct maker *maker)
{
    unsigned kind = maker->kernel->whole_warps ? below(maker, 4) : 3;
    struct instruction *one;

    if (maker->kernel->newer && below(maker, 3) == 0) {
        one = emit(maker, below(maker, 2) ? OP_BROADCAST : OP_SUM);
        one->result = (uint8_t)below(maker, REGISTERS);
        one->sources[0] = draw_source(maker, 'r');
        one->sources[1] = immediate(below(maker, kernel_block_threads(maker->kernel)));
        return;
    }
    switch (kind) {
    case 0:
        one = emit(maker, OP_SHUFFLE);
        one->mode = (uint8_t)below(maker, 4);
        one->result = (uint8_t)below(maker, REGISTERS);
        one->sources[0] = draw_source(maker, 'r');
        one->sources[1] = below(maker, 2) ? immediate(below(maker, 32)) : draw_source(maker, 'r');
        one->sources[2] = immediate(8u << below(maker, 3));
        one->target = (uint16_t)below(maker, PREDICATES);
        break;
    case 1:
        one = emit(maker, OP_VOTE);
        one->mode = (uint8_t)below(maker, 3);
        one->result = (uint8_t)below(maker, one->mode == VOTE_BALLOT ? REGISTERS : PREDICATES);
        one->sources[0] = draw_source(maker, 'p');
        break;
    case 2:
        one = emit(maker, OP_REDUCE);
        one->result = (uint8_t)below(maker, REGISTERS);
        one->sources[0] = draw_source(maker, 'r');
        break;
    default:
        one = emit(maker, OP_EXCHANGE);
        one->result = (uint8_t)below(maker, REGISTERS);
        one->sources[0] = draw_source(maker, 'r');
        one->sources[1] = immediate(below(maker, 64));
    }
}

static void make_items(struct maker *maker, unsigned count, unsigned depth)
{
    for (; count > 0 && !is_full(maker); count--) {
        unsigned label, counter = depth == 0 ? LOOP_OUTER : LOOP_INNER;

        if (maker->kernel->has_matrices && below(maker, 2)) {
            kernel_make_matrices(maker);
            continue;
        }
        if (maker->kernel->has_apart && below(maker, 3) == 0) {
            kernel_make_apart(maker, false);
            continue;
        }
        switch (below(maker, 5)) {
        case 0:
            make_meeting(maker);
            break;
        case 1:
            if (depth == 2)
                break;
            label = new_label(maker);
            set_counter(maker, counter, true, 3);
            put_label(maker, label);
            make_items(maker, 1 + below(maker, 3), depth + 1);
            kernel_count_down(maker, counter, label, false);
            break;
        default:
            if (maker->kernel->matrices.is_neat && below(maker, 4))
                kernel_make_straight(maker, 4);
            else
                make_section(maker);
        }
    }
}

static void choose_shape(struct maker *maker)
{
    static const unsigned shapes[][3] = {{32, 1, 1}, {64, 1, 1},  {128, 1, 1}, {33, 1, 1},
                                         {1, 1, 1},  {16, 4, 1},  {8, 8, 1},   {8, 4, 2},
                                         {5, 7, 3},  {16, 2, 2},  {96, 2, 1},  {100, 1, 1},
                                         {2, 16, 1}, {256, 1, 1}, {24, 3, 1},  {31, 1, 1}};
    struct kernel *kernel = maker->kernel;

    memcpy(kernel->block, shapes[below(maker, sizeof(shapes) / sizeof(shapes[0]))],
           sizeof(kernel->block));
    kernel->blocks = 1 + below(maker, 4);
    kernel->whole_warps = kernel_block_threads(kernel) % 32 == 0;
}

void kernel_make(struct kernel *kernel, uint64_t seed, unsigned size, unsigned generation)
{
    struct maker maker = {.kernel = kernel,
                          .code = &kernel->body,
                          .state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1};

    memset(kernel, 0, sizeof(*kernel));
    kernel->newer = generation > 1;
    kernel->positioned = generation > 2;
    kernel->has_halves = generation > 4;
    for (int i = 0; i < 8; i++)
        below(&maker, 2);
    kernel->has_matrices =
        generation > 3 && (generation > 5 ? below(&maker, 4) == 0 : below(&maker, 4) != 0);
    kernel->has_apart = generation > 5 && below(&maker, 4);
    do
        choose_shape(&maker);
    while (kernel->has_matrices && !kernel->whole_warps);
    kernel->parameter = number(&maker);
    for (unsigned i = 0; i < REGISTERS; i++) {
        kernel->starts[i] = (uint8_t)below(&maker, STARTS);
        kernel->start_values[i] = number(&maker);
    }
    for (unsigned i = 0; i < INPUT_WORDS; i++)
        kernel->input[i] = number(&maker);
    if (kernel->has_matrices)
        kernel_begin_matrices(&maker);
    make_items(&maker, (kernel->has_matrices ? 4 : 1) + below(&maker, size), 0);
    if (kernel->has_apart)
        kernel_make_apart(&maker, true);
    emit(&maker, OP_RETURN);
    maker.code = &kernel->function;
    maker.is_function = true;
    kernel_make_straight(&maker, 6);
    make_section(&maker);
    emit(&maker, OP_RETURN);
}
