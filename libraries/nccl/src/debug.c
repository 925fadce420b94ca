/* SPDX-License-Identifier: MIT */
#include "debug.h"

#include "driver.h"

#include <nccl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

enum { LINE_BYTES = 1536, UNREAD = -1 };

struct word {
    const char *name;
    uint32_t bits;
};

static const struct word levels[] = {
    {"VERSION", NCCL_DEBUG_VERSION}, {"WARN", NCCL_DEBUG_WARN}, {"INFO", NCCL_DEBUG_INFO},
    {"TRACE", NCCL_DEBUG_TRACE},     {NULL, NCCL_DEBUG_NONE},
};

static const struct word subsystem_names[] = {
    {"INIT", NCCL_DEBUG_INIT},    {"COLL", NCCL_DEBUG_COLL},
    {"P2P", NCCL_DEBUG_P2P},      {"NET", NCCL_DEBUG_NET},
    {"ENV", NCCL_DEBUG_ENV},      {"BOOTSTRAP", NCCL_DEBUG_BOOTSTRAP},
    {"ALL", NCCL_DEBUG_ALL},      {"SHM", NCCL_DEBUG_OTHERS},
    {"GRAPH", NCCL_DEBUG_OTHERS}, {"TUNING", NCCL_DEBUG_OTHERS},
    {"ALLOC", NCCL_DEBUG_OTHERS}, {"CALL", NCCL_DEBUG_OTHERS},
    {"PROXY", NCCL_DEBUG_OTHERS}, {"NVLS", NCCL_DEBUG_OTHERS},
    {"REG", NCCL_DEBUG_REG},      {"PROFILE", NCCL_DEBUG_OTHERS},
    {"RAS", NCCL_DEBUG_OTHERS},   {NULL, 0},
};

/* Levels whose lines begin with the time. */
static const struct word stamped_names[] = {
    {"VERSION", 1u << NCCL_DEBUG_VERSION},
    {"WARN", 1u << NCCL_DEBUG_WARN},
    {"INFO", 1u << NCCL_DEBUG_INFO},
    {"TRACE", 1u << NCCL_DEBUG_TRACE},
    {"ALL", ~0u},
    {NULL, 0},
};

