/* SPDX-License-Identifier: MIT */
#include "draw.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __SANITIZE_THREAD__
enum { is_tsan = 1 };
#else
enum { is_tsan = 0 };
#endif

enum { KEPT = 64, HOST_BYTES = 1 << 20 };

/* Handles of each kind, shared by all threads; the newest replace the oldest. */
static _Atomic(uint64_t) kept[KIND_COUNT][KEPT];
static _Atomic(unsigned) kept_count[KIND_COUNT];

bool draw_is_alone;

/* Memory to copy from and to, with nothing behind it as far as a size reaches, nor before it, where
 * rows with a pitch of almost 2^64 go. */
static unsigned char *area;
static unsigned area_shift = 33; /* TSan leaves a program less */

__attribute__((constructor)) static void make_area(void)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

    do {
        area = mmap(NULL, (size_t)2 << area_shift, PROT_NONE, flags, -1, 0);
    } while (area == MAP_FAILED && --area_shift > 24);
    if (area == MAP_FAILED)
        abort();
    area += (size_t)1 << area_shift;
    if (mprotect(area, HOST_BYTES, PROT_READ | PROT_WRITE) != 0)
        abort();
}

static unsigned char *host_area(void)
{
    return area;
}

void draw_init(struct draw *draw, const uint8_t *bytes, size_t size, uint64_t seed)
{
    *draw = (struct draw){
        .bytes = bytes, .left = size, .state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    draw->buffers = calloc(BUFFERS, BUFFER_BYTES);
    if (!draw->buffers)
        abort();
}

void draw_finish(struct draw *draw)
{
    free(draw->buffers);
}

uint64_t draw_bits(struct draw *draw)
{
    uint64_t bits = 0;

    if (draw->left > 0) {
        size_t count = draw->left < 2 ? draw->left : 2;

        memcpy(&bits, draw->bytes, count);
        draw->bytes += count;
        draw->left -= count;
        draw->state ^= bits * UINT64_C(0xff51afd7ed558ccd);
        if (draw->state == 0)
            draw->state = 1;
        return bits * UINT64_C(0x0001000100010001);
    }
    draw->state ^= draw->state << 13;
    draw->state ^= draw->state >> 7;
    draw->state ^= draw->state << 17;
    return draw->state * UINT64_C(0x2545f4914f6cdd1d);
}

unsigned draw_below(struct draw *draw, unsigned below)
{
    return (unsigned)((draw_bits(draw) >> 32) % below);
}

uint64_t draw_number(struct draw *draw)
{
    switch (draw_below(draw, 8)) {
    case 0:
        return 0;
    case 1:
        return 1;
    case 2:
        return 2;
    case 3:
        return draw_below(draw, 8);
    case 4:
        return UINT64_C(1) << draw_below(draw, 6);
    case 5:
        return draw_below(draw, 64);
    case 6:
        return 1 + draw_below(draw, 2);
    default:
        return draw_below(draw, 128);
    }
}

uint64_t draw_size(struct draw *draw)
{
    unsigned kind = draw_below(draw, 12);

    if (is_tsan && (kind == 1 || kind == 2))
        kind = 0; /* it would look at each of the bytes first */
    switch (kind) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX - draw_below(draw, 3);
    case 2:
        return UINT64_C(1) << (48 + draw_below(draw, 16));
    case 3:
        return (UINT64_C(2) << 20) * (1 + draw_below(draw, 4));
    case 4: /* what a program may have of the host's memory, which others need, too */
        return (UINT64_C(1) << draw_below(draw, 27)) + draw_below(draw, 3) - 1;
    case 5:
        return draw_below(draw, 4 << 20);
    default:
        return draw_below(draw, 8192);
    }
}

static uint64_t any_kept(struct draw *draw, enum kind kind)
{
    unsigned count = atomic_load(&kept_count[kind]);

    if (count == 0)
        return 0;
    return atomic_load(&kept[kind][draw_below(draw, count < KEPT ? count : KEPT)]);
}

void keep(struct draw *draw, enum kind kind, uint64_t handle)
{
    (void)draw;
    if (handle)
        atomic_store(&kept[kind][atomic_fetch_add(&kept_count[kind], 1) % KEPT], handle);
}

/* What no call has made, or another kind's. */
static void *bad_handle(struct draw *draw)
{
    static char zeroed[BUFFER_BYTES];

    switch (draw_below(draw, 4)) {
    case 0:
        return zeroed;
    case 1:
        return (void *)(uintptr_t)(1 + draw_below(draw, 64));
    case 2:
        return (void *)(uintptr_t)any_kept(draw, (enum kind)draw_below(draw, KIND_COUNT));
    default:
        return (void *)(uintptr_t)draw_bits(draw);
    }
}

