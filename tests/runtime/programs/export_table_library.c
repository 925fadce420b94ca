/* SPDX-License-Identifier: MIT */
/* Loads a library that is export_table.c, has it request a private table, and closes it. */
#include <dlfcn.h>

int main(int argc, char **argv)
{
    void *library = dlopen(argv[1], RTLD_NOW);
    int (*ask)(int, char **) = 0;

    if (library)
        *(void **)&ask = dlsym(library, "ask");
    if (!ask || ask(argc - 1, argv + 1) != 0)
        return 1;
    return dlclose(library);
}
