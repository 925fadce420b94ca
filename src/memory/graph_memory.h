/* SPDX-License-Identifier: MIT */
/* Memory of graphs. A node that allocates has its address from the moment it is added; memory is
 * behind it from the first launch on, and stays, in steps of 32 MiB, until it is trimmed. What a
 * destroyed graph leaves is idle: it counts until it is trimmed, the next graph takes it first, and
 * the device takes it back before it is out of memory. Whether an allocation is alive is settled
 * when a launch is submitted: the nodes themselves do nothing.
 *
 * What is reserved and not alive is no memory to anybody but to graphs, which may be built and
 * instantiated with it: cup_graphmem_reveal. */
#ifndef CUP_MEMORY_GRAPH_MEMORY_H
#define CUP_MEMORY_GRAPH_MEMORY_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

struct CUstream_st;
struct cup_device;

/* The allocations of one graph on one device. Counted: the graph, its executable graphs and live
 * allocations hold a reference each. */
struct cup_graphmem;

/* Addresses of one or more allocations that are never alive together. */
struct cup_graphmem_block;

CUresult cup_graphmem_create(struct cup_device *device, struct cup_graphmem **memory);
void cup_graphmem_ref(struct cup_graphmem *memory);
void cup_graphmem_unref(struct cup_graphmem *memory);
struct cup_device *cup_graphmem_device(const struct cup_graphmem *memory);

/* OUT_OF_MEMORY for more than the device has. The block lives as long as the memory. */
CUresult cup_graphmem_block_reserve(struct cup_graphmem *memory, uint64_t size_bytes,
                                    struct cup_graphmem_block **block);
uint64_t cup_graphmem_block_address(const struct cup_graphmem_block *block);
uint64_t cup_graphmem_block_room(const struct cup_graphmem_block *block);

/* The block that begins at an address, alive or not, with a reference on its memory; NULL: none. */
struct cup_graphmem_block *cup_graphmem_block_find(uint64_t address);
struct cup_graphmem *cup_graphmem_block_memory(const struct cup_graphmem_block *block);

/* A launch is submitted: memory is there from now on, and is not trimmed before the launch ends. */
CUresult cup_graphmem_begin(struct cup_graphmem *memory);
void cup_graphmem_end(struct cup_graphmem *memory);

/* False when it is alive already, or is not. */
bool cup_graphmem_block_allocate(struct cup_graphmem_block *block, uint64_t size_bytes);
bool cup_graphmem_block_free(struct cup_graphmem_block *block);
bool cup_graphmem_block_is_alive(const struct cup_graphmem_block *block);

/* Frees what is alive at the address: INVALID_VALUE if nothing is. Memory stays behind it until the
 * stream gets there; without a stream nothing uses it any more. */
CUresult cup_graphmem_free(uint64_t address, struct CUstream_st *stream);

/* While a thread has asked for it, look-ups find what is reserved, too. */
void cup_graphmem_reveal(void);
void cup_graphmem_conceal(void);

/* What no launch uses and nothing lives in goes back to the device. */
void cup_graphmem_trim(struct cup_device *device);

struct cup_graphmem_counters {
    uint64_t bytes, high_used, high_reserved;
};
struct cup_graphmem_counters cup_graphmem_count(const struct cup_device *device);
void cup_graphmem_reset_high(const struct cup_device *device, bool reserved);

#endif
