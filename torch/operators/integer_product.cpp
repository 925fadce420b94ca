/* SPDX-License-Identifier: MIT */
/* Products with weights of four bits: aten::_convert_weight_to_int4pack and
 * aten::_weight_int4pack_mm in the layout of the card.
 *
 * The packed weight is (rows / 8, columns / (16 inner), 32 lanes, inner / 2) words. A word of lane
 * t holds eight values of row t / 4: of two tiles of 16 columns the columns 2 (t % 4) + {0, 1, 8,
 * 9}. The halves of the word take turns: nibble 0 is value 0, nibble 4 is value 1, nibble 1 is
 * value 2. */
#include "arguments.h"
#include "host_work.h"
#include "operators.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

namespace cupipe
{

namespace
{

enum { ROWS = 8, COLUMNS = 16, LANES = 32 };

struct packed_shape {
    int64_t row_tiles, column_groups, words; /* words of a lane */

    int64_t rows() const
    {
        return row_tiles * ROWS;
    }

    int64_t columns() const
    {
        return column_groups * words * 2 * COLUMNS;
    }
};

/* Calls `use` with the index of a word, the row, the column and the shift of each value. */
template <typename function> void for_each_value(const packed_shape &shape, function use)
{
    at::parallel_for(0, shape.row_tiles, 1, [&](int64_t begin, int64_t end) {
        int64_t words = shape.column_groups * LANES * shape.words;

        for (int64_t i = begin * words; i < end * words; i++) {
            int64_t word = i % shape.words, lane = i / shape.words % LANES;
            int64_t group = i / shape.words / LANES % shape.column_groups;
            int64_t row = i / words * ROWS + lane / 4;
            int64_t column = (group * shape.words + word) * 2 * COLUMNS + lane % 4 * 2;

            for (int value = 0; value < 8; value++)
                use(i, row, column + value / 4 * COLUMNS + (value & 2) * 4 + (value & 1),
                    value / 2 * 4 + (value & 1) * 16);
        }
    });
}

/* `in` has two values in a byte, the even column in the high half. */
void pack(const at::Tensor &in, const packed_shape &shape, const at::Tensor &out)
{
    const uint8_t *bytes = in.const_data_ptr<uint8_t>();
    auto *words = static_cast<uint32_t *>(out.mutable_data_ptr());
    int64_t columns = shape.columns();

    out.zero_();
    for_each_value(shape, [=](int64_t word, int64_t row, int64_t column, int shift) {
        uint32_t both = bytes[(row * columns + column) / 2];

        words[word] |= (column % 2 ? both & 15 : both >> 4) << shift;
    });
}

at::Tensor unpack(const at::Tensor &packed, const packed_shape &shape)
{
    at::Tensor values = at::empty({shape.rows(), shape.columns()}, at::kFloat);
    const auto *words = static_cast<const uint32_t *>(packed.const_data_ptr());
    float *to = values.data_ptr<float>();
    int64_t columns = shape.columns();

    for_each_value(shape, [=](int64_t word, int64_t row, int64_t column, int shift) {
        to[row * columns + column] = (float)(words[word] >> shift & 15);
    });
    return values;
}

void convert_weight(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    at::Tensor in = args.tensor("self").contiguous(), out;
    int64_t inner = args.integer("innerKTiles");
    packed_shape shape;

    TORCH_CHECK(in.dim() == 2 && in.scalar_type() == at::kByte,
                "_convert_weight_to_int4pack: expected a uint8 matrix, but got ", in.scalar_type(),
                " with ", in.dim(), " dimensions");
    TORCH_CHECK(inner == 2 || inner == 4 || inner == 8,
                "_convert_weight_to_int4pack: innerKTiles must be 2, 4 or 8, but is ", inner);
    TORCH_CHECK(in.size(0) % ROWS == 0 && in.size(1) * 2 % (inner * COLUMNS) == 0,
                "_convert_weight_to_int4pack: a weight of ", in.size(0), " x ", in.size(1) * 2,
                " is not a multiple of ", (int)ROWS, " x ", inner * COLUMNS);
    shape = {in.size(0) / ROWS, in.size(1) * 2 / (inner * COLUMNS), inner / 2};
    out = at::empty({shape.row_tiles, shape.column_groups, LANES, shape.words},
                    in.options().dtype(at::kInt));
    work.submit([=, from = work.reads(in), to = work.writes(out)] { pack(from, shape, to); });
    args.give(out);
}

/* value = (nibble - 8) scale + zero, one pair for a group of columns of a row. */
at::Tensor weight_values(const at::Tensor &packed, const packed_shape &shape, int64_t group,
                         const at::Tensor &scale_and_zero)
{
    at::Tensor values = unpack(packed, shape).sub_(8).unflatten(1, {-1, group});
    at::Tensor pairs = scale_and_zero.to(at::kFloat).transpose(0, 1);

    return values.mul_(pairs.select(2, 0).unsqueeze(2))
        .add_(pairs.select(2, 1).unsqueeze(2))
        .flatten(1);
}

void int4_product(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    at::Tensor self = args.tensor("self"), packed = args.tensor("mat2").contiguous(), out;
    at::Tensor pairs = args.tensor("qScaleAndZeros");
    int64_t group = args.integer("qGroupSize");
    packed_shape shape;

    TORCH_CHECK(self.scalar_type() == at::kBFloat16 && self.dim() == 2,
                "_weight_int4pack_mm: expected a bfloat16 matrix, but got ", self.scalar_type(),
                " with ", self.dim(), " dimensions");
    TORCH_CHECK(packed.dim() == 4 && packed.scalar_type() == at::kInt && packed.size(2) == LANES,
                "_weight_int4pack_mm: mat2 must be a result of _convert_weight_to_int4pack");
    TORCH_CHECK(group == 32 || group == 64 || group == 128 || group == 256,
                "_weight_int4pack_mm: qGroupSize must be 32, 64, 128 or 256, but is ", group);
    shape = {packed.size(0), packed.size(1), packed.size(3)};
    TORCH_CHECK(shape.columns() == self.size(1), "_weight_int4pack_mm: self has ", self.size(1),
                " columns, but the weight has ", shape.columns());
    TORCH_CHECK(pairs.dim() == 3 && pairs.size(0) == shape.columns() / group &&
                    pairs.size(1) == shape.rows() && pairs.size(2) == 2,
                "_weight_int4pack_mm: qScaleAndZeros must be ", shape.columns() / group, " x ",
                shape.rows(), " x 2, but is ", pairs.sizes());
    out = at::empty({self.size(0), shape.rows()}, self.options());
    work.submit([=, from = work.reads(self), weight = work.reads(packed),
                 scales = work.reads(pairs), to = work.writes(out)] {
        at::Tensor values = weight_values(weight, shape, group, scales);

        to.copy_(at::mm(from.to(at::kFloat), values.t()));
    });
    args.give(out);
}

} // namespace

void register_integer_products(torch::Library &aten_cuda)
{
    add_boxed<convert_weight>(aten_cuda, "_convert_weight_to_int4pack");
    add_boxed<int4_product>(aten_cuda, "_weight_int4pack_mm");
}

} // namespace cupipe
