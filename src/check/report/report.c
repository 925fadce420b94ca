/* SPDX-License-Identifier: MIT */
/* A table of the faults that were reported, by a hash of what makes them the same. A report is
 * formatted without a lock, because names of functions come from the dynamic loader, which has
 * locks of its own; it is written in one piece, so that reports of threads do not mix. */
#include "check/report/report.h"

#include "check/report/json.h"
#include "check/report/suppressions.h"
#include "core/config.h"
#include "core/dynarray.h"
#include "core/hash.h"
#include "core/strbuf.h"
#include "core/thread.h"
#include "os/demangle.h"
#include "os/symbol.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TEXT_BYTES (64u << 10)

/* Of the text of a fault so much is kept, and so much is written of it when it is counted. */
enum { HEAD_BYTES = 512, WRITTEN_HEAD_BYTES = 120 };

/* A fault that was reported. */
struct reported {
    uint64_t key;
    uint64_t count;
    uint64_t id; /* 0: suppressed */
    enum cup_report_check check;
    struct cup_suppression *suppression;
    char head[HEAD_BYTES]; /* the beginning of its text */
};

/* Leaf mutex: guards the table of reported faults. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    CUP_DYNARRAY(struct reported, faults);
} table;             /* guarded by lock */
static uint64_t ids; /* guarded by lock */

CUresult cup_report_start(void)
{
    const struct cup_config *config = cup_config_get();

    if (config->check_suppress_path && !cup_suppress_load(config->check_suppress_path))
        return CUDA_ERROR_INVALID_VALUE;
    if (config->check_json_path && !cup_report_json_open(config->check_json_path))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

struct cup_report_place cup_report_place_here(struct cup_tracked_site *site)
{
    cup_tracked_walk_stack();
    *site = cup_thread_check(cup_thread_self())->site;
    return (struct cup_report_place){.call = site->call ? site : NULL, .in_text = true};
}

/* What makes faults the same. */

static void hash_text(struct cup_hash *hash, const char *text)
{
    cup_hash_bytes(hash, text ? text : "", text ? strlen(text) : 0);
}

static void hash_call(struct cup_hash *hash, const struct cup_tracked_site *site)
{
    hash_text(hash, site->call);
    cup_hash_bytes(hash, site->frames, site->count * sizeof(site->frames[0]));
}

static void hash_place(struct cup_hash *hash, const struct cup_report_place *place)
{
    hash_text(hash, place->role);
    hash_text(hash, place->kernel);
    hash_text(hash, place->function);
    hash_text(hash, place->file);
    cup_hash_number(hash, (uint64_t)place->line << 32 | place->ptx_line);
    if (place->call)
        hash_call(hash, place->call);
}

static uint64_t key_of(const struct cup_report *report)
{
    struct cup_hash hash = cup_hash_begin();

    cup_hash_number(&hash, report->check);
    hash_text(&hash, report->fault);
    for (unsigned i = 0; i < report->place_count; i++)
        hash_place(&hash, &report->places[i]);
    if (report->place_count == 0)
        hash_text(&hash, report->text);
    else if (report->memory && report->places[0].kernel && !report->places[0].line &&
             !report->places[0].ptx_line)
        hash_call(&hash, &report->memory->made);
    return cup_hash_end(&hash);
}

/* Counts the fault. Returns false if it is known; *suppressed then says whether it is one that is
 * not reported. */
static bool is_new(const struct cup_report *report, uint64_t key, bool *suppressed)
{
    struct reported *known = NULL;
    bool fresh = false;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; !known && i < table.count; i++)
        known = table.faults[i].key == key ? &table.faults[i] : NULL;
    if (!known && (known = cup_dynarray_add(&table.array, sizeof(*known)))) {
        fresh = true;
        *known = (struct reported){.key = key, .check = report->check};
        snprintf(known->head, sizeof(known->head), "%s", report->text);
    }
    if (known) {
        known->count++;
        *suppressed = known->suppression != NULL;
        if (*suppressed)
            cup_suppress_again(known->suppression);
    }
    pthread_mutex_unlock(&lock);
    return fresh;
}

/* Gives a new fault its number or its suppression. */
static uint64_t enter(uint64_t key, struct cup_suppression *suppression)
{
    uint64_t id = 0;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < table.count; i++) {
        if (table.faults[i].key == key) {
            table.faults[i].suppression = suppression;
            table.faults[i].id = id = suppression ? 0 : ++ids;
        }
    }
    pthread_mutex_unlock(&lock);
    return id;
}

/* The text. */

static void put_stack(struct cup_strbuf *text, const struct cup_tracked_site *site)
{
    char frame[1200];

    for (unsigned i = 0; i < site->count; i++) {
        cup_symbol_describe(site->frames[i], frame, sizeof(frame));
        cup_strbuf_print(text, "    %s\n", frame);
    }
}

static void put_call(struct cup_strbuf *text, const char *verb, const struct cup_tracked_site *site,
                     const char *detail)
{
    cup_strbuf_print(text, "  %s by %s%s%s\n", verb, site->call ? site->call : "an unknown call",
                     detail ? detail : "", site->count ? ", called from" : "");
    put_stack(text, site);
}

static void put_index(struct cup_strbuf *text, const char *name, const uint32_t index[3])
{
    cup_strbuf_print(text, ", %s (%u,%u,%u)", name, index[0], index[1], index[2]);
}

