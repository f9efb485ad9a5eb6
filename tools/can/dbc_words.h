/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of a DBC text. Private to the reader. */
#ifndef TOOLS_CAN_DBC_WORDS_H
#define TOOLS_CAN_DBC_WORDS_H

#include "dbc.h"

/** enum dbc_token_kind - type of a token. A word is an identifier; a mark is a single character. */
enum dbc_token_kind { DBC_END, DBC_WORD, DBC_NUMBER, DBC_STRING, DBC_MARK };

/** struct dbc_token - a token of the text.
 * @text:          the @size bytes of the token; for a string, the bytes between its quotes
 * @line, @column: position, counted from 1, in bytes
 * @begins_line:   first token of its line */
struct dbc_token {
    enum dbc_token_kind kind;
    const char *text;
    size_t size;
    double number;
    int line;
    int column;
    bool begins_line;
};

/** struct dbc_words - a text and the position in it.
 * @now:         the present token
 * @error:       written by the first refusal
 * @failed:      a refusal has occurred
 * @is_lost:     the rest is unreadable, because a string does not end
 * @is_harmless: the refused statement has no effect on the result if it is not about a message */
struct dbc_words {
    const char *name;
    const char *at;
    const char *end;
    const char *line_begin;
    int line;
    struct dbc_token now;
    struct lk_error *error;
    bool failed;
    bool is_lost;
    bool is_harmless;
};

/** dbc_words_begin() - Read the first token. */
void dbc_words_begin(struct dbc_words *w, const char *name, const char *text, size_t size,
                     struct lk_error *error);
/** dbc_next() - Read the next token. */
void dbc_next(struct dbc_words *w);
/** dbc_refuse() - Report "name:line:column: error" at @token. Return: false. */
bool dbc_refuse(struct dbc_words *w, const struct dbc_token *token, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** dbc_is() - Return true if the present token is this mark or word. */
bool dbc_is(const struct dbc_words *w, const char *text);
/** dbc_take_mark() - Skip the mark, or refuse any other token. */
bool dbc_take_mark(struct dbc_words *w, char mark);
/** dbc_take_name(), dbc_take_string() - Read a name or a string into @ret of @size bytes. A string
 * that is too long is truncated.
 * @what: description for error messages, such as "a name of a message" */
bool dbc_take_name(struct dbc_words *w, const char *what, char ret[DBC_NAME_SIZE]);
bool dbc_take_string(struct dbc_words *w, const char *what, char *ret, size_t size);
/** dbc_take_number(), dbc_take_whole() - Read a number, or a whole number from @low to @high. */
bool dbc_take_number(struct dbc_words *w, const char *what, double *ret);
bool dbc_take_whole(struct dbc_words *w, const char *what, double low, double high, double *ret);
/** dbc_pass_statement() - Skip the rest of the statement at @begin, including its semicolon. */
bool dbc_pass_statement(struct dbc_words *w, const struct dbc_token *begin);
/** dbc_begins() - Return true if the present token is a keyword at the beginning of a line. */
bool dbc_begins(const struct dbc_words *w);
/** dbc_recover() - Continue after a refusal at the next line after @begin that begins with a
 * keyword. */
void dbc_recover(struct dbc_words *w, const struct dbc_token *begin);

#endif
