/* SPDX-License-Identifier: MIT */
/* Failure injection for the library's system calls. The library calls the functions that allocate
 * memory, mappings, descriptors and threads through its GOT. cup_interpose() replaces these GOT
 * entries with wrappers that first ask whether to fail. Without it nothing is replaced, so the
 * release build of the library can be tested at no cost to others. Calls of the program and of
 * other libraries are not affected. */
#ifndef CUP_OS_INTERPOSE_H
#define CUP_OS_INTERPOSE_H

#include <stdbool.h>

/* Interposes the library that contains this code. `fails` is called from any thread, with locks
 * held, and must not call an interposed function. Returns false if the GOT was not found. */
bool cup_interpose(bool (*fails)(void));

/* Interposes another library of ours, the one that contains the address. Does nothing before
 * cup_interpose(). */
void cup_interpose_also(const void *inside);

#endif
