/* SPDX-License-Identifier: MIT */
/* Pooling and resampling. Each image of each channel is a plane that is computed by itself, so that
 * gradients of overlapping windows are added by one thread. */
#include "array.h"
#include "columns.h"
#include "pool.h"

#include <math.h>
#include <string.h>

struct resample {
    const struct dnn_resample *op;
    struct dnn_window window;
    double steps[DNN_SPATIAL]; /* strides as fractions */
    struct dnn_array x, y, dy, dx, index;
};

static void describe(struct resample *work, const struct dnn_tensor *in,
                     const struct dnn_tensor *out)
{
    const struct dnn_resample *op = work->op;
    struct dnn_window *window = &work->window;

    for (int i = 0; i < DNN_SPATIAL; i++) {
        int own = i - (DNN_SPATIAL - op->spatial);
        int64_t below = own < 0 || !op->stride_denominator[own] ? 1 : op->stride_denominator[own];

        window->in[i] = own < 0 ? 1 : in->dims[2 + own];
        window->out[i] = own < 0 ? 1 : out->dims[2 + own];
        window->size[i] = own < 0 || !op->window[own] ? 1 : op->window[own];
        window->pad[i] = own < 0 ? 0 : op->pre[own];
        window->stride[i] = own < 0 || !op->stride[own] ? 1 : op->stride[own];
        work->steps[i] = (double)window->stride[i] / (double)below;
        window->stride[i] = window->stride[i] / below ? window->stride[i] / below : 1;
    }
}

/* The elements of the image in the window at an output position. */
struct view {
    int64_t begin[DNN_SPATIAL];                    /* where the window begins; may be outside */
    int64_t first[DNN_SPATIAL], last[DNN_SPATIAL]; /* what of it lies inside */
    int64_t inside;
};

static struct view view_at(const struct dnn_window *w, const int64_t place[DNN_SPATIAL])
{
    struct view view = {.inside = 1};

    for (int i = 0; i < DNN_SPATIAL; i++) {
        int64_t begin = place[i] * w->stride[i] - w->pad[i], end = begin + w->size[i];

        view.begin[i] = begin;
        view.first[i] = begin < 0 ? 0 : begin;
        view.last[i] = end > w->in[i] ? w->in[i] : end;
        if (view.last[i] < view.first[i])
            view.last[i] = view.first[i];
        view.inside *= view.last[i] - view.first[i];
    }
    return view;
}

/* The position behind `place`, in the order of memory. */
static void step(const struct dnn_window *w, int64_t place[DNN_SPATIAL])
{
    for (int i = DNN_SPATIAL - 1; i >= 0 && ++place[i] == w->out[i]; i--)
        place[i] = 0;
}

static bool is_average(cudnnResampleMode_t mode)
{
    return mode == CUDNN_RESAMPLE_AVGPOOL_INCLUDE_PADDING ||
           mode == CUDNN_RESAMPLE_AVGPOOL_EXCLUDE_PADDING;
}

static double divisor(const struct resample *work, const struct view *view)
{
    const struct dnn_window *w = &work->window;
    int64_t all = 1;

    if (work->op->mode != CUDNN_RESAMPLE_AVGPOOL_INCLUDE_PADDING)
        return (double)view->inside;
    for (int i = 0; i < DNN_SPATIAL; i++) {
        int64_t rest = w->in[i] + w->pad[i] - view->begin[i];

        all *= work->op->ends_with_padding && rest < w->size[i] ? rest : w->size[i];
    }
    return (double)all;
}

/* The places of a view in the order of memory: the flat index of the next one, or -1. */
static int64_t next_place(const struct dnn_window *w, const struct view *view, int64_t place[])
{
    int i = DNN_SPATIAL - 1;

    while (i >= 0 && ++place[i] >= view->last[i]) {
        place[i] = view->first[i];
        i--;
    }
    return i < 0 ? -1 : (place[0] * w->in[1] + place[1]) * w->in[2] + place[2];
}

