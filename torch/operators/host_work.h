/* SPDX-License-Identifier: MIT */
/* One operator as one piece of work of the current stream, computed by CPU kernels.
 *
 *     host_work work(op);
 *     at::Tensor from = work.reads(input), to = work.writes(result);
 *
 *     work.submit([=] { at::relu_out(to, from); });
 *
 * Results are allocated before. The work sees CPU tensors on the same memory; its intermediate
 * values are ordinary CPU tensors. */
#ifndef CUPIPE_TORCH_OPERATORS_HOST_WORK_H
#define CUPIPE_TORCH_OPERATORS_HOST_WORK_H

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <functional>
#include <vector>

namespace cupipe
{

class host_work
{
  public:
    explicit host_work(const c10::OperatorHandle &op) : name(op.schema().name().c_str())
    {
    }

    /* Views of a tensor that the work reads or writes. An undefined tensor stays undefined. A CPU
     * tensor that is read is copied: the caller may change it, or wait for this work with the lock
     * of Python that freeing the caller's tensor needs. */
    at::Tensor reads(const at::Tensor &tensor);
    at::Tensor writes(const at::Tensor &tensor);
    std::vector<at::Tensor> reads(const std::vector<at::Tensor> &tensors);
    std::vector<at::Tensor> writes(const std::vector<at::Tensor> &tensors);

    /* The work runs without gradients and without autocast. */
    void submit(std::function<void()> run);

  private:
    const char *name; /* owned by the schema, which lives as long as the process */
    std::vector<at::Tensor> read, written;
};

/* The type in which values of `type` are accumulated: float for half precision and float8. */
at::ScalarType accumulate_type(at::ScalarType type);

} // namespace cupipe

#endif
