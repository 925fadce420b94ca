/* SPDX-License-Identifier: MIT */
/* Products of half-precision matrices with a result in float: the overloads `dtype` of mm, bmm,
 * addmm and baddbmm. */
#include "arguments.h"
#include "host_work.h"
#include "operators.h"

#include <ATen/ATen.h>

namespace cupipe
{

namespace
{

void check_types(const at::Tensor &first, const at::Tensor &second, at::ScalarType wanted)
{
    at::ScalarType type = first.scalar_type();

    TORCH_CHECK(type == second.scalar_type(), "input dtypes must be the same");
    TORCH_CHECK(wanted == type ||
                    (wanted == at::kFloat && (type == at::kHalf || type == at::kBFloat16)),
                "out_dtype must be the same as input dtype or fp32 for fp16/bf16 inputs");
}

/* The product of two matrices, or of two batches of them, after checks of their shapes. */
std::vector<int64_t> product_sizes(const at::Tensor &first, const at::Tensor &second,
                                   int64_t dimensions)
{
    TORCH_CHECK(first.dim() == dimensions && second.dim() == dimensions, "matrices must have ",
                dimensions, " dimensions, but have ", first.dim(), " and ", second.dim());
    TORCH_CHECK(
        first.size(-1) == second.size(-2) && (dimensions == 2 || first.size(0) == second.size(0)),
        "mat1 and mat2 shapes cannot be multiplied (", first.sizes(), " and ", second.sizes(), ")");

    std::vector<int64_t> sizes = first.sizes().vec();

    sizes.back() = second.size(-1);
    return sizes;
}

template <int dimensions> void product(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    bool adds = args.tensor("batch1").defined() || args.tensor("mat1").defined();
    at::Tensor self = args.tensor("self"), out = args.tensor("out");
    at::Tensor first = !adds ? self : args.tensor(dimensions == 3 ? "batch1" : "mat1");
    at::Tensor second = args.tensor(adds && dimensions == 3 ? "batch2" : "mat2");
    at::ScalarType wanted = *args.optional_type("out_dtype");
    std::vector<int64_t> sizes = product_sizes(first, second, dimensions);
    at::Scalar alpha = args.scalar("alpha"), beta = args.scalar("beta");

    check_types(first, second, wanted);
    if (!out.defined())
        out = at::empty(sizes, first.options().dtype(wanted));
    else
        out.resize_(sizes);
    TORCH_CHECK(out.scalar_type() == wanted, "out_dtype must be the same as the dtype of the "
                                             "provided out tensor");
    work.submit([=, a = work.reads(first), b = work.reads(second),
                 plus = work.reads(adds ? self : at::Tensor()), to = work.writes(out)] {
        at::Tensor x = a.to(wanted), y = b.to(wanted), into = to;

        if (!plus.defined())
            at::matmul_out(into, x, y);
        else if (dimensions == 2)
            at::addmm_out(into, plus.to(wanted), x, y, beta, alpha);
        else
            at::baddbmm_out(into, plus.to(wanted), x, y, beta, alpha);
    });
    args.give(out);
}

} // namespace

void register_products(torch::Library &aten_cuda)
{
    add_boxed<product<2>>(aten_cuda, "mm.dtype");
    add_boxed<product<2>>(aten_cuda, "mm.dtype_out");
    add_boxed<product<2>>(aten_cuda, "addmm.dtype");
    add_boxed<product<2>>(aten_cuda, "addmm.dtype_out");
    add_boxed<product<3>>(aten_cuda, "bmm.dtype");
    add_boxed<product<3>>(aten_cuda, "bmm.dtype_out");
    add_boxed<product<3>>(aten_cuda, "baddbmm.dtype");
    add_boxed<product<3>>(aten_cuda, "baddbmm.dtype_out");
}

} // namespace cupipe