static int64_t first_place(const struct dnn_window *w, const struct view *view, int64_t place[])
{
    memcpy(place, view->first, sizeof(view->first));
    return view->inside ? (place[0] * w->in[1] + place[1]) * w->in[2] + place[2] : -1;
}

/* The offset in the window of a place in the image. */
static int64_t offset_of(const struct dnn_window *w, const struct view *view, const int64_t place[])
{
    return ((place[0] - view->begin[0]) * w->size[1] + place[1] - view->begin[1]) * w->size[2] +
           place[2] - view->begin[2];
}

static double sum_of(const struct resample *work, const struct view *view, int64_t plane)
{
    const struct dnn_window *w = &work->window;
    double sum = 0;

    for (int64_t z = view->first[0]; z < view->last[0]; z++)
        for (int64_t y = view->first[1]; y < view->last[1]; y++) {
            int64_t line = plane + (z * w->in[1] + y) * w->in[2];

            for (int64_t x = view->first[2]; x < view->last[2]; x++)
                sum += dnn_number(&work->x, line + x);
        }
    return sum;
}

/* True if a value takes the place of the best so far. NaN wins if it is to be propagated, and loses
 * otherwise. */
static bool wins(const struct resample *work, double value, double best, bool first)
{
    if (isnan(value) || isnan(best))
        return first || (work->op->propagate_nan ? !isnan(best) : isnan(best));
    return first || value > best;
}

/* The largest element; `where` receives its flat index, `offset` its place in the window. */
static double largest(const struct resample *work, const struct view *view, int64_t plane,
                      int64_t *where, int64_t *offset)
{
    const struct dnn_window *w = &work->window;
    int64_t place[DNN_SPATIAL] = {0};
    double best = -INFINITY;

    *where = -1;
    for (int64_t z = view->first[0]; z < view->last[0]; z++)
        for (int64_t y = view->first[1]; y < view->last[1]; y++)
            for (int64_t x = view->first[2]; x < view->last[2]; x++) {
                int64_t i = (z * w->in[1] + y) * w->in[2] + x;
                double value = dnn_number(&work->x, plane + i);

                if (!wins(work, value, best, *where < 0))
                    continue;
                best = value;
                *where = i;
                place[0] = z, place[1] = y, place[2] = x;
            }
    *offset = *where < 0 ? 0 : offset_of(w, view, place);
    /* Padding with zeros is seen as such. */
    if (work->op->padding == DNN_PAD_ZERO && best < 0 &&
        view->inside < dnn_window_volume(w->size)) {
        *where = -1;
        return 0;
    }
    return best;
}

/* The two neighbours of a coordinate and the weight of the second. */
static void neighbours(const struct resample *work, int axis, int64_t o, int64_t at[2],
                       double *weight)
{
    double middle = ((double)o + 0.5) * work->steps[axis] - 0.5, low = floor(middle);
    int64_t last = work->window.in[axis] - 1;

    if (work->op->mode == CUDNN_RESAMPLE_NEAREST)
        middle = low = floor((double)o * work->steps[axis]);
    *weight = middle - low;
    for (int i = 0; i < 2; i++) {
        at[i] = (int64_t)low + i;
        at[i] = at[i] < 0 ? 0 : at[i] > last ? last : at[i];
    }
}

