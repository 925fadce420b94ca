/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=init in kernels. */
#ifndef CUP_CHECK_KERNEL_UNINITIALISED_H
#define CUP_CHECK_KERNEL_UNINITIALISED_H

#include <stdint.h>

struct cup_abi_block;
struct cup_kcheck_access;

void cup_kcheck_init_access(const struct cup_kcheck_access *access);

/* A block begins: nothing is written in its shared memory. */
void cup_kcheck_init_block(struct cup_abi_block *block);
void cup_kcheck_init_block_free(struct cup_abi_block *block);

/* The table that compiled code reads (check/memory/uninitialised.h); NULL: the check is off. */
const uint64_t *cup_kcheck_init_slots(void);

#endif
