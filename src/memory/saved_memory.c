/* SPDX-License-Identifier: MIT */
/* A device's memory is a file that is mapped once or several times. What was written to it is saved
 * piece by piece: a piece is copied and cut out of the file before the next one, so that both never
 * take their room twice. The files that other processes read have the pieces of a device one after
 * the other. */
#include "memory/saved_memory.h"

#include "core/config.h"
#include "core/dynarray.h"
#include "core/error.h"
#include "device/device.h"
#include "memory/heap.h"
#include "os/memfd.h"
#include "os/page.h"
#include "os/reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t piece_bytes_max = UINT64_C(64) << 20;

struct piece {
    int fd;
    uint64_t offset, size_bytes;
    void *bytes;      /* on the host, or in the file of the device; NULL: elsewhere */
    int device;       /* ordinal */
    uint64_t in_file; /* its place in that file */
};

/* A file that has the memory of a device; zero-initialised: none. */
struct store {
    int fd;
    uint64_t size_bytes;
    char *bytes; /* NULL: there is no file */
};

/* For the one thread that works on a checkpoint. */
static struct {
    CUP_DYNARRAY(struct piece, pieces);
} saved;
static struct store stores[CUP_MAX_DEVICES];
static enum { ON_DEVICES, ON_HOST, IN_FILES, ELSEWHERE } place;

/* Reads or writes all of a piece. */
static bool transfer(const struct piece *piece, bool write)
{
    for (uint64_t done = 0; done < piece->size_bytes;) {
        void *at = (char *)piece->bytes + done;
        size_t left = piece->size_bytes - done;
        off_t offset = (off_t)(piece->offset + done);
        ssize_t moved =
            write ? pwrite(piece->fd, at, left, offset) : pread(piece->fd, at, left, offset);

        if (moved < 0 && errno == EINTR)
            continue;
        if (moved <= 0)
            return false;
        done += (uint64_t)moved;
    }
    return true;
}

/* Copies a piece and cuts it out of the device's memory. */
static bool move_away(const struct piece *piece)
{
    return transfer(piece, false) &&
           fallocate(piece->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)piece->offset,
                     (off_t)piece->size_bytes) == 0;
}

static bool take_piece(struct piece piece)
{
    piece.bytes = cup_reserve_private(piece.size_bytes, cup_page_bytes());
    if (!piece.bytes)
        return false;
    struct piece *added = cup_dynarray_add(&saved.array, sizeof(*added));
    if (!added || !move_away(&piece)) {
        if (added)
            saved.count--;
        cup_reserve_release(piece.bytes, piece.size_bytes);
        return false;
    }
    *added = piece;
    return true;
}

/* Only notes the piece; its place is behind those that the device has already. */
static bool note_piece(struct piece piece)
{
    struct piece *added = cup_dynarray_add(&saved.array, sizeof(*added));

    if (!added)
        return false;
    piece.in_file = stores[piece.device].size_bytes;
    stores[piece.device].size_bytes += piece.size_bytes;
    *added = piece;
    return true;
}

/* Visits what the memory of a device has between its holes. */
static bool each_piece(int device, bool (*visit)(struct piece piece))
{
    int fd = cup_device_get(device)->heap->fd;
    off_t data = 0, hole;

    while ((data = lseek(fd, data, SEEK_DATA)) >= 0) {
        hole = lseek(fd, data, SEEK_HOLE);
        if (hole < 0)
            return false;
        for (uint64_t at = (uint64_t)data; at < (uint64_t)hole;) {
            uint64_t left = (uint64_t)hole - at;
            uint64_t bytes = left < piece_bytes_max ? left : piece_bytes_max;

            if (!visit(
                    (struct piece){.fd = fd, .offset = at, .size_bytes = bytes, .device = device}))
                return false;
            at += bytes;
        }
        data = hole;
    }
    return errno == ENXIO; /* no data behind here */
}

static bool each_device(bool (*visit)(struct piece piece))
{
    bool done = true;

    for (int i = 0; done && i < (int)cup_device_count(); i++)
        done = each_piece(i, visit);
    return done;
}

static CUresult no_room(void)
{
    return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "the host has no room for the devices' memory");
}

