/* SPDX-License-Identifier: Apache-2.0 */
#include "dbc_words.h"
#include "linkage/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_SIZE 64

static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool dbc_refuse(struct dbc_words *w, const struct dbc_token *token, const char *format, ...)
{
    char text[LK_ERROR_SIZE];
    va_list arguments;

    if (w->failed)
        return false;
    w->failed = true;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    lk_error_set(w->error, "%s:%d:%d: %s", w->name, token->line, token->column, text);
    return false;
}

/* ---- tokens ---- */

static void end_line(struct dbc_words *w)
{
    w->line++;
    w->line_begin = w->at + 1;
}

/* Skip white space and comments, which extend from // to the end of the line. */
static void pass_spaces(struct dbc_words *w)
{
    bool is_comment = false;

    for (; w->at < w->end; w->at++) {
        is_comment |= w->at[0] == '/' && w->at[1] == '/';
        if (*w->at == '\n') {
            end_line(w);
            is_comment = false;
        } else if (!is_comment && *w->at != ' ' && !(*w->at >= '\t' && *w->at <= '\r')) {
            return;
        }
    }
}

/* Read a string up to the next quote that is not escaped with a backslash. */
static void take_string(struct dbc_words *w)
{
    const char *begin = ++w->at;

    for (; w->at < w->end && *w->at != '"'; w->at++) {
        if (*w->at == '\\' && w->at + 1 < w->end && (w->at[1] == '"' || w->at[1] == '\\'))
            w->at++;
        if (*w->at == '\n')
            end_line(w);
    }
    w->now.kind = DBC_STRING;
    w->now.text = begin;
    w->now.size = (size_t)(w->at - begin);
    if (w->at < w->end) {
        w->at++;
        return;
    }
    w->is_lost = true;
    dbc_refuse(w, &w->now, "no '\"' ends this text");
}

static void take_digits(struct dbc_words *w)
{
    while (w->at < w->end && is_digit(*w->at))
        w->at++;
}

/* Read a number: [+-] digits [. digits] [e [+-] digits]. The text ends with a zero byte, which is
 * no digit. */
static void take_number(struct dbc_words *w)
{
    char text[NUMBER_SIZE];

    w->at += *w->at == '-' || *w->at == '+';
    take_digits(w);
    if (*w->at == '.') {
        w->at++;
        take_digits(w);
    }
    if ((*w->at == 'e' || *w->at == 'E') &&
        is_digit(w->at[1 + (w->at[1] == '-' || w->at[1] == '+')])) {
        w->at += 2;
        take_digits(w);
    }
    w->now.kind = DBC_NUMBER;
    w->now.size = (size_t)(w->at - w->now.text);
    snprintf(text, sizeof(text), "%.*s", (int)w->now.size, w->now.text);
    w->now.number = strtod(text, NULL);
    if (w->now.size >= sizeof(text) || !isfinite(w->now.number))
        dbc_refuse(w, &w->now, "'%.20s' is no number of a double, expected a shorter one", text);
}

static bool begins_number(const char *at)
{
    at += *at == '-' || *at == '+';
    return is_digit(*at) || (*at == '.' && is_digit(at[1]));
}

void dbc_next(struct dbc_words *w)
{
    int before = w->now.line;

    pass_spaces(w);
    w->now = (struct dbc_token){.kind = DBC_END,
                                .text = w->at,
                                .line = w->line,
                                .column = (int)(w->at - w->line_begin) + 1,
                                .begins_line = w->line > before};
    if (w->at >= w->end || w->failed)
        return;
    if (*w->at == '"') {
        take_string(w);
    } else if (is_letter(*w->at)) {
        while (w->at < w->end && (is_letter(*w->at) || is_digit(*w->at)))
            w->at++;
        w->now.kind = DBC_WORD;
        w->now.size = (size_t)(w->at - w->now.text);
    } else if (begins_number(w->at)) {
        take_number(w);
    } else {
        w->now.kind = DBC_MARK;
        w->now.size = 1;
        w->at++;
    }
}

void dbc_words_begin(struct dbc_words *w, const char *name, const char *text, size_t size,
                     struct lk_error *error)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    size_t skip = size >= 3 && memcmp(text, byte_order_mark, 3) == 0 ? 3 : 0;

    *w = (struct dbc_words){.name = name,
                            .at = text + skip,
                            .end = text + size,
                            .line_begin = text + skip,
                            .line = 1,
                            .error = error};
    dbc_next(w);
}

/* ---- expected tokens ---- */

bool dbc_is(const struct dbc_words *w, const char *text)
{
    return (w->now.kind == DBC_WORD || w->now.kind == DBC_MARK) && strlen(text) == w->now.size &&
           memcmp(text, w->now.text, w->now.size) == 0;
}

