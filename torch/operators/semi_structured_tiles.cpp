/* SPDX-License-Identifier: MIT */
/* Semi-structured training: aten::_sparse_semi_structured_tile, _apply and _apply_dense.
 *
 * Of each tile of 4 x 4 the largest elements stay, at most two in a row and in a column, so that
 * the matrix and its transpose can be compressed. The mask has 8 bytes for 8 x 8 elements: 16 bits
 * for each of its four tiles. */
#include "arguments.h"
#include "host_work.h"
#include "operators.h"
#include "semi_structured.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <array>
#include <numeric>

namespace cupipe
{

namespace
{

/* The bits of the elements that stay of one tile. */
uint16_t choose(const std::array<float, 16> &values)
{
    std::array<int, 16> order;
    int rows[4] = {}, columns[4] = {};
    uint16_t bits = 0;

    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return values[a] > values[b]; });
    for (int i : order)
        if (rows[i / 4] < 2 && columns[i % 4] < 2) {
            rows[i / 4]++;
            columns[i % 4]++;
            bits |= (uint16_t)(1 << i);
        }
    return bits;
}

/* The word of a mask that holds the bits of a tile. */
int64_t word_of(int64_t row, int64_t column, int64_t tiles_wide)
{
    return (row / 2 * (tiles_wide / 2) + column / 2) * 4 + row % 2 * 2 + column % 2;
}

/* Calls `use` with each tile's word, first row and first column. */
template <typename function> void for_each_tile(int64_t rows, int64_t columns, function use)
{
    for (int64_t i = 0; i < rows / 4; i++)
        for (int64_t j = 0; j < columns / 4; j++)
            use(word_of(i, j, columns / 4), i * 4, j * 4);
}

void choose_all(const at::Tensor &matrix, const at::Tensor &masks)
{
    at::Tensor wide = matrix.to(at::kFloat).contiguous();
    const float *values = wide.const_data_ptr<float>();
    auto *words = static_cast<uint16_t *>(masks.mutable_data_ptr());
    int64_t columns = matrix.size(1);

    for_each_tile(matrix.size(0), columns, [=](int64_t word, int64_t row, int64_t column) {
        std::array<float, 16> tile;

        for (int i = 0; i < 16; i++)
            tile[i] = values[(row + i / 4) * columns + column + i % 4];
        words[word] = choose(tile);
    });
}

/* The matrix with zeros where the mask has none. */
at::Tensor masked(const at::Tensor &matrix, const at::Tensor &masks)
{
    at::Tensor keep = at::empty(matrix.sizes(), at::kBool), bytes = masks.contiguous();
    const auto *words = static_cast<const uint16_t *>(bytes.const_data_ptr());
    bool *to = keep.data_ptr<bool>();
    int64_t columns = matrix.size(1);

    for_each_tile(matrix.size(0), columns, [=](int64_t word, int64_t row, int64_t column) {
        for (int i = 0; i < 16; i++)
            to[(row + i / 4) * columns + column + i % 4] = words[word] >> i & 1;
    });
    return at::where(keep, matrix, at::zeros({}, matrix.options()));
}

/* The two elements of each four. */
at::Tensor packed_values(const at::Tensor &matrix)
{
    at::Tensor fours = matrix.contiguous().view({-1, 4});

    return fours.gather(1, kept_positions(fours)).view({matrix.size(0), -1});
}

/* Positions as CUTLASS keeps them: words of 16 columns, with rows and words in the order in which
 * tensor cores read them. */
void store_positions(const at::Tensor &matrix, const at::Tensor &into)
{
    int64_t rows = matrix.size(0), words = matrix.size(1) / 16;
    at::Tensor positions = kept_positions(matrix.contiguous().view({-1, 4}));
    at::Tensor nibbles =
        (positions.select(1, 0) + positions.select(1, 1) * 4).view({rows, words, 4});
    at::Tensor values =
        (nibbles * at::tensor({1, 16, 256, 4096}, at::kLong)).sum(-1).to(at::kShort);
    const int16_t *from = values.const_data_ptr<int16_t>();
    auto *to = static_cast<int16_t *>(into.mutable_data_ptr());

    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < words; j++) {
            int64_t row = i / 32 * 32 + i % 8 * 4 + i % 32 / 8, column = j;

            if (row % 2 != column % 2) {
                row += column % 2 ? 1 : -1;
                column += column % 2 ? -1 : 1;
            }
            to[column / 2 * rows * 2 + row * 2 + column % 2] = from[i * words + j];
        }
}