CUresult cup_saved_memory_take(void)
{
    int saved_errno = errno;
    bool taken = each_device(take_piece);

    errno = saved_errno;
    place = ON_HOST;
    if (taken)
        return CUDA_SUCCESS;
    cup_saved_memory_put_back();
    return no_room();
}

static void close_files(void)
{
    int saved_errno = errno;

    for (int i = 0; i < CUP_MAX_DEVICES; i++) {
        if (!stores[i].bytes)
            continue;
        cup_reserve_release(stores[i].bytes, stores[i].size_bytes);
        close(stores[i].fd);
        stores[i].bytes = NULL;
    }
    errno = saved_errno;
}

static void forget_all(void)
{
    close_files();
    memset(stores, 0, sizeof(stores));
    saved.count = 0;
    place = ON_DEVICES;
}

static bool open_file(struct store *store, uint64_t label)
{
    int fd = cup_memfd_create("cupipe checkpoint", store->size_bytes, &label, sizeof(label));

    if (fd < 0)
        return false;
    store->bytes = cup_memfd_map(fd, store->size_bytes);
    int kept = store->bytes ? cup_memfd_keep(fd) : -1; /* a number that the program does not use */
    store->fd = kept >= 0 ? kept : fd;
    if (kept >= 0 || !store->bytes)
        close(fd);
    return store->bytes != NULL;
}

/* Makes the files for the pieces that are noted. */
static bool open_files(uint64_t label)
{
    for (int i = 0; i < CUP_MAX_DEVICES; i++) {
        if (stores[i].size_bytes && !open_file(&stores[i], label)) {
            close_files();
            return false;
        }
    }
    for (size_t i = 0; i < saved.count; i++)
        saved.pieces[i].bytes = stores[saved.pieces[i].device].bytes + saved.pieces[i].in_file;
    return true;
}

CUresult cup_saved_memory_store(uint64_t label)
{
    int saved_errno = errno;
    size_t moved = 0;
    bool stored = each_device(note_piece) && open_files(label);

    while (stored && moved < saved.count && move_away(&saved.pieces[moved]))
        moved++;
    stored = stored && moved == saved.count;
    place = IN_FILES;
    if (!stored) {
        saved.count = moved;
        cup_saved_memory_put_back();
    }
    errno = saved_errno;
    return stored ? CUDA_SUCCESS : no_room();
}

void cup_saved_memory_drop_files(void)
{
    close_files();
    for (size_t i = 0; i < saved.count; i++)
        saved.pieces[i].bytes = NULL;
    place = ELSEWHERE;
}

CUresult cup_saved_memory_load(uint64_t label)
{
    if (place != ELSEWHERE)
        return cup_error(CUDA_ERROR_ILLEGAL_STATE,
                         "the checkpoint is in host memory, not in custom storage");
    int saved_errno = errno;
    bool opened = open_files(label);
    errno = saved_errno;
    if (!opened)
        return no_room();
    place = IN_FILES;
    return CUDA_SUCCESS;
}

int cup_saved_memory_file(int device, uint64_t *size_bytes)
{
    *size_bytes = stores[device].size_bytes;
    return stores[device].bytes ? stores[device].fd : -1;
}

/* Frees the copy of a piece, so that both never take their room twice. */
static void free_copy(const struct piece *piece)
{
    if (place == ON_HOST)
        cup_reserve_release(piece->bytes, piece->size_bytes);
    else
        fallocate(stores[piece->device].fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  (off_t)piece->in_file, (off_t)piece->size_bytes);
}

CUresult cup_saved_memory_put_back(void)
{
    int saved_errno = errno;

    if (place == ELSEWHERE)
        return cup_error(CUDA_ERROR_ILLEGAL_STATE,
                         "the checkpoint is in custom storage, not in host memory");
    while (saved.count > 0) {
        struct piece *piece = &saved.pieces[saved.count - 1];

        if (!transfer(piece, true)) {
            errno = saved_errno;
            return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no room to restore the devices' memory");
        }
        free_copy(piece);
        saved.count--;
    }
    forget_all();
    errno = saved_errno;
    return CUDA_SUCCESS;
}
