/* SPDX-License-Identifier: MIT */
/* The driver's table, found once the program has loaded the driver. */
#include "report.h"

#include <common/driver.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <time.h>

enum { LOOK_INTERVAL_NS = 1000000 };

static atomic_bool has_untold_names;

uint64_t nvtx_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The driver, if the program has loaded it. The loader searches the file system for a library that
 * is not there, so it is asked again after a while only; to load and initialise a driver takes
 * longer. */
static void *find_driver(void)
{
    static _Atomic uint64_t next_look_ns;
    uint64_t now_ns = nvtx_now_ns();
    void *found;

    if (now_ns < atomic_load(&next_look_ns))
        return NULL;
    found = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    atomic_store(&next_look_ns, now_ns + LOOK_INTERVAL_NS);
    return found;
}

/* The table of a driver that somebody listens to; NULL if nobody does. */
static const struct cupipe_driver_table *listening_driver(void)
{
    static _Atomic(void *) library;
    const struct lib_driver *driver;
    void *found = atomic_load(&library);

    if (!found) {
        found = find_driver();
        if (!found)
            return NULL;
        atomic_store(&library, found);
    }
    driver = lib_driver();
    return driver && driver->cupipe->is_traced() ? driver->cupipe : NULL;
}

static bool take_untold(struct cupipe_name *told)
{
    struct nvtx_name *name;

    nvtx_lock();
    for (name = cupipe_nvtx_listing.names; name && name->is_told;)
        name = name->next;
    if (name) {
        name->is_told = true;
        *told = (struct cupipe_name){.kind = (enum cupipe_object_kind)name->kind,
                                     .object = name->object,
                                     .name = name->name,
                                     .domain = name->domain};
    }
    nvtx_unlock();
    return name != NULL;
}

static void report_names_to(const struct cupipe_driver_table *driver)
{
    struct cupipe_name name;

    if (!atomic_exchange(&has_untold_names, false))
        return;
    while (take_untold(&name))
        driver->name_object(&name);
}

/* A name may be given before the driver is there; the next call that finds it there tells. */
void nvtx_report_names(void)
{
    const struct cupipe_driver_table *driver = listening_driver();

    atomic_store(&has_untold_names, true);
    if (driver)
        report_names_to(driver);
}

void nvtx_report_range(const struct nvtx_range *range, uint64_t end_ns)
{
    const struct cupipe_driver_table *driver = listening_driver();
    const struct cupipe_trace_range traced = {
        .name = range->name,
        .domain = range->domain,
        .category = range->category,
        .payload = range->payload,
        .payload_is_json = range->payload_type == 0,
        .color = range->color & 0xffffff,
        .has_color = range->has_color,
        .start_ns = range->start_ns,
        .end_ns = end_ns,
        .id = range->id,
    };

    if (!driver)
        return;
    report_names_to(driver);
    driver->trace_range(&traced);
}

static void report_marker(const struct cupipe_marker *marker)
{
    const struct cupipe_driver_table *driver = listening_driver();

    if (!driver)
        return;
    report_names_to(driver);
    driver->tell_marker(marker);
}

void nvtx_report_marker(const struct nvtx_range *range, enum cupipe_marker_kind kind,
                        uint64_t time_ns)
{
    const struct cupipe_marker marker = {
        .kind = kind,
        .number = range->number,
        .time_ns = time_ns,
        .name = range->name,
        .domain = range->domain,
        .color = range->color,
        .has_color = range->has_color,
        .category = range->category_number,
        .payload_type = range->payload_type,
        .payload = range->payload_value,
    };

    if (!range->owner->is_lock)
        report_marker(&marker);
}

void nvtx_report_lock(const char *name, const char *domain, uint32_t number,
                      enum cupipe_marker_kind kind)
{
    const struct cupipe_marker marker = {
        .kind = kind, .number = number, .time_ns = nvtx_now_ns(), .name = name, .domain = domain};

    report_marker(&marker);
}

void nvtx_report_call(const char *function, const uint64_t *params, const void *result)
{
    const struct cupipe_driver_table *driver = listening_driver();
    const struct cupipe_nvtx_call call = {.name = function, .params = params, .result = result};

    if (driver)
        driver->tell_nvtx_call(&call);
}

void nvtx_report_counter(const struct cupipe_trace_counter *counter)
{
    const struct cupipe_driver_table *driver = listening_driver();

    if (!driver)
        return;
    report_names_to(driver);
    driver->trace_counter(counter);
}
