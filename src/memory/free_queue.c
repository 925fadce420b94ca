/* SPDX-License-Identifier: MIT */
/* Each queue keeps its pieces in two lists: in the order of the frees, which is the order in which
 * they are reached, and by size. Small pieces (granules) serve small requests only, large ones
 * (chunks) large requests. */
#include "memory/free_queue.h"

#include "core/list.h"
#include "core/lock.h"
#include "memory/granule.h"
#include "stream/stream.h"

#include <stdlib.h>

enum {
    BINS_A_KIND = 32,
    BIN_COUNT = 2 * BINS_A_KIND,
    LOOKS_MAX = 16, /* pieces examined per bin */
};

struct freed_piece {
    struct cup_list link;     /* in the order of the frees */
    struct cup_list bin_link; /* in a bin of similar sizes */
    uint64_t address;
    uint64_t held_bytes;
    uint64_t sequence;
};

struct cup_free_queue_stream {
    struct cup_free_queue_stream *next;
    struct CUstream_st *stream;      /* a reference is held */
    struct cup_list pieces;          /* in the order of the frees */
    uint64_t occupied;               /* bins with a piece */
    struct cup_list bins[BIN_COUNT]; /* initialised while occupied */
};

void cup_free_queue_init(struct cup_free_queue *frees)
{
    cup_lock_init(&frees->lock, CUP_RANK_POOL);
}

void cup_free_queue_finish(struct cup_free_queue *frees)
{
    cup_lock_finish(&frees->lock);
}

static unsigned bucket_of(const struct CUstream_st *stream)
{
    return (unsigned)(stream->id % CUP_FREE_QUEUE_BUCKETS);
}

static bool is_large(uint64_t held_bytes)
{
    return held_bytes >= CUP_CHUNK_BYTES;
}

/* Each bin holds pieces up to twice as large as its smallest. */
static unsigned bin_of(uint64_t held_bytes)
{
    unsigned top = 63 - (unsigned)__builtin_clzll(held_bytes);

    return is_large(held_bytes) ? BINS_A_KIND + top - CUP_CHUNK_SHIFT : top - CUP_GRANULE_SHIFT;
}

static void bin_insert(struct cup_free_queue_stream *queue, struct freed_piece *piece)
{
    unsigned bin = bin_of(piece->held_bytes);

    if (!(queue->occupied >> bin & 1))
        cup_list_init(&queue->bins[bin]);
    cup_list_insert(&queue->bins[bin], &piece->bin_link);
    queue->occupied |= UINT64_C(1) << bin;
}

static void bin_remove(struct cup_free_queue_stream *queue, struct freed_piece *piece)
{
    unsigned bin = bin_of(piece->held_bytes);

    cup_list_remove(&piece->bin_link);
    if (cup_list_is_empty(&queue->bins[bin]))
        queue->occupied &= ~(UINT64_C(1) << bin);
}

static struct cup_free_queue_stream *queue_find_locked(struct cup_free_queue *frees,
                                                       const struct CUstream_st *stream)
{
    cup_lock_assert_held(&frees->lock);
    struct cup_free_queue_stream *queue = frees->buckets[bucket_of(stream)];

    while (queue && queue->stream != stream)
        queue = queue->next;
    return queue;
}

static struct cup_free_queue_stream *queue_make_locked(struct cup_free_queue *frees,
                                                       struct CUstream_st *stream)
{
    cup_lock_assert_held(&frees->lock);
    struct cup_free_queue_stream *queue = calloc(1, sizeof(*queue));
    unsigned bucket = bucket_of(stream);

    if (!queue)
        return NULL;
    cup_list_init(&queue->pieces);
    queue->stream = stream;
    cup_stream_ref(stream);
    queue->next = frees->buckets[bucket];
    frees->buckets[bucket] = queue;
    atomic_fetch_add_explicit(&frees->counts[bucket], 1, memory_order_relaxed);
    return queue;
}

