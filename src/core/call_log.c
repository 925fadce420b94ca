/* SPDX-License-Identifier: MIT */
/* A ring of lines and a list of callbacks under one leaf mutex. Callbacks run without the mutex and
 * may call the API, also calls that fail: a callback gets the lines of those as well. A line is
 * formatted when it is read or handed to a callback, because programs that probe make many calls
 * that fail. */
#include "core/call_log.h"

#include "core/error.h"
#include "core/thread.h"
#include "os/mutex.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINES = 100, LINE_BYTES = 250 };

struct CUlogsCallbackEntry_st {
    struct CUlogsCallbackEntry_st *next;
    CUlogsCallback function;
    void *data;
};

struct line {
    struct timespec when;
    pid_t thread;
    const char *function; /* a literal */
    char text[CUP_THREAD_REASON_BYTES];
};

struct callback {
    CUlogsCallback function;
    void *data;
};

/* Leaf mutex: guards everything below. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct line lines[LINES];
static uint32_t written;
static struct CUlogsCallbackEntry_st *callbacks; /* in the order of registration */
static unsigned callback_count;

/* Copies the callbacks, because they run without the mutex. */
static struct callback *copy_callbacks_locked(unsigned *count)
{
    cup_mutex_assert_held(&lock);
    struct callback *copy = callback_count ? malloc(callback_count * sizeof(*copy)) : NULL;

    *count = 0;
    if (!copy)
        return NULL;
    for (struct CUlogsCallbackEntry_st *each = callbacks; each; each = each->next)
        copy[(*count)++] = (struct callback){each->function, each->data};
    return copy;
}

/* Returns the length, without the terminator. */
static size_t format(const struct line *line, char text[LINE_BYTES])
{
    struct tm local;

    localtime_r(&line->when.tv_sec, &local);
    int length = snprintf(text, LINE_BYTES - 1, "[%02d:%02d:%02d.%03ld][%d][CUDA][E] %s: %s",
                          local.tm_hour, local.tm_min, local.tm_sec, line->when.tv_nsec / 1000000,
                          (int)line->thread, line->function, line->text);
    if (length > LINE_BYTES - 2)
        length = LINE_BYTES - 2;
    for (int i = 0; i < length; i++)
        text[i] = text[i] == '\n' ? ' ' : text[i]; /* a reason may quote the application */
    return (size_t)length;
}

static void write_line(const struct line *line)
{
    unsigned count;

    pthread_mutex_lock(&lock);
    struct line *slot = &lines[written++ % LINES];
    slot->when = line->when;
    slot->thread = line->thread;
    slot->function = line->function;
    strcpy(slot->text, line->text);
    struct callback *copy = copy_callbacks_locked(&count);
    pthread_mutex_unlock(&lock);
    if (copy) {
        char text[LINE_BYTES];
        size_t length = format(line, text);

        for (unsigned i = 0; i < count; i++)
            copy[i].function(copy[i].data, CU_LOG_LEVEL_ERROR, text, length);
    }
    free(copy);
}

void cup_call_log_failure(const char *function, CUresult result)
{
    struct cup_thread *self = cup_thread_self();
    const char *name = cup_result_name(result);
    struct line line = {.thread = gettid(), .function = function};

    clock_gettime(CLOCK_REALTIME, &line.when);
    if (self->reason[0]) {
        memcpy(line.text, self->reason, sizeof(line.text));
        self->reason[0] = '\0';
        write_line(&line);
    }
    snprintf(line.text, sizeof(line.text), "%s", name ? name : "unknown result");
    write_line(&line);
}

uint32_t cup_call_log_position(void)
{
    pthread_mutex_lock(&lock);
    uint32_t position = written;
    pthread_mutex_unlock(&lock);
    return position;
}

/* The first line from `from` on with which all lines fit into the buffer. */
static uint32_t first_that_fits_locked(uint32_t from, size_t size_bytes)
{
    cup_mutex_assert_held(&lock);
    char text[LINE_BYTES];
    size_t needed = 1;
    uint32_t first = written;

    while (first != from) {
        needed += format(&lines[(first - 1) % LINES], text) + 1;
        if (needed > size_bytes)
            break;
        first--;
    }
    return first;
}

static size_t append(char *buffer, size_t length, const char *line)
{
    size_t bytes = strlen(line);

    memcpy(buffer + length, line, bytes);
    buffer[length + bytes] = '\n';
    return length + bytes + 1;
}

bool cup_call_log_read(uint32_t *position, char *buffer, size_t size_bytes, size_t *length)
{
    static const char missing[] = "Older lines of the log have been overwritten.";

    pthread_mutex_lock(&lock);
    uint32_t from = *position;
    bool reached = from <= written, rolled = reached && written - from > LINES;
    *length = 0;
    if (reached && from != written) {
        from = rolled ? written - LINES : from;
        if (rolled && size_bytes > sizeof(missing)) {
            *length = append(buffer, 0, missing);
            size_bytes -= *length;
        }
        from = first_that_fits_locked(from, size_bytes);
        for (char text[LINE_BYTES]; from != written; from++) {
            format(&lines[from % LINES], text);
            *length = append(buffer, *length, text);
        }
        buffer[*length] = '\0';
    }
    if (reached)
        *position = written;
    pthread_mutex_unlock(&lock);
    return reached;
}

CUlogsCallbackHandle cup_call_log_register(CUlogsCallback function, void *data)
{
    struct CUlogsCallbackEntry_st *made = malloc(sizeof(*made)), **link = &callbacks;

    if (!made)
        return NULL;
    *made = (struct CUlogsCallbackEntry_st){.function = function, .data = data};
    pthread_mutex_lock(&lock);
    while (*link)
        link = &(*link)->next;
    *link = made;
    callback_count++;
    pthread_mutex_unlock(&lock);
    return made;
}

bool cup_call_log_unregister(CUlogsCallbackHandle handle)
{
    struct CUlogsCallbackEntry_st **link = &callbacks;

    pthread_mutex_lock(&lock);
    while (*link && *link != handle)
        link = &(*link)->next;
    struct CUlogsCallbackEntry_st *found = *link;
    if (found) {
        *link = found->next;
        callback_count--;
    }
    pthread_mutex_unlock(&lock);
    free(found);
    return found != NULL;
}
