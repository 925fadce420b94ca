/* SPDX-License-Identifier: MIT */
/* One region of the address map, in granules of 2 MiB; a block begins at a granule. A look-up is a
 * load from the table of granules. Blocks are never returned to the system, so a look-up that races
 * with a free still reads valid memory. */
#include "memory/graph_memory.h"

#include "core/error.h"
#include "core/list.h"
#include "core/lock.h"
#include "device/device.h"
#include "memory/extents.h"
#include "memory/heap.h"
#include "memory/map.h"
#include "os/reserve.h"
#include "stream/stream.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
    GRANULE_SHIFT = 21,
    GRANULES_MOST = 1 << 19, /* 1 TiB of addresses */
    GRANULES_LEAST = 1 << 11,
    DEVICE_COUNT_MAX = 64,
};
#define GRANULE_BYTES (UINT64_C(1) << GRANULE_SHIFT)
#define COMMIT_BYTES (UINT64_C(32) << 20)

struct cup_graphmem_block {
    struct cup_graphmem_block *next; /* of the memory, or of the free ones; guarded by lock */
    struct cup_graphmem *memory;
    uint64_t address;
    uint32_t granules;
    _Atomic(uint64_t) alive_bytes; /* 0: not alive */
    _Atomic(uint64_t) buffer_id;
};

struct cup_graphmem {
    _Atomic(unsigned) refs;
    struct cup_list link; /* all of them; guarded by lock */
    struct cup_device *device;
    struct cup_graphmem_block *blocks; /* guarded by lock */
    uint64_t reserved_bytes;           /* of addresses; guarded by lock */
    uint64_t committed_bytes;          /* 0: no memory is behind them; guarded by lock */
    unsigned launches;                 /* under way; guarded by lock */
    uint64_t stream_id;                /* where all of them are; 0: in several streams, or none */
    unsigned alive;                    /* blocks; guarded by lock */
};

static struct cup_lock lock = CUP_LOCK_INITIALIZER(CUP_RANK_GRAPH_MEMORY);
static struct cup_list memories = CUP_LIST_INITIALIZER(memories); /* guarded by lock */
static struct cup_graphmem_block *spare_blocks;                   /* guarded by lock */
static struct cup_extents extents;                                /* guarded by lock */
static struct cup_graphmem_counters counts[DEVICE_COUNT_MAX];     /* guarded by lock */
static _Atomic(struct cup_graphmem_block *) *granules; /* the block of each granule, or NULL */
static CUP_THREAD_LOCAL unsigned revealed;

static bool region_find(struct cup_region *region, uint64_t address, struct cup_span *span);
static bool region_describe(struct cup_region *region, uint64_t address, struct cup_range *range);
static bool region_set_flag(struct cup_region *region, uint64_t address, unsigned flag, bool on);

static uint32_t granule_count; /* 0: the region is not there */
static struct cup_region region = {
    .find = region_find,
    .describe = region_describe,
    .set_flag = region_set_flag,
};

/* True if the address is in the block and visible to this thread. */
static struct cup_graphmem_block *look_up(uint64_t address, uint64_t *size_bytes)
{
    struct cup_graphmem_block *block = atomic_load_explicit(
        &granules[(address - region.base) >> GRANULE_SHIFT], memory_order_acquire);

    if (!block)
        return NULL;
    *size_bytes = atomic_load_explicit(&block->alive_bytes, memory_order_acquire);
    if (*size_bytes == 0 && cup_unlikely(revealed))
        *size_bytes = (uint64_t)block->granules << GRANULE_SHIFT;
    return address - block->address < *size_bytes ? block : NULL;
}

static bool region_find(struct cup_region *unused, uint64_t address, struct cup_span *span)
{
    uint64_t size_bytes;
    struct cup_graphmem_block *block = look_up(address, &size_bytes);

    (void)unused;
    if (block)
        *span = (struct cup_span){block->address, size_bytes, CUP_RANGE_GRAPH, 0};
    return block != NULL;
}

static bool region_describe(struct cup_region *unused, uint64_t address, struct cup_range *range)
{
    uint64_t size_bytes;
    struct cup_graphmem_block *block = look_up(address, &size_bytes);

    (void)unused;
    if (!block)
        return false;
    struct cup_device *device = block->memory->device;
    uint64_t id = atomic_load(&block->buffer_id), access = UINT64_C(1) << device->ordinal;
    *range = (struct cup_range){
        .base = block->address,
        .size_bytes = size_bytes,
        .kind = CUP_RANGE_GRAPH,
        .owner = CUP_OWNER_NONE,
        .buffer_id = id,
        .device = device,
        .block_base = block->address,
        .block_bytes = (uint64_t)block->granules << GRANULE_SHIFT,
        .block_id = id,
        .read_by = access,
        .write_by = access,
    };
    return true;
}

