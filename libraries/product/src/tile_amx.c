/* SPDX-License-Identifier: MIT */
/* Tiles of bf16 and s8 by AMX: 32 x 32 sums in four tile registers. A row of a register is a column
 * of the product, so that sums lie in memory as columns. The system must allow the registers first:
 * Linux asks for a call of arch_prctl() once a process. */
#include "isa.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SIDE = 32, HALF = 16, PERMISSION_REQUEST = 0x1023, TILE_DATA = 18 };

bool product_amx_enable(void)
{
    return syscall(SYS_arch_prctl, PERMISSION_REQUEST, TILE_DATA) == 0;
}

struct configuration {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
};

/* A constant, since the compiler thinks that the instruction reads 8 bytes of it. */
static const struct configuration configuration = {
    .palette = 1,
    .row_bytes = {64, 64, 64, 64, 64, 64, 64, 64},
    .rows = {16, 16, 16, 16, 16, 16, 16, 16},
};

static void begin(void)
{
    _tile_loadconfig(&configuration);
}

static void end(void)
{
    _tile_release();
}

static inline void begin_sums(const float *c, size_t ld, bool adds)
{
    if (!adds) {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
        return;
    }
    _tile_loadd(0, c, ld * 4);
    _tile_loadd(1, c + HALF, ld * 4);
    _tile_loadd(2, c + HALF * ld, ld * 4);
    _tile_loadd(3, c + HALF * ld + HALF, ld * 4);
}

static inline void store_sums(float *c, size_t ld)
{
    _tile_stored(0, c, ld * 4);
    _tile_stored(1, c + HALF, ld * 4);
    _tile_stored(2, c + HALF * ld, ld * 4);
    _tile_stored(3, c + HALF * ld + HALF, ld * 4);
}

static void run_bf16(size_t units, const void *left, const void *right, void *sums, size_t ld,
                     bool adds)
{
    const uint32_t *a = left, *b = right;

    begin_sums(sums, ld, adds);
    for (size_t u = 0; u < units; u += CHUNK_UNITS) {
        _tile_loadd(4, b, CHUNK_BYTES);
        _tile_loadd(6, a, SIDE * 4);
        _tile_dpbf16ps(0, 4, 6);
        _tile_loadd(7, a + HALF, SIDE * 4);
        _tile_dpbf16ps(1, 4, 7);
        _tile_loadd(5, b + HALF * CHUNK_UNITS, CHUNK_BYTES);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
        a += SIDE * CHUNK_UNITS;
        b += SIDE * CHUNK_UNITS;
    }
    store_sums(sums, ld);
}

static void run_s8(size_t units, const void *left, const void *right, void *sums, size_t ld,
                   bool adds)
{
    const uint32_t *a = left, *b = right;

    begin_sums(sums, ld, adds);
    for (size_t u = 0; u < units; u += CHUNK_UNITS) {
        _tile_loadd(4, b, CHUNK_BYTES);
        _tile_loadd(6, a, SIDE * 4);
        _tile_dpbssd(0, 4, 6);
        _tile_loadd(7, a + HALF, SIDE * 4);
        _tile_dpbssd(1, 4, 7);
        _tile_loadd(5, b + HALF * CHUNK_UNITS, CHUNK_BYTES);
        _tile_dpbssd(2, 5, 6);
        _tile_dpbssd(3, 5, 7);
        a += SIDE * CHUNK_UNITS;
        b += SIDE * CHUNK_UNITS;
    }
    store_sums(sums, ld);
}

const struct product_tile product_tile_amx_bf16 = {run_bf16, SIDE, SIDE, begin, end};
const struct product_tile product_tile_amx_s8 = {run_s8, SIDE, SIDE, begin, end};
#endif
