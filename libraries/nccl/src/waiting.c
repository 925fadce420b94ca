/* SPDX-License-Identifier: MIT */
/* Threads that wait for a stream, or have begun a small operation, look at the memory of the other
 * processes themselves for a short time, because waking a thread takes longer than such an
 * operation. They are spared the bell meanwhile. This is only done where every rank of the host can
 * have a processor. */
#include "waiting.h"

#include "driver.h"
#include "registry.h"
#include "segment.h"
#include "team.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

/* Threads look for as long as that has been worth it lately, and now and then for longer. Those
 * that submit have other things to do than those that wait. */
enum {
    LOOK_NS_LEAST = 2000,
    WAIT_NS_MOST = 100000,
    CALL_NS_MOST = 20000,
    LOOKS_BETWEEN_TRIALS = 16
};
enum { LOOKS_AT_ONCE = 32 };

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void relax(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#else
    __asm__ volatile("yield");
#endif
}

/* A number that changes when another process of the host has done something for which it would have
 * rung. */
static uint64_t news_of(const struct nccl_team *team)
{
    uint64_t news = 0;

    for (int i = 0; i < team->process_count; i++) {
        struct nccl_segment *segment = team->segments[i];
        struct nccl_channel *channel;

        if (i == team->process)
            continue;
        channel = nccl_segment_channel(segment, team->rank_count, team->process);
        news += atomic_load(&segment->published) + atomic_load(&segment->executed) +
                atomic_load(&segment->end) + atomic_load(&channel->sent) +
                atomic_load(&channel->acknowledged);
    }
    return news;
}

static bool look(struct nccl_team *team, uint64_t duration_ns, cupipe_is_over *is_over,
                 const void *what, uint64_t *seen)
{
    uint64_t end_ns = 0, now;

    do {
        for (int i = 0; i < LOOKS_AT_ONCE; i++) {
            uint64_t news = news_of(team);

            if (news != *seen)
                nccl_team_progress(team);
            *seen = news;
            if (is_over(what))
                return true;
            relax();
        }
        now = now_ns();
        end_ns = end_ns ? end_ns : now + duration_ns;
    } while (now < end_ns);
    return false;
}

/* How long the next thread looks, after one that has looked for so long. */
static void learn(struct nccl_looking *looking, bool was_worth_it, uint32_t ns, uint32_t most_ns)
{
    ns = was_worth_it ? ns * 2 : ns / 2;
    ns = ns < LOOK_NS_LEAST ? LOOK_NS_LEAST : ns > most_ns ? most_ns : ns;
    if (atomic_load(&looking->duration_ns) != ns)
        atomic_store(&looking->duration_ns, ns);
}

/* A thread that is not over within the time has kept a processor from others for nothing. */
static void look_adaptively(struct nccl_team *team, struct nccl_looking *looking, uint32_t most_ns,
                            cupipe_is_over *is_over, const void *what)
{
    uint32_t looks = atomic_fetch_add(&looking->count, 1), ns = atomic_load(&looking->duration_ns);
    uint64_t seen = UINT64_MAX;

    atomic_fetch_add(&team->segment->lookers, 1);
    if (looks % LOOKS_BETWEEN_TRIALS == 0)
        ns = most_ns;
    learn(looking, look(team, ns, is_over, what, &seen), ns, most_ns);
    atomic_fetch_sub(&team->segment->lookers, 1);
    if (news_of(team) != seen) /* that came without the bell before that */
        nccl_team_progress(team);
}

bool nccl_waiting_look_for(struct nccl_team *team, cupipe_is_over *is_over, const void *what)
{
    struct nccl_looking *looking = &team->calls;
    uint32_t looks = atomic_fetch_add(&looking->count, 1), ns = atomic_load(&looking->duration_ns);
    uint64_t end_ns = 0, now = 0;
    bool has_come = false;

    if (looks % LOOKS_BETWEEN_TRIALS == 0)
        ns = CALL_NS_MOST;
    while (!has_come && (!end_ns || now < end_ns)) {
        for (int i = 0; i < LOOKS_AT_ONCE && !has_come; i++) {
            relax();
            has_come = is_over(what);
        }
        if (has_come)
            break;
        now = now_ns();
        end_ns = end_ns ? end_ns : now + ns;
    }
    learn(looking, has_come, ns, CALL_NS_MOST);
    return has_come;
}

static void help(cupipe_is_over *is_over, const void *what)
{
    struct nccl_team *team = nccl_teams_find_busy();

    if (!team)
        return;
    look_adaptively(team, &team->waits, WAIT_NS_MOST, is_over, what);
    nccl_team_unref(team);
}

void nccl_waiting_look(struct nccl_team *team, cupipe_is_over *is_over, const void *what)
{
    if (team->may_look && !is_over(what))
        look_adaptively(team, &team->calls, CALL_NS_MOST, is_over, what);
}

/* Processes may be bound to a processor each. */
bool nccl_waiting_has_processors(const struct nccl_team *team)
{
    cpu_set_t all, allowed;
    int ranks = 0;

    CPU_ZERO(&all);
    for (int rank = 0; rank < team->rank_count; rank++) {
        if (team->process_of[rank] < 0)
            continue;
        ranks++;
        CPU_ZERO(&allowed);
        if (sched_getaffinity(team->members[rank].pid, sizeof(allowed), &allowed) == 0)
            CPU_OR(&all, &all, &allowed);
    }
    return ranks <= CPU_COUNT(&all);
}

static void start(void)
{
    lib_driver()->cupipe->help_waits(help);
}

void nccl_waiting_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, start);
}
