/* SPDX-License-Identifier: MIT */
/* MT19937 is linear: n steps are a polynomial in one step, x^n modulo the characteristic polynomial
 * (Haramoto and others, "Efficient jump ahead for F2-linear random number generators", 2008). The
 * polynomials are made once, by squaring the first; the characteristic polynomial has few terms,
 * which makes the remainder cheap. To apply one is to add up the states at all steps that it has,
 * WINDOW of them at a time. */
#include "mt19937_jump.h"

#include <pthread.h>
#include <random/vector.h>
#include <stdlib.h>
#include <string.h>

enum { DEGREE = 19937, LONGS = (DEGREE + 63) / 64 };
enum { WINDOW = 6, BLOCKS = (DEGREE + MT_WORDS - 1) / MT_WORDS };

/* The exponents of the terms below x^19937. */
static const uint16_t terms[] = {
    19314, 19087, 18860, 18691, 18633, 18406, 18237, 18179, 18068, 17952, 17841, 17783, 17725,
    17498, 17445, 17329, 17271, 17160, 17044, 16933, 16875, 16822, 16817, 16595, 16590, 16537,
    16421, 16368, 16363, 16252, 16141, 16136, 16025, 15967, 15909, 15682, 15629, 15576, 15513,
    15455, 15349, 15344, 15228, 15117, 15059, 15006, 15001, 14953, 14779, 14774, 14721, 14605,
    14552, 14547, 14436, 14325, 14320, 14209, 14151, 14093, 13866, 13813, 13760, 13697, 13639,
    13533, 13528, 13412, 13301, 13243, 13190, 13185, 13137, 12963, 12958, 12905, 12789, 12736,
    12731, 12673, 12620, 12509, 12504, 12393, 12335, 12277, 11997, 11944, 11881, 11838, 11717,
    11712, 11611, 11485, 11384, 11374, 11321, 11215, 11157, 11147, 11089, 10920, 10761, 10693,
    10128, 9969,  9901,  9505,  8206,  7979,  7752,  7583,  7525,  7477,  7129,  6569,  6337,
    5661,  4753,  4362,  4135,  3908,  3681,  3454,  3227,  3000,  2773,  2493,  1870,  1643,
    1585,  1416,  1189,  0,
};

