/* SPDX-License-Identifier: MIT */
/* Runs a kernel as the manual says: each thread by itself up to where all threads of its block
 * meet.
 */
#include "kernel_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 20000, NO_PLACE = 0xffffffff };

/* ---- What the table's values are made of ---- */

static int64_t signed32(uint64_t a)
{
    return (int32_t)(uint32_t)a;
}

static float real(uint64_t a)
{
    uint32_t word = (uint32_t)a;
    float value;

    memcpy(&value, &word, sizeof(value));
    return value;
}

/* There is one NaN that instructions make. */
static uint64_t bits(float value)
{
    uint32_t word;

    memcpy(&word, &value, sizeof(word));
    return value != value ? 0x7fffffff : word;
}

static uint64_t truncate_signed(float value)
{
    if (value != value)
        return 0;
    if (value >= 2147483648.0f)
        return INT32_MAX;
    return value <= -2147483648.0f ? (uint32_t)INT32_MIN : (uint32_t)(int32_t)value;
}

static uint64_t reverse(uint64_t a)
{
    uint64_t result = 0;

    for (int i = 0; i < 32; i++)
        result |= (a >> i & 1) << (31 - i);
    return result;
}

static uint64_t extract(uint64_t a, uint64_t from, uint64_t length, bool is_signed)
{
    uint64_t result = 0, sign = 0;

    from &= 0xff;
    length &= 0xff;
    if (is_signed && length > 0)
        sign = a >> (from + length - 1 < 31 ? from + length - 1 : 31) & 1;
    for (uint64_t i = 0; i < 32; i++)
        result |= (i < length && from + i <= 31 ? a >> (from + i) & 1 : sign) << i;
    return result;
}

static uint64_t insert(uint64_t a, uint64_t into, uint64_t from, uint64_t length)
{
    from &= 0xff;
    length &= 0xff;
    for (uint64_t i = 0; i < length && from + i <= 31; i++)
        into = (into & ~(UINT64_C(1) << (from + i))) | (a >> i & 1) << (from + i);
    return into;
}

static uint64_t permute(uint64_t a, uint64_t b, uint64_t choice)
{
    uint64_t both = b << 32 | a, result = 0;

    for (int i = 0; i < 4; i++) {
        uint64_t nibble = choice >> (4 * i) & 15, byte = both >> (8 * (nibble & 7)) & 0xff;

        if (nibble & 8)
            byte = byte & 0x80 ? 0xff : 0;
        result |= byte << (8 * i);
    }
    return result;
}

