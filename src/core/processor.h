/* SPDX-License-Identifier: MIT */
/* The instructions that kernels and the runtime may use: all that the processor has, or those of an
 * older one that CUPIPE_CPU names. */
#ifndef CUP_CORE_PROCESSOR_H
#define CUP_CORE_PROCESSOR_H

#include <stdbool.h>

/* Each has what those before it have. */
enum cup_processor_level { CUP_PROCESSOR_PLAIN, CUP_PROCESSOR_AVX2, CUP_PROCESSOR_AVX512 };

enum cup_processor_level cup_processor_get(void);

/* Whether there is more than the level says, such as AMX or VNNI, and may be used. */
bool cup_processor_is_whole(void);

/* LLVM's feature string; NULL: the compiler may use all that the processor has. */
const char *cup_processor_features(void);

#endif