/* Refuse the present token with a message. */
static bool refuse_token(struct dbc_words *w, const char *expected)
{
    char found[48] = "the end of the file";

    if (w->now.kind == DBC_STRING)
        snprintf(found, sizeof(found), "a text");
    else if (w->now.kind != DBC_END)
        snprintf(found, sizeof(found), "'%.*s'", w->now.size < 40 ? (int)w->now.size : 40,
                 w->now.text);
    return dbc_refuse(w, &w->now, "%s, expected %s", found, expected);
}

bool dbc_take_mark(struct dbc_words *w, char mark)
{
    const char text[] = {mark, '\0'}, quoted[] = {'\'', mark, '\'', '\0'};

    if (!dbc_is(w, text))
        return refuse_token(w, quoted);
    dbc_next(w);
    return !w->failed;
}

bool dbc_take_name(struct dbc_words *w, const char *what, char ret[DBC_NAME_SIZE])
{
    if (w->now.kind != DBC_WORD || dbc_begins(w))
        return refuse_token(w, what);
    if (w->now.size >= DBC_NAME_SIZE)
        return dbc_refuse(w, &w->now, "a name of %zu letters, expected at most %d", w->now.size,
                          DBC_NAME_SIZE - 1);
    memcpy(ret, w->now.text, w->now.size);
    ret[w->now.size] = '\0';
    dbc_next(w);
    return !w->failed;
}

/* Convert one byte of Latin-1 to UTF-8. Return: number of bytes written. */
static size_t put_latin1(char *ret, unsigned char c)
{
    if (c < 0x80) {
        ret[0] = (char)c;
        return 1;
    }
    ret[0] = (char)(0xc0 | (c >> 6));
    ret[1] = (char)(0x80 | (c & 0x3f));
    return 2;
}

/* A quote or a zero byte follows the string, so no UTF-8 sequence extends beyond it. */
bool dbc_take_string(struct dbc_words *w, const char *what, char *ret, size_t size)
{
    const char *at = w->now.text, *end = at + w->now.size;
    size_t used = 0;

    if (w->now.kind != DBC_STRING)
        return refuse_token(w, what);
    while (at < end && used + 4 < size) {
        int n = lk_text_sequence(at);

        if (*at == '\\' && at + 1 < end && (at[1] == '"' || at[1] == '\\'))
            at++;
        if (n > 1) {
            memcpy(ret + used, at, (size_t)n);
            used += (size_t)n;
            at += n;
        } else {
            used += put_latin1(ret + used, (unsigned char)*at++);
        }
    }
    ret[used] = '\0';
    lk_text_clean(ret);
    dbc_next(w);
    return !w->failed;
}

bool dbc_take_number(struct dbc_words *w, const char *what, double *ret)
{
    if (w->now.kind != DBC_NUMBER)
        return refuse_token(w, what);
    *ret = w->now.number;
    dbc_next(w);
    return !w->failed;
}

bool dbc_take_whole(struct dbc_words *w, const char *what, double low, double high, double *ret)
{
    const struct dbc_token token = w->now;

    if (!dbc_take_number(w, what, ret))
        return false;
    if (*ret >= low && *ret <= high && *ret == floor(*ret))
        return true;
    return dbc_refuse(w, &token, "%.17g, expected %s from %.17g to %.17g", *ret, what, low, high);
}

bool dbc_pass_statement(struct dbc_words *w, const struct dbc_token *begin)
{
    while (!dbc_is(w, ";")) {
        if (w->now.kind == DBC_END || (dbc_begins(w) && w->now.text != begin->text)) {
            w->is_harmless = !w->failed;
            return dbc_refuse(w, begin, "no ';' ends what begins here");
        }
        dbc_next(w);
    }
    dbc_next(w);
    return !w->failed;
}

bool dbc_begins(const struct dbc_words *w)
{
    static const char *const names[] = {
        "VERSION",      "NS_",
        "BS_",          "BU_",
        "BO_",          "SG_",
        "BO_TX_BU_",    "BA_DEF_",
        "BA_",          "BA_DEF_DEF_",
        "SIG_VALTYPE_", "SG_MUL_VAL_",
        "CM_",          "VAL_",
        "VAL_TABLE_",   "EV_",
        "EV_DATA_",     "SIG_GROUP_",
        "BA_REL_",      "BA_DEF_REL_",
        "ENVVAR_DATA_", "BA_DEF_DEF_REL_",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && w->now.begins_line; i++)
        if (dbc_is(w, names[i]))
            return true;
    return false;
}

void dbc_recover(struct dbc_words *w, const struct dbc_token *begin)
{
    w->failed = false;
    w->now.begins_line &= w->now.line > begin->line;
    while (w->now.kind != DBC_END && !(w->now.line > begin->line && dbc_begins(w))) {
        dbc_next(w);
        w->failed = w->is_lost; /* ignore invalid numbers */
    }
}
