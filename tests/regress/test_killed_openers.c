/* SPDX-License-Identifier: MIT */
/* A process that was killed while it had events of another one open kept their places for ever, of
 * which there are 4,096 in a file: the owner made file after file. */
#include "peer.h"

#include <dirent.h>

enum { EVENTS = 25, OPENERS = 400 }; /* more than twice as many as there are places */

static CUipcEventHandle handles[EVENTS];

/* Files of events that are open here. */
static unsigned count_files(void)
{
    DIR *folder = opendir("/proc/self/fd");
    char path[300], name[64] = {0};
    struct dirent *entry;
    unsigned count = 0;

    check(folder != NULL);
    while ((entry = readdir(folder))) {
        snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
        memset(name, 0, sizeof(name));
        if (readlink(path, name, sizeof(name) - 1) > 0)
            count += strstr(name, "cupipe events") != NULL;
    }
    closedir(folder);
    return count;
}

static void make_events(CUevent *events)
{
    for (int i = 0; i < EVENTS; i++) {
        check_success(cuEventCreate(&events[i], CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
        check_success(cuIpcGetEventHandle(&handles[i], events[i]));
    }
}

/* Ends its events in each turn, when somebody else has them, too; that one is killed with them. */
static void own_events(int socket)
{
    CUevent events[EVENTS], more[EVENTS];

    with_context();
    for (int i = 0; i < OPENERS; i++) {
        make_events(events);
        peer_send(socket, handles, sizeof(handles));
        peer_await(socket);
        for (int k = 0; k < EVENTS; k++)
            check_success(cuEventDestroy(events[k]));
        check(count_files() == 1);
    }
    /* And one opens what is made in a place that was taken back, and is not mistaken for others. */
    make_events(more);
    for (int k = 0; k < EVENTS; k++)
        check_success(cuEventRecord(more[k], NULL));
    peer_send(socket, handles, sizeof(handles));
    peer_await(socket);
    check(count_files() == 1);
}

static void open_events(int socket)
{
    CUevent events[EVENTS];

    with_context();
    for (int i = 0; i < EVENTS; i++)
        check_success(cuIpcOpenEventHandle(&events[i], handles[i]));
    for (int i = 0; i < EVENTS; i++)
        check_success(cuEventSynchronize(events[i]));
    peer_signal(socket);
    peer_await(socket); /* killed here */
}

TEST(places_of_events_that_killed_processes_had_open_are_taken_again)
{
    struct peer owner, opener;

    setenv("CUPIPE_MEMORY", "64M", 0);
    setenv("CUPIPE_THREADS", "1", 0);
    owner = peer_start(own_events);
    for (int i = 0; i <= OPENERS; i++) {
        peer_receive(owner.socket, handles, sizeof(handles));
        opener = peer_start(open_events);
        peer_await(opener.socket);
        peer_kill(&opener);
        peer_signal(owner.socket);
    }
    peer_finish(&owner);
}