void *draw_handle(struct draw *draw, enum kind kind)
{
    uint64_t handle = any_kept(draw, kind);

    if (draw->only_bad_handles)
        return bad_handle(draw);
    switch (draw_below(draw, 40)) {
    case 0:
        return NULL;
    case 1:
        return (void *)(uintptr_t)draw_bits(draw);
    case 2:
        return (void *)(uintptr_t)any_kept(draw, (enum kind)draw_below(draw, KIND_COUNT));
    case 3:
        return (void *)(uintptr_t)(handle + 8 * draw_below(draw, 64));
    case 4:
        return (void *)(uintptr_t)(1 + draw_below(draw, 3)); /* the default streams are such */
    default:
        return (void *)(uintptr_t)handle;
    }
}

CUdeviceptr draw_address(struct draw *draw)
{
    uint64_t address = any_kept(draw, KIND_ADDRESS);

    switch (draw_below(draw, 24)) {
    case 0:
        return 0;
    case 1:
        return draw_bits(draw) | UINT64_C(1) << 63; /* nobody's, on any system */
    case 2:
        return address + draw_below(draw, 1 << 16);
    case 3:
        return (CUdeviceptr)(uintptr_t)host_area() + draw_below(draw, 2 * HOST_BYTES);
    case 4:
        return address - 1;
    case 5:
    case 6:
        return address + draw_below(draw, 4096);
    default:
        return address;
    }
}

/* A word of a structure. Pointers in it are NULL, addresses of buffers, or what the driver judges.
 */
static uint64_t draw_word(struct draw *draw)
{
    switch (draw_below(draw, 20)) {
    case 0:
        return draw_size(draw);
    case 1:
        return any_kept(draw, (enum kind)draw_below(draw, KIND_COUNT));
    case 2:
        return draw_address(draw);
    case 3:
        return (uint64_t)(uintptr_t)host_area();
    case 4:
    case 5:
    case 6:
        return draw_number(draw);
    case 7:
        return draw_number(draw) | draw_number(draw) << 32;
    default:
        return 0;
    }
}

void *draw_struct(struct draw *draw)
{
    enum { WORDS = 40 };
    unsigned char *buffer = draw->buffers + (size_t)(draw->next_buffer++ % BUFFERS) * BUFFER_BYTES;
    uint64_t words[WORDS];

    for (int i = 0; i < WORDS; i++)
        words[i] = draw_word(draw);
    for (size_t at = 0; at + sizeof(words) <= BUFFER_BYTES / 8; at += sizeof(words))
        memcpy(buffer + at, words, sizeof(words));
    return buffer;
}

void *draw_buffer(struct draw *draw)
{
    return draw_below(draw, 24) == 0 ? NULL : draw_struct(draw);
}

void *draw_handles(struct draw *draw, enum kind kind)
{
    void **handles = draw_buffer(draw);

    for (int i = 0; handles && i < DRAW_HANDLES; i++)
        handles[i] = draw_handle(draw, kind);
    return handles;
}

void *draw_host(struct draw *draw)
{
    switch (draw_below(draw, 12)) {
    case 0:
        return NULL;
    case 1:
        return (void *)(uintptr_t)(draw_bits(draw) | UINT64_C(1) << 63);
    case 2:
        return (void *)(uintptr_t)draw_address(draw);
    case 3:
        return host_area() + HOST_BYTES - draw_below(draw, 4096);
    default:
        return host_area() + draw_below(draw, HOST_BYTES / 4096) * 4096;
    }
}

const char *draw_string(struct draw *draw)
{
    static const char *const strings[] = {
        "",
        "fill",
        "nothing",
        "counter",
        "0000:00:06.0",
        "cuMemAlloc",
        "cuInit",
        "increment",
        "picture",
        "canvas",
        "letters",
        "x",
        "/no/such/file",
        "/dev/null",
        "table",
        "\xff\xfe%s%n",
        "ffff:ff:1f.7",
    };

    if (draw_below(draw, 32) == 0)
        return NULL;
    return strings[draw_below(draw, sizeof(strings) / sizeof(strings[0]))];
}

static void do_nothing(void)
{
}

void (*draw_function(struct draw *draw))(void)
{
    return draw_below(draw, 16) == 0 ? NULL : do_nothing;
}
