/* SPDX-License-Identifier: MIT */
/* Variables by their names: the DWARF in a PTX text. */
#include "ptx_test.h"

#include "ptx/debug_info.h"

static char *read_file(size_t *length)
{
    FILE *file = fopen(NAMED_PTX, "r");
    char *text = calloc(1, 1 << 16);

    check(file && text);
    *length = file && text ? fread(text, 1, (1 << 16) - 1, file) : 0;
    if (file)
        fclose(file);
    return text;
}

/* The line of the text that begins with these characters. */
static uint32_t line_of(const char *text, const char *start)
{
    uint32_t line = 1;

    for (const char *at = text; at; line++) {
        if (strncmp(at, start, strlen(start)) == 0)
            return line;
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    return 0;
}

struct found {
    const struct ptx_debug_info *info;
    struct ptx_debug_variable variables[8];
    unsigned count;
};

static void keep(const struct ptx_debug_variable *variable, void *argument)
{
    struct found *found = argument;

    if (found->count < 8)
        found->variables[found->count++] = *variable;
}

static const struct ptx_debug_variable *named(const struct found *found, const char *name)
{
    for (unsigned i = 0; i < found->count; i++)
        if (strcmp(found->variables[i].name, name) == 0)
            return &found->variables[i];
    return NULL;
}

TEST(variables_are_in_registers_and_memory)
{
    struct ptx_text text = {0};
    char *bytes = read_file(&text.length);
    struct found found = {0};
    const struct ptx_debug_variable *variable;
    struct ptx_debug_type type;
    struct ptx_debug_info *info;

    text.bytes = bytes;
    info = ptx_debug_info_read(&text);
    check(info != NULL);
    if (!info)
        return;
    ptx_debug_variables(info, "other", keep, &found);
    check(found.count == 0);
    ptx_debug_variables(info, "named", keep, &found);
    check(found.count == 4);
    variable = named(&found, "i");
    check(variable && variable->place_count == 1 && strcmp(variable->places[0].reg, "%r1") == 0);
    variable = named(&found, "limit");
    check(variable && variable->is_parameter && !variable->places[0].reg[0] &&
          variable->places[0].variable.length == 5);
    variable = named(&found, "saved");
    check(variable && variable->places[0].offset == 4);
    variable = named(&found, "total");
    check(variable && variable->place_count == 2 && strcmp(variable->places[0].reg, "%r2") == 0 &&
          strcmp(variable->places[1].reg, "%r3") == 0);
    check(variable && variable->places[0].from_line == line_of(bytes, "$has_total:") &&
          variable->places[0].to_line == line_of(bytes, "$moved:"));
    check(variable && ptx_debug_type_read(info, variable->type, &type) && type.bytes == 4 &&
          strcmp(type.name, "unsigned") == 0);
    ptx_debug_info_free(info);
    free(bytes);
}

/* Any part of the text, and any digit changed: nothing is read beyond the bytes there are. */
TEST(damaged_descriptions_are_survived)
{
    size_t length;
    char *bytes = read_file(&length);

    for (size_t i = 0; i < length; i++) {
        char *part = malloc(i + 1), before = bytes[i];
        struct found found = {0};
        struct ptx_debug_info *info;
        struct ptx_debug_type type;

        memcpy(part, bytes, i);
        part[i] = 0;
        ptx_debug_info_free(ptx_debug_info_read(&(struct ptx_text){part, i, {0, 0}}));
        free(part);
        if (before < '0' || before > '9')
            continue;
        bytes[i] = before == '9' ? '1' : (char)(before + 1);
        info = ptx_debug_info_read(&(struct ptx_text){bytes, length, {0, 0}});
        if (info) {
            ptx_debug_variables(info, "named", keep, &found);
            for (unsigned v = 0; v < found.count; v++)
                ptx_debug_type_read(info, found.variables[v].type, &type);
        }
        ptx_debug_info_free(info);
        bytes[i] = before;
    }
    free(bytes);
}

int main(void)
{
    return run_tests();
}
