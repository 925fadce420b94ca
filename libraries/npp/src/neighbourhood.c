/* SPDX-License-Identifier: MIT */
/* The pixels of windows. A call with a border says where in its image the source lies, and pixels
 * outside the image are those at its edge. */
#include "neighbourhood.h"

#include "pixels.h"

#include <common/work.h>
#include <stdlib.h>

struct pass {
    const struct npp_function *function;
    const struct npp_call *call;
    const struct npp_window *window;
    npp_window_function *compute;
    struct npp_view source, target;
    int least_x, most_x, least_y, most_y; /* of the image, seen from the region */
    bool has_border;
};

static int clamp(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

static double window_of(const struct pass *pass, int x, int y, unsigned channel, double *pixels)
{
    const struct npp_window *window = pass->window;
    size_t count = 0;

    for (int j = 0; j < window->size.height; j++) {
        for (int i = 0; i < window->size.width; i++) {
            int column = x + i - window->anchor.x, row = y + j - window->anchor.y;

            if (pass->has_border) {
                column = clamp(column, pass->least_x, pass->most_x);
                row = clamp(row, pass->least_y, pass->most_y);
            }
            npp_load(pass->function->type, npp_view_at(&pass->source, column, row, channel),
                     &pixels[count++], 1);
        }
    }
    return pass->compute(window, pixels);
}

static void run_row(void *arguments, size_t y)
{
    const struct pass *pass = arguments;
    unsigned channels = pass->function->channels - pass->function->alpha;
    double pixels[NPP_WINDOW_MOST], value;

    for (int x = 0; x < pass->call->size_roi.width; x++) {
        for (unsigned c = 0; c < channels; c++) {
            value = window_of(pass, x, (int)y, c, pixels);
            npp_store_rounded(pass->function->target_type, &value,
                              (void *)npp_view_at(&pass->target, x, (long long)y, c), 1,
                              pass->window->rounds ? NPP_RND_NEAR : NPP_RND_ZERO);
        }
    }
}

NppStatus npp_neighbourhood(const struct npp_function *function, const struct npp_call *call,
                            bool checks, const struct npp_window *window,
                            npp_window_function *compute)
{
    struct pass pass = {.function = function, .call = call, .window = window, .compute = compute};
    NppStatus status;

    npp_view_source(function, call, &pass.source);
    npp_view_target(function, call, &pass.target);
    status = npp_view_check(&pass.source, &pass.target, call->size_roi);
    if (status != NPP_SUCCESS)
        return status;
    pass.has_border = call->border_type != 0;
    if (pass.has_border && call->border_type != NPP_BORDER_REPLICATE)
        return NPP_NOT_SUPPORTED_MODE_ERROR;
    pass.least_x = -call->src_offset.x;
    pass.least_y = -call->src_offset.y;
    pass.most_x = call->src_size.width - 1 - call->src_offset.x;
    pass.most_y = call->src_size.height - 1 - call->src_offset.y;
    if (!checks)
        lib_parallel((size_t)call->size_roi.height, run_row, &pass);
    return NPP_SUCCESS;
}
