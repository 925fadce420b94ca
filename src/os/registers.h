/* SPDX-License-Identifier: MIT */
/* The registers of a thread at a fault, as the signal handler finds them. In compiled kernels the
 * lanes of a warp are the elements of vector registers. */
#ifndef CUP_OS_REGISTERS_H
#define CUP_OS_REGISTERS_H

#include <stddef.h>
#include <stdint.h>

enum {
    CUP_REGISTERS_GENERAL = 33,
    CUP_REGISTERS_VECTORS = 32,
    CUP_REGISTERS_VECTOR_BYTES = 64,
};

struct cup_registers {
    uint32_t general_count, vector_count;
    uint32_t vector_bytes; /* of one vector register */
    uint64_t general[CUP_REGISTERS_GENERAL];
    uint8_t vectors[CUP_REGISTERS_VECTORS][CUP_REGISTERS_VECTOR_BYTES];
};

/* Copies the registers from a signal handler's third argument. Async-signal-safe. */
void cup_registers_capture(struct cup_registers *registers, const void *context);

/* Writes one line a register, vectors in words of 32 bits from lane 0 on. Returns the length of the
 * text, which is cut to the size. */
size_t cup_registers_print(const struct cup_registers *registers, char *text, size_t size);

#endif
