/* SPDX-License-Identifier: MIT */
/* Handle numbers of texture and surface objects. A handle is a small integer counted from 1, in
 * separate sequences for textures and surfaces, as NVIDIA's driver numbers them. Kernels look
 * handles up without a lock. */
#ifndef CUP_IMAGE_HANDLE_TABLE_H
#define CUP_IMAGE_HANDLE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct cup_texture;

struct cup_handle_table; /* one for textures, one for surfaces */
extern struct cup_handle_table cup_texture_handles, cup_surface_handles;

/* Assigns a number to the texture. Returns 0 if all numbers are in use. */
uint32_t cup_handle_table_add(struct cup_handle_table *table, struct cup_texture *texture);

/* Frees the number for reuse. */
void cup_handle_table_remove(struct cup_handle_table *table, uint32_t number);

/* Returns the object with this number, or NULL. The object may be freed concurrently: the caller
 * must take a reference with the try operation and then compare the object's number again. */
struct cup_texture *cup_handle_table_find(const struct cup_handle_table *table, uint64_t number);

/* True if the number was ever assigned. 0 counts as assigned: it is the null handle. */
bool cup_handle_table_has(const struct cup_handle_table *table, uint64_t number);

#endif
