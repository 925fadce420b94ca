/* SPDX-License-Identifier: MIT */
/* Alpha composition after Porter and Duff, with alphas of pixels or of whole images, and
 * multiplication by alpha. Integers are parts of a power of 2 that is one more than their greatest
 * value: 255 stands for 255/256. Each operation says how much of both images it takes. */
#include "handlers.h"
#include "rows.h"

#include "bands.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum weight { NONE, ALL, A1, A2, A1_A2, A1_NOT_A2, NOT_A1_A2, NOT_A1, NOT_A2 };

/* Products are added before they are rounded, or after: always, or for types with a sign. */
enum sum { APART, TOGETHER, SIGNED_TOGETHER };

static const struct operation {
    enum weight first, second;
    enum sum sum;
} operations[] = {
    [NPPI_OP_ALPHA_OVER] = {A1, NOT_A1_A2, SIGNED_TOGETHER},
    [NPPI_OP_ALPHA_IN] = {A1_A2, NONE, APART},
    [NPPI_OP_ALPHA_OUT] = {A1_NOT_A2, NONE, APART},
    [NPPI_OP_ALPHA_ATOP] = {A1_A2, NOT_A1_A2, TOGETHER},
    [NPPI_OP_ALPHA_XOR] = {A1_NOT_A2, NOT_A1_A2, TOGETHER},
    [NPPI_OP_ALPHA_PLUS] = {A1, A2, SIGNED_TOGETHER},
    [NPPI_OP_ALPHA_OVER_PREMUL] = {ALL, NOT_A1, APART},
    [NPPI_OP_ALPHA_IN_PREMUL] = {A2, NONE, APART},
    [NPPI_OP_ALPHA_OUT_PREMUL] = {NOT_A2, NONE, APART},
    [NPPI_OP_ALPHA_ATOP_PREMUL] = {A2, NOT_A1, APART},
    [NPPI_OP_ALPHA_XOR_PREMUL] = {NOT_A2, NOT_A1, SIGNED_TOGETHER},
    [NPPI_OP_ALPHA_PLUS_PREMUL] = {ALL, ALL, APART},
    [NPPI_OP_ALPHA_PREMUL] = {A1, NONE, APART},
};

struct scale {
    unsigned bits; /* 0: floats */
    bool is_signed;
};

static struct scale scale_of(enum npp_type type)
{
    unsigned bits = 8 * (unsigned)npp_bytes(type);

    if (npp_is_float(type))
        return (struct scale){0, true};
    if (type == NPP_T_8S || type == NPP_T_16S || type == NPP_T_32S)
        return (struct scale){bits - 1, true};
    return (struct scale){bits, false};
}

/* A product as a part of the whole, rounded; halves go down, and negative numbers one further. */
static int64_t part(int64_t product, unsigned bits)
{
    int64_t half = INT64_C(1) << (bits - 1);

    return (product + (product < 0 ? -half : half - 1)) >> bits;
}

static int64_t weigh(enum weight weight, int64_t a1, int64_t a2, unsigned bits)
{
    int64_t whole = INT64_C(1) << bits;

    switch (weight) {
    case NONE:
        return 0;
    case ALL:
        return whole;
    case A1:
        return a1;
    case A2:
        return a2;
    case A1_A2:
        return part(a1 * a2, bits);
    case A1_NOT_A2:
        return part(a1 * (whole - a2), bits);
    case NOT_A1_A2:
        return part((whole - a1) * a2, bits);
    case NOT_A1:
        return whole - a1;
    default:
        return whole - a2;
    }
}

static double weigh_float(enum weight weight, double a1, double a2)
{
    const double weights[] = {0, 1, a1, a2, a1 * a2, a1 * (1 - a2), (1 - a1) * a2, 1 - a1, 1 - a2};

    return weights[weight];
}

/* A color of two, of the alphas of both. */
static double compose(const struct operation *operation, struct scale scale, double a, double b,
                      double a1, double a2)
{
    unsigned bits = scale.bits;
    int64_t x = (int64_t)a, y = (int64_t)b, first, second;
    bool together =
        operation->sum == TOGETHER || (operation->sum == SIGNED_TOGETHER && scale.is_signed);

    if (!bits)
        return a * weigh_float(operation->first, a1, a2) +
               b * weigh_float(operation->second, a1, a2);
    first = weigh(operation->first, (int64_t)a1, (int64_t)a2, bits);
    second = weigh(operation->second, (int64_t)a1, (int64_t)a2, bits);
    if (together && operation->first == A1_A2 && !scale.is_signed)
        return (double)part(part(x * (int64_t)a1, bits) * (int64_t)a2 + y * second, bits);
    if (together)
        return (double)part(x * first + y * second, bits);
    return (operation->first == ALL ? a : (double)part(x * first, bits)) +
           (operation->second == ALL    ? b
            : operation->second == NONE ? 0
                                        : (double)part(y * second, bits));
}

