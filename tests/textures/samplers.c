/* SPDX-License-Identifier: MIT */
/*
 * The samplers of whole warps against the one that follows the hardware lane by lane, and likewise
 * the accesses to surfaces: on the images of the recorded cases, with other samplers' states,
 * operands and masks than were recorded.
 *
 *     textures_samplers [SEED [STATES]]
 */
#include "textures.h"

#include "image/sampler/sampler.h"
#include "image/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 32 };

static uint64_t state = 1;

static uint32_t any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 20);
}

static uint32_t below(uint32_t count)
{
    return any() % count;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, 4);
    return bits;
}

/* Mostly near the image, now and then anything. */
static uint32_t any_coordinate(bool normalized)
{
    static const uint32_t special[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                       0x00000001, 0x80000001, 0x3f800000, 0xbf800000, 0x4f000000};
    float unit = (float)any() * 0x1p-32f;

    switch (below(8)) {
    case 0:
        return special[below(sizeof(special) / sizeof(*special))];
    case 1:
        return any();
    case 2:
        return bits_of((unit - 0.5f) * 1000);
    default:
        return bits_of(normalized ? unit * 3 - 1 : unit * 40 - 4);
    }
}

/* Mostly some texels, of either sign; now and then anything. */
static uint32_t any_step(void)
{
    float unit = (float)any() * 0x1p-32f - 0.5f;

    switch (below(8)) {
    case 0:
        return any_coordinate(true);
    case 1:
        return bits_of(unit * 100);
    case 2:
        return bits_of(unit * 0x1p-20f);
    default:
        return bits_of((float)below(1000) * (below(2) ? 0x1p-12f : -0x1p-12f));
    }
}

/* The operands of a request, and where its results go. */
struct operands {
    uint32_t coordinates[3][LANES], layer[LANES], level[LANES], gradients[6][LANES];
    uint32_t results[4][LANES];
};

static void fill_operands(struct operands *o, const struct sample *s)
{
    bool normalized = s->texture.flags & CU_TRSF_NORMALIZED_COORDINATES || s->levels > 1;

    for (unsigned i = 0; i < LANES; i++) {
        for (unsigned axis = 0; axis < 3; axis++)
            o->coordinates[axis][i] =
                s->integer_coordinates ? below(40) - 4 : any_coordinate(normalized);
        o->layer[i] = below(4) ? below(8) : any();
        o->level[i] = below(8) ? bits_of((float)below(1600) / 256 - 1) : any();
        for (unsigned g = 0; g < 6; g++)
            o->gradients[g][i] = any_step();
        for (unsigned part = 0; part < 4; part++)
            o->results[part][i] = 0xdeadbeef;
    }
}

static struct cup_texture_request request_of(struct operands *o, const struct sample *s)
{
    struct cup_texture_request r = {.mask = below(3) ? any() | any() : 0xffffffff,
                                    .geometry = s->asked,
                                    .components = (uint32_t)1 << below(3),
                                    .float_coordinates = !s->integer_coordinates,
                                    .level_mode = (uint8_t)below(3),
                                    .float_result = true,
                                    .result_bits = 32,
                                    .layer = o->layer,
                                    .level = o->level};

    if (below(4) == 0 && !s->integer_coordinates && s->levels <= 1 && s->asked != G_3D) {
        r.gather = (uint8_t)(1 + below(4));
        r.components = 4;
    }
    for (unsigned i = 0; i < 3; i++) {
        r.coordinates[i] = o->coordinates[i];
        r.gradient_x[i] = o->gradients[i];
        r.gradient_y[i] = o->gradients[3 + i];
    }
    for (unsigned part = 0; part < 4; part++)
        r.results[part] = o->results[part];
    return r;
}

/* Both samplers, on copies of the same operands. */
static bool agree(const struct sample *s, const struct cup_view *view)
{
    struct operands ours, reference;
    struct cup_texture_request request;
    cup_sampler sampler;

    fill_operands(&ours, s);
    reference = ours;
    request = request_of(&ours, s);
    sampler = cup_sampler_find(view, &request);
    if (!sampler)
        return true;
    sampler(view, &request);
    for (unsigned part = 0; part < 4; part++)
        request.results[part] = reference.results[part];
    cup_sample_general(view, &request);
    if (memcmp(ours.results, reference.results, sizeof(ours.results)) == 0)
        return true;
    for (unsigned i = 0; i < LANES; i++)
        for (unsigned part = 0; part < 4; part++)
            if (ours.results[part][i] != reference.results[part][i]) {
                printf(
                    "# %s: lane %u, channel %u: %08x, not %08x; linear %d, modes %u %u %u, level "
                    "mode %u, gather %u, mask %08x\n"
                    "# at %08x %08x %08x\n",
                    s->name, i, part, ours.results[part][i], reference.results[part][i],
                    view->linear, view->address[0], view->address[1], view->address[2],
                    request.level_mode, request.gather, request.mask, ours.coordinates[0][i],
                    ours.coordinates[1][i], ours.coordinates[2][i]);
                return false;
            }
    return false;
}