/* x^(2^2048), by 2048 squarings of x. */
static const uint64_t first_jump[LONGS] = {
    0x39bc018088eb5cd8, 0x2d3bf7e2993d87ca, 0x524f7cae112524a2, 0xa50d266e05bdd9ec,
    0x04a5f234297f90ca, 0x5d3d763177900cd4, 0xe27a49c23c3fd38c, 0xa0d1b088964f0ed5,
    0x811412fe4840addd, 0x39b09b465516a180, 0xb73cdb1f9d5385de, 0xe618d15ee839a822,
    0x2883ec589b473ee0, 0x10814d0de4517783, 0x069d962dcefeb2a0, 0x3256858e4817bc6f,
    0xf50a48af69ea37b4, 0x75a39a7837010471, 0x603726191a4a3434, 0xd9296259e4c372ad,
    0x80ebea7fe0209237, 0x42359d90488ebd07, 0x7ecb3e3ae4142b84, 0xa2adabb9ac2a056f,
    0x52b89d64fd1fdbd7, 0xc894622e7e166fc5, 0x3170cc4286ea128a, 0x9f39299d2383f803,
    0xc409bb6ed5054390, 0xd29964e85945cba9, 0xa5e694ca9cf551c9, 0x61c47e28f9375b56,
    0x3487f3df7af37558, 0xb4664d909d1824f0, 0x1af815859b32b6e1, 0x7e18d12caf21d816,
    0x31f525e2854605bd, 0xf51acb49699c037a, 0x249b01b4b5c446bd, 0xbb4533365f2d219e,
    0xd7f91faa45918c31, 0x97023efebc1af0ec, 0x66f7127b136b7519, 0xd37d10d6b865e670,
    0x9a547e5b6d2d2316, 0xa52389508f2940d5, 0x5a32081ad53f0654, 0x0d41793abcf8c814,
    0xfae94ae9f02291f1, 0xb01abc64557bce7b, 0xccad1bcf4fcd2832, 0xe3d20ee0b99ecb3e,
    0xeb24a30708e62ca3, 0x7be8e047fb68d86d, 0x50c3095ac6b1794e, 0xfd94b6418060fb05,
    0xde3558e1c9776153, 0xf55b3a9aa1f3152c, 0x21b3b4b12ae5758d, 0x6e7360bedbb86684,
    0xe0e5c4fc4844e277, 0xdb10a057db881c48, 0x539933c652927f19, 0x57c9062a35c317fe,
    0xdf819786cb01faa7, 0x64ec1485e5f9816a, 0x8c64ebae31c227a8, 0x750d9f9807a304ab,
    0x00d29d2ae87de56f, 0x09ee9676296fa84b, 0xfc71beecf11ed86e, 0xe7c56d529a409c4e,
    0xa1a059bd55e4f85f, 0xee4bda818be5ecda, 0xa5b2a7ef39ab55a3, 0x0f9d920cf7eaa4fb,
    0xeb2d7b71775b6703, 0x36ed73e07f2cdb83, 0xda86577e4ca1cdc5, 0xa5b25c6411f4e21c,
    0xf1894a9de75f24fd, 0xf525c08bb024747f, 0x7c6fc069800dacf5, 0xc14b22acda2fef7f,
    0x3c3a4711258eb20e, 0x971f2b84f0183005, 0xfc238a87fa13c936, 0x1a96cf958415754e,
    0xadc52014e3fe247b, 0xabe126e49dd5f5b4, 0xa97067b8316ab083, 0x1da2731ed145c6ef,
    0xe07d1e446e8e6a90, 0x53db774b45a628f0, 0xdc96e539ae4c7731, 0xf5a9342fc2dd86aa,
    0x4217d83b9ff2df70, 0x4a154d7ae9a52e2d, 0x3059610a664e004b, 0xa4ce1063139cd719,
    0x9e944661e9b4ed4f, 0x66414f6161086e8e, 0xbbcfdbe85825ea0b, 0x26c0b9cdc6837a8a,
    0xf4501088cd43a894, 0x2831c0832bc4a7b0, 0x536ac03cf8c18da4, 0x3feae42aa896bc87,
    0x97730fc1c1017731, 0xe640f558973b0738, 0x488220cd31bdee2f, 0x00f9d3b096f22916,
    0x001c8ae5c158f34a, 0x5d326f8280750be6, 0x568fd7ccd1edb976, 0x2f4d067590b18c4f,
    0x5e5b250b51d98da8, 0x0903f075b3778697, 0x44c55ebb7eb5ba6d, 0x56339e9d033d1765,
    0x5a9ed14de7e88d35, 0xe13d1753f6ae62d1, 0x84b8d0d3fe37601a, 0x1dc44ab1fe457146,
    0x7abfd7f4daf8bb51, 0x9d4c2340f96999f7, 0x78f182825a19170a, 0x5ed292890a2d9f51,
    0x66ce86f8a3c9e6e6, 0xff95ae05de3d85f6, 0xcbf9f2ac742c6795, 0xb23fdbf879e39005,
    0x17c18faf0853b425, 0x4e989a02aff8fd05, 0xd943fa706d567c41, 0xb2d2828fe0df1e1c,
    0x78f59db9622e51d3, 0x2c17be4253f10b59, 0x187c8b08ee1affbf, 0xf45af924d221de46,
    0x1b505e78d0b7e811, 0xf40e48567009a4af, 0x66e0c9baa8078bfb, 0x8d1aa05558e240d0,
    0x24232be22f90c445, 0xeeac0257f57f5b25, 0x66fc66cc26a385e3, 0x03727302f13e4cbd,
    0x5e0334e1077ca44a, 0xb0ca51c51cc210f9, 0xf07e4c88522b8fbe, 0x6ec35a327914cf91,
    0xa42e4e97d9520090, 0x5e270d130a058904, 0x34a9026b7adccf94, 0x4b28b838b2d64d31,
    0x6577147aa94e29fe, 0x47d6f704f8849092, 0x7a7a1a02327c0997, 0x74eadd2f6bc09bf9,
    0x705b9b82ad21a094, 0x9891623993bde309, 0x952999b922bbcd37, 0x8ab71618aaf57f83,
    0xce389ebb58731e3e, 0xb88d8838a8ef00a0, 0xf7ca5b8c6ed3b50a, 0x93b83252531388c9,
    0x501ef6b6ac0f19fa, 0x6ca5bd0c7dcb91df, 0x39505a0f3159ef4c, 0x8fdbddd43d916f6c,
    0xd92a56aa199cd893, 0xcf06af3b6f8f6403, 0x205b31890c828f15, 0xee5cc92236effbe4,
    0xf08c641b0e4780ff, 0x01ba4451369583c6, 0xe206a45d43283e7a, 0xba7217d17b69b33a,
    0x4d438de1d2abd7a0, 0xd2f30b8de1c4ed46, 0x1db74dd434c91675, 0x5a69fa20fe8dece9,
    0x85277940c53c5d86, 0xeabdd2366d6b60dc, 0xd3bca2b0a9122560, 0x338e042395da7669,
    0x206e0c4c367da377, 0xad322edb09ada0a5, 0x024d032e02b6d3bc, 0x0fa3f2b29760647f,
    0x0906d7fcc2fce74f, 0xeaaf0738e7ef1b76, 0xa54b691f5618fb43, 0x58b8a16e5b025ed3,
    0xfb24b595478fc18d, 0xe5b8cfa0fd2aefe0, 0x64809ea39a7bcb4a, 0x0875065b4dd874c6,
    0xd94f6b42467ab412, 0xcee518213c6bfd12, 0x2f9bf2290cd6e3da, 0x9655498922b90136,
    0x2e7f2a4a6805f5f2, 0x3d3e51762a54a15a, 0xba8d6fdf7d547022, 0xb24f4456ad908960,
    0x03889337bf8bc49c, 0x5a08d5531492579f, 0xb85bcdbacc64c6c5, 0x08206f1142ad18d2,
    0x0bdca0a89143b6a8, 0x4cda68fb0fbab1aa, 0x1bf00a5441588ba1, 0xb9ed071015f44101,
    0x56dd9540fedad9c1, 0x57185b5708840639, 0x90e012e32af359d9, 0x7c3d97562a12bf07,
    0x9bf8733673f5001a, 0x7e2676349d33f2f4, 0xff67e00f2e613448, 0x6d235e13c9e9b79e,
    0x83c3eddcffc79abe, 0x48b915ba3b5a2aef, 0x04596ac0aa8d0c0d, 0x3420574aa6463164,
    0x18836b0f93d2c2be, 0x6c677605cb66a04a, 0x179723d6b9a3eec7, 0xd32bac864c190906,
    0x986f41de85314fd4, 0x2925e03a9a0896c5, 0x395dc4407f326d43, 0x0bb8f8220abbc413,
    0xe3e0df706746ca0a, 0x1d2fffff9bfa22a8, 0xeefd9861db7f1131, 0xee18fdbd0931d116,
    0x2c9a7ee9bc96820d, 0xc829beee1dcfc4f9, 0xc104c1ab99aa6324, 0xeb949a60881a651e,
    0xd8c8d2b4e04077a3, 0xb9b66444c53e11a3, 0x04ea6f698aae6565, 0xce0969c6ca98bd64,
    0xf00fc0c29cf6b156, 0x2da4646b437d6abc, 0xa1a0718780ff0c5f, 0x04a2ea0783fb93b2,
    0xbe83f0a7a3051c81, 0xf611d74b98ed7c80, 0x4116e5c3abba5b38, 0x046b6e6bd60cc916,
    0xcfd2cf23ebd05143, 0xa33721d318dbf69c, 0x63753515fb1a27b8, 0x24373c7ac64b340c,
    0x97279ac662c063f8, 0xcccaba83565fdf38, 0x9e301368e73ed41e, 0x79ee1fe690f4c12b,
    0x35508fac6a905693, 0xd8d8c7d9eec67f90, 0x20fb2894c4cf6423, 0x328a9c288162792a,
    0xbeb55da550e668e3, 0x6d2e4cb7914628dc, 0x58281bf053a130ff, 0x922b01da8240840b,
    0x863744cfd8fa95de, 0x638a3be5411730a4, 0xfe4cbac2454923dc, 0xc6fab685640d3e72,
    0x002135126cd1efcd, 0x6db10aef96c42111, 0x70a502ab51d50ff3, 0xfa1b7571189c3419,
    0x390e73d66259e23f, 0x3a61951995030fea, 0x51870e5bfc7c17ca, 0xed09b25e950720fe,
    0xcad6d053d0d0f959, 0x0da0222295d50aff, 0x895e7ce2d753d127, 0xf61fc01e690a3fd5,
    0x7c010c82fa865bca, 0x8ee2b49745102cb8, 0x273301dbd9d079b2, 0xe968d2bb572d0400,
    0x875e9bb905165945, 0xce7146c2a5f60804, 0x1df6f51e423003e6, 0x0de1eadcd9a1a067,
    0xb10384ee8c526117, 0x0920213e4d72722d, 0x621129ddd9565283, 0x73ec5dae0636f70e,
    0xeb9d6cf1554841ad, 0x51a5eae6d2ee91ba, 0x825d37909a85630f, 0x4413dd72ebdd060f,
    0x7f1b18590da7389c, 0x1adcb03dd8ab7cc2, 0x575109994664706e, 0xc4200099aa95bac3,
    0x149039a770470533, 0xe6e116e059dd7867, 0x8969d4f7f593b919, 0x000000018e7b5c7b,
};

