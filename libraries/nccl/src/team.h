/* SPDX-License-Identifier: MIT */
/* A team is a communicator as one process sees it: all its ranks, those of this process with their
 * state, and the other processes. Ranks of one process share one team.
 *
 * Collective operations are numbered in the order in which each rank posts them; number n of all
 * ranks together is round n. When all local ranks have posted it, the process publishes it to the
 * others; when all processes have, each does its share of the work; when all have done that, the
 * round is over. With one process all of this is one step in the thread that posts last. */
#ifndef NCCL_TEAM_H
#define NCCL_TEAM_H

#include "network.h"
#include "operation.h"

#include <nccl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { NCCL_PROBLEM_BYTES = 256 };

struct nccl_hosts;
struct nccl_hosts_record;
struct nccl_segment;
struct nccl_peer;

/* Names a communicator in all its processes. */
struct nccl_key {
    uint64_t words[2];
};

/* What every rank knows of every rank. */
struct nccl_member {
    uint64_t host;          /* identity of the host */
    uint64_t process;       /* number and start time of the process */
    uint64_t segment_inode; /* the shared memory of the process for this communicator */
    int32_t segment_fd, bell_fd;
    int32_t pid, device;
    uint64_t device_id; /* the same for the same device of a host */
};

/* How long threads look at the memory of other processes, and how often they have (waiting.c). */
struct nccl_looking {
    _Atomic(uint32_t) duration_ns, count;
};

struct nccl_round {
    struct nccl_round *next;
    uint64_t number;
    int posted;                    /* by local ranks */
    bool is_eager;                 /* eager.h; set when it is published */
    struct nccl_operation **parts; /* by local index */
};

/* Messages of a pair of ranks that have not met their counterparts: all sent or all received. */
struct nccl_lane {
    struct nccl_operation *first, *last;
    struct nccl_arrival *first_arrival, *last_arrival; /* sent by ranks of other processes */
};

/* A rank of this process. The fields are guarded by the team's lock. */
struct nccl_rank {
    _Atomic(int) references;
    struct nccl_team *team;
    int rank, local_index, device;
    uint64_t tickets;            /* given to calls */
    uint64_t next_ticket;        /* that may be posted; from 1 */
    struct nccl_operation *held; /* posted before their turn, by ticket */
    uint64_t posted;             /* collective operations */
    uint64_t unfinished;         /* operations that were submitted and have not ended */
    _Atomic(unsigned) templates; /* operations of graphs, which keep the rank */
    uint64_t exchanges;          /* begun (exchange.h) */
    struct nccl_lane *lanes;     /* by the rank that sends; NULL: not used yet */
    _Atomic(bool) knows_failure; /* of the team: its calls answer with the error from then on */
};

struct nccl_team {
    struct nccl_team *next; /* in the registry, or among those that end (team.c) */
    struct nccl_key key;
    uint64_t number; /* no other team of this process has had it */
    _Atomic(int) references;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* an error, the end of an operation, or an exchange */
    int rank_count;
    bool is_attached; /* all below is known; guarded by lock */

    struct nccl_member *members; /* by rank */
    int *local_index;            /* by rank; -1: of another process */
    int local_count, gone_count; /* of ranks of this process; guarded by lock */
    int returned_count;          /* of their handles, by the program; guarded by lock */
    struct nccl_rank **ranks;    /* by local index; NULL: gone; guarded by lock */

    int process_count, process; /* and which one this is */
    int *process_of;            /* by rank; -1: on another host */
    struct nccl_peer **peers;   /* by process; NULL: this one */
    struct nccl_segment *segment;
    struct nccl_segment **segments; /* by process, this one too */
    int segment_fd;
    uint64_t segment_inode;
    size_t segment_bytes;

    enum nccl_network_kind network; /* between hosts; guarded by lock until these are opened */

    /* Of a communicator with other hosts; NULL: there are none. Set once; the progress thread
     * compares it with that of which it has news. */
    _Atomic(struct nccl_hosts *) hosts;
    struct nccl_hosts_record *record; /* by which they reach this process */
    bool is_connected;                /* guarded by lock */
    bool is_starting, has_result;     /* of an operation with other hosts; guarded by lock */
    ncclResult_t hosts_result;        /* guarded by lock */

    struct nccl_outbox **outboxes; /* by process; NULL: not used yet; guarded by lock (message.c) */

    /* The buffers and factors of a round, by rank; used by the thread that executes. */
    const char **send;
    char **recv;
    uint64_t *scalars;
    char problem[NCCL_PROBLEM_BYTES]; /* what keeps a round from being executed */

