/* SPDX-License-Identifier: MIT */
#ifndef CUP_TEST_OFFLOAD_H
#define CUP_TEST_OFFLOAD_H

#pragma omp declare target
extern int offset;         /* a variable of the other file, on the device */
int add_offset(int value); /* and a function of it */
#pragma omp end declare target

#endif