/* Goes over the eight corners around output `o`: adds weight * x, or weight * gradient to dx. */
static double interpolate(const struct resample *work, int64_t plane, int64_t o, double gradient)
{
    const struct dnn_window *w = &work->window;
    const int64_t place[] = {o / (w->out[1] * w->out[2]), o / w->out[2] % w->out[1], o % w->out[2]};
    int64_t at[DNN_SPATIAL][2];
    double weights[DNN_SPATIAL], sum = 0;

    for (int i = 0; i < DNN_SPATIAL; i++)
        neighbours(work, i, place[i], at[i], &weights[i]);
    for (int corner = 0; corner < 8; corner++) {
        int64_t flat = 0;
        double weight = 1;

        for (int i = 0; i < DNN_SPATIAL; i++) {
            int side = corner >> i & 1;

            flat = flat * w->in[i] + at[i][side];
            weight *= side ? weights[i] : 1 - weights[i];
        }
        if (weight == 0)
            continue;
        if (work->op->backward)
            dnn_put(&work->dx, plane + flat,
                    dnn_number(&work->dx, plane + flat) + weight * gradient);
        else
            sum += weight * dnn_number(&work->x, plane + flat);
    }
    return sum;
}

static void forward_plane(void *argument, size_t plane)
{
    struct resample *work = argument;
    int64_t in = (int64_t)plane * dnn_window_volume(work->window.in);
    int64_t out = (int64_t)plane * dnn_window_volume(work->window.out), where, offset;
    int64_t place[DNN_SPATIAL] = {0};

    for (int64_t o = 0; o < dnn_window_volume(work->window.out); o++, step(&work->window, place)) {
        struct view view = view_at(&work->window, place);
        double value;

        if (is_average(work->op->mode)) {
            value = sum_of(work, &view, in) / divisor(work, &view);
        } else if (work->op->mode == CUDNN_RESAMPLE_MAXPOOL) {
            value = largest(work, &view, in, &where, &offset);
            if (work->index.data)
                dnn_put(&work->index, out + o, (double)offset);
        } else {
            value = interpolate(work, in, o, 0);
        }
        dnn_put(&work->y, out + o, value);
    }
}

static void add_gradient(const struct resample *work, int64_t place, double value)
{
    dnn_put(&work->dx, place, dnn_number(&work->dx, place) + value);
}

static void spread(const struct resample *work, const struct view *view, int64_t plane,
                   double gradient)
{
    int64_t place[DNN_SPATIAL];

    for (int64_t i = first_place(&work->window, view, place); i >= 0;
         i = next_place(&work->window, view, place))
        add_gradient(work, plane + i, gradient);
}

/* The place that the forward pass took: by its index, or by looking again. */
static int64_t taken(const struct resample *work, const struct view *view, int64_t plane,
                     int64_t out)
{
    const struct dnn_window *w = &work->window;
    int64_t where, offset;

    if (!work->index.data) {
        largest(work, view, plane, &where, &offset);
        return where;
    }
    offset = (int64_t)dnn_number(&work->index, out);
    return ((view->begin[0] + offset / (w->size[1] * w->size[2])) * w->in[1] + view->begin[1] +
            offset / w->size[2] % w->size[1]) *
               w->in[2] +
           view->begin[2] + offset % w->size[2];
}

static void backward_plane(void *argument, size_t plane)
{
    struct resample *work = argument;
    int64_t volume = dnn_window_volume(work->window.in), in = (int64_t)plane * volume;
    int64_t out = (int64_t)plane * dnn_window_volume(work->window.out);
    int64_t place[DNN_SPATIAL] = {0};

    for (int64_t i = 0; i < volume; i++)
        dnn_put(&work->dx, in + i, 0);
    for (int64_t o = 0; o < dnn_window_volume(work->window.out); o++, step(&work->window, place)) {
        struct view view = view_at(&work->window, place);
        double gradient = dnn_number(&work->dy, out + o);

        if (is_average(work->op->mode)) {
            spread(work, &view, in, gradient / divisor(work, &view));
        } else if (work->op->mode == CUDNN_RESAMPLE_MAXPOOL) {
            int64_t where = taken(work, &view, in, out + o);

            if (where >= 0 && where < volume)
                add_gradient(work, in + where, gradient);
        } else {
            interpolate(work, in, o, gradient);
        }
    }
}