static void put_kernel(struct cup_strbuf *text, const struct cup_report_place *place)
{
    cup_strbuf_print(text, "  %s by %s %s", place->role ? place->role : "done",
                     place->is_host_work ? "host work" : "kernel", place->kernel);
    if (place->function && strcmp(place->function, place->kernel) != 0)
        cup_strbuf_print(text, ", function %s", place->function);
    if (place->file && place->line)
        cup_strbuf_print(text, ", %s:%u", place->file, place->line);
    else if (place->ptx_line)
        cup_strbuf_print(text, ", line %u of its PTX", place->ptx_line);
    if (place->has_block)
        put_index(text, "block", place->block);
    if (place->has_thread)
        put_index(text, "thread", place->thread);
    cup_strbuf_print(text, "%s\n", place->detail ? place->detail : "");
}

static void put_place(struct cup_strbuf *text, const struct cup_report_place *place)
{
    if (place->kernel && !place->in_text)
        put_kernel(text, place);
    if (!place->call)
        return;
    if (!place->in_text)
        put_call(text, place->kernel || !place->role ? "launched" : place->role, place->call,
                 place->kernel ? NULL : place->detail);
    else if (place->call->count) {
        cup_strbuf_put(text, "  called from\n");
        put_stack(text, place->call);
    }
}

static void put_report(struct cup_strbuf *text, const struct cup_report *report)
{
    const struct cup_tracked *memory = report->memory;

    cup_strbuf_print(text, "cupipe: CUPIPE_CHECK: %s\n", report->text);
    for (unsigned i = 0; i < report->place_count; i++)
        put_place(text, &report->places[i]);
    if (memory) {
        put_call(text, "made", &memory->made, NULL);
        if (memory->freed.call)
            put_call(text, report->ended ? report->ended : cup_tracked_ended_word(&memory->freed),
                     &memory->freed, NULL);
    }
    if (report->note)
        cup_strbuf_print(text, "  %s\n", report->note);
}

/* The text is written with the plain forms of C++ names. Neither copy of it comes from malloc,
 * which a fault of the program may have left locked. */
static void print_report(const struct cup_report *report)
{
    struct cup_strbuf text = {.size = TEXT_BYTES};

    text.start =
        mmap(NULL, 2 * TEXT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (text.start == MAP_FAILED)
        return;
    put_report(&text, report);
    char *plain = text.start + TEXT_BYTES;
    size_t length = cup_demangle_text(text.start, text.used, plain, TEXT_BYTES);
    ssize_t written = write(STDERR_FILENO, plain, length);
    (void)written; /* stderr is not writable: nothing to do */
    munmap(text.start, 2 * TEXT_BYTES);
}

bool cup_report_write(const struct cup_report *report)
{
    uint64_t key = key_of(report), limit = cup_config_get()->check_limit;
    struct cup_suppression *suppression;
    bool suppressed = false;
    int saved = errno;

    if (!is_new(report, key, &suppressed)) {
        errno = saved;
        return !suppressed;
    }
    suppression = cup_suppress_find(report);
    uint64_t id = enter(key, suppression);
    if (id) {
        cup_report_json_report(report, id);
        if (id <= limit)
            print_report(report);
        if (id == limit + 1)
            cup_report_print("cupipe: CUPIPE_CHECK: %llu reports were written, further ones are "
                             "counted (CUPIPE_CHECK_LIMIT)",
                             (unsigned long long)limit);
    }
    errno = saved;
    return suppression == NULL;
}

/* The end. */

struct totals {
    uint64_t reports, more, suppressed;
    uint64_t of_check[CUP_REPORT_CHECK_COUNT];
};

/* 1,234,567 */
static const char *grouped(uint64_t number, char text[32])
{
    char digits[32];
    int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number), used = 0;

    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}

static void add_up(const struct reported *fault, struct totals *totals)
{
    char number[32], head[WRITTEN_HEAD_BYTES];

    if (fault->suppression) {
        totals->suppressed += fault->count;
        return;
    }
    totals->reports++;
    totals->of_check[fault->check]++;
    totals->more += fault->count - 1;
    if (fault->count == 1)
        return;
    cup_report_json_count(fault->id, fault->count);
    cup_demangle_text(fault->head, strlen(fault->head), head, sizeof(head));
    if (fault->id <= cup_config_get()->check_limit)
        cup_report_print("cupipe: and %s more like \"%s%s\"", grouped(fault->count - 1, number),
                         head, strlen(head) == sizeof(head) - 1 ? "..." : "");
}

static void print_summary(const struct totals *totals)
{
    char line[512], number[32];
    struct cup_strbuf text = CUP_TEXT(line);
    const char *separator = "";

    for (int i = 0; i < CUP_REPORT_CHECK_COUNT; i++) {
        if (totals->of_check[i]) {
            cup_strbuf_print(&text, "%s%s %s", separator, cup_report_check_names[i],
                             grouped(totals->of_check[i], number));
            separator = ", ";
        }
    }
    if (totals->more)
        cup_strbuf_print(&text, ", and %s of the same", grouped(totals->more, number));
    if (totals->suppressed)
        cup_strbuf_print(&text, "%s%s suppressed", text.used ? ", " : "",
                         grouped(totals->suppressed, number));
    if (text.used)
        cup_report_print("cupipe: CUPIPE_CHECK found: %.*s", (int)text.used, line);
}

int cup_report_finish(void)
{
    struct totals totals = {0};

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < table.count; i++)
        add_up(&table.faults[i], &totals);
    pthread_mutex_unlock(&lock);
    cup_suppress_finish();
    print_summary(&totals);
    cup_report_json_summary(totals.reports, totals.more, totals.suppressed);
    return totals.reports ? cup_config_get()->check_exit : 0;
}
