/* SPDX-License-Identifier: MIT */
/* Functions for signals. */
#ifndef NPPS_H
#define NPPS_H

#include "npps_functions.h"
#include "npps_support_functions.h"

#endif
