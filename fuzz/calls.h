/* SPDX-License-Identifier: MIT */
/* The calls that a random program of an interface is made of. fuzz/api_calls.c has those of the
 * driver, fuzz/runtime_calls.c those of the runtime, fuzz/nvml_calls.c those of NVML. */
#ifndef CALLS_H
#define CALLS_H

#include "draw.h"

/* Before the threads of a program start; as each of them starts. */
void calls_begin_program(void);
void calls_begin_thread(bool has_gl);

const struct call *call_draw(struct draw *draw);
unsigned call_count(void); /* functions, those called by hand too */

#endif
