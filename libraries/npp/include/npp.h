/* SPDX-License-Identifier: MIT */
/* All of NPP. */
#ifndef NPP_H
#define NPP_H

#define NPP_VER_MAJOR 13
#define NPP_VER_MINOR 0
#define NPP_VER_PATCH 1
#define NPP_VER_BUILD 2
#define NPP_VERSION (NPP_VER_MAJOR * 1000 + NPP_VER_MINOR * 100 + NPP_VER_PATCH)
/* Older names of the same. */
#define NPP_VERSION_MAJOR NPP_VER_MAJOR
#define NPP_VERSION_MINOR NPP_VER_MINOR
#define NPP_VERSION_PATCH NPP_VER_PATCH
#define NPP_VERSION_BUILD NPP_VER_BUILD

#include "nppcore.h"
#include "nppi.h"
#include "npps.h"

#endif
