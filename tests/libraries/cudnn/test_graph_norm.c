/* SPDX-License-Identifier: MIT */
/* Layer and RMS normalisation in graphs, forward and backward, held against sums in f64. Rows are
 * longer than what the loops take at once. */
#include "graph_test.h"

#include <math.h>

enum { TOKENS = 70, WIDTH = 4133, COUNT = TOKENS * WIDTH };
enum { X = 1, Y, SCALE, BIAS, MEAN, INVERSE, EPSILON, DY, DX, DSCALE, DBIAS, UIDS };
static const double epsilon = 1e-3;

static float x[COUNT], dy[COUNT], scale[WIDTH], bias[WIDTH], got[COUNT];
static double mean[TOKENS], inverse[TOKENS];
static void *memory[UIDS];

static void fill(float *numbers, int count, unsigned seed, float shift)
{
    uint32_t state = seed * 2654435761u + 12345;

    for (int i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        numbers[i] = (float)(state >> 8) / (1 << 23) - 1 + shift;
    }
}

static void measure(bool rms)
{
    for (int t = 0; t < TOKENS; t++) {
        double squares = 0;

        mean[t] = 0;
        for (int i = 0; i < WIDTH && !rms; i++)
            mean[t] += (double)x[t * WIDTH + i] / WIDTH;
        for (int i = 0; i < WIDTH; i++)
            squares += pow((double)x[t * WIDTH + i] - mean[t], 2);
        inverse[t] = 1 / sqrt(squares / WIDTH + epsilon);
    }
}

static double normal(int i)
{
    return ((double)x[i] - mean[i / WIDTH]) * inverse[i / WIDTH];
}

static void check_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * (1 + fabs(expected))))
        printf("# %g, expected %g\n", value, expected);
    check(fabs(value - expected) <= tolerance * (1 + fabs(expected)));
}

static void prepare(bool rms)
{
    const float e = (float)epsilon;
    float singles[2][TOKENS]; /* what a gradient is given; the forward pass writes its own */

    fill(x, COUNT, 1, 2);
    fill(dy, COUNT, 2, 0);
    fill(scale, WIDTH, 3, 1);
    fill(bias, WIDTH, 4, 0);
    measure(rms);
    memory[X] = device_memory(sizeof(x), x);
    memory[DY] = device_memory(sizeof(dy), dy);
    memory[Y] = device_memory(sizeof(x), NULL);
    memory[DX] = device_memory(sizeof(x), NULL);
    memory[SCALE] = device_memory(sizeof(scale), scale);
    memory[BIAS] = device_memory(sizeof(bias), bias);
    memory[DSCALE] = device_memory(sizeof(scale), NULL);
    memory[DBIAS] = device_memory(sizeof(bias), NULL);
    for (int t = 0; t < TOKENS; t++) {
        singles[0][t] = (float)mean[t];
        singles[1][t] = (float)inverse[t];
    }
    memory[MEAN] = device_memory(sizeof(singles[0]), singles[0]);
    memory[INVERSE] = device_memory(sizeof(singles[1]), singles[1]);
    memory[EPSILON] = device_memory(sizeof(e), &e);
}

static descriptor part(int uid)
{
    bool parameter = uid == SCALE || uid == BIAS || uid == DSCALE || uid == DBIAS;
    bool statistic = uid == MEAN || uid == INVERSE;

    return tensor(uid, CUDNN_DATA_FLOAT, REAL, parameter || uid == EPSILON ? 1 : TOKENS,
                  statistic || uid == EPSILON ? 1 : WIDTH, 1, 1);
}

struct operand {
    cudnnBackendAttributeName_t name;
    int uid;
    bool layer_only; /* not of RMS */
};

