/* SPDX-License-Identifier: MIT */
/* The library's own calls of the system, made to fail on request. The functions it takes memory,
 * mappings, descriptors and threads from are reached through its table of addresses (the GOT); from
 * cup_interpose on, the entries lead here, and each call asks first whether it is to fail. Until
 * then nothing is in the way, so that the library as it is shipped can be tested at no cost to
 * others. Calls of the program and of other libraries are not touched. */
#ifndef CUP_OS_INTERPOSE_H
#define CUP_OS_INTERPOSE_H

#include <stdbool.h>

/* For the library that this is in. `fails` is asked from any thread, with locks held, and must call
 * nothing that is put aside here. False: the table was not found. */
bool cup_interpose(bool (*fails)(void));

/* For another library of ours, too, in which this address lies. Nothing without the call above. */
void cup_interpose_also(const void *inside);

#endif
