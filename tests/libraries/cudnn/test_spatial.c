/* SPDX-License-Identifier: MIT */
/* Spatial transformers: the identity gives the image, and backward passes are gradients. */
#include "dnn_test.h"

enum { N = 2, C = 2, H = 4, W = 5 };

struct transformer {
    cudnnHandle_t handle;
    cudnnSpatialTransformerDescriptor_t st;
    cudnnTensorDescriptor_t t;
    struct array x, y, theta, grid;
};

static void sample(void *argument)
{
    struct transformer *s = argument;

    check_done(
        cudnnSpatialTfGridGeneratorForward(s->handle, s->st, s->theta.device, s->grid.device));
    check_done(cudnnSpatialTfSamplerForward(s->handle, s->st, &one, s->t, s->x.device,
                                            s->grid.device, &zero, s->t, s->y.device));
}

static struct transformer create(void)
{
    const int dims[] = {N, C, H, W};
    struct transformer s = {.handle = handle_of()};

    check_done(cudnnCreateSpatialTransformerDescriptor(&s.st));
    check_done(cudnnSetSpatialTransformerNdDescriptor(s.st, CUDNN_SAMPLER_BILINEAR,
                                                      CUDNN_DATA_DOUBLE, 4, dims));
    s.t = tensor_of(CUDNN_TENSOR_NCHW, N, C, H, W);
    s.x = array_of(N * C * H * W, 1);
    s.y = array_of(N * C * H * W, 2);
    s.theta = array_of(N * 6, 3);
    s.grid = array_of(N * H * W * 2, 4);
    return s;
}

TEST(identity_gives_the_image)
{
    struct transformer s;

    with_context();
    s = create();
    for (int i = 0; i < N * 6; i++)
        s.theta.host[i] = i % 6 == 0 || i % 6 == 4;
    upload(&s.theta);
    sample(&s);
    download(&s.y);
    for (int i = 0; i < N * C * H * W; i++)
        check(fabs(s.y.host[i] - s.x.host[i]) < 1e-9);
}

TEST(backward_passes_are_gradients)
{
    struct transformer s;
    struct array dy, dx, dgrid, dtheta;

    with_context();
    s = create();
    for (int i = 0; i < N * 6; i++)
        s.theta.host[i] *= 0.6;
    upload(&s.theta);
    dy = array_of(s.y.count, 5);
    dx = array_of(s.x.count, 6);
    dgrid = array_of(s.grid.count, 7);
    dtheta = array_of(s.theta.count, 8);
    sample(&s);
    check_done(cudnnSpatialTfSamplerBackward(s.handle, s.st, &one, s.t, s.x.device, &zero, s.t,
                                             dx.device, &one, s.t, dy.device, s.grid.device, &zero,
                                             dgrid.device));
    check_done(cudnnSpatialTfGridGeneratorBackward(s.handle, s.st, dgrid.device, dtheta.device));
    check_gradient(sample, &s, &s.x, &s.y, &dy, &dx);
    check_gradient(sample, &s, &s.theta, &s.y, &dy, &dtheta);
}
