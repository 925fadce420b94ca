/* SPDX-License-Identifier: MIT */
/* cupipe: the command that runs programs on cupipe and says what there is to say about it.
 *
 * main.c chooses the subcommand. What is not built in is a program of its own, cupipe-NAME, in the
 * folder of the tools. */
#ifndef CUP_COMMAND_H
#define CUP_COMMAND_H

#include <limits.h>
#include <stdbool.h>

/* Exit codes, those of env, nohup and the shells. */
enum {
    EXIT_BAD = 1,          /* a subcommand other than run could not do what it was asked for */
    EXIT_OURS = 125,       /* wrong options, or cupipe is not complete */
    EXIT_CANNOT_RUN = 126, /* the program is there, but does not run on cupipe, or not at all */
    EXIT_NOT_FOUND = 127,  /* there is no such program */
};

enum { PATH_BYTES = PATH_MAX };

/* Where the parts of this cupipe lie: in a build tree, or under a prefix. */
struct places {
    char library[PATH_BYTES];  /* of libcuda.so.1 */
    char command[PATH_BYTES];  /* of this command */
    char tools[PATH_BYTES];    /* of ptxas, nvlink, fatbinary and cupipe-* */
    char cubin[PATH_BYTES];    /* of libnvrtc and libnvJitLink */
    char manifest[PATH_BYTES]; /* of the Vulkan layer: its folder; "" if it is not there */
};

/* Finds them from where this program lies. Says what is missing and returns false if there is no
 * library. */
bool places_find(struct places *places);

/* Joins two parts with a slash; false if they are too long. */
bool path_join(char path[PATH_BYTES], const char *folder, const char *name);
bool path_exists(const char *folder, const char *name);

/* Looks for a program as shells do. Returns 0, ENOENT or EACCES (there is a file, but it cannot be
 * executed). */
int path_search(const char *name, char path[PATH_BYTES]);

/* Writes "cupipe: " and the text to stderr. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

int command_run(int count, char **arguments);
int command_env(int count, char **arguments);
int command_info(int count, char **arguments);
int command_doctor(int count, char **arguments);
int command_cache(int count, char **arguments);

#endif
