/* SPDX-License-Identifier: MIT */
/* One lock guards all pieces and is held while one moves: sharing is rare. Whether there are any is
 * asked without the lock; see cup_share_drop.
 *
 * Memory moves while others use it: writers are made to wait (cup_guard_hold), readers are not
 * disturbed. Waiting for running work instead could take for ever, and would not keep new work
 * away. */
#include "memory/share_piece.h"

#include "core/align.h"
#include "core/checks.h"
#include "core/error.h"
#include "core/lock.h"
#include "os/guard.h"
#include "os/memfd.h"
#include "os/reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char label_magic[8] = {'c', 'u', 'p', ' ', 'i', 'p', 'c', 1}; /* the 1 is a version */

/* A piece in a file of its own. */
struct share {
    struct share *next;
    uint64_t address, size_bytes;
    int fd;                        /* the only one we have, from cup_ipcfile_reopen */
    struct cup_share_label *label; /* what the file's label says; NULL: the file has none */
};

static struct cup_lock lock = CUP_LOCK_INITIALIZER(CUP_RANK_SHARE);
static struct share *shares; /* guarded by lock */
static _Atomic(uint32_t)
    share_count; /* incl. shares being created, which count before they check */

bool cup_share_is_label(const struct cup_share_label *label, uint64_t size_bytes)
{
    return memcmp(label->magic, label_magic, sizeof(label->magic)) == 0 &&
           label->size_bytes == size_bytes && cup_is_aligned(size_bytes, CUP_CHUNK_BYTES);
}

bool cup_share_is_live(const struct cup_share_label *label, uint64_t offset)
{
    uint64_t granule = offset >> CUP_GRANULE_SHIFT;

    return cup_is_aligned(offset, CUP_GRANULE_BYTES) && granule < CUP_CHUNK_GRANULES &&
           (atomic_load_explicit(&label->live[granule / 64], memory_order_acquire) >>
                (granule % 64) &
            1);
}

static struct share *find_overlap_locked(uint64_t address, uint64_t size_bytes)
{
    cup_lock_assert_held(&lock);
    for (struct share *each = shares; each; each = each->next) {
        if (each->address < address + size_bytes && address < each->address + each->size_bytes)
            return each;
    }
    return NULL;
}

/* True if a process may still open the piece by a handle that it was given. */
static bool has_handles_locked(const struct share *share)
{
    cup_lock_assert_held(&lock);
    for (size_t word = 0; share->label && word < CUP_CHUNK_GRANULES / 64; word++) {
        if (atomic_load(&share->label->live[word]))
            return true;
    }
    return false;
}

/* A range without a label may be a piece that others may open by a handle: it cannot move, and its
 * file has the label behind the memory. */
static struct share *find_exact_locked(uint64_t address, uint64_t size_bytes, bool labelled)
{
    cup_lock_assert_held(&lock);
    struct share *share = find_overlap_locked(address, size_bytes);

    if (share && share->address == address && share->size_bytes == size_bytes &&
        ((share->label != NULL) == labelled || has_handles_locked(share)))
        return share;
    return NULL;
}

static void write_live_locked(struct share *share, uint64_t offset, bool live)
{
    cup_lock_assert_held(&lock);
    uint64_t granule = offset >> CUP_GRANULE_SHIFT, word = granule / 64;
    uint64_t bit = UINT64_C(1) << (granule % 64);
    off_t at = (off_t)(share->size_bytes + offsetof(struct cup_share_label, live) + word * 8);
    uint64_t value = atomic_load(&share->label->live[word]);

    value = live ? value | bit : value & ~bit;
    atomic_store(&share->label->live[word], value);
    if (pwrite(share->fd, &value, sizeof(value), at) != (ssize_t)sizeof(value))
        cup_log(CUP_LOG_WARNING, "other processes could not be informed of an allocation: %s",
                strerror(errno));
}

/* Not pwrite: a thread sanitizer would see it read what others may be writing. They are held. */
static bool write_all(int fd, const char *bytes, uint64_t size_bytes, uint64_t offset)
{
    while (size_bytes > 0) {
        long written = syscall(SYS_pwrite64, fd, bytes, size_bytes, offset);
        if (written <= 0)
            return false;
        bytes += written;
        offset += (uint64_t)written;
        size_bytes -= (uint64_t)written;
    }
    return true;
}

