/* SPDX-License-Identifier: MIT */
/* Source lines: what .file and .loc say of instructions, and that programs keep their texts. */
#include "ptx_test.h"

#include "ptx/source.h"

#define LINES                                                                                      \
    HEAD ".visible .entry k()\n{\n.reg .b32 a;\n"                                                  \
         "mov.b32 a, 1;\n"                                                                         \
         ".loc 2 10 3\n"                                                                           \
         "mov.b32 a, 2;\n"                                                                         \
         ".loc 2 11 0\n"                                                                           \
         ".loc 1 5 7, function_name $names+3, inlined_at 2 11 0\n"                                 \
         "mov.b32 a, 3;\n"                                                                         \
         "}\n"                                                                                     \
         ".func f()\n{\nret;\n}\n"                                                                 \
         ".file 1 \"inner.h\"\n.file 2 \"outer.cu\"\n"                                             \
         ".section .debug_str\n{\n$names:\n.b8 97,98,0,115,113,0\n}\n"

static struct ptx_source *read_source(const char *bytes)
{
    struct ptx_text text = {.bytes = bytes, .length = strlen(bytes)};
    struct ptx_source *source = ptx_source_read(&text);

    check(source != NULL);
    return source;
}

/* The line of the text that the n-th occurrence of a word is in. */
static uint32_t line_of(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    uint32_t line = 1;

    for (const char *c = text; c < at; c++)
        line += *c == '\n';
    return line;
}

static const struct ptx_location *location_of(const struct ptx_source *source, const char *word)
{
    uint32_t index = ptx_source_find(source, line_of(LINES, word));

    return index == PTX_NO_LOCATION ? NULL : &source->locations.list[index];
}

TEST(instructions_have_the_line_of_the_last_loc)
{
    struct ptx_source *source = read_source(LINES);
    const struct ptx_location *found = location_of(source, "mov.b32 a, 2");

    check(found && found->line == 10 && found->column == 3);
    check(found && source->files.list[found->file].length == 8 &&
          memcmp(source->files.list[found->file].name, "outer.cu", 8) == 0);
    check(found && !found->function && found->inlined_at == PTX_NO_LOCATION);
    ptx_source_free(source);
}

TEST(before_the_first_loc_of_a_function_there_is_no_line)
{
    struct ptx_source *source = read_source(LINES);

    check(!location_of(source, "mov.b32 a, 1"));
    check(!location_of(source, "ret;")); /* the lines of one function do not reach the next */
    ptx_source_free(source);
}

TEST(inlined_code_names_its_function_and_its_call)
{
    struct ptx_source *source = read_source(LINES);
    const struct ptx_location *found = location_of(source, "mov.b32 a, 3");

    check(found && found->line == 5 && found->function && strcmp(found->function, "sq") == 0);
    check(found && found->inlined_at != PTX_NO_LOCATION &&
          source->locations.list[found->inlined_at].line == 11);
    ptx_source_free(source);
}

TEST(damaged_directives_are_survived)
{
    static const char *const texts[] = {"",
                                        ".loc",
                                        ".loc 1 2 3, function_name",
                                        ".file 1",
                                        ".file 1 \"",
                                        ".section .debug_str",
                                        ".section .debug_str {",
                                        "{ .loc 9 9 9, inlined_at",
                                        "{ .loc 1 2 3, inlined_at 1 2 3 }"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        ptx_source_free(read_source(texts[i]));
}

TEST(programs_keep_their_texts_if_asked)
{
    struct ptx_program *parts[2], *whole;
    enum ptx_failure failure;

    parts[0] = parse(HEAD ".func f() { ret; }");
    check(parts[0] && !parts[0]->functions[0].text);
    ptx_program_free(parts[0]);
    ptx_keep_texts(true);
    parts[0] = parse(HEAD ".visible .func f() { ret; } // one");
    parts[1] = parse(HEAD ".visible .func g() { ret; } // two");
    whole = ptx_link(parts, 2, NULL, &failure);
    ptx_program_free(parts[0]);
    ptx_program_free(parts[1]);
    check(whole && whole->function_count == 2);
    for (uint32_t i = 0; whole && i < 2; i++)
        check(whole->functions[i].text &&
              strstr(whole->functions[i].text->bytes,
                     strcmp(whole->functions[i].name, "f") == 0 ? "// one" : "// two"));
    ptx_program_free(whole);
    ptx_keep_texts(false);
}

int main(void)
{
    return run_tests();
}