/* Tensors for a matrix of this shape. */
struct packed_form {
    at::Tensor values, positions;

    packed_form(int64_t rows, int64_t columns, at::TensorOptions options, bool cutlass)
    {
        int64_t sixteenths = cutlass ? 8 : compressed_sixteenths(options.dtype().toScalarType());

        values = at::empty({rows, columns * sixteenths / 16}, options);
        if (cutlass)
            positions = at::empty_strided({rows, 2, columns / 32}, {2, 1, 2 * rows},
                                          options.dtype(at::kShort));
        else
            positions = at::empty({0}, options.dtype(at::kShort));
    }
};

void check_matrix(const at::Tensor &input, const char *name)
{
    TORCH_CHECK(input.dim() == 2 &&
                    (input.scalar_type() == at::kHalf || input.scalar_type() == at::kBFloat16),
                name, ": expected a matrix of half or bfloat16, but got ", input.scalar_type(),
                " with ", input.dim(), " dimensions");
    TORCH_CHECK(input.size(0) % 32 == 0 && input.size(1) % 32 == 0, name,
                ": rows and columns must be multiples of 32, but are ", input.sizes());
}

void tile(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    at::Tensor input = args.tensor("input"), masks;
    int64_t rows = input.size(0), columns = input.size(1);
    std::string algorithm = args.string("algorithm");
    bool cutlass = args.flag("use_cutlass", true);

    check_matrix(input, op.schema().name().c_str());
    TORCH_CHECK(cutlass || (rows % 128 == 0 && columns % 128 == 0),
                "Only supports rows/cols multiples of 128");
    TORCH_CHECK_NOT_IMPLEMENTED(algorithm.empty() || algorithm == "largest_values_greedy",
                                op.schema().name(),
                                ": cupipe knows the algorithm "
                                "largest_values_greedy, not ",
                                algorithm);

    packed_form plain(rows, columns, input.options(), cutlass);
    packed_form turned(columns, rows, input.options(), cutlass);

    masks = at::empty({rows / 8, columns / 8, 8}, input.options().dtype(at::kByte));
    work.submit([=, from = work.reads(input), to_masks = work.writes(masks),
                 values = work.writes(plain.values), positions = work.writes(plain.positions),
                 turned_values = work.writes(turned.values),
                 turned_positions = work.writes(turned.positions)] {
        at::Tensor sparse, transposed;

        choose_all(from, to_masks);
        sparse = masked(from, to_masks);
        transposed = sparse.t().contiguous();
        if (!cutlass) {
            compress(sparse, values);
            compress(transposed, turned_values);
            return;
        }
        values.copy_(packed_values(sparse));
        turned_values.copy_(packed_values(transposed));
        store_positions(sparse, positions);
        store_positions(transposed, turned_positions);
    });
    args.give(plain.values, plain.positions, turned.values, turned.positions, masks);
}

void apply(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    at::Tensor input = args.tensor("input");
    int64_t rows = input.size(0), columns = input.size(1);
    at::Tensor plain = at::empty({rows, columns / 2}, input.options());
    at::Tensor turned = at::empty({columns, rows / 2}, input.options());

    check_matrix(input, op.schema().name().c_str());
    work.submit([=, from = work.reads(input), masks = work.reads(args.tensor("thread_masks")),
                 values = work.writes(plain), turned_values = work.writes(turned)] {
        at::Tensor sparse = masked(from, masks);

        values.copy_(packed_values(sparse));
        turned_values.copy_(packed_values(sparse.t()));
    });
    args.give(plain, turned);
}

void apply_dense(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    at::Tensor input = args.tensor("input"), out = at::empty(input.sizes(), input.options());

    check_matrix(input, op.schema().name().c_str());
    work.submit([=, from = work.reads(input), masks = work.reads(args.tensor("thread_masks")),
                 to = work.writes(out)] { to.copy_(masked(from, masks)); });
    args.give(out);
}

} // namespace

void register_semi_structured_tiles(torch::Library &aten_cuda)
{
    add_boxed<tile>(aten_cuda, "_sparse_semi_structured_tile");
    add_boxed<apply>(aten_cuda, "_sparse_semi_structured_apply");
    add_boxed<apply_dense>(aten_cuda, "_sparse_semi_structured_apply_dense");
}

} // namespace cupipe
