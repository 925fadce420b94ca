/* SPDX-License-Identifier: MIT */
/* Filters with a mask that belongs to their name and to the size that is asked for. */
#include "handlers.h"
#include "neighbourhood.h"

#include <math.h>
#include <string.h>

struct named {
    const char *name; /* of the operation, without "nppiFilter" and "Border" */
    int form;         /* NppiMaskSize; functions without a choice have 3 by 3 */
    signed char side;
    short weights[25];
    short divisor;
};

/* Rows of the mask as it lies on the pixels. */
static const struct named filters[] = {
    {"SobelHoriz", NPP_MASK_SIZE_3_X_3, 3, {1, 2, 1, 0, 0, 0, -1, -2, -1}, 1},
    {"SobelVert", NPP_MASK_SIZE_3_X_3, 3, {-1, 0, 1, -2, 0, 2, -1, 0, 1}, 1},
    {"SobelHoriz",
     NPP_MASK_SIZE_5_X_5,
     5,
     {1, 4, 6, 4, 1, 2, 8, 12, 8, 2, 0, 0, 0, 0, 0, -2, -8, -12, -8, -2, -1, -4, -6, -4, -1},
     1},
    {"SobelVert",
     NPP_MASK_SIZE_5_X_5,
     5,
     {-1, -2, 0, 2, 1, -4, -8, 0, 8, 4, -6, -12, 0, 12, 6, -4, -8, 0, 8, 4, -1, -2, 0, 2, 1},
     1},
    {"SobelHorizSecond", NPP_MASK_SIZE_3_X_3, 3, {1, 2, 1, -2, -4, -2, 1, 2, 1}, 1},
    {"SobelHorizSecond",
     NPP_MASK_SIZE_5_X_5,
     5,
     {1, 4, 6, 4, 1, 0, 0, 0, 0, 0, -2, -8, -12, -8, -2, 0, 0, 0, 0, 0, 1, 4, 6, 4, 1},
     1},
    {"SobelVertSecond", NPP_MASK_SIZE_3_X_3, 3, {1, -2, 1, 2, -4, 2, 1, -2, 1}, 1},
    {"SobelVertSecond",
     NPP_MASK_SIZE_5_X_5,
     5,
     {1, 0, -2, 0, 1, 4, 0, -8, 0, 4, 6, 0, -12, 0, 6, 4, 0, -8, 0, 4, 1, 0, -2, 0, 1},
     1},
    {"SobelCross", NPP_MASK_SIZE_3_X_3, 3, {-1, 0, 1, 0, 0, 0, 1, 0, -1}, 1},
    {"SobelCross",
     NPP_MASK_SIZE_5_X_5,
     5,
     {-1, -2, 0, 2, 1, -2, -4, 0, 4, 2, 0, 0, 0, 0, 0, 2, 4, 0, -4, -2, 1, 2, 0, -2, -1},
     1},
    {"PrewittHoriz", NPP_MASK_SIZE_3_X_3, 3, {1, 1, 1, 0, 0, 0, -1, -1, -1}, 1},
    {"PrewittVert", NPP_MASK_SIZE_3_X_3, 3, {-1, 0, 1, -1, 0, 1, -1, 0, 1}, 1},
    {"ScharrHoriz", NPP_MASK_SIZE_3_X_3, 3, {3, 10, 3, 0, 0, 0, -3, -10, -3}, 1},
    {"ScharrVert", NPP_MASK_SIZE_3_X_3, 3, {-3, 0, 3, -10, 0, 10, -3, 0, 3}, 1},
    {"RobertsDown", NPP_MASK_SIZE_3_X_3, 3, {-1, 0, 0, 0, 1, 0, 0, 0, 0}, 1},
    {"RobertsUp", NPP_MASK_SIZE_3_X_3, 3, {0, 0, -1, 0, 1, 0, 0, 0, 0}, 1},
    {"Sharpen", NPP_MASK_SIZE_3_X_3, 3, {-1, -1, -1, -1, 16, -1, -1, -1, -1}, 8},
    {"Laplace", NPP_MASK_SIZE_3_X_3, 3, {-1, -1, -1, -1, 8, -1, -1, -1, -1}, 1},
    {"Laplace",
     NPP_MASK_SIZE_5_X_5,
     5,
     {-1, -3, -4, -3, -1, -3, 0, 6, 0, -3, -4, 6, 20, 6, -4, -3, 0, 6, 0, -3, -1, -3, -4, -3, -1},
     1},
    {"HighPass", NPP_MASK_SIZE_3_X_3, 3, {-1, -1, -1, -1, 8, -1, -1, -1, -1}, 1},
    {"HighPass",
     NPP_MASK_SIZE_5_X_5,
     5,
     {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 24,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1},
     1},
    {"LowPass", NPP_MASK_SIZE_3_X_3, 3, {1, 1, 1, 1, 1, 1, 1, 1, 1}, 9},
    {"LowPass",
     NPP_MASK_SIZE_5_X_5,
     5,
     {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
     25},
};

/* "nppiFilterSobelHorizBorder_8u..." is of "SobelHoriz". */
static bool is_of(const struct npp_function *function, const struct named *filter)
{
    const char *name = function->name + strlen("nppiFilter");
    size_t length = strlen(filter->name);

    return strncmp(name, filter->name, length) == 0 &&
           (name[length] == '_' || strncmp(name + length, "Border_", 7) == 0 ||
            strncmp(name + length, "Mask", 4) == 0);
}

/* Horizontal masks are upside down but for sources of 8 bits without a border, as in NVIDIA's. */
static double sign_of(const struct npp_function *function)
{
    return strstr(function->name, "Horiz") && !strstr(function->name, "Second") &&
                   (strstr(function->name, "Border") || npp_bytes(function->type) > 1)
               ? -1
               : 1;
}

static long long form_of(const struct npp_function *function, const struct npp_call *call)
{
    return function->has_mask_form ? call->mask_form : NPP_MASK_SIZE_3_X_3;
}

/* A border that is not known is complained about before the size. */
static NppStatus unknown_size(const struct npp_function *function, const struct npp_call *call)
{
    return function->has_border && call->border_type != NPP_BORDER_REPLICATE
               ? NPP_NOT_SUPPORTED_MODE_ERROR
               : NPP_MASK_SIZE_ERROR;
}

NppStatus npp_filter_named(const struct npp_function *function, const struct npp_call *call,
                           bool checks)
{
    for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++) {
        const struct named *filter = &filters[i];
        double weights[25];
        struct npp_window window = {.size = {filter->side, filter->side},
                                    .anchor = {filter->side / 2, filter->side / 2},
                                    .weights = weights,
                                    .divisor = filter->divisor,
                                    .rounds = filter->divisor != 1,
                                    .any_border = strcmp(filter->name, "Sharpen") == 0};

        if (!is_of(function, filter) || form_of(function, call) != filter->form)
            continue;
        for (int k = 0; k < 25; k++)
            weights[k] = filter->weights[k] * sign_of(function);
        return npp_neighbourhood(function, call, checks, &window);
    }
    return unknown_size(function, call);
}

