/* SPDX-License-Identifier: MIT */
/* The versions of the PTX ISA that exist. */
#ifndef CUP_PTX_VERSIONS_H
#define CUP_PTX_VERSIONS_H

enum { PTX_MAJOR_LAST = 9 };

/* The last minor version, by major version from 1 on. */
static const unsigned ptx_last_minor[PTX_MAJOR_LAST + 1] = {0, 5, 3, 2, 3, 1, 5, 8, 8, 5};

#endif