static void run(cudnnBackendDescriptorType_t type, cudnnBackendAttributeName_t mode, bool rms,
                const struct operand *operands, int count, bool training)
{
    cudnnHandle_t handle;
    descriptor operation;
    int64_t uids[UIDS];
    void *pointers[UIDS];
    int used = 0;

    check_done(cudnnCreate(&handle));
    prepare(rms);
    operation = create(type);
    set_enum(operation, mode, CUDNN_TYPE_NORM_MODE, rms ? CUDNN_RMS_NORM : CUDNN_LAYER_NORM);
    if (training)
        set_enum(operation, CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_TYPE_NORM_FWD_PHASE,
                 CUDNN_NORM_FWD_TRAINING);
    for (int i = 0; i < count; i++) {
        if (rms && operands[i].layer_only)
            continue;
        set_child(operation, operands[i].name, part(operands[i].uid));
        uids[used] = operands[i].uid;
        pointers[used++] = memory[operands[i].uid];
    }
    check_done(cudnnBackendFinalize(operation));
    run_graph(handle, 1, &operation, used, uids, pointers);
}

static void check_forward(bool rms)
{
    static const struct operand operands[] = {
        {CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, X, false},
        {CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, Y, false},
        {CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, SCALE, false},
        {CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC, BIAS, true},
        {CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, EPSILON, false},
        {CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC, MEAN, true},
        {CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC, INVERSE, false}};

    run(CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR, CUDNN_ATTR_OPERATION_NORM_FWD_MODE, rms,
        operands, 7, true);
    fetch(got, memory[Y], sizeof(got));
    for (int i = 0; i < COUNT; i++)
        check_near(got[i],
                   normal(i) * (double)scale[i % WIDTH] + (rms ? 0 : (double)bias[i % WIDTH]),
                   2e-5);
    fetch(got, memory[INVERSE], TOKENS * sizeof(float));
    for (int t = 0; t < TOKENS; t++)
        check_near(got[t], inverse[t], 1e-5);
}

static void check_backward(bool rms)
{
    static const struct operand operands[] = {
        {CUDNN_ATTR_OPERATION_NORM_BWD_XDESC, X, false},
        {CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC, DY, false},
        {CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC, SCALE, false},
        {CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC, MEAN, true},
        {CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC, INVERSE, false},
        {CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC, DX, false},
        {CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC, DSCALE, false},
        {CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC, DBIAS, true}};
    static double dscale[WIDTH], dbias[WIDTH];

    run(CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR, CUDNN_ATTR_OPERATION_NORM_BWD_MODE, rms,
        operands, 8, false);
    fetch(got, memory[DX], sizeof(got));
    for (int t = 0; t < TOKENS; t++) {
        double sum = 0, products = 0;

        for (int i = t * WIDTH; i < (t + 1) * WIDTH; i++) {
            sum += rms ? 0 : (double)dy[i] * (double)scale[i % WIDTH] / WIDTH;
            products += (double)dy[i] * (double)scale[i % WIDTH] * normal(i) / WIDTH;
            dbias[i % WIDTH] += (double)dy[i];
            dscale[i % WIDTH] += (double)dy[i] * normal(i);
        }
        for (int i = t * WIDTH; i < (t + 1) * WIDTH; i++)
            check_near(got[i],
                       inverse[t] *
                           ((double)dy[i] * (double)scale[i % WIDTH] - sum - normal(i) * products),
                       5e-5);
    }
    fetch(got, memory[DSCALE], sizeof(scale));
    for (int i = 0; i < WIDTH; i++)
        check_near(got[i], dscale[i], 5e-5);
    fetch(got, memory[DBIAS], sizeof(bias));
    for (int i = 0; i < WIDTH && !rms; i++)
        check_near(got[i], dbias[i], 5e-5);
}

TEST(layer_normalisation_and_its_gradients_follow_the_definition)
{
    with_context();
    only_cupipe(); /* NVIDIA's engines choose layouts and types */
    check_forward(false);
    check_backward(false);
}

TEST(rms_normalisation_and_its_gradients_follow_the_definition)
{
    with_context();
    only_cupipe(); /* NVIDIA's engines choose layouts and types */
    check_forward(true);
    check_backward(true);
}
