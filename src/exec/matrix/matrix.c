/* SPDX-License-Identifier: MIT */
/* Matrices of .f64, whose products are chains of fused multiply-adds, and wmma.load and wmma.store
 * where the compiler does not emit them. */
#include "exec/matrix/matrix.h"
#include "exec/services/service_access.h"

#include "abi/launch.h"
#include "abi/services.h"
#include "abi/warp.h"
#include "core/checks.h"
#include "core/compiler.h"
#include "exec/sched/frame.h"
#include "ptx/matrix.h"

#include <math.h>
#include <string.h>

enum { LANES = CUP_ABI_WARP_LANES, EDGE = 16 };

static struct ptx_matrix_position position_of(const struct cup_abi_warp_call *call,
                                              enum ptx_matrix_part part, unsigned lane,
                                              unsigned reg, unsigned at)
{
    struct ptx_matrices matrices = {call->m, call->n, call->k, {0}};

    memcpy(matrices.types, call->types, sizeof(matrices.types));
    return ptx_matrix_position_of(&matrices, call->shared_fragments, part, lane, reg, at);
}

/* Reads a matrix, B by columns, and returns the words behind it. */
static const uint64_t *gather(const struct cup_abi_warp_call *call, enum ptx_matrix_part part,
                              const uint64_t *words, double (*matrix)[EDGE])
{
    for (unsigned reg = 0; reg < call->registers[part]; reg++, words += LANES)
        for (unsigned lane = 0; lane < LANES; lane++) {
            struct ptx_matrix_position p = position_of(call, part, lane, reg, 0);
            double *to = part == PTX_MATRIX_B ? &matrix[p.column][p.row] : &matrix[p.row][p.column];

            memcpy(to, &words[lane], sizeof(*to));
        }
    return words;
}

void cup_matrix_multiply(const struct cup_abi_warp_call *call, uint64_t *words)
{
    double a[EDGE][EDGE], b[EDGE][EDGE], c[EDGE][EDGE];
    const uint64_t *after = gather(call, PTX_MATRIX_A, words, a);
    uint64_t *result;

    after = gather(call, PTX_MATRIX_B, after, b);
    after = gather(call, PTX_MATRIX_C, after, c);
    result = words + (after - words);
    for (unsigned row = 0; row < call->m; row++)
        for (unsigned column = 0; column < call->n; column++)
            for (unsigned k = 0; k < call->k; k++)
                c[row][column] = fma(a[row][k], b[column][k], c[row][column]);
    for (unsigned reg = 0; reg < call->registers[PTX_MATRIX_D]; reg++, result += LANES)
        for (unsigned lane = 0; lane < LANES; lane++) {
            struct ptx_matrix_position p = position_of(call, PTX_MATRIX_D, lane, reg, 0);

            memcpy(&result[lane], &c[p.row][p.column], sizeof(result[lane]));
        }
}

/* What is loaded and stored at once: an element, or a register of elements smaller than a byte. */
static unsigned unit_bits(enum ptx_type type)
{
    return ptx_type_bits(type) < 8 ? 32 : ptx_type_bits(type);
}

static unsigned units_per_register(enum ptx_type type)
{
    return type == PTX_F64 ? 1 : 32 / unit_bits(type);
}

/* Where an element is, in bytes from the matrix on; `stride` is the distance of rows, or columns,
 * in elements. */
static uint64_t offset_of(const struct cup_abi_warp_call *call, uint64_t stride, unsigned lane,
                          unsigned reg, unsigned at)
{
    struct ptx_matrix_position p = position_of(call, call->part, lane, reg, at);
    uint64_t elements = call->transposed ? p.column * stride + p.row : p.row * stride + p.column;

    return elements * ptx_type_bits(call->types[call->part]) / 8;
}

/* Addresses in shared memory wrap, so all of them stay inside. */
static uint8_t *address_of(const struct cup_abi_block *block, uint64_t base, uint64_t offset)
{
    uint64_t shared = (uint64_t)(uintptr_t)block->shared;

    if (base - shared < CUP_FRAME_WINDOW_BYTES)
        return block->shared + (uint32_t)(base - shared + offset);
    return (uint8_t *)(uintptr_t)(base + offset);
}

/* Where the elements of a register are, in bytes from the matrix on: place, and what is added for
 * each group of four lanes, for each lane of a group and for each element of a lane. The latter are
 * the same for all registers. */
struct steps {
    uint64_t place, group, lane, element;
};

static struct steps steps_of(const struct cup_abi_warp_call *call, uint64_t stride)
{
    bool several = units_per_register(call->types[call->part]) > 1;
    uint64_t place = offset_of(call, stride, 0, 0, 0);

    return (struct steps){place, offset_of(call, stride, 4, 0, 0) - place,
                          offset_of(call, stride, 1, 0, 0) - place,
                          several ? offset_of(call, stride, 0, 0, 1) - place : 0};
}

/* Whether all lanes take part with one address and stride, as the manual demands, and the matrix is
 * where addresses need not wrap. Checks want to know what each lane does. */