static uint64_t jumps[MT_JUMPS][LONGS + 1];

/* The 32 bits of a word, each followed by a 0. */
static uint64_t spread(uint32_t word)
{
    uint64_t x = word;

    x = (x | x << 16) & 0x0000ffff0000ffff;
    x = (x | x << 8) & 0x00ff00ff00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
    x = (x | x << 2) & 0x3333333333333333;
    return (x | x << 1) & 0x5555555555555555;
}

static void add_at(uint64_t *polynomial, uint64_t bits, size_t place)
{
    polynomial[place / 64] ^= bits << place % 64;
    if (place % 64)
        polynomial[place / 64 + 1] ^= bits >> (64 - place % 64);
}

/* The characteristic polynomial's second term is 623 below its first, so that the bits of one long
 * word can be taken off together. */
static void square(uint64_t polynomial[LONGS])
{
    uint64_t wide[2 * LONGS + 1] = {0}, bits;

    for (size_t i = 0; i < LONGS; i++) {
        wide[2 * i] = spread((uint32_t)polynomial[i]);
        wide[2 * i + 1] = spread((uint32_t)(polynomial[i] >> 32));
    }
    for (size_t i = 2 * LONGS; i-- > DEGREE / 64;) {
        bits = wide[i];
        if (i == DEGREE / 64)
            bits = bits >> DEGREE % 64 << DEGREE % 64;
        wide[i] ^= bits;
        for (size_t k = 0; bits && k < sizeof(terms) / sizeof(*terms); k++) {
            size_t place = 64 * i + terms[k];

            if (place >= DEGREE)
                add_at(wide, bits, place - DEGREE);
            else /* of the lowest long word, whose bits below x^19937 are 0 */
                wide[0] ^= bits >> (DEGREE - place);
        }
    }
    memcpy(polynomial, wide, LONGS * sizeof(*polynomial));
}

