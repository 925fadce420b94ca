/* SPDX-License-Identifier: MIT */
/*
 * Linear copies, batches of them, and memsets.
 */
#include "random.h"

/* Part of a slot. One in a dozen runs past the end of memory that the driver knows the end of. */
struct piece {
    struct slot *slot;
    size_t offset, room;
};

static struct piece piece_pick(unsigned kinds, const struct slot * not )
{
    struct slot *slot = slot_pick(kinds, not );
    struct piece piece = {slot, 0, 0};

    if (!slot)
        return piece;
    size_t window = slot_window(slot);
    piece.offset = chance(50) ? 0 : below((unsigned)window);
    if (chance(50))
        piece.offset &= ~(size_t)15;
    piece.room = window - piece.offset;
    return piece;
}

static int overruns(const struct slot *slot)
{
    return chance(8) && !((HOST_KINDS | MASK(MANAGED)) >> slot->kind & 1) &&
           slot->size <= WINDOW + 8300;
}

static size_t size_for(struct piece to, struct piece from)
{
    size_t most = to.room < from.room ? to.room : from.room;

    if (overruns(to.slot))
        return from.slot->kind == PAGEABLE ? to.slot->size - to.offset + ONE_OF(1, 100, 20000)
                                           : most;
    if (chance(3))
        return 0;
    return chance(30) ? most : 1 + below((unsigned)most);
}

static const char *piece_text(struct piece piece)
{
    return slot_text(piece.slot, piece.offset);
}

enum { LINEAR = 11 };

static CUresult linear(unsigned which, CUdeviceptr to, CUdeviceptr from, size_t size,
                       CUstream stream)
{
    switch (which) {
    case 0:
        return cuda.cuMemcpy(to, from, size);
    case 1:
        return cuda.cuMemcpyAsync(to, from, size, stream);
    case 2:
        return cuda.cuMemcpyHtoD(to, as_host(from), size);
    case 3:
        return cuda.cuMemcpyHtoDAsync(to, as_host(from), size, stream);
    case 4:
        return cuda.cuMemcpyDtoH(as_host(to), from, size);
    case 5:
        return cuda.cuMemcpyDtoHAsync(as_host(to), from, size, stream);
    case 6:
        return cuda.cuMemcpyDtoD(to, from, size);
    case 7:
        return cuda.cuMemcpyDtoDAsync(to, from, size, stream);
    case 8:
        return cuda.cuMemcpyPeer(to, main_context, from, main_context, size);
    case 9:
        return cuda.cuMemcpyPeerAsync(to, main_context, from, main_context, size, stream);
    default:
        return cuda.cuMemcpyPeer(to, other_context, from, main_context, size);
    }
}

static void op_linear(void)
{
    static const char *const names[LINEAR] = {
        "cuMemcpy",     "cuMemcpyAsync",     "cuMemcpyHtoD",      "cuMemcpyHtoDAsync",
        "cuMemcpyDtoH", "cuMemcpyDtoHAsync", "cuMemcpyDtoD",      "cuMemcpyDtoDAsync",
        "cuMemcpyPeer", "cuMemcpyPeerAsync", "cuMemcpyPeer other"};
    unsigned which = below(other_context ? LINEAR : LINEAR - 1);
    unsigned device_kinds = ANY_KIND & ~MASK(PAGEABLE), any = ANY_KIND;
    int strict = chance(90);
    struct piece to =
        piece_pick(strict && which != 4 && which != 5 && which > 1 ? device_kinds : any, NULL);
    struct piece from = piece_pick(strict && which > 3 ? device_kinds : any, to.slot);
    const char *name;
    CUstream stream = stream_pick(&name);
    size_t size = size_for(to, from);

    say("%s(%s, %s, %zu, %s)", names[which], piece_text(to), piece_text(from), size, name);
    if (!to.slot->ptr || !from.slot->ptr)
        return skip();
    CUresult result =
        linear(which, to.slot->ptr + to.offset, from.slot->ptr + from.offset, size, stream);
    answer(result, "%s", "");
    if (succeeded())
        say(" %08x", slot_hash(to.slot));
}

/* Copies of a batch do not touch each other: each has a slot of its own to write to. */
static void op_batch(void)
{
    CUdeviceptr to[3], from[3];
    size_t sizes[3], indices[3] = {0, 1, 2}, count = (size_t)between(1, 3);
    CUmemcpyAttributes attributes[3];
    struct slot *written[3], *read = slot_pick(ANY_KIND, NULL);
    size_t kinds = 1 + below((unsigned)count);
    const char *name;
    CUstream stream = stream_pick(&name);
    int missing = !read->ptr;

    memset(attributes, 0, sizeof attributes);
    say("cuMemcpyBatchAsync %s kinds %zu", name, kinds);
    for (size_t i = 0; i < count; i++) {
        struct piece destination = piece_pick(ANY_KIND, read);
        for (size_t j = 0; j < i; j++)
            if (written[j] == destination.slot) {
                count = i;
                break;
            }
        if (count == i)
            break;
        written[i] = destination.slot;
        missing |= !destination.slot->ptr;
        struct piece source = {read, chance(50) ? 0 : below((unsigned)slot_window(read)), 0};
        source.room = slot_window(read) - source.offset;
        sizes[i] = size_for(destination, source);
        to[i] = destination.slot->ptr + destination.offset;
        from[i] = read->ptr + source.offset;
        attributes[i].srcAccessOrder =
            (CUmemcpySrcAccessOrder)(chance(95) ? between(1, 3) : ONE_OF(0, 4));
        attributes[i].flags = chance(90) ? 0 : below(4);
        if (chance(20)) {
            attributes[i].srcLocHint = location_pick();
            attributes[i].dstLocHint = location_pick();
        }
        say(" (%s, %s, %zu, order %d, flags %u, hints %d %d, %d %d)", piece_text(destination),
            piece_text(source), sizes[i], attributes[i].srcAccessOrder, attributes[i].flags,
            attributes[i].srcLocHint.type, attributes[i].srcLocHint.id,
            attributes[i].dstLocHint.type, attributes[i].dstLocHint.id);
    }
    if (kinds > count)
        kinds = count;
    if (chance(4))
        indices[0] = 1;
    if (chance(4))
        kinds = 0;
    say(" first %zu kinds %zu", indices[0], kinds);
    if (missing)
        return skip();
    CUresult result =
        cuda.cuMemcpyBatchAsync(to, from, sizes, count, attributes, indices, kinds, stream);
    answer(result, "%s", "");
    for (size_t i = 0; succeeded() && i < count; i++)
        say(" %08x", slot_hash(written[i]));
}

