/* SPDX-License-Identifier: MIT */
/*
 * Random programs of driver calls. A seed gives a program of CALLS calls with mostly valid and
 * partly invalid arguments; each call prints one line: the call with symbolic arguments, then its
 * answer.
 *
 * The calls depend on the seed alone, never on an answer: the model below says what should be
 * alive. An object that the driver refused to make is missing, and a call that needs it prints
 * "skip". Programs avoid what is undefined: every byte that is read was written, copies do not
 * overlap, no address is used after something else may have been given it.
 */
#ifndef RANDOM_H
#define RANDOM_H

#include "../recorder.h"

enum { CALLS = 300, WINDOW = 65536, OVERRUN = 65536 };

/* Numbers: a sequence for each call of each seed. */
void random_begin(unsigned seed, unsigned call);
void random_setup(const char *what,
                  unsigned index); /* for what is there before the calls; begins a line */
uint64_t random_bits(void);
unsigned below(unsigned limit);
int chance(unsigned percent);
int between(int low, int high);
#define ONE_OF_TYPE(type, ...)                                                                     \
    __extension__({                                                                                \
        type choices_[] = {__VA_ARGS__};                                                           \
        choices_[below(COUNT_OF(choices_))];                                                       \
    })
#define ONE_OF(...) ONE_OF_TYPE(int, __VA_ARGS__)
#define ONE_SIZE_OF(...) ONE_OF_TYPE(size_t, __VA_ARGS__)

/* A call's line: what is called, then what came of it. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void answer_print(CUresult result, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Makes the call before it looks at the other arguments. */
#define answer(call, ...)                                                                          \
    __extension__({                                                                                \
        CUresult result_ = (call);                                                                 \
        answer_print(result_, __VA_ARGS__);                                                        \
    })
void skip(void);
int succeeded(void); /* did the last call that was answered? */

/* Memory. The slots have fixed kinds; `live` is the model's opinion, ptr == 0 the driver's. */
enum memory_kind { DEVICE, PINNED, REGISTERED, MANAGED, POOLED, VIRTUAL, PAGEABLE };
enum { SLOTS = 16 };
struct slot {
    enum memory_kind kind;
    int live;
    CUdeviceptr ptr;
    char *host; /* where the CPU reads it, or NULL */
    size_t size;
    char *pages;                         /* of REGISTERED and PAGEABLE: the mapping */
    int read_only;                       /* of REGISTERED */
    CUmemGenericAllocationHandle handle; /* of VIRTUAL */
};
extern struct slot slots[SLOTS];
#define MASK(kind) (1u << (kind))
enum { ANY_KIND = 127, HOST_KINDS = 1 << PINNED | 1 << REGISTERED | 1 << PAGEABLE };
/* A live slot of one of the kinds, other than `not`; pageable memory if there is none. */
struct slot *slot_pick(unsigned kinds, const struct slot * not );
size_t slot_window(const struct slot *slot);
void slot_fill(struct slot *slot, unsigned pattern);
unsigned slot_hash(const struct slot *slot);
const char *slot_text(const struct slot *slot, size_t offset);
/* An address relative to the slot it lies in, or "-" for UNTOUCHED, "0", "?". */
const char *address_text(uint64_t address);

/* Arrays: some of their own, and levels of mipmaps. */
enum { ARRAYS = 8, MIPMAPS = 3, LEVELS = 4, ALL_ARRAYS = ARRAYS + MIPMAPS * LEVELS };
struct array {
    int live;
    CUarray handle;
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    size_t element, width, rows, slices; /* bytes of an element, elements, rows, slices: all >= 1 */
};
extern struct array arrays[ALL_ARRAYS];
extern CUmipmappedArray mipmaps[MIPMAPS];
struct array *array_pick(void);
unsigned array_hash(const struct array *array);
const char *array_text(const struct array *array);

/* Streams, events, pools, contexts. */
enum { STREAMS = 4, EVENTS = 4, POOLS = 2 };
extern CUstream streams[STREAMS];
extern CUevent events[EVENTS];
extern CUmemoryPool pools[POOLS];
extern CUcontext main_context, other_context;
CUstream stream_pick(const char **name);
const char *pool_text(CUmemoryPool pool);
CUmemoryPool pool_pick(const char **name);

uint32_t hash_bytes(uint32_t hash, const void *bytes, size_t size);
CUmemLocation location_pick(void);

/* After work that may still run: synchronises all, says what that gave if it failed. */
const char *settle(void);
void main_settle(void); /* and makes the main context current */

/* The calls. Each makes one, or a few that belong together. */
struct operation {
    unsigned weight;
    void (*make)(void);
    int lasting; /* replaces something that later calls use: not made without a context */
};
extern const struct operation memory_operations[], query_operations[], copy_operations[],
    box_operations[], array_operations[], virtual_operations[], pool_operations[],
    stream_operations[];
void memory_begin(void);
void array_begin(void);
void pool_begin(void);
void stream_begin(void);
void virtual_begin(void);

#endif
