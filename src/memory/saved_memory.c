/* SPDX-License-Identifier: MIT */
/* A device's memory is a file that is mapped once or several times. What was written to it is saved
 * piece by piece: a piece is copied and cut out of the file before the next one, so that both never
 * take their room twice. */
#include "memory/saved_memory.h"

#include "core/dynarray.h"
#include "core/error.h"
#include "device/device.h"
#include "memory/heap.h"
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
    void *bytes;
};

static struct {
    CUP_DYNARRAY(struct piece, pieces);
} saved; /* for the one thread that works on a checkpoint */

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

static bool take_piece(int fd, uint64_t offset, uint64_t size_bytes)
{
    struct piece piece = {fd, offset, size_bytes,
                          cup_reserve_private(size_bytes, cup_page_bytes())};

    if (!piece.bytes)
        return false;
    struct piece *place = cup_dynarray_add(&saved.array, sizeof(*place));
    if (!place || !transfer(&piece, false) ||
        fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
                  (off_t)size_bytes) != 0) {
        if (place)
            saved.count--;
        cup_reserve_release(piece.bytes, size_bytes);
        return false;
    }
    *place = piece;
    return true;
}

/* Takes what the file has between its holes. */
static bool take_file(int fd)
{
    off_t data = 0, hole;

    while ((data = lseek(fd, data, SEEK_DATA)) >= 0) {
        hole = lseek(fd, data, SEEK_HOLE);
        if (hole < 0)
            return false;
        for (uint64_t at = (uint64_t)data; at < (uint64_t)hole;) {
            uint64_t left = (uint64_t)hole - at;
            uint64_t bytes = left < piece_bytes_max ? left : piece_bytes_max;

            if (!take_piece(fd, at, bytes))
                return false;
            at += bytes;
        }
        data = hole;
    }
    return errno == ENXIO; /* no data behind here */
}

CUresult cup_saved_memory_take(void)
{
    int saved_errno = errno;
    bool taken = true;

    for (int i = 0; taken && i < (int)cup_device_count(); i++)
        taken = take_file(cup_device_get(i)->heap->fd);
    errno = saved_errno;
    if (taken)
        return CUDA_SUCCESS;
    cup_saved_memory_put_back();
    return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "the host has no room for the devices' memory");
}

CUresult cup_saved_memory_put_back(void)
{
    int saved_errno = errno;

    while (saved.count > 0) {
        struct piece *piece = &saved.pieces[saved.count - 1];

        if (!transfer(piece, true)) {
            errno = saved_errno;
            return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no room to restore the devices' memory");
        }
        cup_reserve_release(piece->bytes, piece->size_bytes);
        saved.count--;
    }
    errno = saved_errno;
    return CUDA_SUCCESS;
}
