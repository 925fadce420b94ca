/* SPDX-License-Identifier: MIT */
/* Batch normalisation over several devices, held against that of all images at once. Streams of one
 * device take the place of devices: each lists its own buffer first. */
#include "graph_test.h"

#include <math.h>

enum { DEVICES = 3, IMAGES = 2, CHANNELS = 4, PLANE = 9, COUNT = IMAGES * CHANNELS * PLANE };
enum { X = 1, Y, SCALE, BIAS, MEAN, INVERSE, EPSILON, FACTOR, OLD_MEAN, OLD_VARIANCE, NEW_MEAN };
enum { NEW_VARIANCE = NEW_MEAN + 1, DY, DX, DSCALE, DBIAS, BUFFERS, UIDS = BUFFERS + DEVICES };
static const double epsilon = 1e-3, factor = 0.25;

static float x[DEVICES][COUNT], dy[DEVICES][COUNT], scale[CHANNELS], bias[CHANNELS];
static void *memory[DEVICES][UIDS];
static cudnnHandle_t handles[DEVICES];
static double mean[CHANNELS], inverse[CHANNELS], variance[CHANNELS];

static float draw(void)
{
    static uint32_t state = 77;

    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / (1 << 23) - 1;
}

static void measure(void)
{
    const double count = (double)DEVICES * IMAGES * PLANE;

    for (int c = 0; c < CHANNELS; c++) {
        mean[c] = variance[c] = 0;
        for (int pass = 0; pass < 2; pass++)
            for (int d = 0; d < DEVICES; d++)
                for (int i = 0; i < COUNT; i++)
                    if (i / PLANE % CHANNELS == c)
                        *(pass ? &variance[c] : &mean[c]) +=
                            pass ? pow((double)x[d][i] - mean[c], 2) / count
                                 : (double)x[d][i] / count;
        inverse[c] = 1 / sqrt(variance[c] + epsilon);
    }
}

static void open_devices(void)
{
    const float e = (float)epsilon, f = (float)factor, old[CHANNELS] = {1, 1, 1, 1};

    for (int c = 0; c < CHANNELS; c++) {
        scale[c] = 1 + draw() / 2;
        bias[c] = draw();
    }
    for (int d = 0; d < DEVICES; d++) {
        void **own = memory[d];
        cudaStream_t stream;

        handles[d] = open_handle();
        check_success(cuStreamCreate((CUstream *)&stream, CU_STREAM_NON_BLOCKING));
        check_done(cudnnSetStream(handles[d], stream));
        for (int i = 0; i < COUNT; i++) {
            x[d][i] = draw() + (float)d + 5;
            dy[d][i] = draw();
        }
        own[X] = device_memory(sizeof(x[d]), x[d]);
        own[DY] = device_memory(sizeof(dy[d]), dy[d]);
        own[Y] = device_memory(sizeof(x[d]), NULL);
        own[DX] = device_memory(sizeof(x[d]), NULL);
        own[SCALE] = device_memory(sizeof(scale), scale);
        own[BIAS] = device_memory(sizeof(bias), bias);
        own[EPSILON] = device_memory(sizeof(e), &e);
        own[FACTOR] = device_memory(sizeof(f), &f);
        own[OLD_MEAN] = device_memory(sizeof(old), old);
        own[OLD_VARIANCE] = device_memory(sizeof(old), old);
        for (int uid = MEAN; uid < BUFFERS; uid++)
            own[uid] = own[uid] ? own[uid] : device_memory(CHANNELS * sizeof(float), NULL);
        own[BUFFERS] = device_memory(DEVICES * 4 * CHANNELS * sizeof(float), NULL);
    }
    for (int d = 0; d < DEVICES; d++)
        for (int k = 1; k < DEVICES; k++)
            memory[d][BUFFERS + k] = memory[(d + k) % DEVICES][BUFFERS];
    measure();
}

static descriptor operand(int uid)
{
    if (uid == X || uid == Y || uid == DX || uid == DY)
        return tensor(uid, CUDNN_DATA_FLOAT, REAL, IMAGES, CHANNELS, 3, 3);
    if (uid == EPSILON || uid == FACTOR)
        return tensor(uid, CUDNN_DATA_FLOAT, REAL, 1, 1, 1, 1);
    if (uid >= BUFFERS)
        return tensor(uid, CUDNN_DATA_FLOAT, REAL, DEVICES, 4 * CHANNELS, 1, 1);
    return tensor(uid, CUDNN_DATA_FLOAT, REAL, 1, CHANNELS, 1, 1);
}

struct named {
    cudnnBackendAttributeName_t name;
    int uid;
};

/* Starts the operation on all devices, and waits for all. */
static void run_all(cudnnBackendDescriptorType_t type, cudnnBackendAttributeName_t mode,
                    cudnnBackendAttributeName_t peers, const struct named *operands, int count)
{
    descriptor plans[DEVICES], packs[DEVICES];
    int64_t uids[UIDS];
    void *pointers[UIDS];

    for (int d = 0; d < DEVICES; d++) {
        descriptor operation = create(type), graph, buffers[DEVICES];

        set_enum(operation, mode, CUDNN_TYPE_NORM_MODE, CUDNN_BATCH_NORM);
        if (type == CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR)
            set_enum(operation, CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_TYPE_NORM_FWD_PHASE,
                     CUDNN_NORM_FWD_TRAINING);
        for (int i = 0; i < count; i++) {
            set_child(operation, operands[i].name, operand(operands[i].uid));
            uids[i] = operands[i].uid;
            pointers[i] = memory[d][operands[i].uid];
        }
        for (int k = 0; k < DEVICES; k++) {
            buffers[k] = operand(BUFFERS + k);
            uids[count + k] = BUFFERS + k;
            pointers[count + k] = memory[d][BUFFERS + k];
        }
        set(operation, peers, CUDNN_TYPE_BACKEND_DESCRIPTOR, DEVICES, buffers);
        check_done(cudnnBackendFinalize(operation));
        graph = graph_of(handles[d], 1, &operation);
        check_done(cudnnBackendFinalize(graph));
        plans[d] = plan_of(handles[d], graph);
        packs[d] = pack_of(count + DEVICES, uids, pointers);
    }
    for (int d = 0; d < DEVICES; d++)
        check_done(cudnnBackendExecute(handles[d], plans[d], packs[d]));
    check_success(cuCtxSynchronize());
}

