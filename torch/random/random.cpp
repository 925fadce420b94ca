/* SPDX-License-Identifier: MIT */
#include "random.h"

namespace cupipe
{

void register_random(torch::Library &aten_cuda)
{
    register_fills(aten_cuda);
    register_samples(aten_cuda);
    register_masks(aten_cuda);
    register_choices(aten_cuda);
}

} // namespace cupipe
