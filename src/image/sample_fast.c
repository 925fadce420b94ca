/* SPDX-License-Identifier: MIT */
#include "image/view.h"

cup_view_sampler cup_sample_fast(const struct cup_view *view)
{
    (void)view;
    return NULL;
}
