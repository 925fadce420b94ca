/* SPDX-License-Identifier: MIT */
/* The LLVM functions of a unit: the kernel's entry point and the device functions. */
#ifndef CUP_JIT_VARIANTS_KERNEL_FUNCTION_H
#define CUP_JIT_VARIANTS_KERNEL_FUNCTION_H

#include <stdint.h>

struct jit_unit;

void jit_unit_emit_kernel(struct jit_unit *unit);
void jit_unit_emit_function(struct jit_unit *unit, uint32_t index);

#endif
