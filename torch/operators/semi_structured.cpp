/* SPDX-License-Identifier: MIT */
/* Matrices of which two of four elements are zero, as cuSPARSELt keeps them: aten::_cslt_*.
 *
 * A compressed matrix has half of the elements, row after row, and then two bits for each of them:
 * its position among four. */
#include "arguments.h"
#include "host_work.h"
#include "operators.h"
#include "semi_structured.h"

#include <ATen/ATen.h>

namespace cupipe
{

namespace
{

bool is_supported(at::ScalarType type)
{
    return type == at::kHalf || type == at::kBFloat16 || type == at::kFloat || type == at::kChar ||
           type == at::kFloat8_e4m3fn;
}

/* An integer view for types without comparison. */
at::Tensor bits_of(const at::Tensor &values)
{
    return values.scalar_type() == at::kFloat8_e4m3fn ? values.view(at::kChar) : values;
}

} // namespace

int64_t compressed_sixteenths(at::ScalarType type)
{
    return c10::elementSize(type) == 2 ? 9 : 10;
}

at::Tensor kept_positions(const at::Tensor &fours)
{
    at::Tensor zero = (fours == 0).to(at::kLong), order = at::arange(4);

    return std::get<0>(at::argsort(zero * 4 + order, int64_t(-1)).slice(-1, 0, 2).sort(-1));
}

void compress(const at::Tensor &matrix, const at::Tensor &out)
{
    at::Tensor fours = bits_of(matrix.contiguous()).view({-1, 4});
    at::Tensor positions = kept_positions(fours), kept = fours.gather(1, positions).flatten();
    at::Tensor bits = (positions.select(1, 0) + positions.select(1, 1) * 4).view({-1, 2});
    at::Tensor bytes = (bits.select(1, 0) + bits.select(1, 1) * 16).to(at::kByte);
    at::Tensor flat = bits_of(out).view({-1});
    at::Tensor rest = flat.slice(0, kept.numel()).view(at::kByte);

    flat.slice(0, 0, kept.numel()).copy_(kept);
    rest.zero_();
    rest.slice(0, 0, bytes.numel()).copy_(bytes);
}

namespace
{

/* The whole matrix, rows x columns. */
at::Tensor expand(const at::Tensor &compressed, int64_t rows, int64_t columns)
{
    at::Tensor flat = bits_of(compressed.contiguous()).view({-1});
    int64_t count = rows * columns / 2;
    at::Tensor bytes = flat.slice(0, count).view(at::kByte).slice(0, 0, count / 4).to(at::kLong);
    at::Tensor nibbles =
        at::stack({bytes.bitwise_and(15), bytes.bitwise_right_shift(4)}, 1).flatten();
    at::Tensor positions = at::stack({nibbles.bitwise_and(3), nibbles.bitwise_right_shift(2)}, 1);
    at::Tensor fours = at::zeros({count / 2, 4}, flat.options());

    fours.scatter_(1, positions, flat.slice(0, 0, count).view({-1, 2}));
    return fours.view({rows, columns}).view(compressed.scalar_type());
}

void cslt_compress(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    at::Tensor input = args.tensor("input"), out;
    at::ScalarType type = input.scalar_type();

    TORCH_CHECK(is_supported(type), "Unsupported dtype for cuSPARSELt compressed matrix: ", type);
    TORCH_CHECK(input.dim() == 2 && input.size(1) % 16 == 0,
                "_cslt_compress: expected a matrix whose columns are a multiple of 16, but got ",
                input.sizes());
    out = at::empty({input.size(0), input.size(1) * compressed_sixteenths(type) / 16},
                    input.options());
    work.submit([=, from = work.reads(input), to = work.writes(out)] { compress(from, to); });
    args.give(out);
}

/* The result in its type: integers of eight bits saturate. */
at::Tensor to_type(const at::Tensor &values, at::ScalarType type)
{
    if (type == at::kChar)
        return values.round().clamp(-128, 127).to(type);
    return values.to(type);
}

void cslt_sparse_mm(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    at::Tensor compressed = args.tensor("compressed_A"), dense = args.tensor("dense_B"), out;
    at::ScalarType type = compressed.scalar_type();
    at::ScalarType wanted = args.optional_type("out_dtype").value_or(type);
    bool transposed = args.flag("transpose_result");
    int64_t columns, rows;

    TORCH_CHECK(is_supported(type), "Unsupported dtype for cuSPARSELt compressed matrix: ", type);
    TORCH_CHECK(dense.dim() == 2 && dense.scalar_type() == type,
                "_cslt_sparse_mm: dense_B must be a matrix of ", type, ", but is ",
                dense.scalar_type(), " with ", dense.dim(), " dimensions");
    columns = dense.size(0);
    rows = compressed.numel() * 16 / compressed_sixteenths(type) / columns;
    out = at::empty({transposed ? dense.size(1) : rows, transposed ? rows : dense.size(1)},
                    compressed.options().dtype(wanted));
    work.submit([=, sparse = work.reads(compressed), from = work.reads(dense),
                 bias = work.reads(args.tensor("bias")), alpha = work.reads(args.tensor("alpha")),
                 to = work.writes(out)] {
        /* Sums of products of eight-bit integers are exact in double. */
        at::ScalarType wide = type == at::kChar ? at::kDouble : at::kFloat;
        at::Tensor result = at::mm(expand(sparse, rows, columns).to(wide), from.to(wide));

        if (alpha.defined())
            result.mul_(alpha.reshape({-1, 1}));
        if (bias.defined())
            result.add_(bias.reshape({-1, 1}));
        to.copy_(to_type(transposed ? result.t() : result, wanted));
    });
    args.give(out);
}

/* There is one algorithm. */
void cslt_sparse_mm_search(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments(op, stack).give((int64_t)0);
}

} // namespace

void register_semi_structured(torch::Library &aten_cuda)
{
    register_semi_structured_tiles(aten_cuda);
    add_boxed<cslt_compress>(aten_cuda, "_cslt_compress");
    add_boxed<cslt_sparse_mm>(aten_cuda, "_cslt_sparse_mm");
    add_boxed<cslt_sparse_mm_search>(aten_cuda, "_cslt_sparse_mm_search");
}

} // namespace cupipe
