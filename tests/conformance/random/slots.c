/* SPDX-License-Identifier: MIT */
/*
 * Memory of every kind in fixed slots: how it is made, given back, filled and hashed.
 */
#include "random.h"

struct slot slots[SLOTS] = {
    {.kind = DEVICE},  {.kind = DEVICE},  {.kind = DEVICE},     {.kind = PINNED},
    {.kind = PINNED},  {.kind = PINNED},  {.kind = REGISTERED}, {.kind = REGISTERED},
    {.kind = MANAGED}, {.kind = MANAGED}, {.kind = POOLED},     {.kind = POOLED},
    {.kind = VIRTUAL}, {.kind = VIRTUAL}, {.kind = PAGEABLE},   {.kind = PAGEABLE},
};

uint32_t hash_bytes(uint32_t hash, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * 16777619u;
    return hash ^ hash >> 15;
}

struct slot *slot_pick(unsigned kinds, const struct slot * not )
{
    struct slot *found[SLOTS];
    unsigned count = 0;

    for (unsigned i = 0; i < SLOTS; i++)
        if (slots[i].live && kinds >> slots[i].kind & 1 && &slots[i] != not )
            found[count++] = &slots[i];
    return count ? found[below(count)] : &slots[not == &slots[SLOTS - 1] ? SLOTS - 2 : SLOTS - 1];
}

size_t slot_window(const struct slot *slot)
{
    return slot->size < WINDOW ? slot->size : WINDOW;
}

void slot_fill(struct slot *slot, unsigned pattern)
{
    static unsigned char bytes[WINDOW];
    size_t size = slot_window(slot);

    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)((i * 2654435761u + pattern * 40503u) >> 13 ^ i >> 8);
    if (!slot->ptr)
        return;
    if (slot->host)
        memcpy(slot->host, bytes, size);
    else
        cuda.cuMemcpyHtoD(slot->ptr, bytes, size);
}

/* Streams may belong to either context. */
void main_settle(void)
{
    cuda.cuCtxSynchronize();
    if (other_context) {
        cuda.cuCtxSetCurrent(other_context);
        cuda.cuCtxSynchronize();
    }
    cuda.cuCtxSetCurrent(main_context);
    cuda.cuCtxSynchronize();
}

unsigned slot_hash(const struct slot *slot)
{
    static unsigned char bytes[WINDOW];
    size_t size = slot_window(slot);

    main_settle();
    if (!slot->ptr)
        return 0;
    if (slot->host)
        return hash_bytes(1, slot->host, size);
    memset(bytes, 0, sizeof bytes);
    if (cuda.cuMemcpyDtoH(bytes, slot->ptr, size))
        return 1;
    return hash_bytes(1, bytes, size);
}

const char *slot_text(const struct slot *slot, size_t offset)
{
    static const char *const names[] = {"device", "pinned",  "registered", "managed",
                                        "pooled", "virtual", "pageable"};

    return format("%s%d+%zu/%zu", names[slot->kind], (int)(slot - slots), offset, slot->size);
}

const char *address_text(uint64_t address)
{
    if (address == UNTOUCHED)
        return "-";
    if (!address)
        return "0";
    for (unsigned i = 0; i < SLOTS; i++)
        if (slots[i].ptr && address - slots[i].ptr < slots[i].size)
            return format("m%u+%llu", i, (unsigned long long)(address - slots[i].ptr));
    for (unsigned i = 0; i < SLOTS; i++)
        if (slots[i].pages && address - (uintptr_t)slots[i].pages < WINDOW + 2 * OVERRUN)
            return format("pages%u+%llu", i,
                          (unsigned long long)(address - (uintptr_t)slots[i].pages));
    return "?";
}
