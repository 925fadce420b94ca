/* SPDX-License-Identifier: MIT */
/* Conversions of colors by a matrix, and tables of values. */
#include "handlers.h"
#include "pixels.h"
#include "rows.h"

#include <math.h>
#include <string.h>

struct matrix {
    const char *name; /* of the operation, without "nppi" */
    double before[3]; /* is added to the source */
    double factors[3][3];
    double after[3];
};

static const struct matrix matrices[] = {
    {"RGBToXYZ",
     {0},
     {{0.412453, 0.35758, 0.180423}, {0.212671, 0.71516, 0.072169}, {0.019334, 0.119193, 0.950227}},
     {0}},
    {"XYZToRGB",
     {0},
     {{3.240479, -1.53715, -0.498535},
      {-0.969256, 1.875991, 0.041556},
      {0.055648, -0.204043, 1.057311}},
     {0}},
};

/* The matrix of an operation. BGR has that of RGB, with the colors turned around. */
static const struct matrix *find(const struct npp_function *function, bool *reads_bgr,
                                 bool *writes_bgr)
{
    char name[32];
    char *bgr;
    size_t length = strcspn(function->name + 4, "_");

    if (length >= sizeof(name))
        return NULL;
    memcpy(name, function->name + 4, length);
    name[length] = '\0';
    *reads_bgr = strncmp(name, "BGR", 3) == 0;
    bgr = strstr(name, "BGR");
    *writes_bgr = bgr && !*reads_bgr;
    if (bgr)
        memcpy(bgr, "RGB", 3);
    for (size_t i = 0; i < sizeof(matrices) / sizeof(*matrices); i++) {
        if (strcmp(name, matrices[i].name) == 0)
            return &matrices[i];
    }
    return NULL;
}

/* The matrix of a color twist, given by the program: rows of three factors and an addend, which
 * loses its fraction for planes. */
static struct matrix twist_of(const struct npp_function *function, const struct npp_call *call)
{
    struct matrix matrix = {0};

    for (unsigned i = 0; i < 3; i++) {
        for (unsigned k = 0; k < 3; k++)
            matrix.factors[i][k] = call->twist_v[4 * i + k];
        matrix.after[i] = call->twist_v[4 * i + 3];
        if (function->planar)
            matrix.after[i] = trunc(matrix.after[i]);
    }
    return matrix;
}

/* One number of the colors: the weights of gray. */
static double gray_of(const struct npp_function *function, const struct npp_call *call,
                      const double *pixel)
{
    static const double standard[3] = {0.299, 0.587, 0.114};
    bool is_standard = strncmp(function->name, "nppiRGBToGray", 13) == 0;
    unsigned channels = function->channels - (unsigned)function->alpha;
    double sum = 0;

    for (unsigned c = 0; c < channels; c++)
        sum += pixel[c] * (is_standard ? standard[c] : call->coeffs_v[c]);
    return sum;
}

static void apply(const struct matrix *matrix, const double *in, double *out, unsigned channels)
{
    for (unsigned i = 0; i < channels; i++) {
        out[i] = matrix->after[i];
        for (unsigned k = 0; k < 3; k++)
            out[i] += matrix->factors[i][k] * ((k < channels ? in[k] : 0) + matrix->before[k]);
    }
}

static void turn(double *pixel)
{
    double first = pixel[0];

    pixel[0] = pixel[2];
    pixel[2] = first;
}

NppStatus npp_matrix(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    struct npp_view source, target;
    bool reads_bgr = false, writes_bgr = false;
    bool is_gray = strstr(function->name, "ToGray") != NULL;
    const struct matrix *matrix = find(function, &reads_bgr, &writes_bgr);
    const struct matrix twist = twist_of(function, call);
    unsigned channels = function->channels - (unsigned)function->alpha;
    NppStatus status;

    npp_view_source(function, call, &source);
    npp_view_target(function, call, &target);
    status = npp_view_check(&source, &target, call->size_roi);
    if (status != NPP_SUCCESS || checks)
        return status;
    for (int y = 0; y < call->size_roi.height; y++) {
        for (int x = 0; x < call->size_roi.width; x++) {
            double in[4], out[4];

            for (unsigned c = 0; c < channels; c++)
                npp_load(function->type, npp_view_at(&source, x, y, c), &in[c], 1);
            if (reads_bgr)
                turn(in);
            if (is_gray)
                out[0] = gray_of(function, call, in);
            else
                apply(matrix ? matrix : &twist, in, out, channels < 3 ? channels : 3);
            if (writes_bgr)
                turn(out);
            for (unsigned c = 0; c < (is_gray ? 1 : channels < 3 ? channels : 3); c++)
                npp_store_rounded(function->target_type, &out[c],
                                  (void *)npp_view_at(&target, x, y, c), 1,
                                  is_gray ? NPP_RND_NEAR : NPP_RND_ZERO);
            if (!matrix && !is_gray && channels == 4)
                memmove((void *)npp_view_at(&target, x, y, 3), npp_view_at(&source, x, y, 3),
                        npp_bytes(function->type));
        }
    }
    return NPP_SUCCESS;
}

enum { TABLE_MOST = 1024 };

struct table {
    double levels[TABLE_MOST], values[TABLE_MOST];
    int count;
    bool interpolates, whole;
};

/* A value between two levels is that of the lower one, or lies between theirs; the way from the
 * lower one is a whole number, for integers. */
static double look_up(const struct table *table, double value)
{
    for (int i = 0; i + 1 < table->count; i++) {
        double width = table->levels[i + 1] - table->levels[i], way;

        if (value < table->levels[i] || value >= table->levels[i + 1])
            continue;
        if (!table->interpolates)
            return table->values[i];
        way = (table->values[i + 1] - table->values[i]) * (value - table->levels[i]) / width;
        return table->values[i] + (table->whole ? trunc(way) : way);
    }
    return value;
}

NppStatus npp_lut(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    enum npp_type type = npp_is_float(function->type) ? NPP_T_32F : NPP_T_32S;
    unsigned channels = function->channels - (unsigned)function->alpha;
    bool one = function->channels == 1;
    struct npp_view source, target;
    NppStatus status;

    npp_view_source(function, call, &source);
    npp_view_target(function, call, &target);
    status = npp_view_check(&source, &target, call->size_roi);
    for (unsigned c = 0; c < channels && status == NPP_SUCCESS; c++) {
        struct table table = {.count = one ? (int)call->level_count : call->level_count_i[c],
                              .interpolates = strncmp(function->suffix, "Linear", 6) == 0,
                              .whole = !npp_is_float(function->type)};

        if (table.count < 2 || table.count > TABLE_MOST)
            return NPP_LUT_NUMBER_OF_LEVELS_ERROR;
        if (checks)
            continue;
        npp_load(type, one ? call->levels : call->levels_planes[c], table.levels,
                 (size_t)table.count);
        npp_load(type, one ? call->values : call->values_planes[c], table.values,
                 (size_t)table.count);
        for (int y = 0; y < call->size_roi.height; y++) {
            for (int x = 0; x < call->size_roi.width; x++) {
                double value;

                npp_load(function->type, npp_view_at(&source, x, y, c), &value, 1);
                value = look_up(&table, value);
                npp_store_rounded(function->type, &value, (void *)npp_view_at(&target, x, y, c), 1,
                                  NPP_RND_ZERO);
            }
        }
    }
    return status;
}
