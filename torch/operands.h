/* SPDX-License-Identifier: MIT */
/* The tensors among the arguments of an operator, and their images: CPU tensors on the same memory,
 * or Meta tensors, which have no memory. Tensors that share a storage have images that share one.
 */
#ifndef CUPIPE_TORCH_OPERANDS_H
#define CUPIPE_TORCH_OPERANDS_H

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/util/SmallVector.h>
#include <optional>
#include <unordered_map>

namespace cupipe
{

struct operand {
    at::Tensor tensor; /* the argument */
    at::Tensor image;
    bool written;
};

class operands
{
  public:
    /* Where images are: DispatchKey::CPU or DispatchKey::Meta. */
    explicit operands(c10::DispatchKey image_key);

    /* Replaces the arguments on the stack: tensors by their images, devices by the images' device.
     */
    void replace(const c10::OperatorHandle &op, torch::jit::Stack &stack);

    /* The argument that has this image, or NULL. */
    const operand *find_image(const at::Tensor &image) const;

    c10::SmallVector<operand, 8> all; /* each tensor once, in the order of the arguments */

  private:
    at::Tensor image_of(const at::Tensor &tensor, bool written);
    at::Tensor make_image(const at::Tensor &tensor);
    at::Tensor make_sparse_image(const at::Tensor &tensor);
    const c10::Storage &storage_image(const c10::Storage &storage);
    c10::IValue image_of_value(const c10::IValue &value, bool written);
    size_t find(const c10::TensorImpl *impl) const;

    c10::DispatchKey key;
    c10::SmallVector<std::pair<c10::StorageImpl *, c10::Storage>, 8> storages;
    std::unordered_map<const c10::TensorImpl *, size_t> index; /* used when there are many */
    std::unordered_map<const c10::StorageImpl *, size_t> storage_index;
};

/* The device on which the operator computes: that of its CUDA tensors, or else of its argument of
 * type Device. Throws torch's exception if tensors are on different devices and the operator does
 * not allow that. None: no argument tells. */
std::optional<c10::Device> device_of_call(const c10::OperatorHandle &op,
                                          const torch::jit::Stack &stack);

/* Gives the copy-on-write clones that the operator writes memory of their own: their contents are
 * copied by work of the stream, so before anybody asks whether the stream is idle. Batch norm
 * writes its running statistics, though its schema does not say so. */
void own_written_memory(const c10::OperatorHandle &op, const torch::jit::Stack &stack);

/* Gives lists of tensors among the arguments the one type that IValue's isTensorList() and
 * isOptionalTensorList() know. TorchScript makes lists whose elements have an equal type that is
 * another object. */
void unify_lists(const c10::OperatorHandle &op, torch::jit::Stack &stack);

/* An argument of a call by its name. */
const c10::IValue &argument(const c10::OperatorHandle &op, const torch::jit::Stack &stack,
                            const char *name);

/* Tells whether an index of an operator is a mask. */
inline bool is_mask(const at::Tensor &index)
{
    return index.scalar_type() == at::kBool || index.scalar_type() == at::kByte;
}

/* Calls `visit(tensor, written)` for each defined tensor among the arguments. */
template <typename visitor>
void each_tensor(const c10::OperatorHandle &op, const torch::jit::Stack &stack, visitor visit)
{
    const auto &arguments = op.schema().arguments();
    size_t first = stack.size() - arguments.size();

    for (size_t i = 0; i < arguments.size(); i++) {
        const c10::IValue &value = stack[first + i];
        const c10::AliasInfo *alias = arguments[i].alias_info();
        bool written = alias && alias->isWrite();
        if (value.isTensor()) {
            if (value.toTensor().defined())
                visit(value.toTensor(), written);
        } else if (value.isTensorList()) {
            for (const at::Tensor &tensor : value.toTensorVector())
                if (tensor.defined())
                    visit(tensor, written);
        } else if (value.isOptionalTensorList()) {
            for (const auto &tensor : value.toOptionalTensorVector())
                if (tensor && tensor->defined())
                    visit(*tensor, written);
        }
    }
}

} // namespace cupipe

#endif
