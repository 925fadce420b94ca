/* SPDX-License-Identifier: MIT */
/* Compiled kernels on disk, one file each: the objects the compiler made. Many processes use one
 * folder at the same time; a file appears whole or not at all, and one that is damaged counts as
 * missing. That there is no cache, or that it cannot be written, is no error. */
#ifndef CUP_EXEC_CACHE_H
#define CUP_EXEC_CACHE_H

#include "jit/jit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Everything that makes a difference to the code: program, kernel, shape, processor, compiler. */
struct cup_cache_key {
    uint64_t words[2];
    bool usable; /* false: no cache for this */
};

void cup_cache_key_make(struct cup_cache_key *key, const struct jit_request *request);

/* The object, allocated with malloc; NULL when it is not there. */
uint8_t *cup_cache_read(const struct cup_cache_key *key, size_t *object_bytes);

void cup_cache_write(const struct cup_cache_key *key, const uint8_t *object, size_t object_bytes);

#endif
