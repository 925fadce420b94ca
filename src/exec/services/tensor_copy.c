/* SPDX-License-Identifier: MIT */
/* A box is copied row by row: a row is contiguous in global memory, and in shared memory except for
 * the swizzle, which moves units of 16 bytes. Rows of a tiled box are those of its outer dimensions
 * in order; rows of an im2col box are pixels. What lies outside of the tensor is filled by loads
 * and left alone by stores. */

#include "abi/check.h"
#include "abi/launch.h"
#include "abi/services.h"
#include "abi/warp.h"
#include "core/align.h"
#include "core/checks.h"
#include "exec/sched/fault.h"
#include "exec/services/bulk_copy.h"
#include "exec/services/mbarrier.h"
#include "exec/services/reduce.h"
#include "exec/services/swizzle.h"
#include "exec/services/tensor_map.h"

#include <string.h>

enum {
    LANES = CUP_ABI_WARP_LANES,
    UNIT_BYTES = 16,
    SHARED_ALIGN = 128,
    ROW_MAX_BYTES = 256 * 32,
    /* Rows of words (abi/warp.h). */
    MAP = 1,
    MBARRIER = 2,
    RANKS = 3,
    COORDINATES = 4,
    OFFSETS = 9,
};

struct box_copy {
    const struct cup_bulk *bulk;
    struct cup_tma_tensor tensor;
    int64_t at[CUP_TMA_DIMENSIONS];  /* of the box */
    int64_t end[CUP_TMA_DIMENSIONS]; /* tiled: behind the box's rows */
    int64_t offsets[3];              /* im2col */
    uint32_t row_bytes, rows;
    uint32_t count, first, last; /* elements of a row; those in the tensor are [first, last) */
    uint32_t pitch;  /* from row to row in shared memory: a row of the swizzle is never shared */
    uint64_t shared; /* address of the box */
    bool loads;
};

/* A row: its first element's coordinates, and whether the outer ones are inside the tensor. */
struct row {
    uint64_t address; /* of the element with first coordinate 0 */
    bool inside;
};

static void fail(const struct cup_bulk *bulk, enum cup_abi_trap reason)
{
    cup_fault_trap(bulk->block, bulk->warp, 1u << bulk->lane, reason, bulk->call->line);
}

static struct row row_at(const struct cup_tma_tensor *tensor, const int64_t *coordinates)
{
    struct row row = {tensor->address, true};

    for (unsigned i = 1; i < tensor->rank; i++) {
        row.inside &= coordinates[i] >= 0 && (uint64_t)coordinates[i] < tensor->dims[i];
        row.address += (uint64_t)coordinates[i] * tensor->strides[i];
    }
    return row;
}

/* The elements of a dimension of the box; those between the element strides are left out. Of an
 * interleaved tensor the last but one counts channels. */
static uint32_t side(const struct cup_tma_tensor *tensor, unsigned i)
{
    uint32_t box = tensor->box[i];

    if (tensor->interleave && i + 2 == tensor->rank)
        box = (box * tensor->element_bytes + tensor->unit_bytes - 1) / tensor->unit_bytes;
    return i == 0 ? box : (box + tensor->element_strides[i] - 1) / tensor->element_strides[i];
}

/* The next row of a tiled box: along the second dimension, then the next. */
static void advance_row(const struct box_copy *copy, int64_t *coordinates)
{
    const struct cup_tma_tensor *tensor = &copy->tensor;

    for (unsigned i = 1; i < tensor->rank; i++) {
        coordinates[i] += tensor->element_strides[i];
        if (coordinates[i] < copy->end[i])
            return;
        coordinates[i] = copy->at[i];
    }
}

/* The row of a pixel. The offsets move the box. */
static struct row pixel_row(const struct box_copy *copy, const int64_t *pixel)
{
    const struct cup_tma_tensor *tensor = &copy->tensor;
    int64_t coordinates[CUP_TMA_DIMENSIONS];

    for (unsigned i = 1; i < tensor->rank; i++)
        coordinates[i] = pixel[i] + (i + 1 < tensor->rank ? copy->offsets[i - 1] : 0);
    return row_at(tensor, coordinates);
}

/* The next pixel of the bounding box: along the first spatial dimension, then the next, then in the
 * next image. */
