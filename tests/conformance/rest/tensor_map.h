/* SPDX-License-Identifier: MIT */
/* What the groups about tensor maps share. */
#ifndef TENSOR_MAP_RECORDER_H
#define TENSOR_MAP_RECORDER_H

#include "rest.h"

#define PLAIN_ADDRESS 0x7f0000000000ull

/* The arguments of an encoding. */
struct tensor {
    int kind; /* 0 tiled, 1 im2col, 2 wide im2col */
    int type;
    unsigned rank;
    uint64_t address, dims[6], strides[6];
    unsigned box[6], steps[6];
    int interleave, swizzle, l2, fill;
    int low[3], high[3];
    unsigned channels, pixels;
    int mode;
};
extern CUtensorMap tensor_map;

/* A tensor that can be encoded; its strides and the box fitted to its dimensions. */
struct tensor tensor_plain(int kind, int type, unsigned rank);
void strides_fit(struct tensor *tensor);
void inner_bytes_set(struct tensor *tensor, unsigned bytes);
int bits_of(int type);

/* Encodes; as a case, named by its arguments; the bytes of a map. */
CUresult tensor_encode(CUtensorMap *map, const struct tensor *tensor);
void check_tensor(const struct tensor *tensor);
const char *tensor_name(const struct tensor *tensor);
const char *hex_text(const void *bytes, int count);
const char *map_text(const CUtensorMap *map, CUresult result);

/* Random numbers from random_state, random tensors, and random faults in them. */
extern uint64_t random_state;
unsigned random_next(void);
unsigned random_below(unsigned limit);
uint64_t random_logarithmic(int max_bits);
void tensor_random(struct tensor *tensor);
void tensor_spoil(struct tensor *tensor);

#endif
