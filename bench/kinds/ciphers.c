/* SPDX-License-Identifier: MIT */
/* Integers: hashes, alignments of words. */
#include "kinds.h"

#include <string.h>

enum { BLOCKS = 1 << 18, LETTERS = 128, PAIRS = 1024 };

static struct data in, out, others;
static struct launch launch;

static const unsigned sha_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static void open_sha(void)
{
    in = data_of_words((size_t)BLOCKS * 16);
    out = data_create(BLOCKS * sizeof(unsigned));
    set_constant("numbers", "sha_k", sha_k, sizeof sha_k);
    launch = (struct launch){kernel_named("numbers", "sha256"), {BLOCKS / 256, 1, 1}, {256, 1, 1}};
}

static void cuda_sha(void)
{
    static int count = BLOCKS;

    RUN(launch, &in.device, &out.device, &count);
}

static unsigned turned(unsigned word, int bits)
{
    return word >> bits | word << (32 - bits);
}

static unsigned sha256(const unsigned *block)
{
    unsigned w[64], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

    memcpy(w, block, 64);
    for (int j = 16; j < 64; j++) {
        unsigned a = w[j - 15], b = w[j - 2];
        w[j] = w[j - 16] + w[j - 7] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) +
               (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
    }
    for (int j = 0; j < 64; j++) {
        unsigned t1 = s[7] + (turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)) +
                      ((s[4] & s[5]) ^ (~s[4] & s[6])) + sha_k[j] + w[j];
        unsigned t2 = (turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)) +
                      ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        s[7] = s[6], s[6] = s[5], s[5] = s[4], s[4] = s[3] + t1;
        s[3] = s[2], s[2] = s[1], s[1] = s[0], s[0] = t1 + t2;
    }
    return s[0] + 0x6a09e667;
}

static void native_sha(void)
{
#pragma omp parallel for
    for (int i = 0; i < BLOCKS; i++)
        ((unsigned *)out.host)[i] = sha256((unsigned *)in.host + i * 16);
}

static bool agree(void)
{
    return same_words(out);
}

static struct data letters(void)
{
    struct data data = data_of_words(PAIRS * LETTERS / 4);

    for (int i = 0; i < PAIRS * LETTERS; i++)
        ((char *)data.host)[i] = "acgt"[((char *)data.host)[i] & 3];
    data_upload(data);
    return data;
}

static void open_alignment(void)
{
    in = letters();
    others = letters();
    out = data_create(PAIRS * sizeof(int));
    launch =
        (struct launch){kernel_named("numbers", "smith_waterman"), {PAIRS, 1, 1}, {LETTERS, 1, 1}};
}

static void cuda_alignment(void)
{
    RUN(launch, &in.device, &others.device, &out.device);
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int align(const char *word, const char *other)
{
    int row[LETTERS + 1] = {0}, most = 0;

    for (int i = 0; i < LETTERS; i++) {
        int corner = 0;
        for (int j = 0; j < LETTERS; j++) {
            int score = corner + (word[j] == other[i] ? 3 : -2);
            score = larger(larger(score, larger(row[j], row[j + 1]) - 2), 0);
            corner = row[j + 1];
            row[j + 1] = score;
            most = larger(most, score);
        }
    }
    return most;
}

static void native_alignment(void)
{
#pragma omp parallel for
    for (int i = 0; i < PAIRS; i++)
        ((int *)out.host)[i] =
            align((char *)in.host + i * LETTERS, (char *)others.host + i * LETTERS);
}

const struct kind cipher_kinds[] = {
    {"SHA-256 of 2^18 blocks", open_sha, cuda_sha, native_sha, agree},
    {"Smith-Waterman, 1,024 of 128 x 128", open_alignment, cuda_alignment, native_alignment, agree},
    {.name = NULL},
};
