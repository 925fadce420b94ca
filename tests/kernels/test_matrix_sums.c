/* SPDX-License-Identifier: MIT */
/* Matrices whose sums stay in the registers that mma reads, against kernels that name other
 * registers for the results; and loads by groups of four lanes. */
#include "kernels.h"

enum { LANES = 32, IN_WORDS = 19 * LANES, OUT_WORDS = 12 * LANES };

static uint32_t draw(void)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 20);
}

/* Two numbers of .f16, which are numbers of .bf16 as well, between 2^-4 and 2^4 in size. */
static uint32_t halves(void)
{
    uint32_t word = 0;

    for (unsigned i = 0; i < 2; i++)
        word = word << 16 | (draw() & 0x83ff) | (11 + draw() % 8) << 10;
    return word;
}

static void compute(const char *name, const uint32_t *in, uint32_t rounds, uint32_t *out)
{
    CUfunction function = kernel_from("matrix_sums.ptx", name);
    CUdeviceptr from = device_copy_of(in, IN_WORDS * 4), to = device_zeros(OUT_WORDS * 4);
    void *parameters[] = {&from, &to, &rounds};

    launch_line(function, 1, LANES, 0, parameters);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(out, to, OUT_WORDS * 4));
    check_success(cuMemFree(from));
    check_success(cuMemFree(to));
}

static void check_twins(uint32_t infinite, uint32_t rounds)
{
    uint32_t in[IN_WORDS], in_place[OUT_WORDS], apart[OUT_WORDS];

    for (unsigned i = 0; i < IN_WORDS; i++)
        in[i] = i < 14 * LANES ? halves() : (draw() & 0x807fffff) | (120 + draw() % 14) << 23;
    if (infinite)
        in[infinite] = 0x7c003c00;
    compute("in_place", in, rounds, in_place);
    compute("apart", in, rounds, apart);
    check(!memcmp(in_place, apart, sizeof apart));
}

TEST(sums_in_place_are_those_of_other_registers)
{
    for (uint32_t rounds = 1; rounds < 6; rounds++)
        check_twins(0, rounds);
}

TEST(infinite_elements_in_place)
{
    check_twins(5, 2);
    check_twins(9 * LANES, 2);
}

enum { MEMORY = 4096 };

static uint32_t word_at(const uint8_t *memory, uint32_t offset)
{
    uint32_t word;

    memcpy(&word, memory + offset, 4);
    return word;
}

/* Loads from places of which four are `together` bytes apart, and copies what was loaded. */
static void gather(const char *name, const uint8_t *memory, unsigned together, bool broken,
                   uint32_t *places, uint32_t *got, size_t got_size)
{
    CUfunction function = kernel_from("matrix_sums.ptx", name);
    CUdeviceptr in = device_copy_of(memory, MEMORY), at, out = device_zeros(got_size);
    void *parameters[] = {&in, &at, &out};

    for (unsigned lane = 0; lane < LANES; lane++)
        places[lane] = (lane / 4 * 37 % 8) * 208 + lane % 4 * together;
    if (broken)
        places[30] += 16;
    at = device_copy_of(places, LANES * 4);
    launch_line(function, 1, LANES, 0, parameters);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(got, out, got_size));
}

static void check_gathers(unsigned together, bool broken)
{
    uint8_t memory[MEMORY];
    uint32_t places[LANES], got[5 * LANES];

    for (unsigned i = 0; i < MEMORY; i++)
        memory[i] = (uint8_t)draw();
    gather("gathers", memory, together, broken, places, got, sizeof got);
    for (unsigned lane = 0; lane < LANES; lane++) {
        check(got[lane] == word_at(memory, places[lane]));
        check(got[LANES + lane] == word_at(memory, places[lane] + 64));
        check(got[2 * LANES + lane] == memory[places[lane] + 3]);
        check(got[3 * LANES + lane] == word_at(memory, places[lane] + 16));
    }
}

static void check_wide_gathers(unsigned together, bool broken)
{
    uint8_t memory[MEMORY];
    uint32_t places[LANES], got[7 * LANES];

    for (unsigned i = 0; i < MEMORY; i++)
        memory[i] = (uint8_t)draw();
    gather("wide_gathers", memory, together, broken, places, got, sizeof got);
    for (unsigned lane = 0; lane < LANES; lane++) {
        for (unsigned i = 0; i < 2; i++)
            check(got[i * LANES + lane] == word_at(memory, places[lane] + 128 + 4 * i));
        for (unsigned i = 0; i < 4; i++)
            check(got[(2 + i) * LANES + lane] == word_at(memory, places[lane] + 256 + 4 * i));
    }
}

TEST(lanes_load_by_fours)
{
    for (unsigned together = 0; together <= 12; together += 4) {
        check_gathers(together, false);
        check_gathers(together, true);
    }
}

TEST(lanes_load_more_bytes_by_fours)
{
    for (unsigned together = 0; together <= 32; together += 16) {
        check_wide_gathers(together, false);
        check_wide_gathers(together, true);
    }
}
