/* SPDX-License-Identifier: MIT */
/* The windows of all pixels of a row are computed together: one operation for each place of the
 * window. A call with a border says where in its image the source lies; pixels outside the image
 * are those at its edge, or mirrored ones. */
#include "vector.h"

#include "neighbourhood.h"

#include "bands.h"
#include "pixels.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 512 }; /* numbers that are computed together; whole pixels */

struct pass {
    const struct npp_function *function;
    const struct npp_window *window;
    struct npp_view source, target;
    NppiSize size;
    int least_x, most_x, least_y, most_y; /* of the image, seen from the region */
    bool has_border, mirrors;
    bool is_box; /* a plain sum, which is exact in any order */
    double divisor, half;
    atomic_bool failed; /* there was no memory */
};

/* The pixel of the image that stands for one outside. */
static int inside(int at, int least, int most, bool mirrors)
{
    if (mirrors && most > least) {
        int period = 2 * (most - least), offset = (at - least) % period;

        offset = offset < 0 ? offset + period : offset;
        return least + (offset > most - least ? period - offset : offset);
    }
    return at < least ? least : at > most ? most : at;
}

#define NUMBER double
#define VERSION(name) name##_double
#define LOAD npp_load
#define STORE_ROUNDED npp_store_rounded
#define FUSED(a, b, c) ((a) * (b) + (c))
#include "neighbourhood_template.h"
#undef NUMBER
#undef VERSION
#undef LOAD
#undef STORE_ROUNDED
#undef FUSED

#define NUMBER float
#define VERSION(name) name##_single
#define LOAD npp_load_single
#define STORE_ROUNDED npp_store_rounded_single
#define FUSED(a, b, c) fmaf(a, b, c)
#include "neighbourhood_template.h"

/* The greatest magnitude of small integers; 0 for other types. */
static double range_of(enum npp_type type)
{
    switch (type) {
    case NPP_T_8U:
        return 255;
    case NPP_T_8S:
        return 128;
    case NPP_T_16U:
        return 65535;
    case NPP_T_16S:
        return 32768;
    default:
        return 0;
    }
}

/* True if floats give the wanted result: a card computes with them, or all sums are exact. */
static bool fits_single(const struct npp_function *function, const struct npp_window *window)
{
    double range = range_of(function->type), sum = 0;
    int places = window->size.width * window->size.height;

    if (window->single || function->type == NPP_T_32F || function->type == NPP_T_16F)
        return true;
    if (!range || window->operation != NPP_WINDOW_SUM)
        return range != 0;
    for (int i = 0; i < places; i++) {
        double weight = window->weights ? fabs(window->weights[i]) : 1;

        if (weight != floor(weight))
            return false;
        sum += weight;
    }
    return sum * range + fabs(window->divisor) < 1 << 24;
}

static NppStatus check_border(const struct npp_function *function, const struct npp_call *call,
                              const struct npp_window *window)
{
    bool known = call->border_type == NPP_BORDER_REPLICATE ||
                 (window->mirrors && call->border_type == NPP_BORDER_MIRROR);

    return function->has_border && !window->any_border && !known ? NPP_NOT_SUPPORTED_MODE_ERROR
                                                                 : NPP_SUCCESS;
}

NppStatus npp_neighbourhood(const struct npp_function *function, const struct npp_call *call,
                            bool checks, const struct npp_window *window)
{
    struct pass pass = {.function = function, .window = window, .size = call->size_roi};
    size_t places = (size_t)(window->size.width * window->size.height);
    size_t cost = (size_t)call->size_roi.width * function->channels * places / 4;
    NppStatus status;

    npp_view_source(function, call, &pass.source);
    npp_view_target(function, call, &pass.target);
    status = npp_view_check(&pass.source, &pass.target, call->size_roi);
    if (status == NPP_SUCCESS)
        status = check_border(function, call, window);
    if (status != NPP_SUCCESS)
        return status;
    if (window->size.width <= 0 || window->size.height <= 0 || places > NPP_WINDOW_MOST)
        return NPP_MASK_SIZE_ERROR;
    if (function->has_border && (call->src_size.width <= 0 || call->src_size.height <= 0))
        return NPP_SIZE_ERROR;
    if (checks)
        return NPP_SUCCESS;
    pass.has_border = function->has_border;
    pass.mirrors = window->mirrors && call->border_type == NPP_BORDER_MIRROR;
    pass.least_x = -call->src_offset.x;
    pass.least_y = -call->src_offset.y;
    pass.most_x = call->src_size.width - 1 - call->src_offset.x;
    pass.most_y = call->src_size.height - 1 - call->src_offset.y;
    pass.divisor = window->divisor ? window->divisor : 1;
    if (window->rounds && !npp_is_float(function->target_type))
        pass.half = floor((pass.divisor - 1) / 2);
    pass.is_box = window->operation == NPP_WINDOW_SUM && !window->weights &&
                  range_of(function->type) && fits_single(function, window);
    npp_bands(call->size_roi.height, cost,
              fits_single(function, window) ? run_band_single : run_band_double, &pass);
    return atomic_load(&pass.failed) ? NPP_NO_MEMORY_ERROR : NPP_SUCCESS;
}
