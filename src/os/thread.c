/* SPDX-License-Identifier: MIT */
/* Starts the library's threads, and reads the state of the process's threads from /proc. */
#include "os/thread.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* Signals are for the application's threads, except those that a fault in this thread raises. */
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

/* The default is what the limit of the main thread's stack says, and less if that has no limit or
 * the C library is not glibc. Threads run code of the program, which expects no less. */
static bool create(pthread_t *thread, void *(*entry)(void *argument), void *argument)
{
    enum { STACK_BYTES_MIN = 8 << 20 };
    pthread_attr_t attributes;
    size_t stack_bytes;

    if (pthread_attr_init(&attributes) != 0)
        return false;
    if (pthread_attr_getstacksize(&attributes, &stack_bytes) == 0 && stack_bytes < STACK_BYTES_MIN)
        pthread_attr_setstacksize(&attributes, STACK_BYTES_MIN);
    bool created = pthread_create(thread, &attributes, entry, argument) == 0;
    pthread_attr_destroy(&attributes);
    return created;
}

bool cup_os_thread_start(void *(*entry)(void *argument), void *argument, const char *name)
{
    pthread_t thread;
    sigset_t before;

    block_foreign_signals(&before);
    bool started = create(&thread, entry, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!started)
        return false;
    pthread_setname_np(thread, name);
    pthread_detach(thread);
    return true;
}

/* The state follows the name, which may contain any character, including a parenthesis. */
static bool can_run(int tasks, const char *task)
{
    char path[32], text[256];

    snprintf(path, sizeof(path), "%.20s/stat", task);
    int fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t length = read(fd, text, sizeof(text) - 1);
    close(fd);
    text[length > 0 ? length : 0] = 0;
    const char *end = strrchr(text, ')');
    return end && (strncmp(end, ") R", 3) == 0 || strncmp(end, ") D", 3) == 0);
}

bool cup_os_thread_others_can_run(void)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *task;
    bool found = false;

    while (tasks && !found && (task = readdir(tasks))) {
        pid_t id = (pid_t)atol(task->d_name);
        found = id > 0 && id != gettid() && can_run(dirfd(tasks), task->d_name);
    }
    if (tasks)
        closedir(tasks);
    return found;
}
