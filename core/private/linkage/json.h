/* SPDX-License-Identifier: Apache-2.0 */
/* Writer of JSON text on a stdio stream, used by the whole project.
 *
 * Every value is written together with its key and the writer sets the commas, so a caller lists
 * members in order. An object takes one line unless the caller breaks it with lk_json_line().
 *
 *     struct lk_json json = {.file = stdout};
 *     lk_json_open(&json, NULL, '{');
 *     lk_json_text(&json, "state", "running");
 *     lk_json_close(&json, '}');
 *     lk_json_end(&json);
 *
 * Text that is not UTF-8 is repaired with U+FFFD; a number that is not finite becomes null.
 * Integers are written in full: time stamps may pass 2^53. */
#ifndef LINKAGE_JSON_H
#define LINKAGE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** struct lk_json - a writer; the caller sets @file and @spaced, and zeroes the other fields.
 * @file:   output stream
 * @spaced: a space follows each comma and colon
 * @comma:  a comma precedes the next value
 * @line:   the next value starts a line, indented by @indent spaces */
struct lk_json {
    FILE *file;
    bool spaced;
    bool comma;
    bool line;
    int indent;
};

/* In all functions below, @key is NULL inside an array and for the outermost value. */

/** lk_json_open() - begin an object or an array. @bracket: '{' or '['. */
void lk_json_open(struct lk_json *json, const char *key, char bracket);
/** lk_json_close() - end an object or an array. @bracket: '}' or ']'. */
void lk_json_close(struct lk_json *json, char bracket);
/** lk_json_text() - write a string; NULL counts as "". */
void lk_json_text(struct lk_json *json, const char *key, const char *text);
/** lk_json_texts() - write an array of @n strings. */
void lk_json_texts(struct lk_json *json, const char *key, const char *const *texts, size_t n);
/** lk_json_number() - write a number that reads back to the same bits; null if it is not
 * finite. */
void lk_json_number(struct lk_json *json, const char *key, double value);
/** lk_json_rounded() - write a number with @digits significant digits, 1 to 17, or null.
 * lk_json_fixed() - write a number with @decimals digits after the point, or null. */
void lk_json_rounded(struct lk_json *json, const char *key, double value, int digits);
void lk_json_fixed(struct lk_json *json, const char *key, double value, int decimals);
/** lk_json_count() - write an unsigned integer.  lk_json_null() - write null, for an unknown
 * value. */
void lk_json_count(struct lk_json *json, const char *key, uint64_t value);
void lk_json_null(struct lk_json *json, const char *key);
/** lk_json_bool() - write true or false. */
void lk_json_bool(struct lk_json *json, const char *key, bool value);
/** lk_json_line() - begin a new line for the next value or closing bracket, indented by
 * @indent spaces. */
void lk_json_line(struct lk_json *json, int indent);
/** lk_json_end() - end the line and flush it. */
void lk_json_end(struct lk_json *json);

#endif
