/* SPDX-License-Identifier: MIT */
/* A call of an operator's CPU kernel, with memory for its results. */
#ifndef CUPIPE_TORCH_OPERATOR_WORK_H
#define CUPIPE_TORCH_OPERATOR_WORK_H

#include "enqueue.h"
#include "result_shapes.h"

namespace cupipe
{

class operator_work final : public stream_work
{
  public:
    /* Takes the arguments from the stack and puts the results there: new tensors on the device. The
     * kernel fills them when the work runs. */
    operator_work(const c10::OperatorHandle &called, const call_shapes &shapes, c10::Device device,
                  torch::jit::Stack *stack);
    void run() override;

  private:
    at::Tensor new_result(const result_shape &shape, c10::Device device);
    c10::IValue result_of(const result_shape &shape, const operands &arguments, c10::Device device);
    void store(std::vector<at::Tensor> computed);

    c10::OperatorHandle op;
    torch::jit::Stack call; /* the arguments, on the host */
    std::vector<at::Tensor>
        results;                   /* new results on the host, in order; undefined: another kind */
    std::vector<at::Tensor> given; /* those that have memory */
};

/* Runs the CPU kernel on tensors of the host. If the kernel lacks the type of the tensors, it runs
 * on a wider one. */
void call_host_kernel(const c10::OperatorHandle &op, c10::DispatchKey key,
                      torch::jit::Stack *stack);

/* The operator's name with its overload, as long as the process lives. */
const char *name_of(const c10::OperatorHandle &op);

} // namespace cupipe

#endif
