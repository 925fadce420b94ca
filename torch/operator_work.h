/* SPDX-License-Identifier: MIT */
/* A call of an operator's CPU kernel, with memory for its results. */
#ifndef CUPIPE_TORCH_OPERATOR_WORK_H
#define CUPIPE_TORCH_OPERATOR_WORK_H

#include "enqueue.h"
#include "result_memory.h"
#include "result_shapes.h"

namespace cupipe
{

class operator_work final : public stream_work
{
  public:
    /* Takes the arguments from the stack and puts the results there: new tensors on the device. The
     * kernel fills them when the work runs. */
    operator_work(const c10::OperatorHandle &called, std::shared_ptr<const call_shapes> call_shapes,
                  c10::Device device, torch::jit::Stack *stack);
    void run() override;
    void keep_values() override;

  private:
    /* A tensor among the results, in order: lists are flat here. */
    struct result {
        void *address;             /* of a new tensor's memory */
        const result_shape *shape; /* of a new tensor; NULL: the kernel does not make it */
    };
    at::Tensor new_result(const result_shape &shape, c10::Device device);
    c10::IValue result_of(const result_shape &shape, const operands &arguments, c10::Device device);
    bool is_in_place(const at::Tensor &computed, const result &wanted) const;
    bool is_given(const at::Tensor &computed) const;
    void store(c10::SmallVectorImpl<at::Tensor> &computed) const;

    c10::OperatorHandle op;
    std::shared_ptr<const call_shapes> shapes;
    torch::jit::Stack call;                               /* the arguments, on the host */
    c10::SmallVector<const c10::TensorImpl *, 2> callers; /* tensors of the caller among them */
    c10::SmallVector<result, 4> results;
    c10::SmallVector<given_memory, 4> given; /* those that have memory */
};

/* Runs the CPU kernel on tensors of the host. If the kernel lacks the type of the tensors, it runs
 * on a wider one. */
void call_host_kernel(const c10::OperatorHandle &op, c10::DispatchKey key,
                      torch::jit::Stack *stack);

/* The operator's name with its overload, as long as the process lives. */
const char *name_of(const c10::OperatorHandle &op);

} // namespace cupipe

#endif