static bool region_set_flag(struct cup_region *unused, uint64_t address, unsigned flag, bool on)
{
    (void)unused, (void)address, (void)flag, (void)on;
    return false;
}

/* Where a limit, a sanitizer or a foreign allocator leaves few addresses, fewer do. */
static void *reserve_granules(uint32_t *count)
{
    for (*count = GRANULES_MOST; *count >= GRANULES_LEAST; *count /= 2) {
        void *space = cup_reserve_space((size_t)*count << GRANULE_SHIFT, CUP_MAP_SLOT_BYTES);

        if (space)
            return space;
    }
    return NULL;
}

static bool open_region_locked(void)
{
    cup_lock_assert_held(&lock);
    static struct cup_extent_node *nodes;
    static uint64_t *first_bits, *last_bits;
    uint32_t count, first;
    void *space, *table;

    if (granules)
        return true;
    space = reserve_granules(&count);
    nodes = cup_reserve_private(count * sizeof(*nodes), 4096);
    first_bits = cup_reserve_private(count / 8, 4096);
    last_bits = cup_reserve_private(count / 8, 4096);
    table = cup_reserve_private(count * sizeof(*granules), 4096);
    if (!nodes || !first_bits || !last_bits || !table || !space)
        return false; /* rare and final: what was allocated is not released */
    granule_count = count;
    region.base = (uint64_t)(uintptr_t)space;
    region.size_bytes = (uint64_t)count << GRANULE_SHIFT;
    granules = table;
    cup_extents_init(&extents, nodes, first_bits, last_bits);
    cup_extents_give(&extents, 0, count, 0, count, &first);
    cup_map_add(&region);
    return true;
}

CUresult cup_graphmem_create(struct cup_device *device, struct cup_graphmem **memory)
{
    struct cup_graphmem *made = calloc(1, sizeof(*made));

    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the memory of a graph");
    atomic_store(&made->refs, 1);
    made->device = device;
    cup_lock_acquire(&lock);
    cup_list_insert(&memories, &made->link);
    cup_lock_release(&lock);
    *memory = made;
    return CUDA_SUCCESS;
}

struct cup_device *cup_graphmem_device(const struct cup_graphmem *memory)
{
    return memory->device;
}

void cup_graphmem_ref(struct cup_graphmem *memory)
{
    atomic_fetch_add(&memory->refs, 1);
}

/* Memory that no graph uses any more also counts until it is released. */
static struct cup_graphmem_counters counters_locked(const struct cup_device *device)
{
    cup_lock_assert_held(&lock);
    struct cup_graphmem_counters count = counts[device->ordinal];

    count.bytes += atomic_load(&device->heap->idle_bytes);
    if (count.bytes > count.high_used)
        count.high_used = count.bytes;
    if (count.bytes > count.high_reserved)
        count.high_reserved = count.bytes;
    return count;
}

static void block_protect(const struct cup_graphmem_block *block, bool access)
{
    uint64_t bytes = (uint64_t)block->granules << GRANULE_SHIFT;

    if (!access)
        cup_reserve_discard_private((void *)block->address, bytes);
    cup_reserve_protect((void *)block->address, bytes, access, access);
}

/* Nothing uses the addresses, and no memory is charged for them. */
static void discard_unused_locked(const struct cup_graphmem *memory)
{
    cup_lock_assert_held(&lock);
    if (memory->committed_bytes || memory->launches || memory->alive)
        return;
    for (struct cup_graphmem_block *block = memory->blocks; block; block = block->next)
        block_protect(block, false);
}

/* The committed memory remains memory of graphs: idle, and charged to the device. */
static void uncommit_locked(struct cup_graphmem *memory)
{
    cup_lock_assert_held(&lock);
    if (memory->committed_bytes == 0)
        return;
    cup_heap_charge_idle(memory->device->heap, memory->committed_bytes);
    counts[memory->device->ordinal].bytes -= memory->committed_bytes;
    memory->committed_bytes = 0;
    discard_unused_locked(memory);
}

/* Graphs that are launched one after the other in a stream use the same memory in turn. So what has
 * no live allocation, and no launch except in that stream, becomes idle until enough is. Its pages
 * go when its own launches have ended, which those of the stream do first. */
static void take_turn_locked(const struct cup_graphmem *memory, uint64_t stream_id, uint64_t bytes)
{
    cup_lock_assert_held(&lock);
    cup_list_each (each, &memories, struct cup_graphmem, link) {
        if (atomic_load(&memory->device->heap->idle_bytes) >= bytes)
            return;
        if (each != memory && each->device == memory->device && each->alive == 0 &&
            (each->launches == 0 || (stream_id && each->stream_id == stream_id)))
            uncommit_locked(each);
    }
}

