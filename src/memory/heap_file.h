/* SPDX-License-Identifier: MIT */
/* The record by which the address map knows a heap on a file. Such heaps end with their pools. */
#ifndef CUP_MEMORY_HEAP_FILE_H
#define CUP_MEMORY_HEAP_FILE_H

#include <stdbool.h>
#include <stdint.h>

struct cup_heap;
struct cup_heap_file;

/* Makes look-ups find allocations in the heap. NULL when memory is out. */
struct cup_heap_file *cup_heap_file_add(struct cup_heap *heap);

/* Takes the heap out of the map, and waits until no look-up is at work in it. False when the system
 * refused the barrier that this needs: then the heap has to stay, unused. */
bool cup_heap_file_remove(struct cup_heap_file *file);

/* cup_heap_owner for an address that was found in such a heap; CUP_OWNER_NONE when the heap has
 * ended since. */
uint32_t cup_heap_file_owner(uint64_t address);

/* A new descriptor of the heap's file, or -1, and where in it the address lies. False when the
 * address belongs to no such heap. */
bool cup_heap_file_share(uint64_t address, int *fd, uint64_t *offset);

#endif
