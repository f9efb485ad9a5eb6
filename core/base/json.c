/* SPDX-License-Identifier: Apache-2.0 */
/* JSON writer. Strings come from outside (a daemon, a model file) and may contain any bytes. */
#include "linkage/json.h"
#include "linkage/text.h"
#include "maths/arithmetic.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>

static void put_string(FILE *file, const char *text)
{
    const char *s = text != NULL ? text : "";

    putc('"', file);
    while (*s != '\0') {
        int n = lk_text_sequence(s);

        if (n == 0) {
            fputs("\\ufffd", file);
            n = 1;
        } else if (*s == '"' || *s == '\\') {
            fprintf(file, "\\%c", *s);
        } else if ((unsigned char)*s < 0x20 || *s == 0x7f) {
            fprintf(file, "\\u%04x", *s);
        } else {
            fwrite(s, 1, (size_t)n, file);
        }
        s += n;
    }
    putc('"', file);
}

static void begin_line(struct lk_json *json)
{
    fprintf(json->file, "\n%*s", json->indent, "");
    json->line = false;
}

static void begin_value(struct lk_json *json, const char *key)
{
    if (json->comma)
        putc(',', json->file);
    if (json->line)
        begin_line(json);
    else if (json->comma && json->spaced)
        putc(' ', json->file);
    if (key != NULL) {
        put_string(json->file, key);
        fputs(json->spaced ? ": " : ":", json->file);
    }
    json->comma = true;
}

void lk_json_line(struct lk_json *json, int indent)
{
    json->line = true;
    json->indent = indent;
}

void lk_json_open(struct lk_json *json, const char *key, char bracket)
{
    begin_value(json, key);
    putc(bracket, json->file);
    json->comma = false;
}

void lk_json_close(struct lk_json *json, char bracket)
{
    if (json->line)
        begin_line(json);
    putc(bracket, json->file);
    json->comma = true;
}

void lk_json_text(struct lk_json *json, const char *key, const char *text)
{
    begin_value(json, key);
    put_string(json->file, text);
}

void lk_json_texts(struct lk_json *json, const char *key, const char *const *texts, size_t n)
{
    lk_json_open(json, key, '[');
    for (size_t i = 0; i < n; i++)
        lk_json_text(json, NULL, texts[i]);
    lk_json_close(json, ']');
}

void lk_json_number(struct lk_json *json, const char *key, double value)
{
    lk_json_rounded(json, key, value, 17);
}

void lk_json_rounded(struct lk_json *json, const char *key, double value, int digits)
{
    LK_ARITHMETIC;

    if (!isfinite(value)) {
        lk_json_null(json, key);
        return;
    }
    begin_value(json, key);
    fprintf(json->file, "%.*g", digits, value);
}

void lk_json_fixed(struct lk_json *json, const char *key, double value, int decimals)
{
    LK_ARITHMETIC;

    if (!isfinite(value)) {
        lk_json_null(json, key);
        return;
    }
    begin_value(json, key);
    fprintf(json->file, "%.*f", decimals, value);
}

void lk_json_null(struct lk_json *json, const char *key)
{
    begin_value(json, key);
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
