/* SPDX-License-Identifier: MIT */
/* words.c - cuts a line into words: quotes, backslashes, variables, operators, patterns. A variable's value is not cut
 * again, and is no pattern. */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell.h"

const char AND_IF[] = "&&", OR_IF[] = "||", PIPE[] = "|", BESIDE[] = "&", THEN[] = ";", ERROR_TO_OUT[] = "2>&1",
           ERROR_TO[] = "2>", APPEND_TO[] = ">>", WRITE_TO[] = ">", READ_FROM[] = "<";
/* The longer ones first. */
static const char *const operators[] = { ERROR_TO_OUT, ERROR_TO, AND_IF, OR_IF,    APPEND_TO,
                                         PIPE,         BESIDE,   THEN,   WRITE_TO, READ_FROM };
#define OPERATORS (sizeof operators / sizeof *operators)

bool is_operator(const char *word)
{
    for (unsigned i = 0; i < OPERATORS; i++)
        if (word == operators[i])
            return true;
    return false;
}

static const char *operator_at(const char *line)
{
    for (unsigned i = 0; i < OPERATORS; i++)
        if (!strncmp(line, operators[i], strlen(operators[i])))
            return operators[i];
    return NULL;
}

struct cut {
    const char *at;
    struct words *to;
    char *end; /* of what was written to to->text */
    bool full;
};

static void put(struct cut *c, char byte)
{
    if (c->end == c->to->text + TEXT - 1)
        c->full = true;
    else
        *c->end++ = byte;
}

static void put_text(struct cut *c, const char *text)
{
    while (text && *text)
        put(c, *text++);
}

/* At a '$'. */
static void put_variable(struct cut *c)
{
    char name[64], number[16];
    unsigned n = 0;
    bool braces = *++c->at == '{';
    c->at += braces;
    if (*c->at == '?') {
        c->at++;
        snprintf(number, sizeof number, "%d", status);
        put_text(c, number);
    } else {
        while ((isalnum((unsigned char)*c->at) || *c->at == '_') && n < sizeof name - 1)
            name[n++] = *c->at++;
        name[n] = '\0';
        if (n)
            put_text(c, getenv(name));
        else
            put(c, '$');
    }
    if (braces && *c->at == '}')
        c->at++;
}

/* Returns false: a quote is not closed. */
static bool put_quoted(struct cut *c)
{
    char quote = *c->at++;
    while (*c->at && *c->at != quote) {
        if (quote == '"' && *c->at == '$') {
            put_variable(c);
            continue;
        }
        if (quote == '"' && *c->at == '\\' && c->at[1] && strchr("\"\\$", c->at[1]))
            c->at++;
        put(c, *c->at++);
    }
    return *c->at && c->at++;
}

/* Returns false: a quote is not closed. */
static bool put_word(struct cut *c)
{
    while (*c->at && !isspace((unsigned char)*c->at) && !strchr("&|;<>", *c->at)) {
        if (*c->at == '\'' || *c->at == '"') {
            if (!put_quoted(c))
                return false;
        } else if (*c->at == '$') {
            put_variable(c);
        } else {
            bool quoted = *c->at == '\\' && c->at[1];
            c->at += quoted;
            put(c, quoted || !strchr("*?", *c->at) ? *c->at : *c->at == '*' ? ANY_TEXT : ANY_CHARACTER);
            c->at++;
        }
    }
    return true;
}

/* Put the files that the last word describes in its place, or make it a word as others. What is behind a redirection is
 * one name. */
static void replace_pattern(struct cut *c, struct words *w)
{
    char *word = (char *)(uintptr_t)w->word[w->n - 1];
    size_t length = (size_t)(c->end - 1 - word);
    bool is_redirected =
        w->n > 1 && is_operator(w->word[w->n - 2]) && w->word[w->n - 2] != PIPE && w->word[w->n - 2] != ERROR_TO_OUT;
    if (!has_pattern(word, length))
        return;
    struct names found = is_redirected ? (struct names){ 0 } : find_paths(word);
    for (size_t i = 0; i < found.n && !c->full; i++) {
        if (i)
            w->word[w->n++] = c->end;
        else
            c->end = word;
        put_text(c, found.name[i]);
        put(c, '\0');
        c->full |= w->n == WORDS && i + 1 < found.n;
    }
    for (char *at = word; !found.n && *at; at++)
        *at = *at == ANY_TEXT ? '*' : *at == ANY_CHARACTER ? '?' : *at;
    names_free(&found);
}

static bool ends_pipeline(const char *operator)
{
    return operator== AND_IF || operator== OR_IF || operator== BESIDE || operator== THEN;
}

const char *words_of(const char **line, struct words *w)
{
    struct cut c = { .at = *line, .to = w, .end = w->text };
    w->behind = THEN;
    for (w->n = 0;;) {
        while (isspace((unsigned char)*c.at))
            c.at++;
        if (*c.at == '#')
            c.at += strlen(c.at);
        if (!*c.at)
            break;
        if (w->n == WORDS)
            return "too many words";
        const char *operator= operator_at(c.at);
        if (operator) {
            c.at += strlen(operator);
            if (ends_pipeline(operator)) {
                w->behind = operator;
                break;
            }
            w->word[w->n++] = operator;
            continue;
        }
        w->word[w->n++] = c.end;
        if (!put_word(&c))
            return "a quote is not closed";
        put(&c, '\0');
        if (!c.full)
            replace_pattern(&c, w);
        if (c.full)
            return "the line is too long";
    }
    w->word[w->n] = NULL;
    *line = c.at;
    return NULL;
}