/* The alpha of the result, which is the same for colors that are multiplied by theirs. */
static double compose_alpha(NppiAlphaOp code, struct scale scale, double a1, double a2)
{
    const struct operation *operation =
        &operations[code == NPPI_OP_ALPHA_PREMUL        ? NPPI_OP_ALPHA_PREMUL
                    : code >= NPPI_OP_ALPHA_OVER_PREMUL ? code - NPPI_OP_ALPHA_OVER_PREMUL
                                                        : code];

    if (!scale.bits)
        return fmin(weigh_float(operation->first, a1, a2) + weigh_float(operation->second, a1, a2),
                    1);
    return (double)weigh(operation->first, (int64_t)a1, (int64_t)a2, scale.bits) +
           (double)weigh(operation->second, (int64_t)a1, (int64_t)a2, scale.bits);
}

struct pass {
    const struct npp_function *function;
    const struct npp_call *call;
    struct npp_images images;
    NppiAlphaOp code;
    bool of_pixels;    /* alphas are the last channels */
    bool writes_alpha; /* of the result */
};

static void compose_pixel(const struct pass *pass, double *a, const double *b)
{
    const struct npp_function *function = pass->function;
    struct scale scale = scale_of(function->type);
    unsigned colors = function->channels - (unsigned)function->alpha;
    double a1 = pass->of_pixels ? a[colors] : pass->call->alpha1_v[0];
    double a2 = pass->of_pixels ? b[colors] : pass->call->alpha2_v[0];

    for (unsigned c = 0; c < colors; c++)
        a[c] = compose(&operations[pass->code], scale, a[c], b[c], a1, a2);
    if (pass->writes_alpha)
        a[colors] = compose_alpha(pass->code, scale, a1, a2);
}

static void run_band(void *arguments, int first, int last)
{
    const struct pass *pass = arguments;
    const struct npp_function *function = pass->function;
    size_t bytes = function->channels * npp_bytes(function->type);
    unsigned stored = function->channels - (function->alpha && !pass->writes_alpha);

    for (int y = first; y < last; y++) {
        for (int x = 0; x < pass->images.size.width; x++) {
            size_t offset = (size_t)x * bytes;
            double a[4], b[4] = {0};

            npp_load(function->type, npp_at(pass->images.a, pass->images.a_step, y, offset), a,
                     function->channels);
            if (pass->images.b)
                npp_load(function->type, npp_at(pass->images.b, pass->images.b_step, y, offset), b,
                         function->channels);
            compose_pixel(pass, a, b);
            npp_store(function->type, a,
                      (void *)npp_at(pass->images.d, pass->images.d_step, y, offset), stored);
        }
    }
}

static NppStatus run(struct pass *pass, bool checks)
{
    NppStatus status;

    pass->images = npp_images_of(pass->function, pass->call);
    if (!pass->images.a)
        return NPP_NULL_POINTER_ERROR;
    status = npp_check_images(pass->function, &pass->images, false);
    if (status == NPP_SUCCESS && (pass->code < 0 || pass->code > NPPI_OP_ALPHA_PREMUL))
        return NPP_NOT_SUPPORTED_MODE_ERROR;
    if (status == NPP_SUCCESS && !checks)
        npp_bands(pass->images.size.height, (size_t)pass->images.size.width * 8, run_band, pass);
    return status;
}

NppStatus npp_alpha_composition(const struct npp_function *function, const struct npp_call *call,
                                bool checks)
{
    bool constant = strncmp(function->name, "nppiAlphaCompC", 14) == 0;
    struct pass pass = {.function = function,
                        .call = call,
                        .code = (NppiAlphaOp)call->alpha_op,
                        .of_pixels = !constant,
                        .writes_alpha = !constant};

    return run(&pass, checks);
}

/* Multiplies colors by an alpha, which becomes that of the result. */
NppStatus npp_alpha_product(const struct npp_function *function, const struct npp_call *call,
                            bool checks)
{
    struct pass pass = {.function = function,
                        .call = call,
                        .code = NPPI_OP_ALPHA_PREMUL,
                        .of_pixels = strncmp(function->name, "nppiAlphaPremul_", 16) == 0,
                        .writes_alpha = function->alpha};

    return run(&pass, checks);
}
