/* SPDX-License-Identifier: MIT */
/* Memory of graphs. An allocation node has its address from the moment it is added. The first
 * launch commits memory for it, in steps of 32 MiB, which stays until it is trimmed. The submission
 * of a launch decides which allocations are alive; the nodes themselves do nothing at run time.
 *
 * Addresses that are reserved but not alive are not valid memory, except for building and
 * instantiating graphs: see cup_graphmem_reveal. */
#ifndef CUP_MEMORY_GRAPH_MEMORY_H
#define CUP_MEMORY_GRAPH_MEMORY_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

struct CUstream_st;
struct cup_device;

/* The allocations of one graph on one device. Reference counted: the graph, its executable graphs
 * and live allocations hold one reference each. */
struct cup_graphmem;

/* An address range, used by one or more allocations that are never alive at the same time. */
struct cup_graphmem_block;

CUresult cup_graphmem_create(struct cup_device *device, struct cup_graphmem **memory);
void cup_graphmem_ref(struct cup_graphmem *memory);
void cup_graphmem_unref(struct cup_graphmem *memory);
struct cup_device *cup_graphmem_device(const struct cup_graphmem *memory);

/* Reserves a block. Returns CUDA_ERROR_OUT_OF_MEMORY for more than the device has. The block lives
 * as long as `memory`. */
CUresult cup_graphmem_block_reserve(struct cup_graphmem *memory, uint64_t size_bytes,
                                    struct cup_graphmem_block **block);
uint64_t cup_graphmem_block_address(const struct cup_graphmem_block *block);
uint64_t cup_graphmem_block_room(const struct cup_graphmem_block *block);

/* The block that begins at an address, alive or not, with a reference on its memory; NULL if
 * none. */
struct cup_graphmem_block *cup_graphmem_block_find(uint64_t address);
struct cup_graphmem *cup_graphmem_block_memory(const struct cup_graphmem_block *block);

/* Called when a launch is submitted to a stream, or without one when a graph is uploaded. Commits
 * the memory, which is not trimmed before the launch ends. It is taken from graphs that are not
 * running and from those that only run earlier in the same stream: those commit again when they are
 * launched again. */
CUresult cup_graphmem_begin(struct cup_graphmem *memory, const struct CUstream_st *stream);
void cup_graphmem_end(struct cup_graphmem *memory);

/* Allocate and free set whether the block is alive. They return false if it already is in that
 * state. */
bool cup_graphmem_block_allocate(struct cup_graphmem_block *block, uint64_t size_bytes);
bool cup_graphmem_block_free(struct cup_graphmem_block *block);
bool cup_graphmem_block_is_alive(const struct cup_graphmem_block *block);

/* Frees the live allocation at the address. Returns CUDA_ERROR_INVALID_VALUE if there is none. Its
 * memory stays committed until the stream reaches the free; without a stream nothing uses it any
 * more. */
CUresult cup_graphmem_free(uint64_t address, struct CUstream_st *stream);

/* Between the two calls, look-ups of this thread also find memory that is only reserved. */
void cup_graphmem_reveal(void);
void cup_graphmem_conceal(void);

/* Returns to the device the memory that no launch uses and that has no live allocation. */
void cup_graphmem_trim(struct cup_device *device);

struct cup_graphmem_counters {
    uint64_t bytes, high_used, high_reserved;
};
struct cup_graphmem_counters cup_graphmem_count(const struct cup_device *device);
void cup_graphmem_reset_high(const struct cup_device *device, bool reserved);

#endif
