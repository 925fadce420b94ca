/* SPDX-License-Identifier: MIT */
/* What the configuration of libcuda, which this command reads as libcuda does, asks of the parts
 * above it. */
#include "api/entrypoint_names.h"
#include "core/upcalls.h"

const struct cup_core_upcalls cup_core_upcalls = {.is_entry_point = cup_entrypoint_knows};
