/* SPDX-License-Identifier: MIT */
/* Numbers: Fourier transforms, decompositions, finance, random numbers, hashes, alignments.
 * numbers.ptx beside it is what nvcc makes of them: nvcc -ptx -arch=sm_75 -O3 -o numbers.ptx
 * numbers.cu
 */

enum { POINTS = 1024 };

/* A transform of 1,024 complex numbers a block, by Stockham's order, a butterfly a thread. */
extern "C" __global__ void fft(const float2 *in, float2 *out, const float2 *roots)
{
    __shared__ float2 a[POINTS], b[POINTS];
    float2 *from = a, *to = b;
    int i = threadIdx.x, start = blockIdx.x * POINTS;

    a[i] = in[start + i];
    a[i + POINTS / 2] = in[start + i + POINTS / 2];
    __syncthreads();
    for (int half = 1; half < POINTS; half *= 2) {
        int k = i & (half - 1), j = 2 * (i - k) + k;
        float2 root = roots[k * (POINTS / 2 / half)], x = from[i], y = from[i + POINTS / 2];
        float re = y.x * root.x - y.y * root.y, im = y.x * root.y + y.y * root.x;
        to[j] = make_float2(x.x + re, x.y + im);
        to[j + half] = make_float2(x.x - re, x.y - im);
        __syncthreads();
        float2 *swap = from;
        from = to;
        to = swap;
    }
    out[start + i] = from[i];
    out[start + i + POINTS / 2] = from[i + POINTS / 2];
}

enum { ORDER = 32 };

/* Decomposes a matrix of 32 x 32 a block of one warp, a row a thread. */
extern "C" __global__ void lu(const float *in, float *out)
{
    __shared__ float matrix[ORDER][ORDER + 1];
    int row = threadIdx.x;
    const float *own = in + blockIdx.x * ORDER * ORDER;

    for (int i = 0; i < ORDER; i++)
        matrix[i][row] = own[i * ORDER + row];
    __syncthreads();
    for (int k = 0; k < ORDER - 1; k++) {
        if (row > k) {
            float factor = matrix[row][k] / matrix[k][k];
            matrix[row][k] = factor;
            for (int j = k + 1; j < ORDER; j++)
                matrix[row][j] -= factor * matrix[k][j];
        }
        __syncthreads();
    }
    for (int i = 0; i < ORDER; i++)
        out[(blockIdx.x * ORDER + i) * ORDER + row] = matrix[i][row];
}

static __device__ float normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float sum =
        0.39894228f * expf(-0.5f * d * d) *
        (k * (0.31938153f +
              k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));

    return d > 0 ? 1.0f - sum : sum;
}

extern "C" __global__ void black_scholes(const float *prices, const float *strikes,
                                         const float *years, float *calls, float *puts, float rate,
                                         float volatility, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= count)
        return;
    float price = prices[i], strike = strikes[i], root = sqrtf(years[i]);
    float d1 = (logf(price / strike) + (rate + 0.5f * volatility * volatility) * years[i]) /
               (volatility * root);
    float d2 = d1 - volatility * root, first = normal(d1), second = normal(d2);
    float discount = strike * expf(-rate * years[i]);

    calls[i] = price * first - discount * second;
    puts[i] = discount * (1.0f - second) - price * (1.0f - first);
}

static __device__ uint4 philox(unsigned counter, unsigned key)
{
    uint4 c = make_uint4(counter, 0, 0, 0);
    unsigned k0 = key, k1 = 0;

    for (int round = 0; round < 10; round++) {
        unsigned h0 = __umulhi(0xD2511F53, c.x), l0 = 0xD2511F53 * c.x;
        unsigned h1 = __umulhi(0xCD9E8D57, c.z), l1 = 0xCD9E8D57 * c.z;
        c = make_uint4(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0);
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    return c;
}

/* How many of random points are in a circle. */
extern "C" __global__ void monte_carlo(unsigned *inside, int each, unsigned key)
{
    __shared__ unsigned sums[256];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, count = 0;

    for (int j = 0; j < each; j++) {
        uint4 random = philox(i * each + j, key);
        float x = (random.x >> 8) * 0x1p-24f, y = (random.y >> 8) * 0x1p-24f,
              z = (random.z >> 8) * 0x1p-24f, w = (random.w >> 8) * 0x1p-24f;
        count += x * x + y * y < 1;
        count += z * z + w * w < 1;
    }
    sums[threadIdx.x] = count;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(inside, sums[0]);
}

__constant__ unsigned sha_k[64];

static __device__ unsigned turned(unsigned word, int bits)
{
    return __funnelshift_r(word, word, bits);
}

/* The first word of the hash of a block of 64 bytes a thread. */
extern "C" __global__ void sha256(const unsigned *blocks, unsigned *hashes, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned w[16], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

    if (i >= count)
        return;
    for (int j = 0; j < 16; j++)
        w[j] = blocks[i * 16 + j];
#pragma unroll
    for (int j = 0; j < 64; j++) {
        if (j >= 16) {
            unsigned a = w[(j + 1) & 15], b = w[(j + 14) & 15];
            w[j & 15] += w[(j + 9) & 15] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) +
                         (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
        }
        unsigned t1 = s[7] + (turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)) +
                      ((s[4] & s[5]) ^ (~s[4] & s[6])) + sha_k[j] + w[j & 15];
        unsigned t2 = (turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)) +
                      ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        s[7] = s[6], s[6] = s[5], s[5] = s[4], s[4] = s[3] + t1;
        s[3] = s[2], s[2] = s[1], s[1] = s[0], s[0] = t1 + t2;
    }
    hashes[i] = s[0] + 0x6a09e667;
}

enum { LETTERS = 128 };

/* The best local alignment of two words of 128 letters a block: antidiagonals, a column a thread.
 */
extern "C" __global__ void smith_waterman(const char *words, const char *others, int *scores)
{
    __shared__ int last[3][LETTERS + 1];
    __shared__ char other[LETTERS];
    __shared__ int best[LETTERS];
    int column = threadIdx.x, most = 0;
    char own = words[blockIdx.x * LETTERS + column];

    other[column] = others[blockIdx.x * LETTERS + column];
    for (int i = 0; i < 3; i++) {
        last[i][column + 1] = 0;
        if (column == 0)
            last[i][0] = 0;
    }
    __syncthreads();
    for (int diagonal = 0; diagonal < 2 * LETTERS - 1; diagonal++) {
        int row = diagonal - column;
        int *now = last[diagonal % 3], *before = last[(diagonal + 2) % 3],
            *twice = last[(diagonal + 1) % 3];
        if (row >= 0 && row < LETTERS) {
            int score = twice[column] + (own == other[row] ? 3 : -2);
            score = max(score, max(before[column], before[column + 1]) - 2);
            score = max(score, 0);
            now[column + 1] = score;
            most = max(most, score);
        }
        __syncthreads();
    }
    best[column] = most;
    __syncthreads();
    for (int half = LETTERS / 2; half > 0; half /= 2) {
        if (column < half)
            best[column] = max(best[column], best[column + half]);
        __syncthreads();
    }
    if (column == 0)
        scores[blockIdx.x] = best[0];
}