/* Removes a queue that is empty; the caller takes over the reference on its stream. */
static void queue_drop_locked(struct cup_free_queue *frees, struct cup_free_queue_stream *queue)
{
    cup_lock_assert_held(&frees->lock);
    unsigned bucket = bucket_of(queue->stream);
    struct cup_free_queue_stream **link = &frees->buckets[bucket];

    while (*link != queue)
        link = &(*link)->next;
    *link = queue->next;
    atomic_fetch_sub_explicit(&frees->counts[bucket], 1, memory_order_relaxed);
    free(queue);
}

bool cup_free_queue_add(struct cup_free_queue *frees, struct cup_point point, uint64_t address,
                        uint64_t held_bytes)
{
    struct freed_piece *piece = malloc(sizeof(*piece));

    if (!piece)
        return false;
    piece->address = address;
    piece->held_bytes = held_bytes;
    piece->sequence = point.sequence;
    cup_lock_acquire(&frees->lock);
    struct cup_free_queue_stream *queue = queue_find_locked(frees, point.stream);
    if (!queue)
        queue = queue_make_locked(frees, point.stream);
    if (queue) {
        cup_list_append(&queue->pieces, &piece->link);
        bin_insert(queue, piece);
        atomic_fetch_add_explicit(&frees->piece_count, 1, memory_order_relaxed);
    }
    cup_lock_release(&frees->lock);
    if (!queue)
        free(piece);
    return queue != NULL;
}

/* Finds a piece that is large enough and was freed no later than the sequence, close to the
 * smallest such piece. */
static struct freed_piece *queue_search(const struct cup_free_queue_stream *queue,
                                        uint64_t held_bytes, uint64_t latest)
{
    unsigned bin = bin_of(held_bytes), end = is_large(held_bytes) ? BIN_COUNT : BINS_A_KIND;
    uint64_t kind =
        is_large(held_bytes) ? ~UINT64_C(0) << BINS_A_KIND : ~(~UINT64_C(0) << BINS_A_KIND);

    if (bin >= BIN_COUNT)
        return NULL; /* more than any piece has */
    for (uint64_t bins = queue->occupied & kind & (~UINT64_C(0) << bin); bins; bins &= bins - 1) {
        bin = (unsigned)__builtin_ctzll(bins);
        if (bin >= end)
            break;
        int looks = 0;
        cup_list_each (each, &queue->bins[bin], struct freed_piece, bin_link) {
            if (looks++ == LOOKS_MAX)
                break;
            if (each->held_bytes >= held_bytes && each->sequence <= latest)
                return each;
        }
    }
    return NULL;
}

/* Splits the beginning off the piece, or takes all of it. */
static void cut_locked(struct cup_free_queue *frees, struct cup_free_queue_stream *queue,
                       struct freed_piece *piece, uint64_t held_bytes, struct cup_freed *freed)
{
    cup_lock_assert_held(&frees->lock);
    *freed = (struct cup_freed){
        .address = piece->address,
        .held_bytes = held_bytes,
        .point = {queue->stream, piece->sequence},
        .whole = piece->held_bytes == held_bytes,
    };
    if (!freed->whole) {
        bin_remove(queue, piece);
        piece->address += held_bytes;
        piece->held_bytes -= held_bytes;
        bin_insert(queue, piece);
        cup_stream_ref(queue->stream);
        return;
    }
    cup_list_remove(&piece->link);
    bin_remove(queue, piece);
    free(piece);
    atomic_fetch_sub_explicit(&frees->piece_count, 1, memory_order_relaxed);
    if (!cup_list_is_empty(&queue->pieces))
        cup_stream_ref(queue->stream);
    else
        queue_drop_locked(frees, queue);
}

static bool take_from_locked(struct cup_free_queue *frees, struct cup_free_queue_stream *queue,
                             uint64_t held_bytes, uint64_t latest, struct cup_freed *freed)
{
    cup_lock_assert_held(&frees->lock);
    struct freed_piece *piece = queue ? queue_search(queue, held_bytes, latest) : NULL;

    if (piece)
        cut_locked(frees, queue, piece, held_bytes, freed);
    return piece != NULL;
}

