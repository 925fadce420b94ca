/* SPDX-License-Identifier: MIT */
/* One thread polls every 10 ms and applies two rules:
 *
 * - No call began, ended or was active for ten ticks: the program may be waiting outside the
 *   library. Pending work runs, job by job as the schedule chooses, until the next call.
 *
 * - A stream has been ready for 200 ticks: calls continue, but none of them runs it. The program
 *   may poll with a call that asks for other work, so this stream's jobs run.
 *
 * An active call suspends the first rule: it compiles, runs a job, or waits, and a wait runs what
 * is ready (cup_schedule_wait). So the order of jobs depends on the clock only in programs that do
 * something else for 100 ms, or leave a stream alone for 2 s, with work pending. */
#include "stream/watchdog.h"

#include "os/clock.h"
#include "os/futex.h"
#include "os/thread.h"
#include "stream/engine.h"
#include "stream/schedule.h"

#include <stdbool.h>

enum {
    TICK_NS = 10000000,
    QUIET_TICKS = 10,
    STARVED_TICKS = 200,
};

/* The current period without a call. */
struct quiet {
    uint64_t calls;
    unsigned ticks;
    uint64_t cpu_ns; /* CPU time of the process when the period began */
};

static _Atomic(uint64_t) calls; /* begun and ended */
static _Atomic(int) calls_under_way;

void cup_watchdog_call_begins(void)
{
    atomic_fetch_add(&calls_under_way, 1);
    atomic_fetch_add(&calls, 1);
}

void cup_watchdog_call_ends(void)
{
    atomic_fetch_add(&calls, 1);
    atomic_fetch_sub(&calls_under_way, 1);
}

static void look_again_after(struct quiet *quiet)
{
    *quiet = (struct quiet){.calls = atomic_load(&calls), .cpu_ns = cup_clock_process_ns()};
}

/* A thread that gets no CPU time is not waiting: while a thread is runnable and the process has had
 * little CPU time, the watchdog cannot tell. */
static bool is_starving(const struct quiet *quiet)
{
    return cup_clock_process_ns() - quiet->cpu_ns < QUIET_TICKS * (uint64_t)TICK_NS / 2 &&
           cup_os_thread_others_can_run();
}

static bool is_quiet(struct quiet *quiet)
{
    if (atomic_load(&calls) != quiet->calls || atomic_load(&calls_under_way) > 0) {
        look_again_after(quiet);
        return false;
    }
    if (quiet->ticks < QUIET_TICKS) {
        quiet->ticks++;
        return false;
    }
    return !is_starving(quiet);
}

static void sleep_until_pending(struct quiet *quiet)
{
    atomic_store(&cup_watchdog_state, CUP_WATCHDOG_ASLEEP);
    /* A thread that adds a stream counts it first and then reads the state. */
    if (cup_engine_has_ready())
        atomic_store(&cup_watchdog_state, CUP_WATCHDOG_AWAKE);
    while (atomic_load(&cup_watchdog_state) == CUP_WATCHDOG_ASLEEP)
        cup_futex_wait(&cup_watchdog_state, CUP_WATCHDOG_ASLEEP, -1);
    look_again_after(quiet);
}

static void *watchdog_main(void *argument)
{
    struct quiet quiet;
    unsigned idle_ticks = 0;

    (void)argument;
    look_again_after(&quiet);
    for (;;) {
        cup_clock_sleep_ns(TICK_NS);
        uint32_t now = atomic_fetch_add(&cup_watchdog_ticks, 1) + 1;
        if (cup_engine_has_ready()) {
            idle_ticks = 0;
            if (is_quiet(&quiet)) {
                while (cup_engine_has_ready() && atomic_load(&calls) == quiet.calls &&
                       cup_schedule_run_any())
                    ;
            } else {
                while (cup_schedule_run_older(now - STARVED_TICKS))
                    ;
            }
        } else if (++idle_ticks > QUIET_TICKS) {
            sleep_until_pending(&quiet);
            idle_ticks = 0;
        }
    }
    return NULL;
}

/* If no thread is available, the next submission tries again. */
void cup_watchdog_start(void)
{
    uint32_t before = CUP_WATCHDOG_NOT_STARTED;

    if (atomic_load(&cup_watchdog_state) != before ||
        !atomic_compare_exchange_strong(&cup_watchdog_state, &before, CUP_WATCHDOG_AWAKE))
        return;
    if (!cup_os_thread_start(watchdog_main, NULL, "cupipe watchdog"))
        atomic_store(&cup_watchdog_state, CUP_WATCHDOG_NOT_STARTED);
}
