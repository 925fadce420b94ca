/* SPDX-License-Identifier: MIT */
/* The LU factorization without pivoting, which the CPU's LAPACK does not have. */
#include "arguments.h"
#include "host_work.h"
#include "operators.h"

#include "redirect.h"

#include <ATen/ATen.h>
#include <ATen/native/Resize.h>

namespace cupipe
{

namespace
{

/* Gaussian elimination in place, of all matrices of the batch at once. `info` is the number of the
 * first column with a pivot of zero, or 0. */
void eliminate(const at::Tensor &matrix, const at::Tensor &pivots, const at::Tensor &info)
{
    int64_t rows = matrix.size(-2), columns = matrix.size(-1), steps = std::min(rows, columns);

    pivots.copy_(at::arange(1, steps + 1, pivots.options()).expand_as(pivots));
    info.zero_();
    for (int64_t k = 0; k < steps; k++) {
        at::Tensor pivot = matrix.select(-2, k).select(-1, k);
        info.copy_(at::where(info.eq(0).logical_and_(pivot.eq(0)),
                             at::scalar_tensor(k + 1, info.options()), info));
        if (k + 1 == rows)
            continue;
        at::Tensor below = matrix.narrow(-2, k + 1, rows - k - 1);
        at::Tensor factors = below.select(-1, k);
        factors.div_(pivot.unsqueeze(-1));
        if (k + 1 < columns)
            below.narrow(-1, k + 1, columns - k - 1)
                .sub_(factors.unsqueeze(-1) *
                      matrix.select(-2, k).narrow(-1, k + 1, columns - k - 1).unsqueeze(-2));
    }
}

at::Tensor columns_first(const at::Tensor &matrix)
{
    return matrix.mT().contiguous().mT().clone();
}

/* Results for linalg_lu_factor_ex: LU, pivots, info. */
std::vector<at::Tensor> factorize(const c10::OperatorHandle &op, const at::Tensor &matrix)
{
    std::vector<int64_t> batch(matrix.sizes().begin(), matrix.sizes().end() - 2), diagonal = batch;
    diagonal.push_back(std::min(matrix.size(-2), matrix.size(-1)));
    at::Tensor result = columns_first(matrix);
    at::Tensor pivots = at::empty(diagonal, matrix.options().dtype(at::kInt));
    at::Tensor info = at::empty(batch, matrix.options().dtype(at::kInt));
    host_work work(op);
    at::Tensor to = work.writes(result), order = work.writes(pivots), state = work.writes(info);

    work.submit([=] { eliminate(to, order, state); });
    return {result, pivots, info};
}

void store(at::Tensor out, const at::Tensor &value)
{
    TORCH_CHECK(out.dtype() == value.dtype(), "Expected out tensor to have dtype ", value.dtype(),
                ", but got ", out.dtype(), " instead");
    at::native::resize_output(out, value.sizes());
    out.copy_(value);
}

void lu_factor(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);

    if (args.flag("pivot", true)) {
        redirect(op, c10::DispatchKey::CPU, stack);
        return;
    }
    std::vector<at::Tensor> results = factorize(op, args.tensor("A"));
    if (op.schema().overload_name() != "out") {
        args.give(results[0], results[1], results[2]);
        return;
    }
    at::Tensor outs[] = {args.tensor("LU"), args.tensor("pivots"), args.tensor("info")};
    for (size_t i = 0; i < 3; i++)
        store(outs[i], results[i]);
    args.give(outs[0], outs[1], outs[2]);
}

/* P is empty without pivoting. */
void lu(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);

    if (args.flag("pivot", true)) {
        redirect(op, c10::DispatchKey::CPU, stack);
        return;
    }
    at::Tensor matrix = args.tensor("A"), packed = factorize(op, matrix)[0];
    int64_t steps = std::min(matrix.size(-2), matrix.size(-1));
    at::Tensor lower = packed.narrow(-1, 0, steps).tril(-1);
    lower.diagonal(0, -2, -1).fill_(1);
    at::Tensor upper = packed.narrow(-2, 0, steps).triu(), none = at::empty({0}, matrix.options());
    if (op.schema().overload_name() != "out") {
        args.give(none, lower, upper);
        return;
    }
    at::Tensor outs[] = {args.tensor("P"), args.tensor("L"), args.tensor("U")};
    store(outs[0], none);
    store(outs[1], lower);
    store(outs[2], upper);
    args.give(outs[0], outs[1], outs[2]);
}

} // namespace

void register_factorization(torch::Library &aten_cuda)
{
    for (const char *name : {"linalg_lu_factor_ex", "linalg_lu_factor_ex.out"})
        add_boxed<lu_factor>(aten_cuda, name);
    for (const char *name : {"linalg_lu", "linalg_lu.out"})
        add_boxed<lu>(aten_cuda, name);
}

} // namespace cupipe
