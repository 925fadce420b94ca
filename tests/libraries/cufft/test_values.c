/* SPDX-License-Identifier: MIT */
/* Values of transforms: lengths, types, layouts. */
#include "transform.h"

static void try_lengths(const int *lengths, int count)
{
    for (int i = 0; i < count; i++) {
        for (int type = 0; type < 6; type++) {
            for (int way = 0; way < 4; way++) {
                struct transform t = {.type = all_types[type],
                                      .rank = 1,
                                      .n = {lengths[i]},
                                      .batch = 3,
                                      .in_place = way & 1,
                                      .direction = way & 2 ? CUFFT_INVERSE : CUFFT_FORWARD};

                try_transform(&t);
            }
        }
    }
}

TEST(lengths_with_small_factors)
{
    static const int lengths[] = {1, 2, 3, 4, 5, 6, 8, 9, 12, 15, 16, 30, 64, 77, 100, 243, 512};

    with_context();
    try_lengths(lengths, sizeof(lengths) / sizeof(*lengths));
}

TEST(prime_lengths)
{
    static const int lengths[] = {7, 11, 13, 17, 31, 61, 97, 127, 131, 257, 509, 1009};

    with_context();
    try_lengths(lengths, sizeof(lengths) / sizeof(*lengths));
}

TEST(a_long_transform_on_all_processors)
{
    struct transform t = {
        .type = CUFFT_Z2Z, .rank = 2, .n = {256, 300}, .batch = 2, .direction = CUFFT_FORWARD};

    with_context();
    try_transform(&t);
    t.type = CUFFT_D2Z;
    try_transform(&t);
    t.type = CUFFT_Z2D;
    t.in_place = true;
    try_transform(&t);
}

TEST(random_dense_transforms)
{
    with_context();
    for (int i = 0; i < 300; i++) {
        struct transform t = {.type = all_types[random_between(0, 5)],
                              .rank = random_between(1, 3),
                              .batch = random_between(1, 5),
                              .in_place = random_between(0, 1),
                              .direction = random_between(0, 1) ? CUFFT_FORWARD : CUFFT_INVERSE};

        for (int k = 0; k < t.rank; k++)
            t.n[k] = random_between(1, t.rank == 1 ? 400 : t.rank == 2 ? 40 : 14);
        try_transform(&t);
    }
}

TEST(random_embedded_transforms)
{
    with_context();
    for (int i = 0; i < 300; i++) {
        struct transform t = {.type = all_types[random_between(0, 5)],
                              .rank = random_between(1, 3),
                              .batch = random_between(1, 4),
                              .embedded = true,
                              .direction = random_between(0, 1) ? CUFFT_FORWARD : CUFFT_INVERSE};
        struct side *sides[] = {&t.in, &t.out};

        for (int k = 0; k < t.rank; k++)
            t.n[k] = random_between(1, t.rank == 1 ? 100 : t.rank == 2 ? 20 : 9);
        for (int s = 0; s < 2; s++) {
            int count = 1;

            for (int k = 0; k < t.rank; k++) {
                sides[s]->embed[k] =
                    (k < t.rank - 1 ? t.n[k] : row_length(&t, s)) + random_between(0, 3);
                count *= sides[s]->embed[k];
            }
            sides[s]->stride = random_between(1, 3);
            sides[s]->distance = count * sides[s]->stride + random_between(0, 5);
        }
        try_transform(&t);
    }
}

/* The batches of a matrix of columns: neighbours in memory belong to different transforms. */
TEST(interleaved_batches)
{
    struct transform t = {.type = CUFFT_C2C,
                          .rank = 1,
                          .n = {60},
                          .batch = 20,
                          .embedded = true,
                          .direction = CUFFT_FORWARD,
                          .in = {{60}, 20, 1},
                          .out = {{60}, 1, 60}};

    with_context();
    try_transform(&t);
    t.in_place = true;
    t.out = t.in;
    try_transform(&t);
}

/* In place with another layout of the result: what is read must not be overwritten before. */
TEST(in_place_with_another_layout)
{
    struct transform t = {.type = CUFFT_Z2Z,
                          .rank = 1,
                          .n = {48},
                          .batch = 48,
                          .embedded = true,
                          .in_place = true,
                          .direction = CUFFT_INVERSE,
                          .in = {{48}, 48, 1},
                          .out = {{48}, 1, 48}};

    with_context();
    try_transform(&t);
}

