/* SPDX-License-Identifier: MIT */
/* Work of the host (cupipe.h) whose runs and releases are counted. Included after test.h. */
#ifndef HOST_WORK_H
#define HOST_WORK_H

#include <cupipe.h>
#include <cupipe_table.h>

/* Of this process; the test ends here on another driver, which has no such table. */
static inline const struct cupipe_driver_table *cupipe(void)
{
    static const CUuuid id = CUPIPE_DRIVER_TABLE_ID;
    struct cupipe_refusal why;
    const struct cupipe_driver_table *table =
        cupipe_find_table(cuGetExportTable, &id, sizeof(*table), &why);

    if (!table && !why.text[0])
        skip("about cupipe alone");
    check(table);
    return table;
}

struct counted {
    atomic_int runs, releases;
    CUresult result; /* what a run answers */
    void (*then)(struct counted *counted);
    pthread_t thread; /* that has run it last */
    atomic_uint *word;
    unsigned value; /* written to the word */
};

static inline CUresult counted_run(void *data)
{
    struct counted *counted = data;

    counted->thread = pthread_self();
    if (counted->word)
        atomic_store(counted->word, counted->value);
    if (counted->then)
        counted->then(counted);
    atomic_fetch_add(&counted->runs, 1);
    return counted->result;
}

static inline void counted_release(void *data)
{
    struct counted *counted = data;

    atomic_fetch_add(&counted->releases, 1);
}

static inline struct cupipe_work work_of(struct counted *counted)
{
    return (struct cupipe_work){
        .name = "counted", .run = counted_run, .release = counted_release, .data = counted};
}

static inline void launch(CUstream stream, struct counted *counted)
{
    struct cupipe_work work = work_of(counted);

    check_success(cupipe()->launch_work(stream, &work));
}

static inline CUresult run_now(CUstream stream, struct counted *counted)
{
    struct cupipe_work work = work_of(counted);

    return cupipe()->run_work(stream, &work);
}

static inline void check_counts(struct counted *counted, int runs, int releases)
{
    check(atomic_load(&counted->runs) == runs);
    check(atomic_load(&counted->releases) == releases);
}

#endif
