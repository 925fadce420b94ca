/* SPDX-License-Identifier: MIT */
/* Part of the functions for signals, which stand in one header. */
#pragma once

#include "npps_functions.h"