static void make_jumps(void)
{
    uint64_t polynomial[LONGS];

    memcpy(polynomial, first_jump, sizeof(polynomial));
    for (unsigned i = 0; i < MT_JUMPS; i++) {
        memcpy(jumps[i], polynomial, sizeof(polynomial));
        square(polynomial);
    }
}

CUP_INLINE uint32_t next_word(uint32_t a, uint32_t b, uint32_t far)
{
    uint32_t y = (a & 0x80000000) | (b & 0x7fffffff);

    return far ^ y >> 1 ^ ((0 - (y & 1)) & 0x9908b0df);
}

CUP_VECTOR_CLONES
void mt_next_words(uint32_t words[MT_WORDS])
{
    for (size_t i = 0; i < 227; i++)
        words[i] = next_word(words[i], words[i + 1], words[i + 397]);
    for (size_t start = 227; start < 623; start += 198) {
        for (size_t i = start; i < start + 198; i++)
            words[i] = next_word(words[i], words[i + 1], words[i - 227]);
    }
    words[623] = next_word(words[623], words[0], words[396]);
}

CUP_VECTOR_CLONES
static void add_four(uint32_t *restrict sum, const uint32_t *const words[4])
{
    const uint32_t *restrict a = words[0], *restrict b = words[1];
    const uint32_t *restrict c = words[2], *restrict d = words[3];

    for (size_t i = 0; i < MT_WORDS; i++)
        sum[i] ^= a[i] ^ b[i] ^ c[i] ^ d[i];
}

