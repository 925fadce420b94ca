/* SPDX-License-Identifier: MIT */
/* The release of NVIDIA's compilation tools that ours stand in for. Programs choose by it which PTX
 * they write. */
#ifndef CUP_TOOLS_RELEASE_H
#define CUP_TOOLS_RELEASE_H

#define CUP_TOOLS_MAJOR 13
#define CUP_TOOLS_MINOR 4
#define CUP_TOOLS_RELEASE_LINE "Cuda compilation tools, release 13.4, V13.4.92\n"

#endif
