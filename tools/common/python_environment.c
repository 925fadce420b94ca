/* SPDX-License-Identifier: MIT */
/* The path of the interpreter decides, as it does for Python: a file pyvenv.cfg beside it or one
 * folder above makes a venv. The file itself is often a link out of the venv, so the path is taken
 * as it was called. */
#include "common/python_environment.h"

#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, RULE_BYTES = PATH_BYTES + 64, LOADED_MAX = 8 };

struct walk {
    cup_python_visit *visit;
    void *argument;
};

/* An environment: its prefix and what pyvenv.cfg says. */
struct environment {
    char prefix[PATH_BYTES];
    char home[PATH_BYTES]; /* of a venv: the folder of the interpreter it was made with */
    char version[16];      /* "3.11", or "3.*" if the name of the interpreter does not tell */
    bool venv;
    bool system; /* packages of the system and of the user are seen, too */
};

static bool join(char path[PATH_BYTES], const char *folder, const char *name)
{
    int length = snprintf(path, PATH_BYTES, "%s/%s", folder, name);

    return length > 0 && length < PATH_BYTES;
}

static bool cut_last(char *path)
{
    char *slash = strrchr(path, '/');

    if (!slash || slash == path)
        return false;
    *slash = 0;
    return true;
}

/* Visits a folder, or all that match if its name is a pattern. */
static void visit_matches(const struct walk *walk, const char *folder, const char *rule)
{
    glob_t found;

    if (!strchr(folder, '*')) {
        walk->visit(walk->argument, CUP_PYTHON_PACKAGES, folder, rule);
        return;
    }
    if (glob(folder, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            walk->visit(walk->argument, CUP_PYTHON_PACKAGES, found.gl_pathv[i], rule);
    globfree(&found);
}

/* Visits the folders of packages below a prefix; Debian's own Python has names of its own. */
static void visit_prefix(const struct walk *walk, const char *prefix, const char *version,
                         const char *rule)
{
    static const struct {
        const char *above, *name;
    } folders[] = {{"lib", "site-packages"},
                   {"lib64", "site-packages"},
                   {"local/lib", "dist-packages"},
                   {"lib", "dist-packages"}};
    char folder[PATH_BYTES];

    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        int length = snprintf(folder, sizeof folder, "%s/%s/python%s/%s", prefix, folders[i].above,
                              version, folders[i].name);
        if (length > 0 && (size_t)length < sizeof folder)
            visit_matches(walk, folder, rule);
    }
    if (join(folder, prefix, "lib/python3/dist-packages"))
        visit_matches(walk, folder, rule);
    if (join(folder, prefix, "conda-meta") && access(folder, F_OK) == 0)
        walk->visit(walk->argument, CUP_PYTHON_PREFIX, prefix, rule);
}

/* A line of pyvenv.cfg: "home = /usr/bin". */
static const char *config_value(char *line, const char *key)
{
    size_t length = strlen(key);

    line[strcspn(line, "\r\n")] = 0;
    line += strspn(line, " \t");
    if (strncmp(line, key, length) != 0)
        return NULL;
    line += length + strspn(line + length, " \t");
    return *line == '=' ? line + 1 + strspn(line + 1, " \t") : NULL;
}

/* Reads prefix/pyvenv.cfg; false if there is none. */
static bool read_config(struct environment *environment, const char *prefix)
{
    char path[PATH_BYTES], line[PATH_BYTES];
    FILE *file = join(path, prefix, "pyvenv.cfg") ? fopen(path, "re") : NULL;

    if (!file)
        return false;
    *environment = (struct environment){.venv = true};
    snprintf(environment->prefix, sizeof environment->prefix, "%s", prefix);
    while (fgets(line, sizeof line, file)) {
        const char *home = config_value(line, "home");
        const char *system = config_value(line, "include-system-site-packages");
        if (home)
            snprintf(environment->home, sizeof environment->home, "%s", home);
        if (system)
            environment->system = strcasecmp(system, "true") == 0;
    }
    fclose(file);
    return true;
}

/* "3.11" of python3.11. */
static void read_version(struct environment *environment, const char *interpreter)
{
    char real[PATH_BYTES], rest;
    unsigned minor;

    snprintf(environment->version, sizeof environment->version, "3.*");
    const char *path = realpath(interpreter, real) ? real : interpreter;
    const char *slash = strrchr(path, '/');
    if (sscanf(slash ? slash + 1 : path, "python3.%u%c", &minor, &rest) == 1)
        snprintf(environment->version, sizeof environment->version, "3.%u", minor);
}

static bool find_environment(struct environment *environment, const char *interpreter)
{
    char folder[PATH_BYTES];
    bool found = false;

    if (snprintf(folder, sizeof folder, "%s", interpreter) >= PATH_BYTES || !cut_last(folder))
        return false;
    found =
        read_config(environment, folder) || (cut_last(folder) && read_config(environment, folder));
    if (!found) {
        *environment = (struct environment){.system = true};
        if (!realpath(interpreter, environment->prefix) || !cut_last(environment->prefix) ||
            !cut_last(environment->prefix))
            return false;
    }
    read_version(environment, interpreter);
    return true;
}

static void visit_user(const struct walk *walk, const struct environment *environment)
{
    const char *home = secure_getenv("HOME"), *base = secure_getenv("PYTHONUSERBASE");
    const char *without = secure_getenv("PYTHONNOUSERSITE");
    char folder[PATH_BYTES];

    if (without && *without)
        return;
    if ((!base || !*base) && home && join(folder, home, ".local"))
        base = folder;
    if (base && *base)
        visit_prefix(walk, base, environment->version, "the user's Python packages");
}

/* The same order as in sys.path. */
static void visit_environment(const struct walk *walk, const char *interpreter)
{
    struct environment *environment = malloc(sizeof *environment);
    char rule[RULE_BYTES];

    if (environment && find_environment(environment, interpreter)) {
        snprintf(rule, sizeof rule, "the Python environment %s", environment->prefix);
        if (environment->venv)
            visit_prefix(walk, environment->prefix, environment->version, rule);
        if (environment->system)
            visit_user(walk, environment);
        if (environment->venv && environment->system && cut_last(environment->home))
            visit_prefix(walk, environment->home, environment->version, "the system's Python");
        else if (!environment->venv)
            visit_prefix(walk, environment->prefix, environment->version, rule);
    }
    free(environment);
}

static void visit_python_path(const struct walk *walk)
{
    const char *list = secure_getenv("PYTHONPATH");
    char folder[PATH_BYTES];

    for (const char *at = list; at && *at;) {
        size_t length = strcspn(at, ":");
        if (length > 0 && length < sizeof folder) {
            memcpy(folder, at, length);
            folder[length] = 0;
            walk->visit(walk->argument, CUP_PYTHON_PACKAGES, folder, "PYTHONPATH");
        }
        at += length + (at[length] == ':');
    }
}

/* Folders of packages that the process has loaded libraries from. */
struct loaded {
    char folders[LOADED_MAX][PATH_BYTES];
    size_t count;
};

static void note_path(struct loaded *loaded, const char *path)
{
    static const char *const marks[] = {"/site-packages/", "/dist-packages/"};

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        const char *at = strstr(path, marks[i]);
        size_t length = at ? (size_t)(at - path) + strlen(marks[i]) - 1 : PATH_BYTES;
        bool known = length >= PATH_BYTES || loaded->count == LOADED_MAX;
        for (size_t k = 0; !known && k < loaded->count; k++)
            known = strncmp(loaded->folders[k], path, length) == 0 && !loaded->folders[k][length];
        if (known)
            continue;
        memcpy(loaded->folders[loaded->count], path, length);
        loaded->folders[loaded->count++][length] = 0;
    }
}

