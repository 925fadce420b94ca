/* SPDX-License-Identifier: MIT */
/* All of NPP. */
#ifndef NPP_H
#define NPP_H

#define NPP_VER_MAJOR 13
#define NPP_VER_MINOR 0
#define NPP_VER_PATCH 1
#define NPP_VER_BUILD 2
#define NPP_VERSION (NPP_VER_MAJOR * 1000 + NPP_VER_MINOR * 100 + NPP_VER_PATCH)

#include "nppcore.h"
#include "nppi.h"
#include "npps.h"

#endif
