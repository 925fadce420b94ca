/* SPDX-License-Identifier: MIT */
#include "card_strides.h"

#include <algorithm>
#include <c10/core/MemoryFormat.h>
#include <string_view>
#include <unordered_map>

namespace cupipe
{
namespace
{

dimension_list rows(c10::IntArrayRef sizes)
{
    dimension_list strides(sizes.size());
    int64_t stride = 1;

    for (size_t i = sizes.size(); i-- > 0;) {
        strides[i] = stride;
        stride *= std::max<int64_t>(sizes[i], 1);
    }
    return strides;
}

/* A matrix whose columns are contiguous. */
dimension_list columns(c10::IntArrayRef sizes)
{
    return {1, sizes[0]};
}

bool has_channels_last(const operands &arguments, size_t place)
{
    if (place >= arguments.all.size())
        return false;
    c10::MemoryFormat format = arguments.all[place].tensor.suggest_memory_format();
    return format == c10::MemoryFormat::ChannelsLast || format == c10::MemoryFormat::ChannelsLast3d;
}

std::optional<dimension_list> channels_last(c10::IntArrayRef sizes)
{
    std::vector<int64_t> strides;

    if (sizes.size() == 4)
        strides = c10::get_channels_last_strides_2d(sizes);
    else if (sizes.size() == 5)
        strides = c10::get_channels_last_strides_3d(sizes);
    else
        return std::nullopt;
    return dimension_list(strides.begin(), strides.end());
}

/* cuDNN puts channels last if one of the operands has them last. */
std::optional<dimension_list> of_convolution(const operands &arguments, c10::IntArrayRef sizes)
{
    enum { INPUT, WEIGHT };

    if (!has_channels_last(arguments, INPUT) && !has_channels_last(arguments, WEIGHT))
        return std::nullopt;
    return channels_last(sizes);
}

/* Gradients have the order of what they are for: of the input and of the weights. */
std::optional<dimension_list> of_gradients(size_t result, const operands &arguments,
                                           c10::IntArrayRef sizes)
{
    enum { OUTPUT, INPUT };

    return has_channels_last(arguments, INPUT + result) ? channels_last(sizes) : rows(sizes);
}

enum rule { CONVOLUTION, GRADIENTS, EIGENVECTORS, SINGULAR_VECTORS, INDICES };

const std::unordered_map<std::string_view, rule> rules = {
    {"aten::_linalg_svd", SINGULAR_VECTORS},
    {"aten::convolution", CONVOLUTION},
    {"aten::convolution_backward", GRADIENTS},
    {"aten::linalg_eig", EIGENVECTORS},
    {"aten::nonzero", INDICES},
    {"aten::nonzero_static", INDICES},
};

} // namespace

std::optional<dimension_list> strides_on_card(const c10::OperatorHandle &op, size_t result,
                                              const operands &arguments, c10::IntArrayRef sizes)
{
    auto found = rules.find(op.schema().name());

    if (found == rules.end() || sizes.size() < 2)
        return std::nullopt;
    switch (found->second) {
    case CONVOLUTION:
        return of_convolution(arguments, sizes);
    case GRADIENTS:
        return of_gradients(result, arguments, sizes);
    case EIGENVECTORS:
        return result == 1 ? std::optional(rows(sizes)) : std::nullopt;
    case SINGULAR_VECTORS:
        return result == 2 ? std::optional(rows(sizes)) : std::nullopt;
    case INDICES:
        return columns(sizes);
    }
    return std::nullopt;
}

} // namespace cupipe
