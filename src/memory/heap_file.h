/* SPDX-License-Identifier: MIT */
/* The record through which the address map refers to a heap on a file. Such heaps end with their
 * pools. */
#ifndef CUP_MEMORY_HEAP_FILE_H
#define CUP_MEMORY_HEAP_FILE_H

#include <stdbool.h>
#include <stdint.h>

struct cup_heap;
struct cup_heap_file;

/* Adds the heap to the address map. Returns NULL if out of memory. */
struct cup_heap_file *cup_heap_file_add(struct cup_heap *heap);

/* Removes the heap from the map and waits until no look-up is inside it. Returns false if the
 * system refused the barrier that this needs; the heap must then stay, unused. */
bool cup_heap_file_remove(struct cup_heap_file *file);

/* cup_heap_owner for an address that was found in such a heap; CUP_OWNER_NONE when the heap has
 * ended since. */
uint32_t cup_heap_file_owner(uint64_t address);

/* Writes a new descriptor of the heap's file, or -1, and the address's offset in it. Returns false
 * if the address belongs to no such heap. */
bool cup_heap_file_share(uint64_t address, int *fd, uint64_t *offset);

/* The same with the heap's own descriptor. */
bool cup_heap_file_place(uint64_t address, int *fd, uint64_t *offset);

#endif
