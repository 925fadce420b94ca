/* SPDX-License-Identifier: MIT */
/* The numbers of textures and surfaces. A handle is a small number, counted from 1, for textures
 * and surfaces apart, as NVIDIA's driver numbers them; kernels look it up without a lock. */
#ifndef CUP_IMAGE_TEXTURE_NUMBERS_H
#define CUP_IMAGE_TEXTURE_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

struct cup_texture;

struct cup_numbers; /* one of the two */
extern struct cup_numbers cup_texture_numbers, cup_surface_numbers;

/* The number now stands for the texture; 0: there are no more. */
uint32_t cup_numbers_give(struct cup_numbers *numbers, struct cup_texture *texture);

/* The number stands for nothing, until it is given again. */
void cup_numbers_take_back(struct cup_numbers *numbers, uint32_t number);

/* What stands behind a number, or NULL; the texture may be gone by the time it is looked at: it
 * must be tried to take a reference, and asked for its number once more. */
struct cup_texture *cup_numbers_look_up(const struct cup_numbers *numbers, uint64_t number);

/* Was it ever given? 0 counts as such: it stands for nothing. */
bool cup_numbers_is_known(const struct cup_numbers *numbers, uint64_t number);

#endif