/* Finds the next bytes in [at, end) of the file that were ever written. */
static bool next_data(int fd, uint64_t at, uint64_t end, uint64_t *from, uint64_t *to)
{
    off_t data = lseek(fd, (off_t)at, SEEK_DATA);

    if (data < 0 || (uint64_t)data >= end)
        return false;
    off_t hole = lseek(fd, data, SEEK_HOLE);
    *from = (uint64_t)data;
    *to = hole < 0 || (uint64_t)hole > end ? end : (uint64_t)hole;
    return true;
}

/* Copies the written bytes of part of a file, mapped at `bytes`. Untouched pages stay untouched. */
static bool copy_data(int to, uint64_t to_offset, int from, uint64_t from_offset, const char *bytes,
                      uint64_t size_bytes)
{
    uint64_t end = from_offset + size_bytes, first, last = from_offset;

    while (next_data(from, last, end, &first, &last)) {
        if (!write_all(to, bytes + (first - from_offset), last - first,
                       to_offset + (first - from_offset)))
            return false;
    }
    return true;
}

static void *at_address(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

/* Maps a file over the piece; readers and writers find its bytes there from now on. */
static bool put_in_place(uint64_t address, uint64_t size_bytes, int rights, int fd, uint64_t offset)
{
    return mmap(at_address(address), size_bytes, rights, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd,
                (off_t)offset) != MAP_FAILED;
}

/* Moves a piece from one file to another while it is in use. */
static bool transfer_with(uint64_t address, uint64_t size_bytes, int rights, int from,
                          uint64_t from_offset, int to, uint64_t to_offset)
{
    if (!cup_guard_hold(at_address(address), size_bytes))
        return false;
    if (!copy_data(to, to_offset, from, from_offset, at_address(address), size_bytes) ||
        !put_in_place(address, size_bytes, rights, to, to_offset)) {
        mprotect(at_address(address), size_bytes, rights);
        cup_guard_release();
        return false;
    }
    cup_guard_release();
    return true;
}

static bool move(uint64_t address, uint64_t size_bytes, int from, uint64_t from_offset, int to,
                 uint64_t to_offset)
{
    bool moved = transfer_with(address, size_bytes, PROT_READ | PROT_WRITE, from, from_offset, to,
                               to_offset);

    cup_check_remapped(address, size_bytes);
    return moved;
}

static void share_free(struct share *share)
{
    if (share->fd >= 0)
        close(share->fd);
    free(share->label);
    free(share);
}

static void unlink_locked(struct share *share)
{
    cup_lock_assert_held(&lock);
    struct share **link = &shares;

    while (*link != share)
        link = &(*link)->next;
    *link = share->next;
    atomic_fetch_sub(&share_count, 1);
}

/* Tells peers that they can no longer open allocations in it. */
static void kill_locked(struct share *share)
{
    cup_lock_assert_held(&lock);
    for (size_t word = 0; share->label && word < CUP_CHUNK_GRANULES / 64; word++) {
        if (atomic_load(&share->label->live[word])) {
            atomic_store(&share->label->live[word], 1);
            write_live_locked(share, word * 64 << CUP_GRANULE_SHIFT, false);
        }
    }
}

static CUresult system_error(const char *what)
{
    int error = errno;

    return cup_error(error == EMFILE || error == ENFILE ? CUDA_ERROR_OPERATING_SYSTEM
                                                        : CUDA_ERROR_OUT_OF_MEMORY,
                     "%s: %s", what, strerror(error));
}

/* Moves conflicting pieces back to the backing file, if no other process has them open or may open
 * them. */
static CUresult clear_the_way_locked(const struct cup_share_backing *backing, uint64_t address,
                                     uint64_t size_bytes)
{
    cup_lock_assert_held(&lock);
    struct share *share;

    while ((share = find_overlap_locked(address, size_bytes))) {
        uint64_t offset = share->address - backing->base;
        if (has_handles_locked(share) || !cup_ipcfile_is_alone(share->fd))
            return cup_error(CUDA_ERROR_NOT_SUPPORTED,
                             "part of the memory is shared with others as another file");
        if (!move(share->address, share->size_bytes, share->fd, 0, backing->fd, offset))
            return system_error("shared memory cannot be moved back");
        unlink_locked(share);
        share_free(share);
    }
    return CUDA_SUCCESS;
}

static int range_file_create(uint64_t size_bytes)
{
    int made = memfd_create("cupipe memory range", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (made >= 0 && (ftruncate(made, (off_t)size_bytes) != 0 ||
                      fcntl(made, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)) {
        close(made);
        made = -1;
    }
    return made;
}

/* Opens the file with an open file description of its own, so that it can be determined whether
 * others have it open. */
static int file_create(const struct share *share)
{
    int made, fd;

    if (share->label)
        made = cup_memfd_create("cupipe shared memory", share->size_bytes, share->label,
                                sizeof(*share->label));
    else
        made = range_file_create(share->size_bytes);
    if (made < 0)
        return -1;
    fd = cup_ipcfile_reopen(made);
    close(made);
    return fd;
}

static struct cup_share_label *label_create(const struct cup_share_backing *backing,
                                            uint64_t size_bytes)
{
    struct cup_share_label *label = calloc(1, sizeof(*label));

    if (!label || !cup_ipcfile_key_make(&label->key)) {
        free(label);
        return NULL;
    }
    memcpy(label->magic, label_magic, sizeof(label->magic));
    label->size_bytes = size_bytes;
    label->device_uuid = *backing->device_uuid;
    return label;
}

static struct share *share_new(const struct cup_share_backing *backing, uint64_t address,
                               uint64_t size_bytes, bool labelled)
{
    struct share *share = calloc(1, sizeof(*share));

    if (!share)
        return NULL;
    *share = (struct share){.address = address, .size_bytes = size_bytes, .fd = -1};
    if (labelled)
        share->label = label_create(backing, size_bytes);
    if ((!labelled || share->label) && (share->fd = file_create(share)) >= 0)
        return share;
    share_free(share);
    return NULL;
}

/* True if the allocation is still the one that was found. While the lock is held its memory does
 * not return to the heap. */
static bool is_still_there(const struct cup_range *range)
{
    struct cup_range now;

    return cup_map_describe(range->base, &now) && now.buffer_id == range->buffer_id;
}

static CUresult make_locked(const struct cup_share_backing *backing, const struct cup_range *range,
                            uint64_t address, uint64_t size_bytes, bool labelled,
                            struct share **made)
{
    cup_lock_assert_held(&lock);
    uint64_t offset = address - backing->base;

    if (!is_still_there(range))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "freed by another thread");
    *made = find_exact_locked(address, size_bytes, labelled);
    if (*made)
        return CUDA_SUCCESS;
    CUresult result = clear_the_way_locked(backing, address, size_bytes);
    if (result != CUDA_SUCCESS)
        return result;
    struct share *share = share_new(backing, address, size_bytes, labelled);
    if (!share)
        return system_error("no file for shared memory");
    if (!move(address, size_bytes, backing->fd, offset, share->fd, 0)) {
        result = system_error("memory cannot be moved to a file of its own");
        share_free(share);
        return result;
    }
    fallocate(backing->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
              (off_t)size_bytes);
    share->next = shares;
    shares = share;
    atomic_fetch_add(&share_count, 1);
    *made = share;
    return CUDA_SUCCESS;
}

/* Increments the count first and then checks the allocation; see cup_share_drop. */
static void begin(void)
{
    atomic_fetch_add(&share_count, 1);
    cup_lock_acquire(&lock);
}

static void end(void)
{
    cup_lock_release(&lock);
    atomic_fetch_sub(&share_count, 1);
}

static CUresult name_allocation_locked(struct share *share, const struct cup_range *range,
                                       struct cup_ipcfile_handle *handle)
{
    cup_lock_assert_held(&lock);
    struct cup_ipcfile_handle made = {.kind = CUP_IPCFILE_MEMORY,
                                      .fd = share->fd,
                                      .offset = range->base - share->address,
                                      .extra = range->size_bytes};

    if (!cup_ipcfile_seal(&made, &share->label->key))
        return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "/proc has no entry for this process");
    write_live_locked(share, made.offset, true);
    *handle = made;
    return CUDA_SUCCESS;
}

CUresult cup_share_piece_block(const struct cup_share_backing *backing,
                               const struct cup_range *range, struct cup_ipcfile_handle *handle)
{
    struct share *share;

    begin();
    CUresult result =
        make_locked(backing, range, range->block_base, range->block_bytes, true, &share);
    if (result == CUDA_SUCCESS)
        result = name_allocation_locked(share, range, handle);
    end();
    if (result != CUDA_SUCCESS)
        return result;
    /* From now on its end is told (cup_share_freed), unless it has ended before. */
    cup_check_written(range->base, range->size_bytes); /* other processes may write it */
    if (cup_map_set_flag(range->base, CUP_RANGE_EXPORTED, true) && is_still_there(range))
        return CUDA_SUCCESS;
    cup_share_freed(range->base);
    return cup_error(CUDA_ERROR_INVALID_VALUE, "freed by another thread");
}

CUresult cup_share_piece_range(const struct cup_share_backing *backing,
                               const struct cup_range *range, uint64_t address, uint64_t size_bytes,
                               int *fd)
{
    struct share *share;

    begin();
    CUresult result = make_locked(backing, range, address, size_bytes, false, &share);
    if (result == CUDA_SUCCESS) {
        int opened = cup_ipcfile_reopen(share->fd);
        if (opened < 0)
            result = system_error("no descriptor");
        else
            *fd = opened;
    }
    end();
    return result;
}

int cup_share_move_out(uint64_t address, uint64_t size_bytes, bool readable, bool writable,
                       int from, uint64_t from_offset)
{
    int rights = writable ? PROT_READ | PROT_WRITE : readable ? PROT_READ : PROT_NONE;
    int made = range_file_create(size_bytes), fd = made;

    cup_lock_acquire(&lock); /* one piece is held at a time */
    if (made >= 0 && !transfer_with(address, size_bytes, rights, from, from_offset, made, 0)) {
        close(made);
        fd = -1;
    }
    cup_lock_release(&lock);
    if (fd >= 0)
        fallocate(from, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from_offset,
                  (off_t)size_bytes);
    return fd;
}

/* The file that holds memory, and where; the descriptor stays that of its owner. */
static CUresult place_locked(const struct cup_share_backing *backing, uint64_t address,
                             uint64_t size_bytes, int *fd, uint64_t *offset)
{
    cup_lock_assert_held(&lock);
    struct share *share = find_overlap_locked(address, size_bytes);

    if (!share) {
        *offset = address - backing->base;
        *fd = backing->fd;
    } else if (share->address <= address &&
               address + size_bytes <= share->address + share->size_bytes) {
        *offset = address - share->address;
        *fd = share->fd;
    } else {
        return cup_error(CUDA_ERROR_NOT_SUPPORTED, "the range spans several files");
    }
    return CUDA_SUCCESS;
}

CUresult cup_share_piece_file(const struct cup_share_backing *backing, uint64_t address,
                              uint64_t size_bytes, int *fd, uint64_t *offset)
{
    cup_lock_acquire(&lock);
    CUresult result = place_locked(backing, address, size_bytes, fd, offset);
    if (result == CUDA_SUCCESS)
        *fd = cup_memfd_share(*fd);
    cup_lock_release(&lock);
    return result;
}

CUresult cup_share_piece_place(const struct cup_share_backing *backing, uint64_t address,
                               uint64_t size_bytes, int *fd, uint64_t *offset)
{
    cup_lock_acquire(&lock);
    CUresult result = place_locked(backing, address, size_bytes, fd, offset);
    cup_lock_release(&lock);
    return result;
}

void cup_share_freed(uint64_t address)
{
    cup_lock_acquire(&lock);
    struct share *share = find_overlap_locked(address, 1);
    if (share && share->label)
        write_live_locked(share, address - share->address, false);
    cup_lock_release(&lock);
}

/* A thread that ends an allocation clears its start bit and then reads the count; one that shares
 * counts and then reads the bit. So one of them sees the other. */
bool cup_share_drop(const struct cup_share_backing *backing, uint64_t address, uint64_t size_bytes,
                    bool *was_shared)
{
    struct share *share;
    bool in_place = true;

    *was_shared = false;
    atomic_thread_fence(memory_order_seq_cst);
    if (cup_likely(atomic_load(&share_count) == 0))
        return true;
    cup_lock_acquire(&lock);
    while ((share = find_overlap_locked(address, size_bytes))) {
        uint64_t offset = share->address - backing->base;
        *was_shared = true;
        kill_locked(share);
        if (!put_in_place(share->address, share->size_bytes, PROT_READ | PROT_WRITE, backing->fd,
                          offset))
            in_place = false;
        unlink_locked(share);
        share_free(share);
    }
    cup_lock_release(&lock);
    return in_place;
}
