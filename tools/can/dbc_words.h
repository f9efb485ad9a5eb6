/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a DBC text. Internal to the reader. */
#ifndef TOOLS_CAN_DBC_WORDS_H
#define TOOLS_CAN_DBC_WORDS_H

#include "dbc.h"

/** enum dbc_token_kind - a word is an identifier, a mark a single character. */
enum dbc_token_kind { DBC_END, DBC_WORD, DBC_NUMBER, DBC_STRING, DBC_MARK };

/** struct dbc_token - @text: @size bytes of it, of a string those between its quotes
 * @line, @column: from 1, in bytes;  @begins_line: nothing stands before it there */
struct dbc_token {
    enum dbc_token_kind kind;
    const char *text;
    size_t size;
    double number;
    int line;
    int column;
    bool begins_line;
};

/** struct dbc_words - a text with the place in it. @now: the token to be looked at
 * @error: written by the first refusal;  @failed: there was one;  @is_lost: nothing can be read
 * behind it: a text does not end;  @is_harmless: the
 * refusal is about what has no effect here, unless it is about a message */
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

/** dbc_words_begin() - look at the first token. */
void dbc_words_begin(struct dbc_words *w, const char *name, const char *text, size_t size,
                     struct lk_error *error);
/** dbc_next() - look at the next one. */
void dbc_next(struct dbc_words *w);
/** dbc_refuse() - "name:line:column: what" at @token. Return: false. */
bool dbc_refuse(struct dbc_words *w, const struct dbc_token *token, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** dbc_is() - whether the token is this mark or word. */
bool dbc_is(const struct dbc_words *w, const char *text);
/** dbc_take_mark() - pass the mark over, or refuse what stands there. */
bool dbc_take_mark(struct dbc_words *w, char mark);
/** dbc_take_name(), dbc_take_string() - into @ret of @size bytes; @what: "a name of a message".
 * A string that is too long is cut. */
bool dbc_take_name(struct dbc_words *w, const char *what, char ret[DBC_NAME_SIZE]);
bool dbc_take_string(struct dbc_words *w, const char *what, char *ret, size_t size);
/** dbc_take_number(), dbc_take_whole() - the latter from @low to @high. */
bool dbc_take_number(struct dbc_words *w, const char *what, double *ret);
bool dbc_take_whole(struct dbc_words *w, const char *what, double low, double high, double *ret);
/** dbc_pass_statement() - up to and with the semicolon that ends what began at @begin. */
bool dbc_pass_statement(struct dbc_words *w, const struct dbc_token *begin);
/** dbc_begins() - whether the token begins a line with a keyword. */
bool dbc_begins(const struct dbc_words *w);
/** dbc_recover() - after a refusal: on to the next line, behind that of @begin, that begins with a
 * keyword. */
void dbc_recover(struct dbc_words *w, const struct dbc_token *begin);

#endif
