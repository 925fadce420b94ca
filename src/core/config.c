/* SPDX-License-Identifier: MIT */
/* Reads the environment into a struct, variable by variable as variables.def has them. All are read
 * even after an error, so that one run shows all mistakes. */
#include "core/config.h"

#include "core/config_value.h"
#include "core/log_setup.h"
#include "core/variable.h"
#include "os/system.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct cup_config loaded_config;
static bool is_loaded;

static bool is_own(const char *name)
{
    static const char prefix[] = "CUPIPE_";

    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* An empty CUPIPE_ variable counts as unset. */
static CUresult read_variable(struct cup_config *config, const struct cup_variable *variable)
{
    const char *value = secure_getenv(variable->name);

    if (value && *value == '\0' && is_own(variable->name))
        value = NULL;
    return cup_variable_read(config, variable, variable->name, value);
}

/* Settles what depends on several variables. Kernels for debuggers, and those that count for a
 * profile, are compiled by the first tier, whose code has every instruction once. One worker runs
 * code for debuggers unless CUPIPE_THREADS says otherwise: whoever steps through a kernel sees one
 * block at a time. */
static void settle(struct cup_config *config)
{
    if (config->debug || config->profile_path)
        config->jit = CUP_CONFIG_JIT_FIRST;
    if (config->threads == 0) {
        unsigned cpus = config->debug ? 1 : cup_system_cpu_count();

        config->threads = cpus < CUP_MAX_THREADS ? cpus : CUP_MAX_THREADS;
    }
}

CUresult cup_config_read(struct cup_config *config)
{
    CUresult result;

    config->log_level = CUP_LOG_ERROR;
    /* The log comes first, because the others write to it. */
    result = read_variable(config, &cup_variables[CUP_INDEX_CUPIPE_LOG]);
    for (size_t i = 0; i < CUP_VARIABLE_COUNT; i++) {
        CUresult one =
            i == CUP_INDEX_CUPIPE_LOG ? CUDA_SUCCESS : read_variable(config, &cup_variables[i]);

        if (result == CUDA_SUCCESS)
            result = one;
    }
    settle(config);
    return result;
}

bool cup_config_check(const char *variable, const char *value, const char *name)
{
    struct cup_config config = {0};
    bool good = false;

    for (size_t i = 0; i < CUP_VARIABLE_COUNT; i++) {
        if (strcmp(cup_variables[i].name, variable) == 0)
            good = cup_variable_read(&config, &cup_variables[i], name, value) == CUDA_SUCCESS;
    }
    (void)cup_log_open(CUP_LOG_ERROR, NULL);
    return good;
}

/* A misspelt name would otherwise be ignored silently. */
static void warn_of_unknown_names(void)
{
    for (char **entry = environ; entry && *entry; entry++) {
        size_t length = strcspn(*entry, "=");

        if (is_own(*entry) && !cup_variable_is_known(*entry, length))
            (void)cup_config_report(CUDA_SUCCESS,
                                    "%.*s is not a variable cupipe knows; it is ignored",
                                    (int)length, *entry);
    }
}

/* The field of a text, or NULL if the variable is none. */
static const char **text_of(struct cup_config *config, const struct cup_variable *variable)
{
    return variable->has_text ? (const char **)((char *)config + variable->offset) : NULL;
}

/* Copies the texts, because the application may change its environment. Copies nothing if memory is
 * out. */
static bool copy_texts(struct cup_config *config)
{
    for (size_t i = 0; i < CUP_VARIABLE_COUNT; i++) {
        const char **text = text_of(config, &cup_variables[i]);

        if (!text || !*text)
            continue;
        *text = strdup(*text);
        if (*text)
            continue;
        while (i-- > 0) {
            text = text_of(config, &cup_variables[i]);
            if (text)
                free((char *)*text);
        }
        return false;
    }
    return true;
}

CUresult cup_config_load(void)
{
    struct cup_config config = {0};
    CUresult result;

    if (is_loaded)
        return CUDA_SUCCESS;
    result = cup_config_read(&config);
    if (result != CUDA_SUCCESS)
        return result;
    if (!copy_texts(&config))
        return CUDA_ERROR_OUT_OF_MEMORY;
    warn_of_unknown_names();
    loaded_config = config;
    atomic_store_explicit(&cup_driver_chosen, config.driver, memory_order_relaxed);
    is_loaded = true;
    return CUDA_SUCCESS;
}

const struct cup_config *cup_config_get(void)
{
    return &loaded_config;
}

bool cup_config_checks(void)
{
    return loaded_config.check_leaks || cup_config_checks_kernels();
}

bool cup_config_checks_kernels(void)
{
    const struct cup_config *config = cup_config_get();

    return config->check_init || config->check_memory || config->check_races ||
           config->check_sync || config->check_streams;
}

bool cup_config_keeps_texts(void)
{
    return cup_config_get()->debug || cup_config_get()->profile_path ||
           cup_config_get()->perf == CUP_CONFIG_PERF_JITDUMP;
}
