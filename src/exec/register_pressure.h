/* SPDX-License-Identifier: MIT */
/* How many registers a function needs at once. */
#ifndef CUP_EXEC_REGISTER_PRESSURE_H
#define CUP_EXEC_REGISTER_PRESSURE_H

#include "ptx/program.h"

/* The most 32-bit words that are live at one place, as the text has them; 0 when memory is out. */
uint32_t cup_pressure_registers(const struct ptx_function *function);

#endif
