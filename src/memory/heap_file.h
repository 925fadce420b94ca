/* SPDX-License-Identifier: MIT */
/* How the address map knows heaps on files, which come and go with their pools. */
#ifndef CUP_MEMORY_HEAP_FILE_H
#define CUP_MEMORY_HEAP_FILE_H

#include <stdbool.h>
#include <stdint.h>

struct cup_heap;
struct cup_heap_file;

/* From now on look-ups find what is in the heap. NULL when memory is out. */
struct cup_heap_file *cup_heap_file_add(struct cup_heap *heap);

/* They find nothing more, and when this returns nobody looks into the heap any more. False when the
 * system did not help to make sure of that: then the heap has to stay, unused. */
bool cup_heap_file_remove(struct cup_heap_file *file);

/* What cup_heap_owner answers, for an address that a moment ago was one of such a heap;
 * CUP_OWNER_NONE when the heap has ended. */
uint32_t cup_heap_file_owner(uint64_t address);

/* A new descriptor of the heap's file, or -1, and where in it the address lies. False when the
 * address belongs to no such heap. */
bool cup_heap_file_share(uint64_t address, int *fd, uint64_t *offset);

#endif