static void advance_pixel(const struct cup_tma_tensor *tensor, int64_t *pixel)
{
    unsigned spatial = tensor->rank - 2;

    for (unsigned i = 0; i < spatial; i++) {
        pixel[i + 1] += tensor->element_strides[i + 1];
        if (pixel[i + 1] <= (int64_t)tensor->dims[i + 1] - 1 + tensor->upper[i])
            return;
        pixel[i + 1] = tensor->lower[i];
    }
    pixel[spatial + 1]++;
}

/* Shared memory holds the low 10 bits of addresses in their places: it is aligned to 1024. */
static uint8_t *unit_at(enum cup_swizzle swizzle, uint64_t address)
{
    uint32_t low = (uint32_t)(address & 1023);

    return (uint8_t *)(uintptr_t)(address - low + cup_swizzle_offset(low, swizzle));
}

/* The NaN that fma.oob knows fills 16 bits, and wider elements by repetition. */
static void fill_elements(const struct cup_tma_tensor *tensor, uint8_t *row, uint32_t first,
                          uint32_t end)
{
    static const uint8_t nan[2] = {0xf7, 0x7f};
    unsigned size = tensor->unit_bytes;

    if (!tensor->fills_nan) {
        memset(row + (size_t)first * size, 0, (size_t)(end - first) * size);
        return;
    }
    for (size_t at = (size_t)first * size; at < (size_t)end * size; at += sizeof(nan))
        memcpy(row + at, nan, sizeof(nan));
}

/* .tf32 has 10 bits of the fraction; halves are rounded away from zero. */
static void round_to_tf32(uint8_t *row, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bits;

        memcpy(&bits, row + 4 * (size_t)i, sizeof(bits));
        bits = (bits & 0x7fffffff) > 0x7f800000 ? 0x7fffe000 : (bits + 0x1000) & 0xffffe000;
        memcpy(row + 4 * (size_t)i, &bits, sizeof(bits));
    }
}

/* Finds the elements of a row that are in the tensor, if the row is. */
static void find_inside(struct box_copy *copy)
{
    int64_t x = copy->at[0], from = x < 0 ? -x : 0, to = (int64_t)copy->tensor.dims[0] - x;

    to = to > copy->count ? copy->count : to;
    if (from >= to)
        from = to = 0;
    copy->first = (uint32_t)from;
    copy->last = (uint32_t)to;
}

static uint64_t element_address(const struct box_copy *copy, const struct row *row, uint32_t first)
{
    return row->address + (uint64_t)(copy->at[0] + first) * copy->tensor.unit_bytes;
}

/* Global memory is about to be read. */
static void read_global(const struct box_copy *copy, uint64_t from, uint64_t bytes)
{
    cup_bulk_check_global(copy->bulk, from, bytes, CUP_MAY_READ);
    cup_bulk_tell(copy->bulk, from, bytes, CUP_ABI_READS);
}

/* Most kernels load the next box along a row next. */
static void prefetch_next(uint64_t address, uint32_t bytes)
{
    enum { LINE_BYTES = 64, LEAST = 2 }; /* into the second level of caches */

    for (uint32_t at = 0; at < bytes; at += LINE_BYTES)
        __builtin_prefetch((const void *)(uintptr_t)(address + at), 0, LEAST);
}

/* Units of shared memory are about to be read or written. */
static void tell_units(const struct box_copy *copy, uint64_t from, uint64_t end, uint32_t access)
{
    for (; from < end; from += UNIT_BYTES)
        cup_bulk_tell(copy->bulk, (uint64_t)(uintptr_t)unit_at(copy->tensor.swizzle, from),
                      UNIT_BYTES, access);
}

/* Writes a row to shared memory. Units of one 128 bytes are moved by the same bits of the address.
 */
static void write_row(const struct box_copy *copy, const uint8_t *bytes, uint64_t to)
{
    enum { LINE_BYTES = 128 };
    uint64_t end = to + copy->row_bytes;

    if (cup_unlikely(cup_checks.kernels != 0))
        tell_units(copy, to, end, CUP_ABI_WRITES);
    while (to < end) {
        uint8_t *line = (uint8_t *)(uintptr_t)(to & -(uint64_t)LINE_BYTES);
        uint32_t at = (uint32_t)(to % LINE_BYTES), moved;
        uint32_t stop = end - to < LINE_BYTES - at ? at + (uint32_t)(end - to) : LINE_BYTES;

        moved =
            cup_swizzle_offset((uint32_t)(to & 1023), copy->tensor.swizzle) ^ (uint32_t)(to & 1023);
        to += stop - at;
        for (; at < stop; at += UNIT_BYTES, bytes += UNIT_BYTES)
            memcpy(line + (at ^ moved), bytes, UNIT_BYTES);
    }
}