static int note_library(struct dl_phdr_info *info, size_t size, void *argument)
{
    (void)size;
    if (info->dlpi_name)
        note_path(argument, info->dlpi_name);
    return 0;
}

/* The folders are collected first: dl_iterate_phdr() holds a lock of the loader. */
static void visit_loaded(const struct walk *walk)
{
    struct loaded *loaded = calloc(1, sizeof *loaded);
    char self[PATH_BYTES];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    if (!loaded)
        return;
    dl_iterate_phdr(note_library, loaded);
    if (length > 0) {
        self[length] = 0;
        note_path(loaded, self);
    }
    for (size_t i = 0; i < loaded->count; i++)
        walk->visit(walk->argument, CUP_PYTHON_PACKAGES, loaded->folders[i],
                    "packages that the process has loaded");
    free(loaded);
}

static void visit_variable(const struct walk *walk, const char *variable)
{
    const char *prefix = secure_getenv(variable);

    if (prefix && *prefix)
        visit_prefix(walk, prefix, "3.*", variable);
}

/* Looks for a program as a shell does. */
static bool search_path(const char *name, char path[PATH_BYTES])
{
    const char *list = secure_getenv("PATH");

    for (const char *at = list; at && *at;) {
        size_t length = strcspn(at, ":");
        int used = snprintf(path, PATH_BYTES, "%.*s/%s", (int)length, at, name);
        if (length > 0 && used < PATH_BYTES && access(path, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

/* Finds the interpreter that runs in this process. Python itself tells, up to 3.14, with or
 * without its lock; otherwise the name by which the process was started. */
static bool own_interpreter(char path[PATH_BYTES])
{
    wchar_t *(*full_path)(void);
    const char *called = program_invocation_name;

    *(void **)&full_path = dlsym(RTLD_DEFAULT, "Py_GetProgramFullPath");
    const wchar_t *wide = full_path ? full_path() : NULL;
    size_t length = wide ? wcstombs(path, wide, PATH_BYTES) : (size_t)-1;
    if (length != (size_t)-1 && length > 0 && length < PATH_BYTES)
        return true;
    if (!called || strncmp(program_invocation_short_name, "python", strlen("python")) != 0)
        return false;
    if (!strchr(called, '/'))
        return search_path(called, path);
    return snprintf(path, PATH_BYTES, "%s", called) < PATH_BYTES;
}

void cup_python_visit_places(const char *interpreter, cup_python_visit *visit, void *argument)
{
    const struct walk walk = {visit, argument};
    char own[PATH_BYTES];

    if (!interpreter && own_interpreter(own))
        interpreter = own;
    if (interpreter) {
        visit_python_path(&walk);
        visit_environment(&walk, interpreter);
    }
    visit_loaded(&walk);
    visit_variable(&walk, "VIRTUAL_ENV");
    visit_variable(&walk, "CONDA_PREFIX");
}
