/* SPDX-License-Identifier: MIT */
/* A thread keeps up to SLOTS blocks. Blocks above KEPT_BYTES_MOST go back to the system at once. */
#include "scratch.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { SLOTS = 4, HEADER_BYTES = 4096, LARGE_PAGE = 2 << 20 };
static const size_t KEPT_BYTES_MOST = (size_t)128 << 20;

struct block {
    size_t bytes; /* behind the header */
};

static __thread struct block *kept[SLOTS];
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void release_kept(void *unused)
{
    (void)unused;
    for (size_t i = 0; i < SLOTS; i++) {
        free(kept[i]);
        kept[i] = NULL;
    }
}

static void create_key(void)
{
    pthread_key_create(&key, release_kept);
}

static struct block *allocate(size_t bytes)
{
    size_t whole = (bytes + HEADER_BYTES + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    struct block *block = NULL;

    if (whole < bytes || posix_memalign((void **)&block, LARGE_PAGE, whole) != 0)
        return NULL;
    madvise(block, whole, MADV_HUGEPAGE);
    block->bytes = whole - HEADER_BYTES;
    return block;
}

void *scratch_take(size_t bytes)
{
    struct block *block = NULL;
    size_t best = SLOTS;

    for (size_t i = 0; i < SLOTS; i++)
        if (kept[i] && kept[i]->bytes >= bytes &&
            (best == SLOTS || kept[i]->bytes < kept[best]->bytes))
            best = i;
    if (best < SLOTS) {
        block = kept[best];
        kept[best] = NULL;
    } else {
        block = allocate(bytes);
    }
    return block ? (char *)block + HEADER_BYTES : NULL;
}

void scratch_give(void *memory)
{
    struct block *block = memory ? (struct block *)((char *)memory - HEADER_BYTES) : NULL;
    size_t slot = 0;

    if (!block)
        return;
    for (size_t i = 0; i < SLOTS; i++) {
        if (!kept[i]) {
            slot = i;
            break;
        }
        if (kept[i]->bytes < kept[slot]->bytes)
            slot = i;
    }
    if (block->bytes > KEPT_BYTES_MOST || (kept[slot] && kept[slot]->bytes >= block->bytes)) {
        free(block);
        return;
    }
    pthread_once(&once, create_key);
    pthread_setspecific(key, kept);
    free(kept[slot]);
    kept[slot] = block;
}
