/* SPDX-License-Identifier: MIT */
#include "common/command_line.h"

#include "module/source.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 8 }; /* of option files that name option files */

bool cup_words_append(struct words *words, char *word)
{
    char **added = cup_dynarray_add(&words->array, sizeof *added);

    if (added)
        *added = word;
    return added != NULL;
}

/* Writes "tool fatal   : text". Returns false. */
__attribute__((format(printf, 2, 3))) static bool fail(const struct cup_command_line *line,
                                                       const char *format, ...)
{
    va_list arguments;

    fprintf(line->errors, "%s fatal   : ", line->tool);
    va_start(arguments, format);
    vfprintf(line->errors, format, arguments);
    va_end(arguments);
    fputc('\n', line->errors);
    return false;
}

void cup_command_line_help(const struct cup_option *options, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("  --%s%s (-%s)%s\n", options[i].name,
               options[i].kind == CUP_OPTION_FLAG ? "" : " VALUE", options[i].brief,
               options[i].meaning == CUP_OPTION_IGNORED ? ": accepted, changes nothing" : "");
}

static bool parse_words(struct cup_command_line *line, size_t count, char **words, unsigned depth);

/* Splits a file into words at white space; quotes keep a word together. The words stay in memory
 * until the process ends. */
static bool parse_file(struct cup_command_line *line, const char *path, unsigned depth)
{
    struct cup_source_text text;
    struct words words = {0};

    if (depth >= DEPTH_MAX || cup_source_read_file(path, &text) != CUDA_SUCCESS)
        return fail(line, "Options file '%s' could not be opened", path);
    for (char *at = text.bytes; *at;) {
        while (isspace((unsigned char)*at))
            at++;
        if (!*at)
            break;
        char quote = *at == '"' || *at == '\'' ? *at++ : 0;
        if (!cup_words_append(&words, at))
            return false;
        while (*at && (quote ? *at != quote : !isspace((unsigned char)*at)))
            at++;
        if (*at)
            *at++ = 0;
    }
    return parse_words(line, words.count, words.items, depth + 1);
}

/* Whether the value may follow the short name of the option in the same word, as it does here. */
static bool has_attached(const struct cup_option *option, const char *word)
{
    if (option->kind != CUP_OPTION_NUMBER && option->kind != CUP_OPTION_PREFIX)
        return false;
    return word[0] == option->brief[0] &&
           (option->kind == CUP_OPTION_PREFIX || isdigit((unsigned char)word[1]));
}

/* Finds the option that `word` (without dashes) names; *value is what follows in the same word. */
static const struct cup_option *find(const struct cup_command_line *line, char *word, bool longer,
                                     char **value)
{
    size_t length = strcspn(word, "=");

    *value = word[length] ? word + length + 1 : NULL;
    for (size_t i = 0; i < line->option_count; i++) {
        const char *names[] = {line->options[i].name, line->options[i].brief};
        for (unsigned j = 0; j < 2; j++)
            if (strlen(names[j]) == length && strncmp(names[j], word, length) == 0)
                return &line->options[i];
    }
    for (size_t i = 0; !longer && i < line->option_count; i++)
        if (has_attached(&line->options[i], word)) {
            *value = word + 1;
            return &line->options[i];
        }
    return NULL;
}

/* Reads the option at words[*at], whose value may be the next word. */
static bool parse_option(struct cup_command_line *line, size_t count, char **words, size_t *at,
                         unsigned depth)
{
    char *word = words[*at], *value;
    bool longer = word[1] == '-';
    const struct cup_option *option = find(line, word + 1 + longer, longer, &value);

    if (!option)
        return fail(line, "Unknown option '%s'", word + 1);
    if (option->kind != CUP_OPTION_FLAG && !value) {
        if (++*at >= count)
            return fail(line, "argument expected after '%s'", word);
        value = words[*at];
    }
    if (option->meaning == CUP_OPTION_FILE)
        return parse_file(line, value, depth);
    return option->meaning == CUP_OPTION_IGNORED || line->apply(line->state, option, value);
}

static bool parse_words(struct cup_command_line *line, size_t count, char **words, unsigned depth)
{
    bool good = true;

    for (size_t i = 0; good && i < count; i++) {
        if (words[i][0] == '@')
            good = parse_file(line, words[i] + 1, depth);
        else if (words[i][0] != '-' || words[i][1] == 0)
            good = cup_words_append(&line->files, words[i]);
        else
            good = parse_option(line, count, words, &i, depth);
    }
    return good;
}

bool cup_command_line_parse(struct cup_command_line *line, size_t count, char **words)
{
    return parse_words(line, count, words, 0);
}
