/* SPDX-License-Identifier: MIT */
/* The numbers are those that NVIDIA's library makes, which a card and a host generator recorded. */
#include "curand_test.h"

enum { MANY = 4099 };

struct recorded {
    curandRngType_t type;
    uint64_t words1000, words4099; /* checksums; 0: not recorded */
};

static const struct recorded pseudo[] = {
    {CURAND_RNG_PSEUDO_XORWOW, 0x2f96b6dc39ad96ad, 0x51ab05f9e60cd134},
    {CURAND_RNG_PSEUDO_MRG32K3A, 0xa581bd1b6dadab43, 0},
    {CURAND_RNG_PSEUDO_MTGP32, 0x6d32a5413ee019af, 0},
    {CURAND_RNG_PSEUDO_MT19937, 0x65c7b82518a87a49, 0},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10, 0x6c463fc051048f3c, 0},
    {CURAND_RNG_QUASI_SOBOL32, 0xc337b4e4f06c23a5, 0},
    {CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, 0xc6e49e1b2a11ee45, 0},
};

static void compare_recorded(bool device)
{
    uint32_t words[MANY];

    for (size_t i = 0; i < sizeof(pseudo) / sizeof(*pseudo); i++) {
        words_of(device, pseudo[i].type, words, 1000);
        check(checksum(words, 4000) == pseudo[i].words1000);
        if (pseudo[i].words4099) {
            words_of(device, pseudo[i].type, words, MANY);
            check(checksum(words, sizeof(words)) == pseudo[i].words4099);
        }
    }
}

TEST(host_words_are_recorded_ones)
{
    compare_recorded(false);
}

TEST(device_words_are_recorded_ones)
{
    with_context();
    compare_recorded(true);
}

TEST(pieces_make_the_whole)
{
    static uint32_t whole[MANY], pieces[MANY];

    for (size_t i = 0; i < sizeof(pseudo) / sizeof(*pseudo); i++) {
        curandGenerator_t generator = create(false, pseudo[i].type);

        words_of(false, pseudo[i].type, whole, MANY);
        for (size_t done = 0, count = 1; done < MANY; done += count, count = count * 2 + 1) {
            if (count > MANY - done)
                count = MANY - done;
            check_done(curandGenerate(generator, pieces + done, count));
        }
        check(memcmp(whole, pieces, sizeof(whole)) == 0);
        check_done(curandDestroyGenerator(generator));
    }
}

TEST(offset_leads_into_the_sequence)
{
    static const uint64_t offsets[] = {1, 7, 4096, 9000};
    static uint32_t whole[10000];
    uint32_t words[1000];

    for (size_t i = 0; i < sizeof(pseudo) / sizeof(*pseudo); i++) {
        bool has_offsets = pseudo[i].type != CURAND_RNG_PSEUDO_MTGP32 &&
                           pseudo[i].type != CURAND_RNG_PSEUDO_MT19937;
        curandGenerator_t generator = create(false, pseudo[i].type);

        check_status(curandSetGeneratorOffset(generator, 1),
                     has_offsets ? CURAND_STATUS_SUCCESS : CURAND_STATUS_TYPE_ERROR);
        words_of(false, pseudo[i].type, whole, 10000);
        for (size_t k = 0; has_offsets && k < 4; k++) {
            check_done(curandSetGeneratorOffset(generator, offsets[k]));
            check_done(curandGenerate(generator, words, 1000));
            check(memcmp(words, whole + offsets[k], sizeof(words)) == 0);
        }
        check_done(curandDestroyGenerator(generator));
    }
}

TEST(seed_and_ordering_choose_the_sequence)
{
    curandGenerator_t generator = create(false, CURAND_RNG_PSEUDO_XORWOW);
    uint32_t words[1000];

    check_done(curandSetPseudoRandomGeneratorSeed(generator, 1234));
    check_done(curandGenerate(generator, words, 1000));
    check(checksum(words, sizeof(words)) == 0x83ffc4a416d8c4eb);
    check_done(curandSetPseudoRandomGeneratorSeed(generator, 0));
    check_done(curandSetGeneratorOffset(generator, 0));
    check_done(curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_SEEDED));
    check_done(curandGenerate(generator, words, 1000));
    check(checksum(words, sizeof(words)) == 0x6a6cdaaf38b00f0b);
    check_done(curandDestroyGenerator(generator));
}

TEST(dimensions_lie_one_behind_the_other)
{
    curandGenerator_t generator = create(false, CURAND_RNG_QUASI_SOBOL64);
    unsigned long long numbers[30], other[30];

    check_done(curandSetQuasiRandomGeneratorDimensions(generator, 3));
    check_done(curandGenerateLongLong(generator, numbers, 30));
    check_done(curandSetGeneratorOffset(generator, 4));
    check_done(curandGenerateLongLong(generator, other, 18));
    for (int dimension = 0; dimension < 3; dimension++)
        check(memcmp(other + 6 * dimension, numbers + 10 * dimension + 4, 48) == 0);
    check(numbers[0] == 0 && numbers[1] == 1ull << 63 && numbers[10] == 0);
    check_status(curandGenerateLongLong(generator, numbers, 29), CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    check_done(curandDestroyGenerator(generator));
}

TEST(tables_are_recorded_ones)
{
    curandDirectionVectors32_t *vectors32;
    curandDirectionVectors64_t *vectors64;
    unsigned long long *constants;

    check_done(curandGetDirectionVectors32(&vectors32, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
    check(checksum(vectors32, 20000 * sizeof(*vectors32)) == 0x977d0241e3974985);
    check_done(
        curandGetDirectionVectors32(&vectors32, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6));
    check(checksum(vectors32, 20000 * sizeof(*vectors32)) == 0x34898f09b11d9bb6);
    check_done(curandGetDirectionVectors64(&vectors64, CURAND_DIRECTION_VECTORS_64_JOEKUO6));
    check(checksum(vectors64, 20000 * sizeof(*vectors64)) == 0xd1d26f6f25e5d2f2);
    check_done(
        curandGetDirectionVectors64(&vectors64, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6));
    check(checksum(vectors64, 20000 * sizeof(*vectors64)) == 0x832da52eabcac57f);
    check_done(curandGetScrambleConstants64(&constants));
    check(checksum(constants, 20000 * sizeof(*constants)) == 0x97de795de60def01);
}
