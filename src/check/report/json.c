/* SPDX-License-Identifier: MIT */
#include "check/report/json.h"

#include "core/strbuf.h"
#include "os/demangle.h"
#include "os/symbol.h"
#include "os/system.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define OBJECT_BYTES (256u << 10)

enum { PLAIN_BYTES = 8192 };

static int file = -1; /* written by cup_report_json_open */

bool cup_report_json_open(const char *pattern)
{
    char path[4096];

    errno = ENAMETOOLONG;
    if (cup_system_expand_path(pattern, path, sizeof(path)))
        file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0)
        cup_report_print("cupipe: CUPIPE_CHECK_JSON=\"%s\" names a file that cannot be written: %s",
                         pattern, strerror(errno));
    return file >= 0;
}

/* One write for the whole line, so that those of several threads and processes stay whole. */
static void write_line(const struct cup_strbuf *line)
{
    ssize_t count;

    do
        count = write(file, line->start, line->used);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        cup_report_print("cupipe: CUPIPE_CHECK_JSON: a report cannot be written: %s",
                         strerror(errno));
}

/* Members of an object. `first` says whether a comma is needed. */
static void put_name(struct cup_strbuf *text, const char *name)
{
    if (text->start[text->used - 1] != '{')
        cup_strbuf_put(text, ",");
    cup_strbuf_put_string(text, name);
    cup_strbuf_put(text, ":");
}

static void put_text(struct cup_strbuf *text, const char *name, const char *value)
{
    if (!value || !*value)
        return;
    put_name(text, name);
    cup_strbuf_put_whole_string(text, value);
}

/* Text for people: C++ names are plain. */
static void put_plain_text(struct cup_strbuf *text, const char *name, const char *value)
{
    char plain[PLAIN_BYTES];

    if (value)
        cup_demangle_text(value, strlen(value), plain, sizeof(plain));
    put_text(text, name, value ? plain : NULL);
}

/* The plain form of a name, if it has one. */
static void put_plain_name(struct cup_strbuf *text, const char *name, const char *mangled)
{
    char plain[PLAIN_BYTES];

    if (mangled && cup_demangle(mangled, plain, sizeof(plain)))
        put_text(text, name, plain);
}

static void put_number(struct cup_strbuf *text, const char *name, uint64_t value)
{
    put_name(text, name);
    cup_strbuf_put_unsigned(text, value);
}

static void put_address(struct cup_strbuf *text, const char *name, uint64_t value)
{
    put_name(text, name);
    cup_strbuf_put_hex(text, value);
}

static void put_index(struct cup_strbuf *text, const char *name, const uint32_t index[3])
{
    put_name(text, name);
    cup_strbuf_print(text, "[%u,%u,%u]", index[0], index[1], index[2]);
}

static void put_stack(struct cup_strbuf *text, const struct cup_tracked_site *site)
{
    struct cup_symbol symbol;

    put_name(text, "stack");
    cup_strbuf_put(text, "[");
    for (unsigned i = 0; i < site->count; i++) {
        cup_strbuf_put(text, i ? ",{" : "{");
        if (cup_symbol_find(site->frames[i], &symbol)) {
            put_text(text, "function", symbol.function);
            put_text(text, "file", symbol.file);
            put_address(text, "offset", symbol.file_offset);
        } else {
            put_address(text, "address", (uint64_t)(uintptr_t)site->frames[i]);
        }
        cup_strbuf_put(text, "}");
    }
    cup_strbuf_put(text, "]");
}

static void put_call(struct cup_strbuf *text, const struct cup_tracked_site *site)
{
    put_text(text, "call", site->call);
    if (site->count)
        put_stack(text, site);
}

static void put_place(struct cup_strbuf *text, const struct cup_report_place *place)
{
    cup_strbuf_put(text, "{");
    put_text(text, "role", place->role);
    put_text(text, place->is_host_work ? "host_work" : "kernel", place->kernel);
    if (!place->is_host_work)
        put_plain_name(text, "kernel_plain", place->kernel);
    put_text(text, "function", place->function);
    put_plain_name(text, "function_plain", place->function);
    put_text(text, "file", place->file);
    if (place->line)
        put_number(text, "line", place->line);
    if (place->ptx_line)
        put_number(text, "ptx_line", place->ptx_line);
    if (place->has_block)
        put_index(text, "block", place->block);
    if (place->has_thread)
        put_index(text, "thread", place->thread);
    put_text(text, "detail", place->detail);
    if (place->call)
        put_call(text, place->call);
    cup_strbuf_put(text, "}");
}

static void put_memory(struct cup_strbuf *text, const struct cup_tracked *memory)
{
    put_name(text, "memory");
    cup_strbuf_put(text, "{");
    put_text(text, "what", memory->what);
    put_address(text, "address", memory->size_bytes ? memory->base : memory->handle);
    put_number(text, "bytes", memory->size_bytes);
    put_name(text, "made");
    cup_strbuf_put(text, "{");
    put_call(text, &memory->made);
    cup_strbuf_put(text, "}");
    if (memory->freed.call) {
        put_name(text, "freed");
        cup_strbuf_put(text, "{");
        put_call(text, &memory->freed);
        cup_strbuf_put(text, "}");
    }
    cup_strbuf_put(text, "}");
}

static void put_report(struct cup_strbuf *text, const struct cup_report *report, uint64_t id)
{
    cup_strbuf_put(text, "{");
    put_number(text, "pid", (uint64_t)getpid());
    put_number(text, "id", id);
    put_text(text, "check", cup_report_check_names[report->check]);
    put_text(text, "fault", report->fault);
    put_plain_text(text, "text", report->text);
    if (report->size_bytes) {
        put_address(text, "address", report->address);
        put_number(text, "bytes", report->size_bytes);
    }
    put_name(text, "places");
    cup_strbuf_put(text, "[");
    for (unsigned i = 0; i < report->place_count; i++) {
        cup_strbuf_put(text, i ? "," : "");
        put_place(text, &report->places[i]);
    }
    cup_strbuf_put(text, "]");
    if (report->memory)
        put_memory(text, report->memory);
    put_plain_text(text, "note", report->note);
    cup_strbuf_put(text, "}\n");
}

/* The buffer does not come from malloc, which a fault of the program may have left locked. */
void cup_report_json_report(const struct cup_report *report, uint64_t id)
{
    struct cup_strbuf line = {.size = OBJECT_BYTES};

    if (file < 0)
        return;
    line.start =
        mmap(NULL, OBJECT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (line.start == MAP_FAILED)
        return;
    put_report(&line, report, id);
    if (!line.overflow)
        write_line(&line);
    munmap(line.start, OBJECT_BYTES);
}

void cup_report_json_count(uint64_t id, uint64_t count)
{
    char bytes[160];
    struct cup_strbuf line = CUP_TEXT(bytes);

    if (file < 0)
        return;
    cup_strbuf_print(&line, "{\"pid\":%d,\"id\":%llu,\"count\":%llu}\n", (int)getpid(),
                     (unsigned long long)id, (unsigned long long)count);
    write_line(&line);
}

void cup_report_json_summary(uint64_t reports, uint64_t more, uint64_t suppressed)
{
    char bytes[160];
    struct cup_strbuf line = CUP_TEXT(bytes);

    if (file < 0)
        return;
    cup_strbuf_print(&line, "{\"pid\":%d,\"reports\":%llu,\"more\":%llu,\"suppressed\":%llu}\n",
                     (int)getpid(), (unsigned long long)reports, (unsigned long long)more,
                     (unsigned long long)suppressed);
    write_line(&line);
}