static void run_forward(void)
{
    static const struct named operands[] = {
        {CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, X},
        {CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, Y},
        {CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, SCALE},
        {CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC, BIAS},
        {CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC, MEAN},
        {CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC, INVERSE},
        {CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, EPSILON},
        {CUDNN_ATTR_OPERATION_NORM_FWD_EXP_AVG_FACTOR_DESC, FACTOR},
        {CUDNN_ATTR_OPERATION_NORM_FWD_INPUT_RUNNING_MEAN_DESC, OLD_MEAN},
        {CUDNN_ATTR_OPERATION_NORM_FWD_INPUT_RUNNING_VAR_DESC, OLD_VARIANCE},
        {CUDNN_ATTR_OPERATION_NORM_FWD_OUTPUT_RUNNING_MEAN_DESC, NEW_MEAN},
        {CUDNN_ATTR_OPERATION_NORM_FWD_OUTPUT_RUNNING_VAR_DESC, NEW_VARIANCE},
    };

    run_all(CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR, CUDNN_ATTR_OPERATION_NORM_FWD_MODE,
            CUDNN_ATTR_OPERATION_NORM_FWD_PEER_STAT_DESCS, operands,
            sizeof(operands) / sizeof(*operands));
}

static void check_near(double value, double expected)
{
    check(fabs(value - expected) <= 1e-4 * (1 + fabs(expected)));
}

static void check_forward(void)
{
    const double count = (double)DEVICES * IMAGES * PLANE;
    float y[COUNT], means[CHANNELS], variances[CHANNELS];

    for (int d = 0; d < DEVICES; d++) {
        fetch(y, memory[d][Y], sizeof(y));
        fetch(means, memory[d][NEW_MEAN], sizeof(means));
        fetch(variances, memory[d][NEW_VARIANCE], sizeof(variances));
        for (int i = 0; i < COUNT; i++) {
            int c = i / PLANE % CHANNELS;

            check_near((double)y[i], ((double)x[d][i] - mean[c]) * inverse[c] * (double)scale[c] +
                                         (double)bias[c]);
        }
        for (int c = 0; c < CHANNELS; c++) {
            check_near((double)means[c], 1 - factor + factor * mean[c]);
            check_near((double)variances[c],
                       1 - factor + factor * variance[c] * count / (count - 1));
        }
    }
}

TEST(statistics_are_those_of_all_devices)
{
    open_devices();
    only_cupipe(); /* NVIDIA's wait for devices, not for streams */
    run_forward();
    check_forward();
}

TEST(buffers_serve_again_and_again)
{
    open_devices();
    only_cupipe();
    for (int i = 0; i < 20; i++)
        run_forward();
    check_forward();
}

TEST(gradients_go_through_the_statistics_of_all_devices)
{
    static const struct named operands[] = {
        {CUDNN_ATTR_OPERATION_NORM_BWD_XDESC, X},
        {CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC, DY},
        {CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC, DX},
        {CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC, SCALE},
        {CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC, MEAN},
        {CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC, INVERSE},
        {CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC, DSCALE},
        {CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC, DBIAS},
    };
    const double count = (double)DEVICES * IMAGES * PLANE;
    double sums[CHANNELS] = {0}, scaled[CHANNELS] = {0};
    float dx[COUNT], dbias[CHANNELS];

    open_devices();
    only_cupipe();
    run_forward();
    run_all(CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR, CUDNN_ATTR_OPERATION_NORM_BWD_MODE,
            CUDNN_ATTR_OPERATION_NORM_BWD_PEER_STAT_DESCS, operands,
            sizeof(operands) / sizeof(*operands));
    for (int d = 0; d < DEVICES; d++) {
        double own[CHANNELS] = {0};

        for (int i = 0; i < COUNT; i++) {
            int c = i / PLANE % CHANNELS;

            own[c] += (double)dy[d][i];
            scaled[c] += (double)dy[d][i] * ((double)x[d][i] - mean[c]) * inverse[c];
        }
        fetch(dbias, memory[d][DBIAS], sizeof(dbias));
        for (int c = 0; c < CHANNELS; c++) {
            sums[c] += own[c];
            check_near((double)dbias[c], own[c]);
        }
    }
    for (int d = 0; d < DEVICES; d++) {
        fetch(dx, memory[d][DX], sizeof(dx));
        for (int i = 0; i < COUNT; i++) {
            int c = i / PLANE % CHANNELS;
            double normal = ((double)x[d][i] - mean[c]) * inverse[c];

            check_near((double)dx[i],
                       (double)scale[c] * inverse[c] *
                           ((double)dy[d][i] - sums[c] / count - normal * scaled[c] / count));
        }
    }
}
