/* SPDX-License-Identifier: MIT */
/* Operators that have a kernel for CUDA and none for the CPU, written over CPU kernels.
 *
 * Each family has a file of its own. Its function registers the kernels of the family that this
 * version of torch declares. */
#ifndef CUPIPE_TORCH_OPERATORS_OPERATORS_H
#define CUPIPE_TORCH_OPERATORS_OPERATORS_H

#include <torch/library.h>

namespace cupipe
{

/* All families below. `aten_cuda` implements the namespace aten for the dispatch key CUDA. Some of
 * the operators have a CPU kernel that lacks a case, so other kernels for the key are registered
 * before: the last one counts. */
void register_operators(torch::Library &aten_cuda);

void register_flash_attention(torch::Library &aten_cuda);
void register_efficient_attention(torch::Library &aten_cuda);
void register_cudnn_attention(torch::Library &aten_cuda);
void register_recurrent_cells(torch::Library &aten_cuda);
void register_cudnn_recurrent(torch::Library &aten_cuda);
void register_recurrent_autocast();
void register_normalization(torch::Library &aten_cuda);
void register_convolution(torch::Library &aten_cuda);
void register_products(torch::Library &aten_cuda);
void register_scaled_products(torch::Library &aten_cuda);
void register_grouped_products(torch::Library &aten_cuda);
void register_integer_products(torch::Library &aten_cuda);
void register_semi_structured(torch::Library &aten_cuda);
void register_softmax(torch::Library &aten_cuda);
void register_factorization(torch::Library &aten_cuda);
void register_semi_structured_tiles(torch::Library &aten_cuda);
void register_nested(torch::Library &aten_cuda);
void register_others(torch::Library &aten_cuda);

using boxed_kernel = void(const c10::OperatorHandle &, torch::jit::Stack *);

/* Whether this version of torch has the operator aten::<name>. */
bool is_declared(const char *name);

/* Registers a kernel if the operator is declared. */
template <boxed_kernel *kernel> void add_boxed(torch::Library &aten_cuda, const char *name)
{
    if (is_declared(name))
        aten_cuda.impl(name, torch::CppFunction::makeFromBoxedFunction<kernel>());
}

} // namespace cupipe

#endif