/* Uses idle memory first, then takes more from the device. */
static bool charge_locked(struct cup_heap *heap, uint64_t bytes)
{
    cup_lock_assert_held(&lock);
    uint64_t idle = cup_heap_charge_idle_take(heap, bytes);

    if (idle == bytes || cup_heap_charge(heap, bytes - idle))
        return true;
    cup_heap_charge_idle(heap, idle);
    return false;
}

static bool commit_locked(struct cup_graphmem *memory, uint64_t stream_id)
{
    cup_lock_assert_held(&lock);
    uint64_t wanted = (memory->reserved_bytes + COMMIT_BYTES - 1) / COMMIT_BYTES * COMMIT_BYTES;

    if (memory->committed_bytes >= wanted)
        return true;
    take_turn_locked(memory, stream_id, wanted - memory->committed_bytes);
    if (!charge_locked(memory->device->heap, wanted - memory->committed_bytes))
        return false;
    for (struct cup_graphmem_block *block = memory->blocks; block; block = block->next)
        block_protect(block, true);
    counts[memory->device->ordinal].bytes += wanted - memory->committed_bytes;
    memory->committed_bytes = wanted;
    struct cup_graphmem_counters now = counters_locked(memory->device);
    counts[memory->device->ordinal].high_used = now.high_used;
    counts[memory->device->ordinal].high_reserved = now.high_reserved;
    return true;
}

static void release_blocks_locked(struct cup_graphmem *memory)
{
    cup_lock_assert_held(&lock);
    struct cup_graphmem_block *block = memory->blocks, *next;
    uint32_t first;

    for (; block; block = next) {
        uint32_t start = (uint32_t)((block->address - region.base) >> GRANULE_SHIFT);
        next = block->next;
        for (uint32_t i = 0; i < block->granules; i++)
            atomic_store(&granules[start + i], NULL);
        cup_extents_give(&extents, start, block->granules, 0, granule_count, &first);
        block->next = spare_blocks;
        spare_blocks = block;
    }
}

void cup_graphmem_unref(struct cup_graphmem *memory)
{
    if (atomic_fetch_sub(&memory->refs, 1) != 1)
        return;
    cup_lock_acquire(&lock);
    uncommit_locked(memory);
    release_blocks_locked(memory);
    cup_list_remove(&memory->link);
    cup_lock_release(&lock);
    free(memory);
}

static struct cup_graphmem_block *block_take_locked(uint32_t count)
{
    cup_lock_assert_held(&lock);
    struct cup_graphmem_block *block = spare_blocks ? spare_blocks : calloc(1, sizeof(*block));
    uint32_t start = block ? cup_extents_take(&extents, count) : CUP_EXTENT_NONE;

    if (start == CUP_EXTENT_NONE) {
        if (block != spare_blocks)
            free(block);
        return NULL;
    }
    if (block == spare_blocks)
        spare_blocks = block->next;
    block->address = region.base + ((uint64_t)start << GRANULE_SHIFT);
    block->granules = count;
    return block;
}

CUresult cup_graphmem_block_reserve(struct cup_graphmem *memory, uint64_t size_bytes,
                                    struct cup_graphmem_block **block)
{
    struct cup_graphmem_block *made = NULL;

    if (size_bytes > memory->device->memory_bytes)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "the device cannot allocate %llu bytes",
                         (unsigned long long)size_bytes);
    uint32_t count = (uint32_t)((size_bytes + GRANULE_BYTES - 1) >> GRANULE_SHIFT);
    cup_lock_acquire(&lock);
    if (open_region_locked())
        made = block_take_locked(count);
    if (made) {
        uint32_t start = (uint32_t)((made->address - region.base) >> GRANULE_SHIFT);
        made->memory = memory;
        made->next = memory->blocks;
        memory->blocks = made;
        memory->reserved_bytes += size_bytes;
        atomic_store(&made->buffer_id, cup_map_next_id());
        for (uint32_t i = 0; i < count; i++)
            atomic_store_explicit(&granules[start + i], made, memory_order_release);
    }
    cup_lock_release(&lock);
    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no address space for an allocation of a graph");
    *block = made;
    return CUDA_SUCCESS;
}

uint64_t cup_graphmem_block_address(const struct cup_graphmem_block *block)
{
    return block->address;
}

uint64_t cup_graphmem_block_room(const struct cup_graphmem_block *block)
{
    return (uint64_t)block->granules << GRANULE_SHIFT;
}

struct cup_graphmem *cup_graphmem_block_memory(const struct cup_graphmem_block *block)
{
    return block->memory;
}

struct cup_graphmem_block *cup_graphmem_block_find(uint64_t address)
{
    struct cup_graphmem_block *block = NULL;

    cup_lock_acquire(&lock);
    if (granules && address - region.base < region.size_bytes) {
        block = atomic_load(&granules[(address - region.base) >> GRANULE_SHIFT]);
        if (block && block->address != address)
            block = NULL;
        if (block)
            cup_graphmem_ref(block->memory);
    }
    cup_lock_release(&lock);
    return block;
}

