/* SPDX-License-Identifier: MIT */
/* Host code with device code in it: objects, executables and static libraries. */
#ifndef CUP_MODULE_CONTAINER_H
#define CUP_MODULE_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Receives a fatbin, or a member of a library. `name` is the member's or NULL. Returns false to
 * stop. */
typedef bool (*cup_container_visit)(void *argument, const uint8_t *image, size_t bytes,
                                    const char *name);

bool cup_container_is_library(const uint8_t *bytes, size_t size);

/* True for static libraries and for ELF files of a processor. */
bool cup_container_is(const uint8_t *bytes, size_t size);

/* Calls `visit` for each member of a library, or for the whole of another file, whose name is NULL.
 * Returns false if the library is damaged or a visit did. */
bool cup_container_each_member(const uint8_t *bytes, size_t size, cup_container_visit visit,
                               void *argument);

/* Calls `visit` for each fatbin in the sections that nvcc and clang emit, in order. Returns false
 * if the container is damaged or a visit did. */
bool cup_container_each(const uint8_t *bytes, size_t size, cup_container_visit visit,
                        void *argument);

#endif