static void load_row(const struct box_copy *copy, const struct row *row, uint64_t to)
{
    const struct cup_tma_tensor *tensor = &copy->tensor;
    uint32_t size = tensor->unit_bytes, first = row->inside ? copy->first : 0,
             end = row->inside ? copy->last : 0;
    uint8_t bytes[ROW_MAX_BYTES];

    if (first == 0 && end == copy->count && !tensor->rounds_to_tf32) {
        uint64_t from = element_address(copy, row, 0);

        read_global(copy, from, copy->row_bytes);
        prefetch_next(from + copy->row_bytes, copy->row_bytes);
        write_row(copy, (const uint8_t *)(uintptr_t)from, to);
        return;
    }
    fill_elements(tensor, bytes, 0, first);
    fill_elements(tensor, bytes, end, copy->count);
    if (first < end) {
        uint64_t from = element_address(copy, row, first);

        read_global(copy, from, (uint64_t)(end - first) * size);
        memcpy(bytes + (size_t)first * size, (const void *)(uintptr_t)from,
               (size_t)(end - first) * size);
        if (tensor->rounds_to_tf32)
            round_to_tf32(bytes + (size_t)first * size, (end - first) * size / 4);
    }
    write_row(copy, bytes, to);
}

/* Sums of the type .f32 that flushes subnormal numbers do so. */
static uint8_t reduction_of(const struct box_copy *copy)
{
    uint8_t reduction = copy->bulk->call->reduction;

    return reduction == CUP_ABI_REDUCE_ADD && copy->tensor.flushes ? CUP_ABI_REDUCE_ADD_FTZ
                                                                   : reduction;
}

static void store_row(const struct box_copy *copy, const struct row *row, uint64_t from)
{
    const struct cup_abi_warp_call *call = copy->bulk->call;
    uint32_t size = copy->tensor.unit_bytes, first = copy->first, end;
    uint8_t bytes[ROW_MAX_BYTES];
    uint64_t to;

    if (!row->inside || first == copy->last)
        return;
    /* the device writes whole units */
    end = (uint32_t)cup_align_up(copy->last * size, UNIT_BYTES) / size;
    for (uint32_t unit = 0; unit < copy->row_bytes; unit += UNIT_BYTES)
        memcpy(bytes + unit, unit_at(copy->tensor.swizzle, from + unit), UNIT_BYTES);
    if (cup_unlikely(cup_checks.kernels != 0)) /* the others are not stored */
        tell_units(copy, from + first * size / UNIT_BYTES * UNIT_BYTES, from + end * size,
                   CUP_ABI_READS);
    to = element_address(copy, row, first);
    cup_bulk_check_global(copy->bulk, to, (uint64_t)(end - first) * size, CUP_MAY_WRITE);
    cup_bulk_tell(copy->bulk, to, (uint64_t)(end - first) * size, CUP_ABI_WRITES);
    if (call->reduction)
        cup_reduce((void *)(uintptr_t)to, bytes + (size_t)first * size,
                   (size_t)(end - first) * size, copy->tensor.type, reduction_of(copy));
    else
        memcpy((void *)(uintptr_t)to, bytes + (size_t)first * size, (size_t)(end - first) * size);
}

static void copy_box(const struct box_copy *copy, uint64_t shared)
{
    uint64_t bytes = (uint64_t)copy->pitch * (copy->rows - 1) + copy->row_bytes;
    int64_t coordinates[CUP_TMA_DIMENSIONS]; /* of the row */

    if (shared % SHARED_ALIGN)
        cup_fault_misaligned(copy->bulk->block, copy->bulk->warp, 1u << copy->bulk->lane, shared,
                             SHARED_ALIGN, copy->bulk->call->line);
    cup_bulk_check_shared(copy->bulk, shared, bytes);
    memcpy(coordinates, copy->at, sizeof(coordinates));
    for (uint32_t i = 0; i < copy->rows; i++) {
        struct row row = copy->tensor.is_im2col ? pixel_row(copy, coordinates)
                                                : row_at(&copy->tensor, coordinates);
        uint64_t at = shared + (uint64_t)i * copy->pitch;

        if (copy->tensor.is_im2col)
            advance_pixel(&copy->tensor, coordinates);
        else
            advance_row(copy, coordinates);
        if (copy->loads)
            load_row(copy, &row, at);
        else
            store_row(copy, &row, at);
    }
}