static bool is_plain(const struct cup_abi_block *block, uint32_t mask, const uint64_t *bases,
                     const uint64_t *strides)
{
    enum { MOST_LINES = 32, MOST_BYTES = 8 };
    uint64_t differ = 0, from = bases[0] - (uint64_t)(uintptr_t)block->shared,
             most = (strides[0] + 1) * MOST_LINES * MOST_BYTES;

    for (unsigned lane = 0; lane < LANES; lane++)
        differ |= (bases[lane] ^ bases[0]) | (strides[lane] ^ strides[0]);
    return mask == UINT32_MAX && !differ && !cup_checks.kernels &&
           (from >= CUP_FRAME_WINDOW_BYTES || from + most <= UINT32_MAX);
}

static void load_register(const struct cup_abi_warp_call *call, const uint8_t *from,
                          const struct steps *steps, uint64_t *words)
{
    enum ptx_type type = call->types[call->part];
    unsigned bits = unit_bits(type), units = units_per_register(type);

    for (unsigned group = 0; group < LANES / 4; group++) {
        const uint8_t *row = from + steps->place + group * steps->group;
        uint32_t four[4];

        if (bits < 64 && steps->lane == 4 && (units == 1 || steps->element == bits / 8)) {
            memcpy(four, row, sizeof(four));
            for (unsigned lane = 0; lane < 4; lane++)
                words[4 * group + lane] = four[lane];
            continue;
        }
        for (unsigned lane = 0; lane < 4; lane++) {
            uint64_t word = 0;

            for (unsigned at = 0; at < units; at++) {
                uint64_t one = 0;

                memcpy(&one, row + lane * steps->lane + at * steps->element, bits / 8);
                word |= one << bits * at;
            }
            words[4 * group + lane] = word;
        }
    }
}

static void load_all(const struct cup_abi_warp_call *call, uint64_t base, uint64_t stride,
                     uint64_t *words)
{
    struct steps steps = steps_of(call, stride);

    for (unsigned reg = 0; reg < call->registers[call->part]; reg++, words += LANES) {
        steps.place = offset_of(call, stride, 0, reg, 0);
        load_register(call, (const uint8_t *)(uintptr_t)base, &steps, words);
    }
}

static void store_register(const struct cup_abi_warp_call *call, uint8_t *to,
                           const struct steps *steps, const uint64_t *words)
{
    enum ptx_type type = call->types[call->part];
    unsigned bits = unit_bits(type), units = units_per_register(type);

    for (unsigned lane = 0; lane < LANES; lane++) {
        uint8_t *place = to + steps->place + lane / 4 * steps->group + lane % 4 * steps->lane;

        for (unsigned at = 0; at < units; at++) {
            uint64_t one = words[lane] >> bits * at;

            memcpy(place + at * steps->element, &one, bits / 8);
        }
    }
}

static void store_all(const struct cup_abi_warp_call *call, uint64_t base, uint64_t stride,
                      const uint64_t *words)
{
    struct steps steps = steps_of(call, stride);

    for (unsigned reg = 0; reg < call->registers[call->part]; reg++, words += LANES) {
        steps.place = offset_of(call, stride, 0, reg, 0);
        store_register(call, (uint8_t *)(uintptr_t)base, &steps, words);
    }
}

void cup_matrix_load(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                     const struct cup_abi_warp_call *call, uint64_t *words)
{
    enum ptx_type type = call->types[call->part];
    unsigned bits = unit_bits(type), bytes = bits / 8;
    const uint64_t *bases = words, *strides = words + LANES;

    if (is_plain(block, mask, bases, strides)) {
        load_all(call, bases[0], strides[0], words + 2 * LANES);
        return;
    }
    for (unsigned reg = 0; reg < call->registers[call->part]; reg++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            uint64_t word = 0;

            for (unsigned at = 0; (mask >> lane & 1) && at < units_per_register(type); at++) {
                uint64_t one = 0;
                const uint8_t *from =
                    address_of(block, bases[lane], offset_of(call, strides[lane], lane, reg, at));

                cup_service_access(block, warp, lane, from, bytes, call->site, CUP_ABI_READS);
                memcpy(&one, from, bytes);
                word |= one << bits * at;
            }
            words[(2 + reg) * LANES + lane] = word;
        }
}

void cup_matrix_store(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                      const struct cup_abi_warp_call *call, const uint64_t *words)
{
    enum ptx_type type = call->types[call->part];
    unsigned bits = unit_bits(type), bytes = bits / 8;
    const uint64_t *bases = words, *strides = words + LANES;

    if (is_plain(block, mask, bases, strides)) {
        store_all(call, bases[0], strides[0], words + 2 * LANES);
        return;
    }
    for (unsigned reg = 0; reg < call->registers[call->part]; reg++)
        for (unsigned lane = 0; lane < LANES; lane++)
            for (unsigned at = 0; (mask >> lane & 1) && at < units_per_register(type); at++) {
                uint64_t one = words[(2 + reg) * LANES + lane] >> bits * at;
                uint8_t *to =
                    address_of(block, bases[lane], offset_of(call, strides[lane], lane, reg, at));

                cup_service_access(block, warp, lane, to, bytes, call->site, CUP_ABI_WRITES);
                memcpy(to, &one, bytes);
            }
}
