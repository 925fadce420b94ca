/* SPDX-License-Identifier: MIT */
/* Dropout of the attention kernels. See attention_dropout.h. */
#include "attention_dropout.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <array>
#include <cmath>

namespace cupipe
{

namespace
{

using words = std::array<uint32_t, 4>;

/* Philox 4x32, the counter-based generator of Salmon and others (2011). */
words philox(uint64_t seed, words counter, int rounds)
{
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};

    for (int i = 0; i < rounds; i++) {
        uint64_t a = (uint64_t)0xD2511F53 * counter[0], b = (uint64_t)0xCD9E8D57 * counter[2];

        counter = {(uint32_t)(b >> 32) ^ counter[1] ^ key[0], (uint32_t)b,
                   (uint32_t)(a >> 32) ^ counter[3] ^ key[1], (uint32_t)a};
        key[0] += 0x9E3779B9;
        key[1] += 0xBB67AE85;
    }
    return counter;
}

/* A uniform number in (0, 1], as cuRAND makes it of 32 bits. */
float uniform(uint32_t bits)
{
    return std::fma((float)bits, 0x1p-32f, 0x1p-33f);
}

/* The elements that lane `lane` of the warp holds of a tile of 16 x 32. */
void keep_of_lane(const words &random, uint32_t limit, int lane, int64_t first_row,
                  int64_t first_column, int64_t queries, int64_t keys, bool *keep)
{
    for (int i = 0; i < 16; i++) {
        int64_t row = first_row + (i & 2) * 4 + lane / 4;
        int64_t column = first_column + (i / 4) * 8 + (lane % 4) * 2 + (i & 1);

        if (row < queries && column < keys)
            keep[row * keys + column] = ((random[i / 4] >> (i % 4 * 8)) & 255) <= limit;
    }
}

void flash_keep_head(cup_philox start, uint32_t limit, int64_t head, int64_t queries, int64_t keys,
                     bool *keep)
{
    for (int64_t row = 0; row * 16 < queries; row++)
        for (int64_t column = 0; column * 32 < keys; column++)
            for (int lane = 0; lane < 32; lane++) {
                uint64_t offset = start.offset + (uint64_t)head * 32 + lane;
                words counter = {(uint32_t)offset, (uint32_t)(offset >> 32), (uint32_t)row,
                                 (uint32_t)column};

                keep_of_lane(philox(start.seed, counter, 7), limit, lane, row * 16, column * 32,
                             queries, keys, keep);
            }
}

/* Calls `use` with the number of an element and its 32 random bits. */
template <typename function>
void for_each_value(cup_philox start, int64_t first, int64_t count, function use)
{
    at::parallel_for(0, count, 16384, [&](int64_t begin, int64_t end) {
        uint64_t group = UINT64_MAX;
        words random = {};

        for (int64_t i = begin; i < end; i++) {
            uint64_t position = start.offset + (uint64_t)first + i;

            if (position / 4 != group) {
                group = position / 4;
                random = philox(start.seed, {(uint32_t)group, (uint32_t)(group >> 32), 0, 0}, 10);
            }
            use(i, random[position % 4]);
        }
    });
}

} // namespace

cup_philox philox_start_of(const at::Tensor &seed, const at::Tensor &offset)
{
    const auto *words = static_cast<const uint64_t *>(seed.const_data_ptr());

    if (seed.numel() == 2)
        return {words[0], words[1]};
    return {words[0], *static_cast<const uint64_t *>(offset.const_data_ptr())};
}

at::Tensor flash_keep(cup_philox start, double dropout_p, int64_t batch, int64_t heads,
                      int64_t queries, int64_t keys)
{
    at::Tensor keep = at::empty({heads, queries, keys}, at::kBool);
    uint32_t limit = (uint32_t)std::floor((1 - dropout_p) * 255.0);
    bool *data = keep.data_ptr<bool>();

    at::parallel_for(0, heads, 1, [&](int64_t begin, int64_t end) {
        for (int64_t head = begin; head < end; head++)
            flash_keep_head(start, limit, batch * heads + head, queries, keys,
                            data + head * queries * keys);
    });
    return keep;
}

at::Tensor efficient_keep(cup_philox start, double dropout_p, int64_t batch, int64_t heads,
                          int64_t queries, int64_t keys)
{
    at::Tensor keep = at::empty({heads, queries, keys}, at::kBool);
    bool *data = keep.data_ptr<bool>();
    float limit = (float)dropout_p;

    for_each_value(start, batch * keep.numel(), keep.numel(),
                   [=](int64_t i, uint32_t bits) { data[i] = uniform(bits) > limit; });
    return keep;
}

void fill_uniform(cup_philox start, const at::Tensor &into)
{
    at::Tensor values = at::empty(into.sizes(), at::kFloat);
    float *data = values.data_ptr<float>();

    for_each_value(start, 0, values.numel(),
                   [=](int64_t i, uint32_t bits) { data[i] = uniform(bits); });
    into.copy_(values);
}

} // namespace cupipe