    bool may_look; /* every rank of this host can have a processor (waiting.c); set once */
    struct nccl_looking waits, calls; /* of threads that wait for a stream, and that submit */
    _Atomic(uint32_t) under_way;      /* operations that are posted and have not ended */
    _Atomic(ncclResult_t) error;      /* the first one; changed under lock */
    struct nccl_round *first;         /* rounds that some local rank has posted; guarded by lock */
    struct nccl_round *unused;
    uint64_t published, executed, completed; /* rounds; guarded by lock */
    uint64_t least_executed;                 /* by a process, or more by now; guarded by lock */
    bool is_executing;                       /* a thread is; guarded by lock */
};

/* Finds or makes the team of a key, with one more reference. NULL: no memory, or a team of another
 * size has the key. */
struct nccl_team *nccl_team_join(struct nccl_key key, int rank_count);
void nccl_team_unref(struct nccl_team *team);

/* What carries messages between hosts, if a rank of this process asks for another than the usual.
 */
void nccl_team_choose_network(struct nccl_team *team, enum nccl_network_kind kind);

/* Fills in what the others must know of a rank of this process. */
void nccl_team_describe(struct nccl_team *team, int device, struct nccl_member *member);

/* Completes the team: opens what the members share. Only the first call does something. */
ncclResult_t nccl_team_attach(struct nccl_team *team, const struct nccl_member *members);

/* Makes `hosts` and `record`, if they are not there. */
ncclResult_t nccl_team_open_hosts(struct nccl_team *team);

/* Completes a team that has `hosts`, with the records of all ranks. Only the first call does
 * something. */
ncclResult_t nccl_team_connect(struct nccl_team *team, const struct nccl_hosts_record *records);

/* Makes the state of a local rank of an attached team. */
struct nccl_rank *nccl_rank_create(struct nccl_team *team, int rank, int device);
void nccl_rank_ref(struct nccl_rank *rank);
void nccl_rank_unref(struct nccl_rank *rank);

/* The program returns its handle of a rank. After the last one of this process the program may end
 * at once, so the others know that this process has left when this returns: it waits for threads
 * that still hold the team, at most a few seconds, and not for operations or graphs. */
void nccl_rank_return(struct nccl_rank *rank);

/* Fails the team: all its operations end, and later ones at once. The reason is written to standard
 * error, once for each team; NULL: there is nothing to say. */
void nccl_team_fail(struct nccl_team *team, ncclResult_t error, const char *reason);

/* The same, because of what a rank of this process has done. */
void nccl_rank_fail(struct nccl_rank *rank, ncclResult_t error, const char *reason);

void nccl_team_fail_locked(struct nccl_team *team, ncclResult_t error, const char *reason,
                           struct nccl_operation **ended);

/* Rings the bell of another process, unless a thread looks there. */
void nccl_team_ring(struct nccl_team *team, int process);

/* Looks at what other processes have published, and goes on. */
void nccl_team_progress(struct nccl_team *team);

/* Marks an operation as ended, on a list that nccl_operations_end() works through without the
 * lock. */
void nccl_operation_end_locked(struct nccl_operation *operation, struct nccl_operation **ended);
void nccl_operations_end(struct nccl_operation *ended);

/* round.c. Takes in an operation; false: no memory. */
bool nccl_round_post_locked(struct nccl_team *team, struct nccl_operation *operation);

/* Moves the operations of all rounds that no thread works on to the list. */
void nccl_rounds_drop_locked(struct nccl_team *team, struct nccl_operation **ended);

/* A local rank takes part in no more rounds than it has. */
void nccl_rounds_end_locked(struct nccl_team *team, uint64_t count);

/* Does what can be done now. The lock is released meanwhile. */
void nccl_rounds_go_on_locked(struct nccl_team *team);

/* message.c. Takes in an operation, and copies if its counterpart is there: the lock is released
 * meanwhile. False: the peer is gone, or there is no memory. */
bool nccl_message_post_locked(struct nccl_team *team, struct nccl_operation *operation);
void nccl_messages_drop_locked(struct nccl_team *team, struct nccl_operation **ended);

/* Takes messages and acknowledgements of other processes. The lock is released meanwhile. */
void nccl_messages_progress_locked(struct nccl_team *team);

/* Frees the lanes of a rank; the outboxes of a team. */
void nccl_messages_free_lanes(struct nccl_rank *rank);
void nccl_messages_free(struct nccl_team *team);

#endif