CUresult cup_graphmem_begin(struct cup_graphmem *memory, const struct CUstream_st *stream)
{
    uint64_t stream_id = stream ? stream->id : 0;

    cup_lock_acquire(&lock);
    bool committed = commit_locked(memory, stream_id);
    if (committed)
        memory->stream_id = memory->launches && memory->stream_id != stream_id ? 0 : stream_id;
    memory->launches += committed;
    cup_lock_release(&lock);
    if (committed)
        return CUDA_SUCCESS;
    return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "the device has no memory for the graph");
}

void cup_graphmem_end(struct cup_graphmem *memory)
{
    cup_lock_acquire(&lock);
    memory->launches--;
    discard_unused_locked(memory);
    cup_lock_release(&lock);
}

bool cup_graphmem_block_is_alive(const struct cup_graphmem_block *block)
{
    return atomic_load(&block->alive_bytes) != 0;
}

bool cup_graphmem_block_allocate(struct cup_graphmem_block *block, uint64_t size_bytes)
{
    uint64_t dead = 0;

    cup_lock_acquire(&lock);
    bool done = atomic_compare_exchange_strong(&block->alive_bytes, &dead, size_bytes);
    if (done) {
        (void)commit_locked(block->memory, 0); /* another graph may have taken its turn meanwhile */
        block->memory->alive++;
        cup_graphmem_ref(block->memory);
        atomic_store(&block->buffer_id, cup_map_next_id());
    }
    cup_lock_release(&lock);
    return done;
}

bool cup_graphmem_block_free(struct cup_graphmem_block *block)
{
    struct cup_graphmem *memory = block->memory;

    cup_lock_acquire(&lock);
    bool done = atomic_exchange(&block->alive_bytes, 0) != 0;
    memory->alive -= done;
    cup_lock_release(&lock);
    if (done)
        cup_graphmem_unref(memory);
    return done;
}

/* Keeps memory that work of a stream may still use. */
struct keep_job {
    struct cup_job base;
    struct cup_graphmem *memory;
};

static CUresult keep_run(struct cup_job *job, CUresult failed)
{
    (void)job;
    return failed;
}

static void keep_release(struct cup_job *job)
{
    struct cup_graphmem *memory = ((struct keep_job *)job)->memory;

    cup_graphmem_end(memory);
    cup_graphmem_unref(memory);
    free(job);
}

static CUresult keep_until(struct cup_graphmem *memory, struct CUstream_st *stream)
{
    struct keep_job *job = malloc(sizeof(*job));

    if (!job)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory to free in stream order");
    *job = (struct keep_job){
        .base = {.kind = CUP_JOB_WORK, .name = "free", .run = keep_run, .release = keep_release},
        .memory = memory};
    CUresult result = cup_graphmem_begin(memory, stream);
    if (result != CUDA_SUCCESS) {
        free(job);
        return result;
    }
    cup_graphmem_ref(memory);
    return cup_stream_submit(stream, &job->base, NULL);
}

CUresult cup_graphmem_free(uint64_t address, struct CUstream_st *stream)
{
    struct cup_graphmem_block *block = cup_graphmem_block_find(address);
    CUresult result = CUDA_SUCCESS;
    bool done = false;

    if (block) {
        struct cup_graphmem *memory = block->memory;
        if (stream)
            result = keep_until(memory, stream);
        done = result == CUDA_SUCCESS && cup_graphmem_block_free(block);
        cup_graphmem_unref(memory);
    }
    if (done || result != CUDA_SUCCESS)
        return result;
    return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx is not the start of an allocation",
                     (unsigned long long)address);
}

void cup_graphmem_reveal(void)
{
    revealed++;
}

void cup_graphmem_conceal(void)
{
    revealed--;
}

void cup_graphmem_trim(struct cup_device *device)
{
    cup_lock_acquire(&lock);
    cup_list_each (each, &memories, struct cup_graphmem, link) {
        if (each->device == device && each->launches == 0 && each->alive == 0)
            uncommit_locked(each);
    }
    cup_heap_discharge(device->heap, cup_heap_charge_idle_take(device->heap, UINT64_MAX));
    cup_lock_release(&lock);
}

struct cup_graphmem_counters cup_graphmem_count(const struct cup_device *device)
{
    cup_lock_acquire(&lock);
    struct cup_graphmem_counters count = counters_locked(device);
    cup_lock_release(&lock);
    return count;
}

void cup_graphmem_reset_high(const struct cup_device *device, bool reserved)
{
    struct cup_graphmem_counters *count = &counts[device->ordinal];

    cup_lock_acquire(&lock);
    *(reserved ? &count->high_reserved : &count->high_used) = counters_locked(device).bytes;
    cup_lock_release(&lock);
}
