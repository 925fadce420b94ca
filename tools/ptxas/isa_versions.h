/* SPDX-License-Identifier: MIT */
/* The versions of the PTX ISA. */
#ifndef CUP_PTXAS_ISA_VERSIONS_H
#define CUP_PTXAS_ISA_VERSIONS_H

enum { ISA_MAJOR_LAST = 9 };

/* The last minor version, by major version. */
static const unsigned isa_last_minor[ISA_MAJOR_LAST + 1] = {0, 5, 3, 2, 3, 1, 5, 8, 8, 0};

#endif