TEST(half_precision)
{
    static const cudaDataType types[] = {CUDA_C_16F, CUDA_C_16BF};
    /* 1, 0, 0 ... becomes 1 everywhere, and back n, 0, 0 ... */
    static const unsigned short ones[] = {0x3c00, 0x3f80}, n_of[] = {0x5400, 0x4280};
    unsigned short host[128] = {0};
    CUdeviceptr memory;

    with_context();
    check_success(cuMemAlloc(&memory, sizeof(host)));
    for (int i = 0; i < 2; i++) {
        long long n = 64;
        cufftHandle plan;
        size_t bytes;

        memset(host, 0, sizeof(host));
        host[0] = ones[i];
        check_success(cuMemcpyHtoD(memory, host, sizeof(host)));
        check_fft(cufftCreate(&plan), CUFFT_SUCCESS);
        check_fft(cufftXtMakePlanMany(plan, 1, &n, NULL, 1, 1, types[i], NULL, 1, 1, types[i], 1,
                                      &bytes, types[i]),
                  CUFFT_SUCCESS);
        check_fft(cufftXtExec(plan, (void *)memory, (void *)memory, CUFFT_FORWARD), CUFFT_SUCCESS);
        check_success(cuMemcpyDtoH(host, memory, sizeof(host)));
        for (int k = 0; k < 64; k++)
            check(host[2 * k] == ones[i] && (host[2 * k + 1] & 0x7fff) == 0);
        check_fft(cufftXtExec(plan, (void *)memory, (void *)memory, CUFFT_INVERSE), CUFFT_SUCCESS);
        check_success(cuMemcpyDtoH(host, memory, sizeof(host)));
        check(host[0] == n_of[i] && (host[2] & 0x7fff) == 0);
        check_fft(cufftDestroy(plan), CUFFT_SUCCESS);
    }
}

static cufftHandle half_plan(cudaDataType in, cudaDataType out)
{
    long long n = 64;
    cufftHandle plan;
    size_t bytes;

    check_fft(cufftCreate(&plan), CUFFT_SUCCESS);
    check_fft(cufftXtMakePlanMany(plan, 1, &n, NULL, 1, 1, in, NULL, 1, 1, out, 2, &bytes, in),
              CUFFT_SUCCESS);
    return plan;
}

/* In place, with rows of 66: ones become 64 and zeros, and then 64 everywhere. */
TEST(half_precision_of_real_arrays)
{
    unsigned short host[2][66];
    CUdeviceptr memory;

    with_context();
    check_success(cuMemAlloc(&memory, sizeof(host)));
    for (int i = 0; i < 132; i++)
        host[i / 66][i % 66] = 0x3c00;
    check_success(cuMemcpyHtoD(memory, host, sizeof(host)));
    check_fft(cufftXtExec(half_plan(CUDA_R_16F, CUDA_C_16F), (void *)memory, (void *)memory,
                          CUFFT_FORWARD),
              CUFFT_SUCCESS);
    check_success(cuMemcpyDtoH(host, memory, sizeof(host)));
    for (int i = 0; i < 132; i++)
        check((host[i / 66][i % 66] & 0x7fff) == (i % 66 == 0 ? 0x5400 : 0));
    check_fft(cufftXtExec(half_plan(CUDA_C_16F, CUDA_R_16F), (void *)memory, (void *)memory,
                          CUFFT_INVERSE),
              CUFFT_SUCCESS);
    check_success(cuMemcpyDtoH(host, memory, sizeof(host)));
    for (int i = 0; i < 128; i++)
        check(host[i / 64][i % 64] == 0x5400);
}

/* A NaN of the input reaches the output. */
TEST(not_a_number_stays)
{
    float host[32] = {0};
    CUdeviceptr memory;
    cufftHandle plan;

    with_context();
    host[3] = NAN;
    check_success(cuMemAlloc(&memory, sizeof(host)));
    check_success(cuMemcpyHtoD(memory, host, sizeof(host)));
    check_fft(cufftPlan1d(&plan, 16, CUFFT_C2C, 1), CUFFT_SUCCESS);
    check_fft(cufftExecC2C(plan, (void *)memory, (void *)memory, CUFFT_FORWARD), CUFFT_SUCCESS);
    check_success(cuMemcpyDtoH(host, memory, sizeof(host)));
    check(isnan(host[0]) || isnan(host[1]));
}
