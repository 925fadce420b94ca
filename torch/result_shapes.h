/* SPDX-License-Identifier: MIT */
/* What the results of an operator look like, known before it runs: work that is enqueued needs
 * tensors for its results at once. An operator's Meta kernel tells; or a run of the CPU kernel with
 * arguments of the same shapes has told. The answers are cached. */
#ifndef CUPIPE_TORCH_RESULT_SHAPES_H
#define CUPIPE_TORCH_RESULT_SHAPES_H

#include "operands.h"

#include <memory>
#include <vector>

namespace cupipe
{

struct result_shape {
    enum result_kind {
        UNDEFINED, /* a tensor that is not defined */
        ARGUMENT,  /* an operand itself */
        NEW,       /* a new tensor */
        VALUE,     /* no tensor */
        LIST,      /* of tensors */
    } kind;
    size_t argument; /* ARGUMENT: its place among the operands */
    c10::SmallVector<int64_t, 5> sizes, strides;
    caffe2::TypeMeta dtype;
    size_t bytes; /* of the storage of a new tensor */
    c10::IValue value;
    std::vector<result_shape> elements; /* LIST */
};

/* An operand that the operator gives another shape: a tensor for out=. */
struct resized_operand {
    size_t argument;
    c10::SmallVector<int64_t, 5> sizes, strides;
};

struct call_shapes {
    std::vector<result_shape> results;
    std::vector<resized_operand> resized;
    bool warns = false; /* one of those has elements: PyTorch warns of it at each call */
};

/* The key of a call in the cache: the operator, and the arguments without the tensors' values; with
 * which of the tensors are the same one. Floating-point numbers, which an optimizer changes at
 * every step, are left out beside tensors: they tell a shape only where no tensor does (arange). */
class shape_key
{
  public:
    shape_key(const c10::OperatorHandle &op, const torch::jit::Stack &stack);
    bool is_complete() const
    {
        return complete;
    } /* false: an argument is of another type */
    bool operator==(const shape_key &other) const;
    uint64_t hash() const
    {
        return sum;
    }

  private:
    void add(uint64_t word);
    void add_tensor(const at::Tensor &tensor);
    void add_value(const c10::IValue &value);

    c10::SmallVector<uint64_t, 48> words;
    c10::SmallVector<const c10::TensorImpl *, 8> tensors; /* until the key is complete */
    uint64_t sum;
    bool complete;
    bool numbers; /* floating-point numbers count */
};

/* NULL: not known. */
std::shared_ptr<const call_shapes> cached_shapes(const shape_key &key);
/* Shapes of a call that warns are not kept, because only a kernel that computes them warns. */
void cache_shapes(const shape_key &key, std::shared_ptr<const call_shapes> shapes);

/* Tells whether the CPU kernel has run with tensors of these types and numbers of dimensions. Meta
 * kernels accept some arguments that the kernel refuses; work that is enqueued cannot refuse any
 * more. */
bool is_proven(const c10::OperatorHandle &op, const torch::jit::Stack &stack);
void note_proven(const c10::OperatorHandle &op, const torch::jit::Stack &stack);

/* Runs the operator's Meta kernel on the arguments. NULL: it has none. Throws what the kernel
 * throws. */
std::shared_ptr<const call_shapes> shapes_by_meta_kernel(const c10::OperatorHandle &op,
                                                         const torch::jit::Stack &stack);

/* Describes the results that a kernel has put on the stack for these operands. NULL: they have a
 * layout that cannot be described. */
std::shared_ptr<const call_shapes> describe_results(const c10::OperatorHandle &op,
                                                    const torch::jit::Stack &results,
                                                    const operands &arguments);

} // namespace cupipe

#endif
