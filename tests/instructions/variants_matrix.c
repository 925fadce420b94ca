/* SPDX-License-Identifier: MIT */
/* mma and mma.sp of all types and shapes. */
#include "matrix_text.h"
#include "variants.h"
#include <string.h>

struct product {
    const char *words; /* between .aligned and the types, without the shape */
    const char *d, *a, *b, *c;
    unsigned m, n, k;
    const char *end; /* after the types */
};

static void mma_add(const struct product *p, bool sparse, unsigned selector, enum spread spread)
{
    char *text, first[120];
    FILE *file = text_open(&text);
    unsigned a_bits = (unsigned)element_named(p->a)->bits,
             c_bits = (unsigned)element_named(p->c)->bits,
             d_bits = (unsigned)element_named(p->d)->bits;
    unsigned a = p->m * p->k * a_bits / 1024 / (sparse ? 2 : 1), b = p->n * p->k * a_bits / 1024,
             c = p->m * p->n * c_bits / 1024, d = p->m * p->n * d_bits / 1024;

    snprintf(first, sizeof first, "mma%s.sync.aligned.m%un%uk%u.row.col%s.%s.%s.%s.%s%s",
             sparse ? ".sp::ordered_metadata" : "", p->m, p->n, p->k, p->words, p->d, p->a, p->b,
             p->c, p->end);
    registers_write(file, p->a, spread, 'a', a, 0);
    registers_write(file, p->b, spread, 'b', b, 8);
    registers_write(file, p->c, spread, 'c', c, 16);
    if (sparse)
        metadata_write(file, a_bits);
    fprintf(file, "%s ", first);
    list_write(file, 'c', d);
    fprintf(file, ", ");
    list_write(file, 'a', a);
    fprintf(file, ", ");
    list_write(file, 'b', b);
    fprintf(file, ", ");
    list_write(file, 'c', c);
    if (sparse)
        fprintf(file, ", g, %u", selector);
    fprintf(file, ";\n");
    if (sparse)
        matrix_add("mma.sp", file, &text, d, 4, FEW_LANES, "%s-%u-%s", first, selector,
                   spread_names[spread]);
    else
        matrix_add("mma", file, &text, d, 4, is_float(p->a) ? MATRIX_LANES : FEW_LANES, "%s-%s",
                   first, spread_names[spread]);
}

static void mma_spreads(const struct product *p, bool sparse, unsigned selectors)
{
    for (unsigned selector = 0; selector < selectors; selector++)
        for (int spread = sparse ? WIDE : NEAR; spread < (sparse ? ALL : SPREADS); spread++)
            if (is_float(p->a) || spread == WIDE)
                mma_add(p, sparse, selector, is_float(p->a) ? spread : ALL);
}

static void products_of_small_floats(void)
{
    static const char *const small[] = {"e4m3", "e5m2"};

    for (unsigned i = 0; i < 4; i++)
        for (unsigned half = 0; half < 2; half++) {
            const char *c = half ? "f16" : "f32";

            mma_spreads(&(struct product){"", c, small[i & 1], small[i >> 1], c, 16, 8, 32, ""},
                        false, 1);
            mma_spreads(&(struct product){"", c, small[i & 1], small[i >> 1], c, 16, 8, 16, ""},
                        false, 1);
            if (!half)
                mma_spreads(&(struct product){"", c, small[i & 1], small[i >> 1], c, 16, 8, 64, ""},
                            true, 1);
        }
}

static void products_of_halves(void)
{
    static const char *const accumulators[][2] = {{"f32", "f32"}, {"f16", "f16"}};

    for (unsigned k = 8; k <= 16; k += 8) {
        for (unsigned i = 0; i < 2; i++) {
            const char *d = accumulators[i][0], *c = accumulators[i][1];

            mma_spreads(&(struct product){"", d, "f16", "f16", c, 16, 8, k, ""}, false, 1);
            mma_spreads(&(struct product){"", d, "f16", "f16", c, 16, 8, 2 * k, ""}, true,
                        k == 8 ? 4 : 2);
        }
        mma_spreads(&(struct product){"", "f32", "bf16", "bf16", "f32", 16, 8, k, ""}, false, 1);
        mma_spreads(&(struct product){"", "f32", "bf16", "bf16", "f32", 16, 8, 2 * k, ""}, true, 1);
        mma_spreads(&(struct product){"", "f32", "tf32", "tf32", "f32", 16, 8, k / 2, ""}, false,
                    1);
        mma_spreads(&(struct product){"", "f32", "tf32", "tf32", "f32", 16, 8, k, ""}, true,
                    k == 8 ? 4 : 2);
    }
}

static void products_of_integers(void)
{
    static const char *const bytes[] = {"s8", "u8"}, *const nibbles[] = {"s4", "u4"};
    static const char *const bits[] = {".xor.popc", ".and.popc"};

    for (unsigned i = 0; i < 8; i++) {
        const char *words = i & 4 ? ".satfinite" : "";
        const char *a = bytes[i & 1], *b = bytes[i >> 1 & 1];

        mma_spreads(&(struct product){words, "s32", a, b, "s32", 8, 8, 16, ""}, false, 1);
        mma_spreads(&(struct product){words, "s32", a, b, "s32", 16, 8, 16, ""}, false, 1);
        mma_spreads(&(struct product){words, "s32", a, b, "s32", 16, 8, 32, ""}, false, 1);
        mma_spreads(&(struct product){words, "s32", a, b, "s32", 16, 8, 32, ""}, true, 2);
        mma_spreads(&(struct product){words, "s32", a, b, "s32", 16, 8, 64, ""}, true, 1);
        a = nibbles[i & 1];
        b = nibbles[i >> 1 & 1];
        mma_spreads(&(struct product){words, "s32", a, b, "s32", 8, 8, 32, ""}, false, 1);
        mma_spreads(&(struct product){words, "s32", a, b, "s32", 16, 8, 32, ""}, false, 1);
        mma_spreads(&(struct product){words, "s32", a, b, "s32", 16, 8, 64, ""}, false, 1);
        mma_spreads(&(struct product){words, "s32", a, b, "s32", 16, 8, 64, ""}, true, 2);
        mma_spreads(&(struct product){words, "s32", a, b, "s32", 16, 8, 128, ""}, true, 1);
    }
    for (unsigned i = 0; i < 2; i++) {
        mma_spreads(&(struct product){"", "s32", "b1", "b1", "s32", 8, 8, 128, bits[i]}, false, 1);
        mma_spreads(&(struct product){"", "s32", "b1", "b1", "s32", 16, 8, 128, bits[i]}, false, 1);
        mma_spreads(&(struct product){"", "s32", "b1", "b1", "s32", 16, 8, 256, bits[i]}, false, 1);
    }
}

void variants_matrix(void)
{
    products_of_halves();
    products_of_small_floats();
    products_of_integers();
}
