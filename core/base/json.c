/* SPDX-License-Identifier: Apache-2.0 */
/* JSON writer. Strings come from outside (a daemon, a model file), so nothing is assumed of them.
 */
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
