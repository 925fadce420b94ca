/* SPDX-License-Identifier: MIT */
/* The calls the API fuzzer makes: one for each entry point that is done, and a few made by hand. */
#ifndef API_CALLS_H
#define API_CALLS_H

#include "draw.h"

const struct call *api_call_draw(struct draw *draw);
unsigned api_call_count(void);

#endif