static int side_of(long long form)
{
    switch (form) {
    case NPP_MASK_SIZE_3_X_3:
        return 3;
    case NPP_MASK_SIZE_5_X_5:
        return 5;
    case NPP_MASK_SIZE_7_X_7:
        return 7;
    case NPP_MASK_SIZE_9_X_9:
        return 9;
    case NPP_MASK_SIZE_11_X_11:
        return 11;
    case NPP_MASK_SIZE_13_X_13:
        return 13;
    case NPP_MASK_SIZE_15_X_15:
        return 15;
    default:
        return 0;
    }
}

/* A Gaussian whose deviation grows with the mask. */
NppStatus npp_filter_gauss(const struct npp_function *function, const struct npp_call *call,
                           bool checks)
{
    int side = side_of(form_of(function, call));
    double weights[15 * 15], sum = 0, sigma = 0.4 + 0.6 * side / 3;
    struct npp_window window = {
        .size = {side, side}, .anchor = {side / 2, side / 2}, .weights = weights};

    if (!side)
        return unknown_size(function, call);
    for (int i = 0; i < side * side; i++) {
        int x = i % side - side / 2, y = i / side - side / 2;

        weights[i] = exp(-(x * x + y * y) / (2 * sigma * sigma));
        sum += weights[i];
    }
    window.divisor = sum;
    return npp_neighbourhood(function, call, checks, &window);
}
