/* SPDX-License-Identifier: MIT */
/* Which instructions of a PTX function may be executed after which. */
#ifndef CUP_CHECK_SYNC_REACH_H
#define CUP_CHECK_SYNC_REACH_H

#include "ptx/program.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether a thread that has executed instruction `from` may come to instruction `to`. False if
 * memory is out. */
bool cup_site_reaches(const struct ptx_function *function, uint32_t from, uint32_t to);

#endif
