/* SPDX-License-Identifier: MIT */
#include "card_strides.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace cupipe
{
namespace
{

enum order { ROWS, COLUMNS }; /* which elements of a matrix are neighbours */

struct changed_result {
    size_t result;
    enum order order;
};

const std::unordered_map<std::string_view, changed_result> changed = {
    {"aten::_linalg_svd", {2, ROWS}},
    {"aten::linalg_eig", {1, ROWS}},
    {"aten::nonzero", {0, COLUMNS}},
    {"aten::nonzero_static", {0, COLUMNS}},
};

} // namespace

std::optional<dimension_list> strides_on_card(const c10::OperatorHandle &op, size_t result,
                                              c10::IntArrayRef sizes)
{
    auto found = changed.find(op.schema().name());

    if (found == changed.end() || found->second.result != result || sizes.size() < 2)
        return std::nullopt;
    if (found->second.order == COLUMNS)
        return dimension_list{1, sizes[0]};
    dimension_list strides(sizes.size());
    int64_t stride = 1;
    for (size_t i = sizes.size(); i-- > 0;) {
        strides[i] = stride;
        stride *= std::max<int64_t>(sizes[i], 1);
    }
    return strides;
}

} // namespace cupipe
