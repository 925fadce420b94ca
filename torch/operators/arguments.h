/* SPDX-License-Identifier: MIT */
/* Arguments of an operator by name, and its results.
 *
 * Signatures of internal operators change between versions of torch: arguments are added. A boxed
 * kernel that reads its arguments by the names of the schema works with all of them. */
#ifndef CUPIPE_TORCH_OPERATORS_ARGUMENTS_H
#define CUPIPE_TORCH_OPERATORS_ARGUMENTS_H

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <optional>
#include <string_view>
#include <vector>

namespace cupipe
{

class arguments
{
  public:
    enum devices { ONE_DEVICE, ANY_DEVICE };

    /* The last values of the stack are the arguments of `op`. Tensors on several devices are an
     * error, unless the operator allows it; a CPU tensor without dimensions may stand beside CUDA
     * tensors. */
    arguments(const c10::OperatorHandle &op, torch::jit::Stack *stack,
              devices allowed = ONE_DEVICE);

    /* An argument that the schema does not have, and None, read as the default. */
    at::Tensor tensor(std::string_view name) const;
    std::vector<at::Tensor> tensors(std::string_view name) const;
    int64_t integer(std::string_view name, int64_t otherwise = 0) const;
    double number(std::string_view name, double otherwise = 0) const;
    std::optional<double> optional_number(std::string_view name) const;
    std::optional<at::ScalarType> optional_type(std::string_view name) const;
    std::string string(std::string_view name) const;
    bool flag(std::string_view name, bool otherwise = false) const;
    std::vector<bool> flags(std::string_view name) const;
    std::vector<int64_t> integers(std::string_view name) const;
    at::Scalar scalar(std::string_view name, double otherwise = 1) const;
    c10::IValue value(std::string_view name) const;

    const c10::OperatorHandle &op() const
    {
        return handle;
    }

    /* Replaces the arguments on the stack by the results. */
    template <typename... values> void give(values &&...results)
    {
        stack->resize(first);
        (stack->emplace_back(std::forward<values>(results)), ...);
    }

  private:
    const c10::OperatorHandle &handle;
    torch::jit::Stack *stack;
    size_t first;

    void check_devices() const;
};

} // namespace cupipe

#endif