static CUresult set(unsigned width, int async, CUdeviceptr to, unsigned value, size_t count,
                    CUstream stream)
{
    switch (width * 2 + (unsigned)async) {
    case 0:
        return cuda.cuMemsetD8(to, (unsigned char)value, count);
    case 1:
        return cuda.cuMemsetD8Async(to, (unsigned char)value, count, stream);
    case 2:
        return cuda.cuMemsetD16(to, (unsigned short)value, count);
    case 3:
        return cuda.cuMemsetD16Async(to, (unsigned short)value, count, stream);
    case 4:
        return cuda.cuMemsetD32(to, value, count);
    default:
        return cuda.cuMemsetD32Async(to, value, count, stream);
    }
}

static CUresult set_rows(unsigned width, int async, CUdeviceptr to, size_t pitch, unsigned value,
                         size_t count, size_t rows, CUstream stream)
{
    switch (width * 2 + (unsigned)async) {
    case 0:
        return cuda.cuMemsetD2D8(to, pitch, (unsigned char)value, count, rows);
    case 1:
        return cuda.cuMemsetD2D8Async(to, pitch, (unsigned char)value, count, rows, stream);
    case 2:
        return cuda.cuMemsetD2D16(to, pitch, (unsigned short)value, count, rows);
    case 3:
        return cuda.cuMemsetD2D16Async(to, pitch, (unsigned short)value, count, rows, stream);
    case 4:
        return cuda.cuMemsetD2D32(to, pitch, value, count, rows);
    default:
        return cuda.cuMemsetD2D32Async(to, pitch, value, count, rows, stream);
    }
}

static void op_set(void)
{
    unsigned width = below(3), value = (unsigned)random_bits();
    int async = chance(50);
    struct piece to = piece_pick(chance(95) ? ANY_KIND & ~MASK(PAGEABLE) : ANY_KIND, NULL);
    const char *name;
    CUstream stream = stream_pick(&name);
    size_t count = chance(3) ? 0 : to.room >> width ? 1 + below((unsigned)(to.room >> width)) : 1;

    if (chance(90))
        to.offset &= ~(size_t)3;
    if (overruns(to.slot))
        count = (to.slot->size >> width) + ONE_OF(1, 100, 30000);
    else if (to.slot->kind == PAGEABLE)
        count = chance(50) ? 16 : 0;
    say("cuMemsetD%d%s(%s, %x, %zu, %s)", 8 << width, async ? "Async" : "", piece_text(to), value,
        count, name);
    if (!to.slot->ptr)
        return skip();
    answer(set(width, async, to.slot->ptr + to.offset, value, count, stream), "%s", "");
    if (succeeded())
        say(" %08x", slot_hash(to.slot));
}

static void op_set_rows(void)
{
    unsigned width = below(3), value = (unsigned)random_bits();
    int async = chance(50);
    struct slot *slot = slot_pick(chance(95) ? ANY_KIND & ~MASK(PAGEABLE) : ANY_KIND, NULL);
    const char *name;
    CUstream stream = stream_pick(&name);
    size_t offset = chance(50) ? 0 : below(256) & ~(chance(90) ? 3u : 0u);
    size_t pitch = chance(5) ? ONE_SIZE_OF(0, 1, 3) : (size_t)between(1, 100) * 4;
    size_t rows = chance(4) ? 0 : chance(20) ? 1 : (size_t)between(1, 60);
    size_t count = chance(4) ? 0 : 1 + below((unsigned)(chance(95) ? pitch >> width : 500) + 1);

    if (slot->kind == PAGEABLE)
        rows = 1;
    say("cuMemsetD2D%d%s(%s, %zu, %x, %zu, %zu, %s)", 8 << width, async ? "Async" : "",
        slot_text(slot, offset), pitch, value, count, rows, name);
    if (!slot->ptr)
        return skip();
    answer(set_rows(width, async, slot->ptr + offset, pitch, value, count, rows, stream), "%s", "");
    if (succeeded())
        say(" %08x", slot_hash(slot));
}

const struct operation copy_operations[] = {
    {24, op_linear, 0}, {6, op_batch, 0}, {9, op_set, 0}, {7, op_set_rows, 0}, {0, NULL, 0}};
