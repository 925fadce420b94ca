/* SPDX-License-Identifier: MIT */
/* Random copies of every shape between places of every kind, against the model. The seed is
 * printed; CUPIPE_TEST_SEED repeats a run, CUPIPE_TEST_LONG makes it a million copies. */
#include "places.h"

enum {
    ROOM = 8192, /* of memory; the largest box below needs less */
    PER_KIND = 2,
    PLACES = PER_KIND * PLACE_KINDS,
    SHORT_RUN = 50000,
    LONG_RUN = 500000, /* each of the two tests that copy one box at a time */
};

static struct place places[PLACES];
static CUstream stream;
static CUcontext context;

static unsigned run_length(void)
{
    if (!getenv("CUPIPE_TEST_LONG"))
        return SHORT_RUN;
    unsetenv("CUPIPE_TEST_LONG"); /* the library would wonder about it */
    alarm(280);
    return LONG_RUN;
}

static void begin(unsigned kinds)
{
    const char *seed = getenv("CUPIPE_TEST_SEED");

    place_random = seed ? (uint32_t)strtoul(seed, NULL, 0) : (uint32_t)time(NULL) * 2654435761u;
    if (place_random == 0)
        place_random = 1;
    fprintf(stderr, "CUPIPE_TEST_SEED=0x%x\n", place_random);
    unsetenv("CUPIPE_TEST_SEED");
    context = with_context();
    check_success(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    for (unsigned i = 0; i < PER_KIND * kinds; i++) {
        places[i] = place_new(i % kinds, ROOM);
        place_fill(&places[i]);
    }
}

struct extent {
    size_t width, height, depth;
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* What fits both, in units of so many bytes across. */
static struct extent random_extent(const struct place *to, const struct place *from, size_t unit,
                                   bool flat)
{
    static const size_t widths[] = {1, 2, 4, 8, 16, 32, 64};
    struct extent most = {64, 8, flat ? 1 : 4};
    const struct place *both[] = {to, from};

    for (int i = 0; i < 2; i++) {
        if (!both[i]->array)
            continue;
        most.width = least(most.width, both[i]->width_bytes);
        most.height = least(most.height, both[i]->rows);
        most.depth = least(most.depth, both[i]->slices);
    }
    size_t width = random_below(2) ? widths[random_below(7)] : 1 + random_below(64);
    width = least((width + unit - 1) / unit * unit, most.width / unit * unit);
    return (struct extent){width, 1 + random_below(most.height), 1 + random_below(most.depth)};
}

static struct side random_side(struct place *place, struct extent extent, size_t unit, bool flat)
{
    struct side side = {.place = place};

    if (place->array) {
        side.x = random_below((place->width_bytes - extent.width) / unit + 1) * unit;
        side.y = random_below(place->rows - extent.height + 1);
        side.z = flat ? 0 : random_below(place->slices - extent.depth + 1);
        return side;
    }
    side.base = random_below(1000);
    side.x = random_below(8);
    side.y = random_below(3);
    side.z = flat ? 0 : random_below(3);
    side.pitch = side.x + extent.width + random_below(2) * random_below(9);
    side.height = side.y + extent.height + random_below(2) * random_below(3);
    return side;
}

static const char *const call_names[] = {"2D",      "2DUnaligned", "2DAsync",    "3D",
                                         "3DAsync", "3DPeer",      "3DPeerAsync"};
enum { CALLS = sizeof(call_names) / sizeof(call_names[0]), CALLS_2D = 3 };

static CUresult call(int which, const CUDA_MEMCPY3D *copy)
{
    CUDA_MEMCPY2D in_2d = describe_2d(copy);
    CUDA_MEMCPY3D_PEER peer;

    memcpy(&peer, copy, sizeof(peer));
    peer.srcContext = peer.dstContext = context;
    switch (which) {
    case 0:
        return cuMemcpy2D(&in_2d);
    case 1:
        return cuMemcpy2DUnaligned(&in_2d);
    case 2:
        return cuMemcpy2DAsync(&in_2d, stream);
    case 3:
        return cuMemcpy3D(copy);
    case 4:
        return cuMemcpy3DAsync(copy, stream);
    case 5:
        return cuMemcpy3DPeer(&peer);
    default:
        return cuMemcpy3DPeerAsync(&peer, stream);
    }
}

static void complain(unsigned number, const char *name, const struct side *to,
                     const struct side *from, struct extent extent)
{
    test_fail(__FILE__, __LINE__,
              "copy %u, %s of %zu x %zu x %zu, from kind %d (base %zu at %zu %zu %zu, pitch %zu "
              "height %zu) to kind %d (base %zu at %zu %zu %zu, pitch %zu height %zu)",
              number, name, extent.width, extent.height, extent.depth, (int)from->place->kind,
              from->base, from->x, from->y, from->z, from->pitch, from->height,
              (int)to->place->kind, to->base, to->x, to->y, to->z, to->pitch, to->height);
}

/* The least pitch and height may be left out. */
static void leave_out(CUDA_MEMCPY3D *copy)
{
    if (random_below(4) == 0 && copy->srcPitch == copy->srcXInBytes + copy->WidthInBytes)
        copy->srcPitch = 0;
    if (random_below(4) == 0 && copy->dstHeight == copy->dstY + copy->Height)
        copy->dstHeight = 0;
}

static void copy_one(unsigned number, unsigned place_count)
{
    int which = (int)random_below(CALLS);
    bool flat = which < CALLS_2D;
    struct place *destination = &places[random_below(place_count)];
    struct place *source = &places[random_below(place_count)];

    if (destination == source)
        return;
    struct extent extent = random_extent(destination, source, 1, flat);
    struct side to = random_side(destination, extent, 1, flat);
    struct side from = random_side(source, extent, 1, flat);
    CUDA_MEMCPY3D copy =
        describe(&to, &from, extent.width, extent.height, extent.depth, random_below(2) == 0);
    leave_out(&copy);
    if (call(which, &copy) != CUDA_SUCCESS)
        complain(number, call_names[which], &to, &from, extent);
    model_copy(&to, &from, extent.width, extent.height, extent.depth);
    if (number % 8 == 0 && !place_is_right(destination))
        complain(number, call_names[which], &to, &from, extent);
}

static void copy_many(unsigned kinds)
{
    unsigned length = run_length();

    begin(kinds);
    for (unsigned i = 0; i < length; i++) {
        copy_one(i, PER_KIND * kinds);
        if (i % 1000 == 999)
            place_fill(&places[random_below(PER_KIND * kinds)]);
    }
    for (unsigned i = 0; i < PER_KIND * kinds; i++)
        check(place_is_right(&places[i]));
}

TEST(random_boxes_between_memory)
{
    copy_many(PLACE_MEMORY_KINDS);
}

TEST(random_boxes_between_memory_and_arrays)
{
    copy_many(PLACE_KINDS);
}

static void shuffle(struct place **order, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        order[i] = &places[i];
    for (unsigned i = count; i > 1; i--) {
        size_t j = random_below(i);
        struct place *kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

static void batch_operand(CUmemcpy3DOperand *operand, const struct side *side, size_t unit)
{
    if (side->place->array) {
        operand->type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
        operand->op.array.array = side->place->array;
        operand->op.array.offset = (CUoffset3D){side->x / unit, side->y, side->z};
        return;
    }
    operand->type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    operand->op.ptr.ptr = side->place->at + side_offset(side, 0, 0, 0);
    operand->op.ptr.rowLength = side->pitch / unit;
    operand->op.ptr.layerHeight = side->height;
}

/* One copy of a batch; false if the two have no element in common. */
static bool batch_one(CUDA_MEMCPY3D_BATCH_OP *operation, struct place *destination,
                      struct place *source)
{
    size_t unit = destination->array ? destination->element_bytes
                  : source->array    ? source->element_bytes
                                     : 1;

    if (source->array && source->element_bytes != unit)
        return false;
    struct extent extent = random_extent(destination, source, unit, false);
    struct side to = random_side(destination, extent, unit, false);
    struct side from = random_side(source, extent, unit, false);
    to.pitch = (to.pitch + unit - 1) / unit * unit;
    from.pitch = (from.pitch + unit - 1) / unit * unit;
    *operation = (CUDA_MEMCPY3D_BATCH_OP){
        .extent = {extent.width / unit, extent.height, extent.depth},
        .srcAccessOrder = (CUmemcpySrcAccessOrder)(1 + random_below(3)),
        .flags = next_random() & 1,
    };
    batch_operand(&operation->src, &from, unit);
    batch_operand(&operation->dst, &to, unit);
    model_copy(&to, &from, extent.width, extent.height, extent.depth);
    return true;
}

/* No place is in two copies of a batch, so their order does not matter. */
static void batch_boxes(unsigned kinds)
{
    unsigned batches = run_length() / 10, count = PER_KIND * kinds;
    CUDA_MEMCPY3D_BATCH_OP operations[PLACES / 2];
    struct place *order[PLACES];

    begin(kinds);
    for (unsigned i = 0; i < batches; i++) {
        size_t used = 0;
        shuffle(order, count);
        for (unsigned j = 0; j + 1 < count; j += 2)
            used += batch_one(&operations[used], order[j], order[j + 1]);
        if (used == 0)
            continue;
        check_success(cuStreamSynchronize(stream)); /* sources may be read out of order */
        check_success(cuMemcpy3DBatchAsync(used, operations, 0, stream));
        for (unsigned j = 0; j < count && i % 8 == 0; j++)
            check(place_is_right(&places[j]));
    }
    for (unsigned j = 0; j < count; j++)
        check(place_is_right(&places[j]));
}

TEST(random_batches_of_boxes)
{
    batch_boxes(PLACE_MEMORY_KINDS);
}

TEST(random_batches_of_boxes_with_arrays)
{
    batch_boxes(PLACE_KINDS);
}

TEST(random_batches_of_linear_copies)
{
    enum { MOST = PER_KIND * PLACE_MEMORY_KINDS / 2 };
    unsigned batches = run_length() / 10;
    struct place *order[PLACES];

    begin(PLACE_MEMORY_KINDS);
    for (unsigned i = 0; i < batches; i++) {
        CUmemcpyAttributes attributes[2] = {{.srcAccessOrder = 1}, {.srcAccessOrder = 1}};
        size_t firsts[2] = {0, 1 + random_below(MOST - 1)}, sizes[MOST];
        CUdeviceptr to[MOST], from[MOST];
        attributes[0].srcAccessOrder = (CUmemcpySrcAccessOrder)(1 + random_below(3));
        attributes[1].srcAccessOrder = (CUmemcpySrcAccessOrder)(1 + random_below(3));
        shuffle(order, 2 * MOST);
        for (size_t j = 0; j < MOST; j++) {
            size_t to_offset = random_below(ROOM / 2), from_offset = random_below(ROOM / 2);
            sizes[j] = 1 + random_below(ROOM / 2);
            to[j] = order[2 * j]->at + to_offset;
            from[j] = order[2 * j + 1]->at + from_offset;
            memcpy(order[2 * j]->model + to_offset, order[2 * j + 1]->model + from_offset,
                   sizes[j]);
        }
        check_success(cuStreamSynchronize(stream));
        check_success(cuMemcpyBatchAsync(to, from, sizes, MOST, attributes, firsts,
                                         1 + random_below(2), stream));
        for (unsigned j = 0; j < 2 * MOST && i % 8 == 0; j++)
            check(place_is_right(&places[j]));
    }
    for (unsigned j = 0; j < 2 * MOST; j++)
        check(place_is_right(&places[j]));
}
