/* SPDX-License-Identifier: MIT */
/* The level of detail of a lane: given, or selected by gradients. */
#include "image/sampling.h"

#include "image/anisotropy.h"
#include "image/cube.h"
#include "image/gradient.h"

/* The direction at the end of a step, and what the step is on the plane of the face. A step of 1 is
 * half the face's width in texels. */
static void step_on_face(const struct cup_sampling *s, const struct cup_lane *lane,
                         const float *step, double *result, struct cup_gradient *gradient)
{
    float end[3];

    for (unsigned i = 0; i < 3; i++)
        end[i] = lane->direction[i] + step[i];
    enum cup_cube_reach kind = cup_cube_step(lane->direction, end, s->view->whole[0], result);
    gradient->bent |= kind != CUP_CUBE_SAME_FACE;
    gradient->beyond |= kind == CUP_CUBE_NO_FACE;
}

/* The step from one lane to the next, in texels. In three dimensions it is the difference of two
 * coordinates. */
static void gradient_of(const struct cup_sampling *s, const struct cup_lane *lane, unsigned number,
                        const uint32_t *const gradients[3], double *result,
                        struct cup_gradient *gradient)
{
    float step[3] = {0, 0, 0};

    for (unsigned i = 0; i < (s->cube ? 3 : s->axes); i++)
        step[i] = cup_float_of(gradients[i][number]);
    if (s->cube) {
        step_on_face(s, lane, step, result, gradient);
        return;
    }
    for (unsigned i = 0; i < s->axes; i++) {
        double exact = s->axes > 2 ? cup_gradient_difference(lane->at[i] + step[i], lane->at[i])
                                   : (double)step[i];
        gradient->beyond |= s->axes > 2 && isinf(lane->at[i]);
        result[i] = cup_gradient_texels(exact, s->view->whole[i]);
    }
}

/* Is there more than one sample? Not in three dimensions and not in layers of one. */
static bool has_anisotropy(const struct cup_sampling *s)
{
    return s->view->anisotropy && s->axes < 3 && s->request->geometry != CUP_GEOMETRY_1D_LAYERED;
}

/* Returns the level that gradients select; with anisotropic filtering, that of the shorter axis. */
static int32_t gradient_level(const struct cup_sampling *s, const struct cup_lane *at,
                              unsigned lane, struct cup_detail *detail)
{
    struct cup_gradient gradient = {.bent = false};
    struct cup_pixel pixel;

    gradient_of(s, at, lane, s->request->gradient_x, gradient.x, &gradient);
    gradient_of(s, at, lane, s->request->gradient_y, gradient.y, &gradient);
    cup_gradient_measure(&gradient, &pixel);
    if (!has_anisotropy(s) || gradient.bent)
        return pixel.longer;
    int32_t least = pixel.longer - s->view->anisotropy;
    least = least > pixel.shorter ? least : pixel.shorter;
    least = least < pixel.longer ? least : pixel.longer;
    /* samples are not closer together than texels of level 0 */
    detail->ratio = pixel.longer - (least > 0 ? least : 0);
    cup_anisotropy_direction(pixel.axis, detail->direction);
    return least;
}

/* Narrows the range in which two levels are blended. */
static int64_t steepened(const struct cup_view *view, int64_t level)
{
    int64_t part = level & 255;
    int64_t weight = (part - view->blend_from) * view->blend_slope_quarters >> 2;

    return level - part + (weight < 0 ? 0 : weight > 256 ? 256 : weight);
}

struct cup_detail cup_detail_of(const struct cup_sampling *s, const struct cup_lane *at,
                                unsigned lane)
{
    const struct cup_view *view = s->view;
    int64_t level = s->request->level_mode ? view->bias : 0;
    int32_t top = (view->level_count - 1) * 256;
    struct cup_detail detail = {.level = 0};

    if (s->request->level_mode == 1)
        level += at->is_integer
                     ? (int64_t)(int32_t)s->request->level[lane] * 256
                     : cup_fixed_of(trunc((double)cup_float_of(s->request->level[lane]) * 256));
    if (s->request->level_mode == 2)
        level += gradient_level(s, at, lane, &detail) - view->first_level * 256;
    level = view->linear_levels ? steepened(view, level) : level;
    level = level > view->level_max ? view->level_max : level;
    level = level < view->level_min ? view->level_min : level;
    detail.level = level < 0 ? 0 : level > top ? top : (int32_t)level;
    return detail;
}
