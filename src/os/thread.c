/* SPDX-License-Identifier: MIT */
#include "os/thread.h"

#include <pthread.h>
#include <signal.h>

/* All signals go to the application's threads, save those a fault in this very thread raises. */
static void block_foreign_signals(sigset_t *before)
{
    sigset_t blocked;

    sigfillset(&blocked);
    sigdelset(&blocked, SIGSEGV);
    sigdelset(&blocked, SIGBUS);
    sigdelset(&blocked, SIGFPE);
    sigdelset(&blocked, SIGILL);
    sigdelset(&blocked, SIGTRAP);
    pthread_sigmask(SIG_SETMASK, &blocked, before);
}

bool cup_os_thread_start(void *(*entry)(void *argument), void *argument, const char *name)
{
    pthread_t thread;
    sigset_t before;

    block_foreign_signals(&before);
    bool started = pthread_create(&thread, NULL, entry, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!started)
        return false;
    pthread_setname_np(thread, name);
    pthread_detach(thread);
    return true;
}