/* Variables that change something; the others of NCCL's are listed as without effect. */
static const char *const known[] = {
    "NCCL_DEBUG",         "NCCL_DEBUG_SUBSYS",
    "NCCL_DEBUG_FILE",    "NCCL_DEBUG_TIMESTAMP_FORMAT",
    "NCCL_COMM_ID",       "NCCL_DEBUG_TIMESTAMP_LEVELS",
    "NCCL_HOSTID",        "NCCL_MULTI_RANK_GPU_ENABLE",
    "NCCL_SOCKET_FAMILY", "NCCL_SOCKET_IFNAME",
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(int) level = UNREAD;
static _Atomic(uint32_t) subsystems;
static uint32_t stamped; /* guarded by lock, as the next */
static char stamp[64];   /* for strftime() */
static char host[64];
static FILE *file; /* NULL: standard output */
static bool has_begun;

static uint32_t find(const struct word *words, const char *text, size_t length)
{
    const struct word *word = words;

    while (word->name && (strlen(word->name) != length || strncasecmp(word->name, text, length)))
        word++;
    return word->bits;
}

/* A list of words; with ^ in front, all but these. */
static uint32_t read_list(const struct word *words, const char *text, uint32_t otherwise)
{
    bool is_inverted = text && *text == '^';
    uint32_t bits = 0;

    if (!text || !*text)
        return otherwise;
    text += is_inverted;
    while (*text) {
        size_t length = strcspn(text, ",");

        bits |= find(words, text, length);
        text += length + (text[length] == ',');
    }
    return is_inverted ? ~bits : bits;
}

/* The name of the file: %h is the host, %p the process. */
static void expand(const char *name, char *out, size_t bytes)
{
    size_t used = 0;

    for (; *name && used + 1 < bytes; name++) {
        int added;

        if (name[0] != '%' || !name[1]) {
            out[used++] = *name;
            continue;
        }
        name++;
        if (*name == 'h')
            added = snprintf(out + used, bytes - used, "%s", host);
        else if (*name == 'p')
            added = snprintf(out + used, bytes - used, "%d", getpid());
        else
            added = snprintf(out + used, bytes - used, *name == '%' ? "%%" : "%%%c", *name);
        used += (size_t)added < bytes - used ? (size_t)added : bytes - used - 1;
    }
    out[used] = 0;
}

static void open_file_locked(void)
{
    const char *name = secure_getenv("NCCL_DEBUG_FILE");
    char path[4096];

    if (file)
        fclose(file);
    file = NULL;
    if (!name || !*name || level == NCCL_DEBUG_NONE)
        return;
    expand(name, path, sizeof(path));
    file = fopen(path, "we");
}

static void read_variables(void)
{
    const char *wanted = secure_getenv("NCCL_DEBUG");
    const char *format = secure_getenv("NCCL_DEBUG_TIMESTAMP_FORMAT");

    pthread_mutex_lock(&lock);
    if (level == UNREAD) {
        gethostname(host, sizeof(host) - 1);
        host[strcspn(host, ".")] = 0;
        subsystems = read_list(subsystem_names, secure_getenv("NCCL_DEBUG_SUBSYS"),
                               NCCL_DEBUG_INIT | NCCL_DEBUG_BOOTSTRAP | NCCL_DEBUG_ENV);
        stamped = read_list(stamped_names, secure_getenv("NCCL_DEBUG_TIMESTAMP_LEVELS"),
                            1u << NCCL_DEBUG_WARN);
        snprintf(stamp, sizeof(stamp), "%s", format ? format : "[%F %T] ");
        level = wanted ? (int)find(levels, wanted, strlen(wanted)) : NCCL_DEBUG_NONE;
        open_file_locked();
    }
    pthread_mutex_unlock(&lock);
}

static bool is_shown(enum nccl_debug_level wanted)
{
    if (level == UNREAD)
        read_variables();
    return level >= (int)wanted;
}

/* -1: no context is current. */
static int current_device(void)
{
    const struct lib_driver *driver = lib_driver();
    CUdevice device = -1;

    return driver && driver->context_get_device(&device) == CUDA_SUCCESS ? device : -1;
}

static void put(enum nccl_debug_level of, const char *name, const char *text)
{
    char line[LINE_BYTES];
    time_t now = time(NULL);
    int device = current_device();
    struct tm parts;
    size_t used = 0;
    FILE *out;

    pthread_mutex_lock(&lock);
    if (stamped & 1u << of && localtime_r(&now, &parts))
        used = strftime(line, sizeof(line) / 2, stamp, &parts);
    if (of != NCCL_DEBUG_VERSION)
        used += (size_t)snprintf(line + used, sizeof(line) / 4, "%s:%d:%d [%d] ", host, getpid(),
                                 gettid(), device);
    snprintf(line + used, sizeof(line) - used, "%s%s\n", name, text);
    out = file ? file : stdout;
    fputs(line, out);
    fflush(out);
    pthread_mutex_unlock(&lock);
}

void nccl_info(uint32_t of, const char *format, ...)
{
    va_list arguments;
    char text[1024];

    if (!is_shown(NCCL_DEBUG_INFO) || !(subsystems & of))
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    put(NCCL_DEBUG_INFO, "NCCL INFO ", text);
}

void nccl_warn(const char *text)
{
    if (is_shown(NCCL_DEBUG_WARN))
        put(NCCL_DEBUG_WARN, "NCCL WARN ", text);
}

static bool is_known(const char *variable, size_t length)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strlen(known[i]) == length && strncmp(known[i], variable, length) == 0)
            return true;
    return false;
}

static void show_variables(void)
{
    for (char **entry = environ; entry && *entry; entry++) {
        const char *equals = strchr(*entry, '=');
        int length = equals ? (int)(equals - *entry) : 0;

        if (length == 0 || strncmp(*entry, "NCCL_", 5) != 0)
            continue;
        if (is_known(*entry, (size_t)length))
            nccl_info(NCCL_DEBUG_ENV, "%.*s set by environment to %s.", length, *entry, equals + 1);
        else
            nccl_info(NCCL_DEBUG_ENV, "%.*s is set by environment and has no effect here.", length,
                      *entry);
    }
}

void nccl_debug_begin(int rank)
{
    char text[128];
    bool is_first;

    if (!is_shown(rank == 0 ? NCCL_DEBUG_VERSION : NCCL_DEBUG_INFO))
        return;
    pthread_mutex_lock(&lock);
    is_first = !has_begun;
    has_begun = true;
    pthread_mutex_unlock(&lock);
    if (!is_first)
        return;
    snprintf(text, sizeof(text), "NCCL version %d.%d.%d+cuda%d.%d (cupipe)", NCCL_MAJOR, NCCL_MINOR,
             NCCL_PATCH, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
    put(NCCL_DEBUG_VERSION, "", text);
    show_variables();
}

void ncclResetDebugInit(void)
{
    pthread_mutex_lock(&lock);
    level = UNREAD;
    has_begun = false;
    pthread_mutex_unlock(&lock);
}

void ncclResetDebugInitInternal(void);

void ncclResetDebugInitInternal(void)
{
    ncclResetDebugInit();
}
