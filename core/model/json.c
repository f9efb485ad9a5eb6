/* SPDX-License-Identifier: Apache-2.0 */
/* JSON writer. Strings come from outside (a daemon, a model file), so nothing is assumed of them.
 */
#include "linkage/json.h"
#include "maths/arithmetic.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>

/* Length of the well-formed UTF-8 sequence at @s (RFC 3629: no overlong forms, no surrogates), or
 * 0. The terminating zero is no continuation byte, so this never reads beyond it. */
static size_t utf8_length(const unsigned char *s)
{
    unsigned char low = 0x80;
    unsigned char high = 0xbf;
    size_t n;

    if (s[0] < 0x80)
        return 1;
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return 0;
    n = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (s[0] == 0xe0)
        low = 0xa0;
    else if (s[0] == 0xed)
        high = 0x9f;
    else if (s[0] == 0xf0)
        low = 0x90;
    else if (s[0] == 0xf4)
        high = 0x8f;
    if (s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++) {
        if (s[i] < 0x80 || s[i] > 0xbf)
            return 0;
    }
    return n;
}

static void put_string(FILE *file, const char *text)
{
    const unsigned char *s = (const unsigned char *)(text != NULL ? text : "");

    putc('"', file);
    while (*s != '\0') {
        size_t n = utf8_length(s);

        if (n == 0) {
            fputs("\\ufffd", file);
            n = 1;
        } else if (*s == '"' || *s == '\\') {
            fprintf(file, "\\%c", *s);
        } else if (*s < 0x20 || *s == 0x7f) {
            fprintf(file, "\\u%04x", *s);
        } else {
            fwrite(s, 1, n, file);
        }
        s += n;
    }
    putc('"', file);
}

static void begin_value(struct lk_json *json, const char *key)
{
    if (json->comma)
        putc(',', json->file);
    if (key != NULL) {
        put_string(json->file, key);
        putc(':', json->file);
    }
    json->comma = true;
}

void lk_json_open(struct lk_json *json, const char *key, char bracket)
{
    begin_value(json, key);
    putc(bracket, json->file);
    json->comma = false;
}

void lk_json_close(struct lk_json *json, char bracket)
{
    putc(bracket, json->file);
    json->comma = true;
}

void lk_json_text(struct lk_json *json, const char *key, const char *text)
{
    begin_value(json, key);
    put_string(json->file, text);
}

void lk_json_number(struct lk_json *json, const char *key, double value)
{
    LK_ARITHMETIC;

    begin_value(json, key);
    if (isfinite(value))
        fprintf(json->file, "%.17g", value);
    else
        fputs("null", json->file);
}

void lk_json_count(struct lk_json *json, const char *key, uint64_t value)
{
    begin_value(json, key);
    fprintf(json->file, "%" PRIu64, value);
}

void lk_json_bool(struct lk_json *json, const char *key, bool value)
{
    begin_value(json, key);
    fputs(value ? "true" : "false", json->file);
}

void lk_json_end(struct lk_json *json)
{
    putc('\n', json->file);
    fflush(json->file);
    json->comma = false;
}
