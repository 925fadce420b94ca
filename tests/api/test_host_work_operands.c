/* SPDX-License-Identifier: MIT */
/* Work of the host (cupipe.h) that touches its ranges and nothing else, as calls of CUDA's
 * libraries do: an operand that is not accessible is an error, and CUPIPE_CHECK looks at all
 * operands. Parts of work on the driver's threads. */
#include "test.h"

#include "checks.h"
#include "hold.h"
#include "host_work.h"

#include <pthread.h>
#include <sys/mman.h>

enum { BYTES = 4096, COLUMNS = 8, PITCH = 512, PARTS = 1000 };

static atomic_int runs;

static CUresult count_run(void *data)
{
    (void)data;
    atomic_fetch_add(&runs, 1);
    return CUDA_SUCCESS;
}

static struct cupipe_work work_on(const struct cupipe_range *range)
{
    return (struct cupipe_work){.name = "cublasSscal_v2",
                                .run = count_run,
                                .ranges = range,
                                .range_count = 1,
                                .checks_access = 1};
}

TEST(an_operand_that_is_not_accessible_is_an_illegal_address)
{
    with_context();
    cupipe();
    void *nothing = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct cupipe_range range = {.address = (uintptr_t)nothing, .bytes = BYTES};
    struct cupipe_work work = work_on(&range);
    CUstream stream = new_stream(0);

    check_success(cupipe()->launch_work(stream, &work));
    check_result(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
    check(atomic_load(&runs) == 0);
}

TEST(the_last_byte_counts)
{
    with_context();
    cupipe();
    char *pages = mmap(NULL, 2 * BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct cupipe_range range = {
        .address = (uintptr_t)pages, .bytes = 8, .rows = COLUMNS, .pitch = BYTES / COLUMNS};
    struct cupipe_work work = work_on(&range);

    check(mprotect(pages + BYTES, BYTES, PROT_NONE) == 0);
    check_success(cupipe()->run_work(NULL, &work));
    check(atomic_load(&runs) == 1);
    range.rows = COLUMNS + 1;
    check_result(cupipe()->run_work(NULL, &work), CUDA_ERROR_ILLEGAL_ADDRESS);
    check(atomic_load(&runs) == 1);
}

TEST(an_operand_of_no_bytes_is_not_looked_at)
{
    with_context();
    cupipe();
    struct cupipe_range range = {.address = 0, .bytes = 0, .rows = COLUMNS};
    struct cupipe_work work = work_on(&range);

    check_success(cupipe()->run_work(NULL, &work));
    check(atomic_load(&runs) == 1);
}

TEST(an_array_of_addresses_is_followed)
{
    with_context();
    cupipe();
    char memory[BYTES];
    void *addresses[] = {memory, memory + BYTES / 2};
    struct cupipe_range range = {.address = (uintptr_t)addresses, .bytes = 8, .pointers = 2};
    struct cupipe_work work = work_on(&range);

    check_success(cupipe()->run_work(NULL, &work));
    check(atomic_load(&runs) == 1);
    addresses[1] = (void *)64;
    check_result(cupipe()->run_work(NULL, &work), CUDA_ERROR_ILLEGAL_ADDRESS);
    check(atomic_load(&runs) == 1);
}

static bool is_followed;

static void run_through_an_array(void)
{
    CUdeviceptr array, memory;

    with_check("init");
    check_success(cuMemAlloc(&array, sizeof(memory)));
    check_success(cuMemAlloc(&memory, BYTES));
    check_success(cuMemcpyHtoD(array, &memory, sizeof(memory)));
    struct cupipe_range range = {
        .address = is_followed ? array : memory, .bytes = BYTES, .written = 1};
    range.pointers = is_followed;
    struct cupipe_work write = work_on(&range);
    check_success(cupipe()->launch_work(NULL, &write));
    range = (struct cupipe_range){.address = array, .bytes = BYTES, .pointers = 1};
    struct cupipe_work read = work_on(&range);
    check_success(cupipe()->launch_work(NULL, &read));
    check_success(cuStreamSynchronize(NULL));
}

TEST(what_an_array_leads_to_is_written_and_read)
{
    for (int i = 0; i < 2; i++) {
        is_followed = i;
        struct told *told = told_well_by(run_through_an_array);
        check_does_not_say(told, "CUPIPE_CHECK");
        free(told);
    }
}

static void launch_and_wait(const struct cupipe_range *range)
{
    struct cupipe_work work = work_on(range);

    check_success(cupipe()->launch_work(NULL, &work));
    check_success(cuStreamSynchronize(NULL));
}

static int columns;

static void run_beyond_the_end(void)
{
    CUdeviceptr memory;

    with_check("memory");
    check_success(cuMemAlloc(&memory, COLUMNS * PITCH));
    launch_and_wait(&(struct cupipe_range){
        .address = memory, .bytes = 8, .written = 1, .rows = (uint64_t)columns, .pitch = PITCH});
}

TEST(a_range_that_leaves_its_memory_is_reported)
{
    columns = COLUMNS;
    struct told *told = told_well_by(run_beyond_the_end);
    check_does_not_say(told, "cublasSscal_v2");
    free(told);
    columns = COLUMNS + 1;
    told = told_by(run_beyond_the_end); /* the redzone is not accessible */
    check_says(told, "host work cublasSscal_v2 writes 4104 bytes at 0x");
    free(told);
}

enum { WHOLE, EVERY_COLUMN, BETWEEN_COLUMNS, PARTLY };

static int operand;

static void run_a_read(void)
{
    struct cupipe_range range = {.bytes = 8, .rows = COLUMNS, .pitch = PITCH};
    CUdeviceptr memory;

    with_check("init");
    check_success(cuMemAlloc(&memory, COLUMNS * PITCH));
    check_success(cuMemsetD2D8(memory, PITCH, 1, 8, COLUMNS));
    range.address = operand == BETWEEN_COLUMNS ? memory + 8 : memory;
    if (operand == WHOLE || operand == PARTLY)
        range = (struct cupipe_range){.address = memory, .bytes = COLUMNS * PITCH};
    range.partly = operand == PARTLY;
    launch_and_wait(&range);
}

TEST(a_read_of_what_nothing_has_written_is_reported)
{
    for (operand = WHOLE; operand <= PARTLY; operand++) {
        struct told *told = told_well_by(run_a_read);

        if (operand == WHOLE)
            check_says(told, "host work cublasSscal_v2 reads 4088 bytes at 0x");
        else if (operand == BETWEEN_COLUMNS)
            check_says(told, "host work cublasSscal_v2 reads 8 bytes at 0x");
        else
            check_does_not_say(told, "CUPIPE_CHECK");
        free(told);
    }
}

static atomic_int parts[PARTS];

static void count_part(void *data, size_t index)
{
    check(data == parts && index < PARTS);
    atomic_fetch_add(&parts[index], 1);
}

static CUresult run_all_parts(void *data)
{
    cupipe()->run_parts(PARTS, count_part, data);
    return CUDA_SUCCESS;
}

TEST(each_part_runs_once)
{
    with_context();
    struct cupipe_work work = {.name = "parts", .run = run_all_parts, .data = parts};

    check(cupipe()->parallel_width() >= 1);
    cupipe()->run_parts(PARTS, count_part, parts);
    check_success(cupipe()->launch_work(new_stream(0), &work));
    check_success(cuCtxSynchronize());
    for (int i = 0; i < PARTS; i++)
        check(atomic_load(&parts[i]) == 2);
    cupipe()->run_parts(0, count_part, parts);
}

/* More threads than there are places for teams, each with teams inside its parts. */
enum { OWNERS = 80, OUTER = 8, INNER = 16, TURNS = 20 };

static void count_inner(void *data, size_t index)
{
    check(index < INNER);
    atomic_fetch_add((atomic_int *)data, 1);
}

static void run_inner(void *data, size_t index)
{
    check(index < OUTER);
    cupipe()->run_parts(INNER, count_inner, data);
}

static void *own_teams(void *argument)
{
    atomic_int *count = argument;

    for (int turn = 0; turn < TURNS; turn++) {
        cupipe()->run_parts(OUTER, run_inner, count);
        check(atomic_load(count) == (turn + 1) * OUTER * INNER);
    }
    return NULL;
}

TEST(parts_of_many_threads_run_once_and_are_over_when_the_call_returns)
{
    static atomic_int counts[OWNERS];
    pthread_t threads[OWNERS];

    with_context();
    for (int i = 0; i < OWNERS; i++)
        check(pthread_create(&threads[i], NULL, own_teams, &counts[i]) == 0);
    for (int i = 0; i < OWNERS; i++)
        check(pthread_join(threads[i], NULL) == 0);
}
