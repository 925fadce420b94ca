/* SPDX-License-Identifier: MIT */
/* The numbers of textures and surfaces. A handle is a small number, counted from 1, for textures
 * and surfaces apart, as NVIDIA's driver numbers them; kernels look it up without a lock. */
#ifndef CUP_IMAGE_HANDLE_TABLE_H
#define CUP_IMAGE_HANDLE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct cup_texture;

struct cup_handle_table; /* one of the two */
extern struct cup_handle_table cup_texture_handles, cup_surface_handles;

/* The number now stands for the texture; 0: there are no more. */
uint32_t cup_handle_table_add(struct cup_handle_table *numbers, struct cup_texture *texture);

/* The number stands for nothing, until it is given again. */
void cup_handle_table_remove(struct cup_handle_table *numbers, uint32_t number);

/* What stands behind a number, or NULL; the texture may be gone by the time it is looked at: it
 * must be tried to take a reference, and asked for its number once more. */
struct cup_texture *cup_handle_table_find(const struct cup_handle_table *numbers, uint64_t number);

/* Was it ever given? 0 counts as such: it stands for nothing. */
bool cup_handle_table_has(const struct cup_handle_table *numbers, uint64_t number);

#endif
