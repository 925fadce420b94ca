/* SPDX-License-Identifier: MIT */
/* CPU tensors on the memory of CUDA tensors: device memory is host memory. */
#ifndef CUPIPE_TORCH_HOST_VIEW_H
#define CUPIPE_TORCH_HOST_VIEW_H

#include <ATen/core/Tensor.h>

namespace cupipe
{

/* A strided CPU tensor on the memory of a strided CUDA tensor. It does not own the memory. What is
 * only read may be shared by copy-on-write clones; a writable view's tensor gets memory of its own
 * first. */
at::Tensor host_view(const at::Tensor &tensor);
at::Tensor writable_host_view(const at::Tensor &tensor);

/* Ends the sharing of a copy-on-write clone: it gets memory of its own. */
void own_memory(const at::Tensor &tensor);

/* A storage on the memory of a storage of a CUDA tensor. It does not own the memory, and is written
 * only if own_memory() was called for the tensor. */
c10::Storage host_storage(const c10::Storage &storage);

/* A strided tensor of the backend `key` on the storage, with all else as `like` has it. */
at::Tensor tensor_like(const at::Tensor &like, c10::Storage storage, c10::DispatchKey key);

} // namespace cupipe

#endif