static uint64_t logic(uint64_t a, uint64_t b, uint64_t c, uint64_t table)
{
    uint64_t result = 0;

    for (int i = 0; i < 32; i++)
        result |= (table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i;
    return result;
}

/* Of 64 bits, with positions and lengths cut at 255. */
static uint64_t extract64(uint64_t a, uint64_t from, uint64_t length, bool is_signed)
{
    uint64_t result = 0, sign = 0;

    from = from > 255 ? 255 : from;
    length = length > 255 ? 255 : length;
    if (is_signed && length > 0)
        sign = a >> (from + length - 1 < 63 ? from + length - 1 : 63) & 1;
    for (uint64_t i = 0; i < 64; i++)
        result |= (i < length && from + i <= 63 ? a >> (from + i) & 1 : sign) << i;
    return result;
}

static uint64_t insert64(uint64_t a, uint64_t into, uint64_t from, uint64_t length)
{
    from = from > 255 ? 255 : from;
    length = length > 255 ? 255 : length;
    for (uint64_t i = 0; i < length && from + i <= 63; i++)
        into = (into & ~(UINT64_C(1) << (from + i))) | (a >> (i & 63) & 1) << (from + i);
    return into;
}

static uint64_t ones_from(uint64_t first, uint64_t count)
{
    uint64_t result = 0;

    for (uint64_t i = first; i < 32 && i - first < count; i++)
        result |= UINT64_C(1) << i;
    return result;
}

static uint64_t shift_amount(uint64_t a)
{
    uint32_t word = (uint32_t)(signed32(a) < 0 ? ~a : a);

    return word ? (uint64_t)__builtin_clz(word) : UINT32_MAX;
}

/* Signed and of 64 bits; of 0, and of the most negative number by -1. */
static uint64_t divide(uint64_t a, uint64_t b)
{
    if (b == 0)
        return UINT64_MAX;
    return b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t clamp(int64_t value, int64_t least, int64_t most)
{
    return (uint64_t)(value < least ? least : value > most ? most : value);
}

/* A number of up to 32 bits from one that may be beyond it, or none. */
static uint64_t whole(double value, int64_t least, int64_t most, uint64_t of_nan)
{
    if (value != value)
        return of_nan;
    if (value <= (double)least)
        return (uint64_t)least;
    return value >= (double)most ? (uint64_t)most : (uint64_t)(int64_t)value;
}

static uint64_t whole_unsigned(float value)
{
    if (value != value)
        return UINT64_C(1) << 63;
    if (value <= 0)
        return 0;
    return value >= 18446744073709551616.0f ? UINT64_MAX : (uint64_t)value;
}

static uint64_t whole_signed(float value)
{
    if (value != value || value <= -9223372036854775808.0f)
        return UINT64_C(1) << 63;
    return value >= 9223372036854775808.0f ? INT64_MAX : (uint64_t)(int64_t)value;
}

static uint64_t compute(enum op op, uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    switch (op) {
#define OP(name, text, result, sources, value)                                                     \
    case OP_##name:                                                                                \
        return (uint64_t)(value);
#include "kernel_ops.def"
#undef OP
    default:
        abort();
    }
}

/* ---- Registers ---- */

/* ---- Memory ---- */

static unsigned char *own_memory(const struct run *run, const struct thread *thread,
                                 const struct instruction *one)
{
    unsigned shift = one->mode >> MODE_SHIFT, all = kernel_threads(run->kernel);
    uint32_t index = (uint32_t)get(thread, 'r', &one->sources[0]);

    if (one->mode & MODE_SPREAD) /* words only */
        return (unsigned char *)(run->memory + (index & (PRIVATE_WORDS - 1)) * (size_t)all +
                                 thread->number);
    return (unsigned char *)(run->memory + (size_t)all * PRIVATE_WORDS +
                             (size_t)thread->number * PRIVATE_WORDS) +
           ((index & ((PRIVATE_WORDS * 4u >> shift) - 1)) << shift);
}

static void use_memory(const struct run *run, struct thread *thread, const struct instruction *one)
{
    unsigned bytes = 1u << (one->mode >> MODE_SHIFT);
    char class = bytes == 8 ? 'd' : 'r';
    unsigned char *at = own_memory(run, thread, one);
    uint64_t value = 0;

    if (one->op == OP_LOAD) {
        memcpy(&value, at, bytes);
        set(thread, class, one->result, value);
    } else {
        value = get(thread, class, &one->sources[1]);
        memcpy(at, &value, bytes);
    }
}

static void use_local(struct thread *thread, const struct instruction *one)
{
    uint32_t *at = &thread->local[get(thread, 'r', &one->sources[0]) & (LOCAL_WORDS - 1)];

    if (one->op == OP_LOAD_LOCAL)
        set(thread, 'r', one->result, *at);
    else
        *at = (uint32_t)get(thread, 'r', &one->sources[1]);
}

/* ---- Instructions ---- */

static bool has_matrices(enum op op)
{
    return op >= OP_PRODUCT && op <= OP_SCRATCH;
}

static bool meets(enum op op)
{
    return op == OP_SHUFFLE || op == OP_VOTE || op == OP_REDUCE || op == OP_EXCHANGE ||
           op == OP_BROADCAST || op == OP_SUM || has_matrices(op);
}

static bool ends(enum op op)
{
    return op == OP_RETURN || op == OP_LEAVE;
}

static bool stops(enum op op)
{
    return ends(op) || meets(op) || op == OP_APART || op == OP_SPLIT;
}

static bool run_thread(const struct run *run, const struct code *code, struct thread *thread);

static bool call(const struct run *run, struct thread *thread, const struct instruction *one)
{
    struct thread inner;

    memset(&inner, 0, sizeof(inner));
    inner.number = thread->number;
    inner.r[0] = (uint32_t)get(thread, 'r', &one->sources[0]);
    inner.r[1] = (uint32_t)get(thread, 'r', &one->sources[1]);
    if (!run_thread(run, &run->kernel->function, &inner))
        return false;
    set(thread, 'r', one->result,
        one->op == OP_CALL ? inner.r[2]
                           : inner.r[2] + ((uint32_t)get(thread, 'r', &one->sources[0]) ^
                                           (uint32_t)get(thread, 'r', &one->sources[1])));
    return true;
}

/* The flag is the carry of a sum; of a difference it is set where nothing is borrowed. */
static void chain(struct thread *thread, const struct instruction *one)
{
    bool wide = one->mode & CHAIN_WIDE, carry = one->mode & CHAIN_IN ? thread->carry : false;
    char class = wide ? 'd' : 'r';
    unsigned __int128 mask = wide ? UINT64_MAX : UINT32_MAX, sum;
    uint64_t a = get(thread, class, &one->sources[0]), b = get(thread, class, &one->sources[1]),
             c = get(thread, class, &one->sources[2]);

    switch (one->mode & CHAIN_KIND) {
    case CHAIN_SUB:
        sum = (unsigned __int128)a + (~b & mask) + (one->mode & CHAIN_IN ? carry : 1);
        break;
    case CHAIN_MAD_LOW:
        sum = (unsigned __int128)(uint32_t)(a * b) + c + carry;
        break;
    case CHAIN_MAD_HIGH:
        sum = (unsigned __int128)(a * b >> 32) + c + carry;
        break;
    default:
        sum = (unsigned __int128)a + b + carry;
    }
    set(thread, class, one->result, (uint64_t)(sum & mask));
    if (one->mode & CHAIN_OUT)
        thread->carry = sum > mask;
}

static void use_wide(const struct run *run, struct thread *thread, const struct instruction *one)
{
    unsigned words = 1u << one->mode, all = kernel_threads(run->kernel);
    const uint32_t *from = &run->kernel->input[thread->number & (INPUT_WORDS - 1)];
    uint32_t sum = 0, *to = run->memory + (size_t)all * PRIVATE_WORDS * 2 + thread->number;

    if (thread->number & (words - 1))
        return;
    if (one->mode == 2)
        to += kernel_wide_words(run->kernel);
    for (unsigned i = 0; i < words; i++) {
        if (one->op == OP_STORE_WIDE)
            to[i] += (uint32_t)get(thread, 'r', &one->sources[i & 1]);
        sum += (one->op == OP_STORE_WIDE ? to : from)[i] << i;
    }
    set(thread, 'r', one->result, sum);
}

static void use_named(struct thread *thread, const struct instruction *one)
{
    if (one->mode == NAMED_STORE_LOCAL)
        thread->local[one->target] = (uint32_t)get(thread, 'r', &one->sources[1]);
    else
        set(thread, 'r', one->result,
            one->mode == NAMED_LOCAL ? thread->local[one->target] : kernel_table_word(one->target));
}

static uint32_t position(const struct kernel *kernel, unsigned number, unsigned which)
{
    unsigned in_block = number % kernel_block_threads(kernel), lane = in_block % 32;
    uint32_t own = 1u << lane, below = own - 1;

    switch (which) {
    case POSITION_TID_X:
        return in_block % kernel->block[0];
    case POSITION_TID_Y:
        return in_block / kernel->block[0] % kernel->block[1];
    case POSITION_TID_Z:
        return in_block / kernel->block[0] / kernel->block[1];
    case POSITION_LANE:
        return lane;
    case POSITION_MASK_EQ:
        return own;
    case POSITION_MASK_LE:
        return own | below;
    case POSITION_MASK_LT:
        return below;
    case POSITION_MASK_GE:
        return ~below;
    case POSITION_MASK_GT:
        return ~(own | below);
    case POSITION_BLOCK:
        return number / kernel_block_threads(kernel);
    case POSITION_BLOCKS:
        return kernel->blocks;
    default:
        return kernel->block[which - POSITION_THREADS_X];
    }
}

static void use_position(const struct run *run, struct thread *thread,
                         const struct instruction *one)
{
    uint32_t value = position(run->kernel, thread->number, one->table[0]),
             other = position(run->kernel, thread->number, one->table[1]);

    for (unsigned i = 0; i < POSITION_STEPS; i++)
        value = (uint32_t)compute(
            one->steps[i], value,
            one->sources[i].is_immediate ? (uint32_t)one->sources[i].immediate : other, 0, 0);
    set(thread, 'r', one->result, get(thread, 'r', &one->sources[POSITION_STEPS]) + value);
}

static void use_halves(const struct run *run, struct thread *thread, const struct instruction *one)
{
    uint64_t first = get(thread, one->mode == HALVES_OF_64 ? 'd' : 'r', &one->sources[0]), sum;

    switch (one->mode) {
    case HALVES_OF_64:
        set(thread, 'r', one->result, (uint32_t)first);
        set(thread, 'r', one->table[0], first >> 32);
        break;
    case HALVES_TO_64:
        set(thread, 'd', one->result, first | get(thread, 'r', &one->sources[1]) << 32);
        break;
    case HALVES_OF_32:
        set(thread, 'h', one->result, (uint16_t)first);
        set(thread, 'h', one->table[0], first >> 16);
        break;
    case HALVES_TO_32:
        set(thread, 'r', one->result,
            get(thread, 'h', &one->sources[0]) | get(thread, 'h', &one->sources[1]) << 16);
        break;
    default:
        sum = position(run->kernel, thread->number, one->table[0]) *
                  (uint64_t)(uint32_t)one->sources[0].immediate +
              one->sources[1].immediate;
        set(thread, 'r', one->result, (uint32_t)(get(thread, 'r', &one->sources[2]) + (sum >> 32)));
    }
}

static bool shifts_short(enum op op)
{
    return op == OP_SHLH || op == OP_SHRUH || op == OP_SHRSH;
}

static bool step(const struct run *run, const struct code *code, struct thread *thread)
{
    const struct instruction *one = &code->list[thread->at++];
    const char *classes;
    uint64_t values[4] = {0};

    if (!is_on(thread, one))
        return true;
    switch (one->op) {
    case OP_LABEL:
    case OP_KEEP:
        break;
    case OP_BRA:
        thread->at = code->places[one->target];
        break;
    case OP_BRX:
        thread->at = code->places[one->table[get(thread, 'r', &one->sources[0]) & (TABLE - 1)]];
        break;
    case OP_CALL:
    case OP_CALL_VECTOR:
        return call(run, thread, one);
    case OP_CHAIN:
        chain(thread, one);
        break;
    case OP_POSITION:
        use_position(run, thread, one);
        break;
    case OP_HALVES:
        use_halves(run, thread, one);
        break;
    case OP_LOAD_WIDE:
    case OP_STORE_WIDE:
        use_wide(run, thread, one);
        break;
    case OP_LOAD_NAMED:
        use_named(thread, one);
        break;
    case OP_LOAD:
    case OP_STORE:
        use_memory(run, thread, one);
        break;
    case OP_LOAD_LOCAL:
    case OP_STORE_LOCAL:
        use_local(thread, one);
        break;
    case OP_LOAD_INPUT:
        set(thread, 'r', one->result,
            run->kernel->input[get(thread, 'r', &one->sources[0]) & (INPUT_WORDS - 1)]);
        break;
    case OP_MATRIX_LANE:
        kernel_model_matrix_lane(run->kernel, thread, one);
        break;
    case OP_COUNT:
        run->counters[one->mode] += (uint32_t)get(thread, 'r', &one->sources[0]);
        break;
    default:
        classes = kernel_op_sources[one->op];
        for (int i = 0; classes[i]; i++)
            values[i] = get(thread, classes[i], &one->sources[i]);
        if (shifts_short(one->op) && one->sources[1].is_immediate)
            values[1] &= UINT16_MAX; /* ptxas keeps 16 bits */
        set(thread, kernel_op_results[one->op], one->result,
            compute(one->op, values[0], values[1], values[2], values[3]));
    }
    return true;
}

/* Up to where threads meet, or the end. */
static bool run_thread(const struct run *run, const struct code *code, struct thread *thread)
{
    while (!stops(code->list[thread->at].op)) {
        if (thread->steps++ > STEPS_MAX || !step(run, code, thread))
            return false;
    }
    return true;
}

/* ---- Where threads meet ---- */

static void shuffle(const struct thread *before, struct thread *after, unsigned lane,
                    const struct instruction *one)
{
    uint32_t by = (uint32_t)get(&before[lane], 'r', &one->sources[1]) & 31,
             segment = 32 - one->sources[2].immediate, clamp = one->mode == SHUFFLE_UP ? 0 : 31,
             least = lane & segment, most = least | (clamp & ~segment);
    int from;
    bool good;

    switch (one->mode) {
    case SHUFFLE_UP:
        from = (int)lane - (int)by;
        good = from >= (int)most;
        break;
    case SHUFFLE_DOWN:
        from = (int)(lane + by);
        good = from <= (int)most;
        break;
    case SHUFFLE_BFLY:
        from = (int)(lane ^ by);
        good = from <= (int)most;
        break;
    default:
        from = (int)(least | (by & ~segment));
        good = from <= (int)most;
    }
    after[lane].r[one->result] =
        (uint32_t)get(&before[good ? (unsigned)from : lane], 'r', &one->sources[0]);
    after[lane].p[one->target] = good;
}

static void meet_warp(const struct thread *before, struct thread *after, unsigned count,
                      const struct instruction *one)
{
    uint32_t ballot = 0, sum = 0, full = count == 32 ? UINT32_MAX : (1u << count) - 1;

    for (unsigned i = 0; i < count; i++) {
        ballot |= (uint32_t)before[i].p[one->sources[0].index % PREDICATES] << i;
        sum += (uint32_t)get(&before[i], 'r', &one->sources[0]);
    }
    for (unsigned i = 0; i < count; i++) {
        if (one->op == OP_SHUFFLE)
            shuffle(before, after, i, one);
        else if (one->op == OP_REDUCE)
            after[i].r[one->result] = sum;
        else if (one->mode == VOTE_BALLOT)
            after[i].r[one->result] = ballot;
        else
            after[i].p[one->result] = one->mode == VOTE_ALL ? ballot == full : ballot != 0;
    }
}

static void meet(const struct run *run, struct thread *threads, unsigned count,
                 const struct instruction *one)
{
    struct thread *before = malloc(count * sizeof(*before));

    if (!before)
        abort();
    memcpy(before, threads, count * sizeof(*before));
    if (has_matrices(one->op)) {
        for (unsigned first = 0; first < count; first += 32)
            kernel_model_matrix(run, threads + first, one, first / 32);
    } else if (one->op == OP_EXCHANGE) {
        for (unsigned i = 0; i < count; i++)
            threads[i].r[one->result] = (uint32_t)get(
                &before[(i + one->sources[1].immediate) % count], 'r', &one->sources[0]);
    } else if (one->op == OP_BROADCAST || one->op == OP_SUM) {
        uint32_t word = 0;

        for (unsigned i = 0; i < count; i++)
            if (one->op == OP_SUM || i == one->sources[1].immediate)
                word += (uint32_t)get(&before[i], 'r', &one->sources[0]);
        for (unsigned i = 0; i < count; i++)
            threads[i].r[one->result] = word;
    } else {
        for (unsigned first = 0; first < count; first += 32)
            meet_warp(before + first, threads + first, count - first < 32 ? count - first : 32,
                      one);
    }
    for (unsigned i = 0; i < count; i++)
        threads[i].at++;
    free(before);
}

/* ---- Blocks ---- */

static void start(const struct kernel *kernel, struct thread *thread, unsigned block,
                  unsigned number)
{
    memset(thread, 0, sizeof(*thread));
    thread->number = block * kernel_block_threads(kernel) + number;
    for (unsigned i = 0; i < REGISTERS; i++) {
        uint32_t value = kernel->start_values[i];

        switch (kernel->starts[i]) {
        case START_TID:
            value = number % kernel->block[0] + value;
            break;
        case START_GLOBAL:
            value = thread->number + value;
            break;
        case START_BLOCK:
            value = block;
            break;
        case START_LANE:
            value = number % 32;
            break;
        case START_INPUT:
            value = kernel->input[thread->number % INPUT_WORDS];
            break;
        case START_PARAMETER:
            value = kernel->parameter;
            break;
        default:
            break;
        }
        thread->r[i] = value;
    }
    for (unsigned i = 0; i < WIDE; i++)
        thread->d[i] = (uint64_t)thread->r[i] << 32 | thread->r[(i + 1) % REGISTERS];
    for (unsigned i = 0; i < SHORT; i++)
        thread->h[i] = (uint16_t)thread->r[i];
    for (unsigned i = 0; i < PREDICATES; i++)
        thread->p[i] = thread->r[i] & 1;
    for (unsigned i = 0; i < FLOATS; i++)
        thread->f[i] = (uint32_t)bits((float)(int32_t)thread->r[i]);
    for (unsigned i = 0; i < MATRIX_FACTORS; i++)
        thread->m[i] = kernel->matrices.factors[number % 16 * MATRIX_FACTORS + i];
}

static void leave(const struct kernel *kernel, const struct thread *thread, uint32_t *results)
{
    uint32_t words[RESULT_WORDS + MATRIX_REGISTERS];
    unsigned at = 0;

    for (unsigned i = 0; i < REGISTERS; i++)
        words[at++] = thread->r[i];
    for (unsigned i = 0; i < WIDE; i++) {
        words[at++] = (uint32_t)thread->d[i];
        words[at++] = (uint32_t)(thread->d[i] >> 32);
    }
    for (unsigned i = 0; i < SHORT; i++)
        words[at++] = thread->h[i];
    words[at] = 0;
    for (unsigned i = 0; i < PREDICATES; i++)
        words[at] |= (uint32_t)thread->p[i] << i;
    at++;
    for (unsigned i = 0; i < FLOATS; i++)
        words[at++] = thread->f[i];
    for (unsigned i = 0; i < MATRIX_REGISTERS; i++)
        words[at++] = matrix_is_kept(&kernel->matrices, i) ? thread->m[i] : 0;
    for (unsigned i = 0; i < kernel_result_words(kernel); i++)
        results[(size_t)i * kernel_threads(kernel) + thread->number] = words[i];
}

/* Runs threads up to where all of the block meet, or to the end. */
static bool run_threads(const struct run *run, struct thread *threads, unsigned count)
{
    bool again = true;

    while (again) {
        again = false;
        for (unsigned i = 0; i < count; i++)
            if (!run_thread(run, &run->kernel->body, &threads[i]))
                return false;
        for (unsigned first = 0; run->kernel->has_apart && first < count; first += 32)
            again |=
                kernel_model_apart(run, threads + first, count - first < 32 ? count - first : 32);
    }
    return true;
}

/* Whether all threads are at the same meeting, or all at an end. */
static bool is_agreed(const struct code *code, const struct thread *threads, unsigned count)
{
    bool end = ends(code->list[threads[0].at].op);

    for (unsigned i = 0; i < count; i++)
        if (end ? !ends(code->list[threads[i].at].op)
                : threads[i].at != threads[0].at || !meets(code->list[threads[i].at].op))
            return false;
    return true;
}

static bool run_block(const struct run *run, struct thread *threads, unsigned block,
                      uint32_t *results)
{
    const struct code *code = &run->kernel->body;
    unsigned count = kernel_block_threads(run->kernel);

    for (unsigned i = 0; i < count; i++)
        start(run->kernel, &threads[i], block, i);
    memset(run->scratch, 0, (size_t)count / 32 * SCRATCH_WORDS * 4);
    for (;;) {
        if (!run_threads(run, threads, count) || !is_agreed(code, threads, count))
            return false;
        if (ends(code->list[threads[0].at].op))
            break;
        meet(run, threads, count, &code->list[threads[0].at]);
    }
    for (unsigned i = 0; i < count; i++)
        leave(run->kernel, &threads[i], results);
    return true;
}

bool kernel_model(const struct kernel *kernel, uint32_t *results, uint32_t *memory,
                  uint32_t *counters)
{
    unsigned count = kernel_block_threads(kernel);
    struct run run = {kernel, memory, counters, calloc(count / 32 + 1, SCRATCH_WORDS * 4)};
    struct thread *threads = calloc(count, sizeof(*threads));
    bool good = threads != NULL && run.scratch != NULL;

    for (unsigned block = 0; good && block < kernel->blocks; block++)
        good = run_block(&run, threads, block, results);
    free(threads);
    free(run.scratch);
    return good;
}
