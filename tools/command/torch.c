/* SPDX-License-Identifier: MIT */
/* The Python in question looks itself, with the module cupipe that lies beside the libraries: it
 * alone knows where its packages are. */
#include "command/torch.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

bool torch_examine(const struct places *places, const char *interpreter)
{
    int status = 0;

    if (!path_exists(places->library, "python/cupipe/torch_doctor.py"))
        return true;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        /* Python looks for packages in the folder that it is started in, which matters to -m alone
         */
        if (interpreter[0] == '/' && chdir("/") != 0)
            _exit(EXIT_NOT_FOUND);
        execl(interpreter, interpreter, "-m", "cupipe.torch_doctor", (char *)NULL);
        _exit(EXIT_NOT_FOUND);
    }
    return child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
           WEXITSTATUS(status) != EXIT_BAD;
}
