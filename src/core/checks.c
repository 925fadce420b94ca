/* SPDX-License-Identifier: MIT */
#include "core/checks.h"

struct cup_checks cup_checks;
