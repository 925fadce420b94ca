/* SPDX-License-Identifier: MIT */
/* The calls the API fuzzer makes: one for each entry point whose arguments can be drawn from their
 * types, and those made by hand. */
#ifndef API_CALLS_H
#define API_CALLS_H

#include "draw.h"

const struct call *api_call_draw(struct draw *draw);

/* The calls whose arguments are drawn by their types, one by one; NULL behind the last. */
const struct call *api_call_generated(size_t index);
unsigned api_call_count(void); /* entry points, those called by hand too */

extern const struct call code_calls[], stream_calls[], image_calls[], process_calls[];
extern const unsigned code_call_count, stream_call_count, image_call_count, process_call_count;

#endif