/* Surfaces: places inside and near the edges, most of them aligned. */
static void fill_places(int32_t places[3][LANES], uint32_t *layer, uint64_t values[4][LANES],
                        unsigned bytes)
{
    for (unsigned i = 0; i < LANES; i++) {
        for (unsigned axis = 0; axis < 3; axis++)
            places[axis][i] = below(16) ? (int32_t)below(12) - 1 : (int32_t)any();
        if (below(32))
            places[0][i] = (int32_t)((uint32_t)places[0][i] * bytes);
        layer[i] = below(8) ? below(14) : any();
        for (unsigned part = 0; part < 4; part++)
            values[part][i] = (uint64_t)any() << 32 | any();
    }
}

/* Both ways to access a surface, of copies of its values. Stores are compared by loading all that
 * other lanes of a request may have stored. */
static bool surfaces_agree(const struct sample *s, const struct cup_view *view)
{
    uint64_t ours[4][LANES], reference[4][LANES];
    struct cup_surface_request request = {.mask = below(3) ? any() | any() : 0xffffffff,
                                          .geometry = s->asked,
                                          .boundary = (uint8_t)below(3),
                                          .element_bits = (uint8_t)(8u << below(4))};
    int32_t places[3][LANES];
    uint32_t layer[LANES];
    enum cup_surface_fault fault, expected;

    request.components = (uint8_t)(1u << below(request.element_bits == 64 ? 2 : 3));
    request.layer = layer;
    fill_places(places, layer, ours, request.element_bits / 8u * request.components);
    for (unsigned axis = 0; axis < 3; axis++)
        request.coordinates[axis] = places[axis];
    for (unsigned stores = 0; stores < 2; stores++) {
        request.operation = stores ? CUP_SURFACE_STORE : CUP_SURFACE_LOAD;
        memcpy(reference, ours, sizeof(reference));
        for (unsigned part = 0; part < 4; part++)
            request.values[part] = ours[part];
        fault = cup_view_surface(view, &request);
        if (stores) { /* what is there now, lane by lane, is what a second store must leave */
            request.operation = CUP_SURFACE_LOAD;
            (void)cup_surface_general(view, &request);
            request.operation = CUP_SURFACE_STORE;
        }
        for (unsigned part = 0; part < 4; part++)
            request.values[part] = reference[part];
        expected = cup_surface_general(view, &request);
        if (stores) {
            request.operation = CUP_SURFACE_LOAD;
            (void)cup_surface_general(view, &request);
        }
        if (fault != expected || memcmp(ours, reference, sizeof(ours)) != 0) {
            printf("# %s: %s of %u x %u bits, boundary %u, mask %08x: fault %d, not %d\n", s->name,
                   stores ? "stores" : "loads", request.components, request.element_bits,
                   request.boundary, request.mask, (int)fault, (int)expected);
            return false;
        }
    }
    return true;
}

static bool try_surface(const struct sample *s, unsigned turns)
{
    struct cup_view *view;
    struct image image;
    bool fine = true;

    if (image_create(s, &image))
        return true;
    if (cup_view_create(&image.resource, NULL, NULL, NULL, &view) == CUDA_SUCCESS) {
        for (unsigned turn = 0; turn < turns && fine; turn++)
            fine = surfaces_agree(s, view);
        cup_view_destroy(view);
    }
    image_destroy(&image);
    return fine;
}

/* Another state of the sampler than the case's. */
static void change_state(struct sample *s)
{
    CUaddress_mode mode = (CUaddress_mode)below(4);

    for (unsigned i = 0; i < 3; i++)
        s->texture.addressMode[i] = below(4) ? mode : (CUaddress_mode)below(4);
    s->texture.filterMode = (CUfilter_mode)below(2);
    s->texture.mipmapFilterMode = (CUfilter_mode)below(2);
    s->texture.flags ^= below(2) ? CU_TRSF_NORMALIZED_COORDINATES : 0;
    s->texture.flags ^= below(4) ? 0 : CU_TRSF_SEAMLESS_CUBEMAP;
}

static bool try_case(const struct sample *given, unsigned states)
{
    struct sample s = *given;
    struct image image;
    bool fine = true;

    if (s.operation == OP_LOAD || s.operation == OP_STORE)
        return try_surface(&s, states * 16);
    if (s.operation != OP_SAMPLE || image_create(&s, &image))
        return true;
    for (unsigned i = 0; i < states && fine; i++) {
        struct cup_view *view;
        change_state(&s);
        if (cup_view_create(&image.resource, &s.texture, s.has_view ? &s.view : NULL, NULL, &view))
            continue;
        for (unsigned turn = 0; turn < 4 && fine; turn++)
            fine = agree(&s, view);
        cup_view_destroy(view);
    }
    image_destroy(&image);
    return fine;
}

int main(int argc, char **argv)
{
    unsigned states = argc > 2 ? (unsigned)atoi(argv[2]) : 3;
    CUcontext context;
    CUdevice device;
    size_t count, wrong = 0;

    if (argc > 1)
        state = strtoull(argv[1], NULL, 0) * 2654435761u + 1;
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
        cuCtxSetCurrent(context)) {
        fprintf(stderr, "no CUDA device\n");
        return 2;
    }
    const struct sample *samples = samples_table(&count);
    for (size_t i = 0; i < count; i++)
        wrong += !try_case(&samples[i], states);
    printf("%zu of %zu images are sampled alike\n", count - wrong, count);
    return wrong != 0;
}
