/* SPDX-License-Identifier: MIT */
#include "command/python.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs the script, which stands for Python, and has it tell where the interpreter is. */
static bool ask(const char *script, char interpreter[PATH_BYTES])
{
    int ends[2];

    if (pipe(ends) != 0)
        return false;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl(script, script, "-c", "import sys; print(sys.executable)", (char *)NULL);
        _exit(EXIT_NOT_FOUND);
    }
    close(ends[1]);
    FILE *answer = fdopen(ends[0], "r");
    bool good = answer && fgets(interpreter, PATH_BYTES, answer) && interpreter[0] == '/';
    if (answer)
        fclose(answer);
    else
        close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    if (good)
        interpreter[strcspn(interpreter, "\n")] = 0;
    return good;
}

static bool is_script(const char *path)
{
    char mark[2] = {0};
    FILE *file = fopen(path, "re");

    if (!file)
        return false;
    bool script = fread(mark, 1, sizeof mark, file) == sizeof mark && memcmp(mark, "#!", 2) == 0;
    fclose(file);
    return script;
}

/* The interpreter in the second line of a script that installers write where #! would not do: a
 * path that is long or has blanks,
 *     '''exec' "/a path/bin/python" "$0" "$@"
 * or one beside the script, wherever that lies,
 *     '''exec' "$(dirname -- "$(realpath -- "$0")")"/'python' "$0" "$@" */
static bool read_second_line(const char *path, char interpreter[PATH_BYTES])
{
    static const char start[] = "'''exec' ", beside[] = "\"$(dirname ";
    char line[2 * PATH_BYTES], folder[PATH_BYTES];
    FILE *file = fopen(path, "re");
    bool read = file && fgets(line, sizeof line, file) && fgets(line, sizeof line, file);

    if (file)
        fclose(file);
    if (!read || strncmp(line, start, strlen(start)) != 0)
        return false;
    char *name = line + strlen(start);
    if (strncmp(name, beside, strlen(beside)) == 0) {
        name = strstr(name, "/'");
        char *end = name ? strchr(name + 2, '\'') : NULL;
        char *slash = end && realpath(path, folder) ? strrchr(folder, '/') : NULL;
        if (!slash)
            return false;
        *end = *slash = 0;
        return path_join(interpreter, folder, name + 2);
    }
    size_t quoted = *name == '"';
    size_t length = strcspn(name + quoted, quoted ? "\"" : " ");
    name[quoted + length] = 0;
    return snprintf(interpreter, PATH_BYTES, "%s", name + quoted) < PATH_BYTES;
}

bool python_of(const char *path, const struct program *program, char interpreter[PATH_BYTES])
{
    char name[PATH_BYTES], found[PATH_BYTES];

    if (program->kind == PROGRAM_SCRIPT && !program->python && read_second_line(path, interpreter))
        return strstr(interpreter, "python") != NULL;
    if (!program->python)
        return false;
    if (program->kind == PROGRAM_SCRIPT && strstr(program->interpreter, "python") &&
        program_find_interpreter(program, name, found))
        path = found;
    if (is_script(path) && ask(path, interpreter))
        return true;
    return snprintf(interpreter, PATH_BYTES, "%s", path) < PATH_BYTES;
}

bool python_in_path(char interpreter[PATH_BYTES])
{
    static struct program program;
    char path[PATH_BYTES];

    return (path_search("python", path) == 0 || path_search("python3", path) == 0) &&
           program_read(path, &program) && python_of(path, &program, interpreter);
}