static void load_box(const struct cup_bulk *bulk, uint64_t to, uint64_t mbarrier, void *context)
{
    const struct box_copy *copy = context;

    copy_box(copy, to);
    cup_mbarrier_complete(bulk->block, bulk->warp, bulk->lane, bulk->call, mbarrier,
                          (uint64_t)copy->row_bytes * copy->rows);
}

/* A reduction of a type that has none. */
static bool reduces(const struct box_copy *copy)
{
    uint8_t reduction = copy->bulk->call->reduction;
    const struct cup_tma_tensor *tensor = &copy->tensor;

    if (!reduction)
        return true;
    if (tensor->element_bytes < 2 || (tensor->element_bytes == 2 && !tensor->is_float))
        return false;
    if (!tensor->is_float)
        return true;
    return reduction == CUP_ABI_REDUCE_ADD ||
           (tensor->element_bytes == 2 &&
            (reduction == CUP_ABI_REDUCE_MIN || reduction == CUP_ABI_REDUCE_MAX));
}

/* What the device takes as an illegal instruction otherwise. */
static bool position_is_valid(const struct box_copy *copy)
{
    bool valid = copy->at[0] * copy->tensor.unit_bytes % UNIT_BYTES == 0;

    for (unsigned i = 0; !copy->loads && i < copy->tensor.rank; i++)
        valid &= copy->at[i] >= 0;
    return valid;
}

static void prepare(struct box_copy *copy, const uint64_t *words)
{
    const struct cup_bulk *bulk = copy->bulk;
    const struct cup_tma_tensor *tensor = &copy->tensor;
    uint64_t map = words[MAP * LANES + bulk->lane];

    if (map % 64)
        cup_fault_misaligned(bulk->block, bulk->warp, 1u << bulk->lane, map, 64, bulk->call->line);
    if (!cup_tma_read(&copy->tensor, (const void *)(uintptr_t)map) ||
        tensor->rank != bulk->call->rank ||
        tensor->is_im2col != !!(bulk->call->flags & CUP_ABI_WARP_IM2COL) || !reduces(copy))
        fail(bulk, CUP_ABI_TRAP_TENSOR_MAP);
    for (unsigned i = 0; i < tensor->rank; i++)
        copy->at[i] = (int32_t)words[(COORDINATES + i) * LANES + bulk->lane];
    if (!position_is_valid(copy))
        fail(bulk, CUP_ABI_TRAP_TENSOR_POSITION);
    for (unsigned i = 0; i < 3; i++)
        copy->offsets[i] = (uint16_t)words[(OFFSETS + i) * LANES + bulk->lane];
    copy->row_bytes = tensor->box[0] * tensor->unit_bytes;
    copy->count = tensor->box[0];
    find_inside(copy);
    copy->pitch = copy->row_bytes;
    if (tensor->swizzle && !tensor->interleave)
        copy->pitch = 16u << tensor->swizzle;
    copy->rows = tensor->is_im2col ? tensor->pixels : 1;
    for (unsigned i = 1; !tensor->is_im2col && i < tensor->rank; i++) {
        copy->rows *= side(tensor, i);
        copy->end[i] = copy->at[i] + (int64_t)side(tensor, i) * tensor->element_strides[i];
    }
}

void cup_tma_execute(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                     const struct cup_abi_warp_call *call, const uint64_t *words)
{
    struct cup_bulk bulk = {.block = block, .call = call, .warp = warp};
    struct box_copy copy = {.bulk = &bulk, .loads = call->operation == CUP_ABI_WARP_TENSOR_LOAD};

    for (uint32_t left = mask; left; left &= left - 1) {
        uint64_t shared, mbarrier;

        bulk.lane = (uint32_t)__builtin_ctz(left);
        shared = words[bulk.lane];
        mbarrier = words[MBARRIER * LANES + bulk.lane];
        prepare(&copy, words);
        if (!copy.loads)
            copy_box(&copy, shared);
        else if (call->flags & CUP_ABI_WARP_MULTICAST)
            cup_bulk_multicast(&bulk, shared, mbarrier, (uint32_t)words[RANKS * LANES + bulk.lane],
                               load_box, &copy);
        else
            load_box(&bulk, shared, mbarrier, &copy);
    }
}
