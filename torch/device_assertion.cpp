/* SPDX-License-Identifier: MIT */
#include "device_assertion.h"

#include "enqueue.h"

#include <string_view>
#include <unordered_set>

namespace cupipe
{
namespace
{

class failing_work final : public stream_work
{
  public:
    failing_work(const char *work_name, std::exception_ptr work_error)
        : stream_work(work_name), error(std::move(work_error))
    {
    }
    void run() override
    {
        std::rethrow_exception(error);
    }

  private:
    std::exception_ptr error;
};

/* The CPU kernels' words for values that are out of range. */
bool is_about_values(std::string_view text)
{
    static const std::string_view words[] = {
        "index out of range in self",
        "out of bounds",
        "is out of range",
        "out of range: ",
        "between 0 and 1",
        "prob",
        "Assertion",
        "expects 0 <= p",
        "indices should be",
        "invalid target",
        "Invalid index",
        "invalid max index",
    };

    if (text.find("Dimension") != text.npos)
        return false;
    for (std::string_view each : words)
        if (text.find(each) != text.npos)
            return true;
    return false;
}

bool is_about_values(std::exception_ptr thrown)
{
    try {
        std::rethrow_exception(std::move(thrown));
    } catch (const c10::Error &error) {
        return is_about_values(error.what_without_backtrace());
    } catch (...) {
        return false;
    }
}

} // namespace

bool asserts_on_device(const c10::OperatorHandle &op, std::exception_ptr thrown)
{
    static const std::unordered_set<std::string_view> names = {
        "aten::index",
        "aten::index_put_",
        "aten::_index_put_impl_",
        "aten::_unsafe_index",
        "aten::_unsafe_index_put",
        "aten::index_select",
        "aten::index_add",
        "aten::index_add_",
        "aten::index_copy",
        "aten::index_copy_",
        "aten::index_fill_",
        "aten::index_reduce",
        "aten::index_reduce_",
        "aten::gather",
        "aten::scatter",
        "aten::scatter_",
        "aten::scatter_add",
        "aten::scatter_add_",
        "aten::scatter_reduce",
        "aten::scatter_reduce_",
        "aten::take",
        "aten::put_",
        "aten::embedding",
        "aten::embedding_dense_backward",
        "aten::embedding_renorm_",
        "aten::_embedding_bag",
        "aten::_embedding_bag_forward_only",
        "aten::nll_loss_forward",
        "aten::nll_loss_backward",
        "aten::nll_loss2d_forward",
        "aten::nll_loss2d_backward",
        "aten::multi_margin_loss",
        "aten::multilabel_margin_loss_forward",
        "aten::binary_cross_entropy",
        "aten::max_unpool2d",
        "aten::max_unpool3d",
        "aten::multinomial",
        "aten::bernoulli",
        "aten::bernoulli_",
        "aten::_assert_async",
    };

    return names.count(op.schema().name()) != 0 && is_about_values(std::move(thrown));
}

void fail_on_device(const char *name, std::exception_ptr thrown, c10::Device device)
{
    launch(std::make_unique<failing_work>(name, std::move(thrown)), device);
}

} // namespace cupipe