CUP_VECTOR_CLONES
static void add(const uint32_t *restrict a, const uint32_t *restrict b, size_t count,
                uint32_t *restrict sum)
{
    for (size_t i = 0; i < count; i++)
        sum[i] = a[i] ^ b[i];
}

/* sums[v][i]: of the words i + k of a state and its next one, for the bits k of v. */
static void make_sums(const uint32_t from[MT_WORDS], uint32_t (*sums)[2 * MT_WORDS])
{
    memset(sums[0], 0, sizeof(sums[0]));
    memcpy(sums[1], from, MT_WORDS * sizeof(*from));
    memcpy(sums[1] + MT_WORDS, from, MT_WORDS * sizeof(*from));
    mt_next_words(sums[1] + MT_WORDS);
    for (unsigned v = 2; v < 1 << WINDOW; v++) {
        unsigned low = (unsigned)__builtin_ctz(v);

        add(sums[1] + low, sums[v & (v - 1)], 2 * MT_WORDS - WINDOW, sums[v]);
    }
}

static unsigned window_at(const uint64_t *polynomial, size_t place)
{
    uint64_t bits = polynomial[place / 64] >> place % 64;

    if (place % 64 > 64 - WINDOW)
        bits |= polynomial[place / 64 + 1] << (64 - place % 64);
    return bits & ((1 << WINDOW) - 1);
}

/* Blocks of 624 terms from the highest on: the sum so far goes 624 steps forward, which makes its
 * next words, and the block's states are added. */
bool mt_jump(const uint32_t from[MT_WORDS], unsigned doublings, uint32_t to[MT_WORDS])
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    uint32_t(*sums)[2 * MT_WORDS] = malloc((1 << WINDOW) * sizeof(*sums));
    const uint32_t *four[4];

    if (!sums)
        return false;
    pthread_once(&once, make_jumps);
    make_sums(from, sums);
    memset(to, 0, MT_WORDS * sizeof(*to));
    for (size_t block = BLOCKS; block-- > 0;) {
        mt_next_words(to);
        for (size_t k = 0; k < MT_WORDS; k += 4 * WINDOW) {
            for (size_t i = 0; i < 4; i++) {
                size_t place = k + i * WINDOW;

                four[i] = sums[window_at(jumps[doublings], block * MT_WORDS + place)] + place;
            }
            add_four(to, four);
        }
    }
    free(sums);
    return true;
}