static bool load(struct resample *work)
{
    const struct dnn_resample *op = work->op;
    bool wide =
        DNN_WIDE(op->compute, op->backward ? &op->dx : &op->x, op->backward ? &op->dy : &op->y);
    struct dnn_blend none = {.alpha = 1};

    if (!op->backward)
        return dnn_array_load(&work->x, &op->x, wide) &&
               dnn_array_output(&work->index, &op->index, wide, none) &&
               dnn_array_output(&work->y, &op->y, wide, op->blend);
    return dnn_array_load(&work->x, &op->x, wide) && dnn_array_load(&work->dy, &op->dy, wide) &&
           dnn_array_load(&work->index, &op->index, wide) &&
           dnn_array_output(&work->dx, &op->dx, wide, op->blend);
}

/* True if the dimensions lie in memory as n, spatial, c, without gaps, in f32. */
static bool is_channels_last(const struct dnn_tensor *x)
{
    int64_t stride = x->dims[1];

    if (x->type != CUDNN_DATA_FLOAT || x->vector > 1 || x->strides[1] != 1)
        return false;
    for (int i = x->rank - 1; i > 1; i--) {
        if (x->dims[i] != 1 && x->strides[i] != stride)
            return false;
        stride *= x->dims[i];
    }
    return x->dims[0] == 1 || x->strides[0] == stride;
}

/* Pooling of dense f32 with channels last needs no arrays. */
static bool try_channels_last(const struct resample *work)
{
    const struct dnn_resample *op = work->op;
    struct dnn_blend blend = dnn_blend_of(op->blend);

    if (op->backward || blend.alpha != 1 || blend.beta != 0 || op->compute == CUDNN_DATA_DOUBLE ||
        !dnn_pool_fits(op, &work->window) || !is_channels_last(&op->x) || !is_channels_last(&op->y))
        return false;
    return dnn_pool_forward_last(op, &work->window, op->x.address, op->y.address, op->x.dims[0],
                                 op->x.dims[1]);
}

/* Planes by the loops for f32, or one by one. False: out of memory. */
static bool run_planes(struct resample *work, int64_t planes, int64_t results)
{
    const struct dnn_resample *op = work->op;

    if (!work->y.wide && !work->dx.wide && dnn_pool_fits(op, &work->window)) {
        if (op->backward)
            return dnn_pool_backward(op, &work->window, work->x.data, work->dy.data, work->dx.data,
                                     planes);
        return dnn_pool_forward(op, &work->window, work->x.data, work->y.data, planes);
    }
    dnn_parallel(planes, results * dnn_window_volume(work->window.size) * 4,
                 op->backward ? backward_plane : forward_plane, work);
    return true;
}

CUresult dnn_resample_run(const struct dnn_resample *op)
{
    struct resample work = {.op = op};
    const struct dnn_tensor *in = op->backward ? &op->dx : &op->x;
    const struct dnn_tensor *out = op->backward ? &op->dy : &op->y;
    int64_t planes = in->dims[0] * in->dims[1];
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (op->spatial < 1 || op->spatial > DNN_SPATIAL || !dnn_type_bytes(in->type) ||
        !dnn_type_bytes(out->type))
        return CUDA_ERROR_NOT_SUPPORTED;
    describe(&work, in, out);
    if (try_channels_last(&work))
        return CUDA_SUCCESS;
    if (load(&work) && run_planes(&work, planes, dnn_count(out))) {
        if (op->backward) {
            dnn_array_store(&op->dx, &work.dx, op->blend);
        } else {
            dnn_array_store(&op->y, &work.y, op->blend);
            dnn_array_store(&op->index, &work.index, (struct dnn_blend){.alpha = 1});
        }
        result = CUDA_SUCCESS;
    }
    dnn_array_free(&work.dx);
    dnn_array_free(&work.index);
    dnn_array_free(&work.dy);
    dnn_array_free(&work.y);
    dnn_array_free(&work.x);
    return result;
}