/* Reads the stream's waits first, because the stream's lock ranks before this one. */
static bool take_followed(struct cup_free_queue *frees, const struct cup_stream_order *followed,
                          uint64_t held_bytes, struct cup_freed *freed)
{
    bool taken = false;

    cup_lock_acquire(&frees->lock);
    struct cup_free_queue_stream *queue =
        frees->buckets[followed->stream_id % CUP_FREE_QUEUE_BUCKETS];
    while (queue && queue->stream->id != followed->stream_id)
        queue = queue->next;
    taken = take_from_locked(frees, queue, held_bytes, followed->sequence, freed);
    cup_lock_release(&frees->lock);
    return taken;
}

static bool take_any(struct cup_free_queue *frees, uint64_t held_bytes, struct cup_freed *freed)
{
    bool taken = false;

    cup_lock_acquire(&frees->lock);
    for (unsigned i = 0; i < CUP_FREE_QUEUE_BUCKETS && !taken; i++) {
        struct cup_free_queue_stream *next;
        for (struct cup_free_queue_stream *each = frees->buckets[i]; each && !taken; each = next) {
            next = each->next;
            taken = take_from_locked(frees, each, held_bytes, UINT64_MAX, freed);
        }
    }
    cup_lock_release(&frees->lock);
    return taken;
}

bool cup_free_queue_take(struct cup_free_queue *frees, struct CUstream_st *stream,
                         enum cup_free_queue_choice choice, uint64_t held_bytes,
                         struct cup_freed *freed)
{
    struct cup_stream_order orders[CUP_STREAM_ORDERS];
    bool taken = false;

    if (choice == CUP_FREE_QUEUE_ANY)
        return take_any(frees, held_bytes, freed);
    if (choice == CUP_FREE_QUEUE_FOLLOWED) {
        cup_stream_copy_orders(stream, orders);
        for (int i = 0; i < CUP_STREAM_ORDERS && orders[i].stream_id && !taken; i++)
            taken = take_followed(frees, &orders[i], held_bytes, freed);
        return taken;
    }
    if (atomic_load_explicit(&frees->counts[bucket_of(stream)], memory_order_relaxed) == 0)
        return false;
    cup_lock_acquire(&frees->lock);
    taken =
        take_from_locked(frees, queue_find_locked(frees, stream), held_bytes, UINT64_MAX, freed);
    cup_lock_release(&frees->lock);
    return taken;
}

static bool first_reached_locked(struct cup_free_queue *frees, struct cup_free_queue_stream *queue,
                                 struct cup_freed *freed)
{
    cup_lock_assert_held(&frees->lock);
    struct freed_piece *piece = cup_list_entry(queue->pieces.next, struct freed_piece, link);

    if (!cup_point_reached((struct cup_point){queue->stream, piece->sequence}))
        return false;
    cut_locked(frees, queue, piece, piece->held_bytes, freed);
    return true;
}

bool cup_free_queue_next_reached(struct cup_free_queue *frees, struct CUstream_st *stream,
                                 struct cup_freed *freed)
{
    bool found = false;

    if (cup_free_queue_is_empty(frees))
        return false;
    cup_lock_acquire(&frees->lock);
    if (stream) {
        struct cup_free_queue_stream *queue = queue_find_locked(frees, stream);
        found = queue && first_reached_locked(frees, queue, freed);
    }
    for (unsigned i = 0; !stream && i < CUP_FREE_QUEUE_BUCKETS && !found; i++) {
        for (struct cup_free_queue_stream *each = frees->buckets[i]; each && !found;
             each = each->next) {
            found = first_reached_locked(frees, each, freed);
            if (found)
                break;
        }
    }
    cup_lock_release(&frees->lock);
    return found;
}
