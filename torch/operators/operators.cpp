/* SPDX-License-Identifier: MIT */
/* The list of families. See operators.h. */
#include "operators.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <string>

namespace cupipe
{

bool is_declared(const char *name)
{
    std::string whole = name;
    size_t dot = whole.find('.');
    std::string overload = dot == std::string::npos ? "" : whole.substr(dot + 1);

    return c10::Dispatcher::singleton()
        .findSchema({"aten::" + whole.substr(0, dot), overload})
        .has_value();
}

void register_operators(torch::Library &aten_cuda)
{
    register_flash_attention(aten_cuda);
    register_efficient_attention(aten_cuda);
    register_cudnn_attention(aten_cuda);
    register_recurrent_cells(aten_cuda);
    register_cudnn_recurrent(aten_cuda);
    register_recurrent_autocast();
    register_normalization(aten_cuda);
    register_convolution(aten_cuda);
    register_products(aten_cuda);
    register_scaled_products(aten_cuda);
    register_grouped_products(aten_cuda);
    register_integer_products(aten_cuda);
    register_semi_structured(aten_cuda);
    register_softmax(aten_cuda);
    register_factorization(aten_cuda);
    register_nested(aten_cuda);
    register_others(aten_cuda);
}

} // namespace cupipe
