/* SPDX-License-Identifier: MIT */
/* Estimate of the registers that a function needs. */
#ifndef CUP_EXEC_CODE_REGISTER_PRESSURE_H
#define CUP_EXEC_CODE_REGISTER_PRESSURE_H

#include "ptx/program.h"

/* Returns the largest number of 32-bit words live at one instruction, in program order; 0 if memory
 * is out. */
uint32_t cup_pressure_registers(const struct ptx_function *function);

#endif
