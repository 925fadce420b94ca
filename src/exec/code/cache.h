/* SPDX-License-Identifier: MIT */
/* The on-disk cache of compiled kernels, one object per file. Many processes use one folder
 * concurrently; a file appears atomically, and a damaged file counts as missing. A missing or
 * read-only cache is not an error. */
#ifndef CUP_EXEC_CODE_CACHE_H
#define CUP_EXEC_CODE_CACHE_H

#include "jit/jit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Identifies everything that affects the code: program, kernel, block shape, CPU, compiler. */
struct cup_cache_key {
    uint64_t words[2];
    bool usable; /* false: do not cache */
};

void cup_cache_key_make(struct cup_cache_key *key, const struct jit_request *request);

/* Returns the object, allocated with malloc(), or NULL if it is not cached. */
uint8_t *cup_cache_read(const struct cup_cache_key *key, size_t *object_bytes);

/* Returns whether the object is in the cache now. */
bool cup_cache_write(const struct cup_cache_key *key, const uint8_t *object, size_t object_bytes);

#endif
