/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCRG files: the head line by line, then the numbers. */
#include "crg.h"
#include "linkage/text.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LINE_MAX_LENGTH 200
#define RECORD          80  /* bytes of a record of data */
#define NUMBER_MAX      1e9 /* of any number [m] */

enum section { NONE, COMMENT, ROAD, CHANNELS, WITHOUT_EFFECT, MODIFIERS, REFERENCES };

static const struct {
    const char *name;
    enum section section;
} sections[] = {
    {"CT", COMMENT},
    {"ROAD_CRG", ROAD},
    {"KD_DEFINITION", CHANNELS},
    {"ROAD_CRG_OPTS", WITHOUT_EFFECT},
    {"ROAD_CRG_MPRO", WITHOUT_EFFECT},
    {"ROAD_CRG_MODS", MODIFIERS},
    {"ROAD_CRG_FILE", REFERENCES},
};

enum channel { OTHER, PHI, SLOPE, BANKING, LONG };

/** struct reading - of one file. @at: next byte;  @line: its number
 * @start_u, @end_u, @right, @left, @step_v: NAN: not given
 * @channel, @place: kind of each, and v of a long section, NAN: by its number
 * @is_double, @is_binary: format of the numbers;  @format: line where it stands, 0: nowhere */
struct reading {
    const char *name;
    const char *bytes;
    size_t size;
    size_t at;
    int line;
    struct lk_crg *crg;
    struct lk_errors *errors;
    locale_t locale;
    enum section section;
    double start_u;
    double end_u;
    double right;
    double left;
    double step_v;
    int n_channels;
    enum channel channel[LK_CRG_CHANNELS_MAX];
    double place[LK_CRG_CHANNELS_MAX];
    bool is_double;
    bool is_binary;
    int format;
};

static void add_line(struct reading *r, struct lk_errors *to, int line, const char *format,
                     va_list arguments)
{
    char text[300], place[24] = "";

    if (to->n == LK_ERRORS_MAX)
        return;
    vsnprintf(text, sizeof(text), format, arguments);
    if (line > 0)
        snprintf(place, sizeof(place), "%d: ", line);
    lk_error_set(&to->line[to->n++], "%.100s:%s%s%s", r->name, place, line > 0 ? "" : " ", text);
}

static void refuse(struct reading *r, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void note(struct reading *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* @line 0: about the whole file */
static void refuse(struct reading *r, int line, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add_line(r, r->errors, line, format, arguments);
    va_end(arguments);
}

static void note(struct reading *r, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add_line(r, &r->crg->notes, r->line, format, arguments);
    va_end(arguments);
}

/* ---- the head ---- */

static char *trim(char *text)
{
    char *end;

    while (isspace((unsigned char)*text))
        text++;
    end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return text;
}

/* Return: whether all of @text is a number within NUMBER_MAX. */
static bool read_number(const struct reading *r, const char *text, double *ret)
{
    char *end;

    *ret = strtod_l(text, &end, r->locale);
    return end != text && *end == '\0' && fabs(*ret) <= NUMBER_MAX;
}

static double *place_of_key(struct reading *r, const char *key)
{
    struct lk_crg *c = r->crg;
    const struct {
        const char *key;
        double *place;
    } keys[] = {
        {"REFERENCE_LINE_START_U", &r->start_u},
        {"REFERENCE_LINE_END_U", &r->end_u},
        {"REFERENCE_LINE_INCREMENT", &c->step},
        {"LONG_SECTION_V_RIGHT", &r->right},
        {"LONG_SECTION_V_LEFT", &r->left},
        {"LONG_SECTION_V_INCREMENT", &r->step_v},
        {"REFERENCE_LINE_START_X", &c->x[0]},
        {"REFERENCE_LINE_END_X", &c->x[1]},
        {"REFERENCE_LINE_START_Y", &c->y[0]},
        {"REFERENCE_LINE_END_Y", &c->y[1]},
        {"REFERENCE_LINE_START_Z", &c->z0[0]},
        {"REFERENCE_LINE_END_Z", &c->z0[1]},
        {"REFERENCE_LINE_START_PHI", &c->heading[0]},
        {"REFERENCE_LINE_END_PHI", &c->heading[1]},
        {"REFERENCE_LINE_START_S", &c->rise[0]},
        {"REFERENCE_LINE_END_S", &c->rise[1]},
        {"REFERENCE_LINE_START_B", &c->bank[0]},
        {"REFERENCE_LINE_END_B", &c->bank[1]},
    };

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (strcasecmp(keys[i].key, key) == 0)
            return keys[i].place;
    return NULL;
}

static void take_key(struct reading *r, char *line)
{
    char *equals = strchr(line, '='), *key = line, *value;
    double number, *place;

    if (equals == NULL) {
        refuse(r, r->line, "'%.40s' has no '=', expected KEY = value", line);
        return;
    }
    *equals = '\0';
    key = trim(key);
    value = trim(equals + 1);
    place = r->section == ROAD ? place_of_key(r, key) : NULL;
    if (r->section == MODIFIERS)
        refuse(r, r->line,
               "the modifier %.40s is not applied here, expected a file with its modifiers applied",
               key);
    else if (place == NULL)
        note(r, "%.40s has no effect here", key);
    else if (!read_number(r, value, &number))
        refuse(r, r->line, "%.40s is '%.40s', expected a number", key, value);
    else
        *place = number;
}

static void take_format(struct reading *r, const char *text)
{
    static const char *const formats[] = {"LRFI", "LDFI", "KRBI", "KDBI"};

    for (int i = 0; i < 4; i++)
        if (strcasecmp(formats[i], text) == 0) {
            r->is_double = i % 2 == 1;
            r->is_binary = i >= 2;
            r->format = r->line;
            return;
        }
    refuse(r, r->line, "the format is '%.40s', expected LRFI, LDFI, KRBI or KDBI", text);
}

/* @text: "long section at v = -1.5,m" or "long section 3,m" */
static void take_long(struct reading *r, char *text)
{
    char *equals = strchr(text, '='), *comma = strrchr(text, ',');
    double *place = &r->place[r->n_channels];

    if (comma != NULL)
        *comma = '\0';
    *place = NAN;
    if (equals != NULL && !read_number(r, trim(equals + 1), place))
        refuse(r, r->line, "v is '%.40s', expected a number", trim(equals + 1));
}

static void take_channel(struct reading *r, char *text)
{
    static const struct {
        const char *name;
        enum channel channel;
    } kinds[] = {{"reference line phi", PHI},
                 {"reference line slope", SLOPE},
                 {"reference line banking", BANKING},
                 {"long section", LONG}};
    enum channel kind = OTHER;

    if (r->n_channels == LK_CRG_CHANNELS_MAX) {
        refuse(r, r->line, "a channel more, expected at most %d", LK_CRG_CHANNELS_MAX);
        return;
    }
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strncasecmp(text, kinds[i].name, strlen(kinds[i].name)) == 0)
            kind = kinds[i].channel;
    for (int i = 0; i < r->n_channels && kind != LONG && kind != OTHER; i++)
        if (r->channel[i] == kind)
            refuse(r, r->line, "the channel '%.40s' is there already, expected one of it", text);
    if (kind == LONG)
        take_long(r, text);
    if (kind == OTHER)
        note(r, "the channel '%.40s' has no effect here", text);
    r->channel[r->n_channels++] = kind;
}

static void take_definition(struct reading *r, char *line)
{
    if (strncmp(line, "#:", 2) == 0)
        take_format(r, trim(line + 2));
    else if (strncasecmp(line, "D:", 2) == 0)
        take_channel(r, trim(line + 2));
    else if (strncasecmp(line, "U:", 2) != 0)
        refuse(r, r->line, "'%.40s' defines nothing, expected D: for a channel, U: or #:", line);
}

static void begin_section(struct reading *r, const char *name)
{
    r->section = NONE;
    if (*name == '\0')
        return;
    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
        if (strcasecmp(sections[i].name, name) == 0) {
            r->section = sections[i].section;
            return;
        }
    r->section = COMMENT;
    note(r, "the section $%.40s has no effect here", name);
}

static void take_line(struct reading *r, char *line)
{
    char *comment = strchr(line, '!');

    if (r->section == COMMENT && *line != '$')
        return;
    if (comment != NULL)
        *comment = '\0';
    line = trim(line);
    if (*line == '$')
        begin_section(r, trim(line + 1));
    else if (*line == '*' || *line == '\0' || r->section == WITHOUT_EFFECT)
        return;
    else if (r->section == ROAD || r->section == MODIFIERS)
        take_key(r, line);
    else if (r->section == CHANNELS)
        take_definition(r, line);
    else if (r->section == REFERENCES)
        refuse(r, r->line, "the road is in another file, '%.100s', expected that one", line);
    else
        refuse(r, r->line, "'%.40s' is in no section, expected $ and its name before", line);
}

/* the next line, without its end. Return: whether there is one. */
static bool next_line(struct reading *r, char text[LINE_MAX_LENGTH + 1], size_t *ret_length)
{
    const char *from = r->bytes + r->at, *end;
    size_t left = r->size - r->at, n;

    if (left == 0)
        return false;
    end = memchr(from, '\n', left);
    n = end != NULL ? (size_t)(end - from) : left;
    *ret_length = n;
    if (n > 0 && from[n - 1] == '\r')
        n--;
    n = n < LINE_MAX_LENGTH ? n : LINE_MAX_LENGTH;
    for (size_t i = 0; i < n; i++)
        text[i] = from[i] != '\0' ? from[i] : '?';
    text[n] = '\0';
    r->at += *ret_length + (end != NULL);
    r->line++;
    return true;
}

/* up to the line of $$ behind which the numbers are */
static void read_head(struct reading *r)
{
    char text[LINE_MAX_LENGTH + 1];
    size_t length;

    while (r->errors->n < LK_ERRORS_MAX && next_line(r, text, &length)) {
        if (strncmp(text, "$$", 2) == 0)
            return;
        if (length > LINE_MAX_LENGTH) {
            refuse(r, r->line, "a line of %zu characters, expected at most 72 before the numbers",
                   length);
            return;
        }
        take_line(r, text);
    }
    if (r->errors->n == 0)
        refuse(r, 0, "there are no numbers, expected them behind a line of $$$$");
}

/* ---- the sections along the road ---- */

static int count(const struct reading *r, enum channel kind)
{
    int n = 0;

    for (int i = 0; i < r->n_channels; i++)
        n += r->channel[i] == kind;
    return n;
}

/* v of section @i of @n by its number */
static double place_by_number(const struct reading *r, int i, int n)
{
    double right = r->right, step = r->step_v;

    if (isnan(step) && !isnan(r->right) && !isnan(r->left) && n > 1)
        step = (r->left - r->right) / (n - 1);
    if (isnan(right))
        right = !isnan(r->left) ? r->left - (n - 1) * step : -0.5 * (n - 1) * step;
    return right + i * step;
}

static void place_sections(struct reading *r)
{
    struct lk_crg *c = r->crg;
    int k = 0;

    for (int i = 0; i < r->n_channels; i++)
        if (r->channel[i] == LONG) {
            c->v[k] = isnan(r->place[i]) ? place_by_number(r, k, c->n_v) : r->place[i];
            k++;
        }
    for (k = 0; k < c->n_v; k++) {
        if (isnan(c->v[k])) {
            refuse(r, 0,
                   "nothing says where long section %d is, expected LONG_SECTION_V_INCREMENT, "
                   "or its v in its name",
                   k + 1);
            return;
        }
        if (k > 0 && !(c->v[k] - c->v[k - 1] >= 1e-6)) {
            refuse(r, 0,
                   "long section %d is at v = %g, expected one to the left of %g, by its order",
                   k + 1, c->v[k], c->v[k - 1]);
            return;
        }
    }
}

static int allocate(struct lk_crg *c, const struct reading *r)
{
    size_t n = (size_t)c->n;
    bool done;

    c->z = malloc(n * (size_t)c->n_v * sizeof(double));
    c->phi = count(r, PHI) > 0 ? malloc(n * sizeof(double)) : NULL;
    c->slope = count(r, SLOPE) > 0 ? malloc(n * sizeof(double)) : NULL;
    c->banking = count(r, BANKING) > 0 ? malloc(n * sizeof(double)) : NULL;
    done = c->z != NULL && (c->phi != NULL || count(r, PHI) == 0) &&
           (c->slope != NULL || count(r, SLOPE) == 0) &&
           (c->banking != NULL || count(r, BANKING) == 0);
    return done ? 0 : -ENOMEM;
}

static void put(struct lk_crg *c, enum channel kind, int row, int section, double value)
{
    double *const column[] = {NULL, c->phi, c->slope, c->banking};

    if (kind == LONG)
        c->z[(size_t)row * (size_t)c->n_v + (size_t)section] = value;
    else if (kind != OTHER)
        column[kind][row] = value;
}

/* ---- the numbers ---- */

/* A number in @width characters; one that begins with '*' is missing. Return: whether it is one. */
static bool read_field(const struct reading *r, const char *from, size_t width, double *ret)
{
    char text[24];

    memcpy(text, from, width);
    text[width] = '\0';
    *ret = NAN;
    return *trim(text) == '*' || read_number(r, trim(text), ret);
}

/* Row @row, of as many lines as it needs. Return: whether it is there and good. */
static bool read_text_row(struct reading *r, int row)
{
    size_t width = r->is_double ? 20 : 10, length = 0;
    char text[LINE_MAX_LENGTH + 1];
    int section = 0;

    for (int i = 0, k = 0; i < r->n_channels; i++, k = (k + 1) % (int)(RECORD / width)) {
        size_t from = (size_t)k * width, end;
        double value;

        if (k == 0 && !next_line(r, text, &length)) {
            refuse(r, r->line, "the file ends within row %d, expected %d numbers a row", row + 1,
                   r->n_channels);
            return false;
        }
        end = strlen(text);
        if (from >= end) {
            refuse(r, r->line, "%d numbers, expected %d in this line, %zu characters each", k,
                   r->n_channels - i + k < (int)(RECORD / width) ? r->n_channels - i + k
                                                                 : (int)(RECORD / width),
                   width);
            return false;
        }
        if (!read_field(r, text + from, end - from < width ? end - from : width, &value)) {
            refuse(r, r->line, "number %d is '%.*s', expected one in columns %zu to %zu", k + 1,
                   (int)(end - from < width ? end - from : width), text + from, from + 1,
                   from + width);
            return false;
        }
        put(r->crg, r->channel[i], row, r->channel[i] == LONG ? section++ : 0, value);
    }
    return true;
}

/* lines from here on that are not empty */
static size_t count_lines(const struct reading *r)
{
    size_t n = 0;
    bool empty = true;

    for (size_t i = r->at; i < r->size; i++) {
        empty = empty && isspace((unsigned char)r->bytes[i]);
        if (r->bytes[i] == '\n' || i + 1 == r->size) {
            n += !empty;
            empty = true;
        }
    }
    return n;
}

static double read_binary(const struct reading *r, size_t index)
{
    const unsigned char *from =
        (const unsigned char *)r->bytes + r->at + index * (r->is_double ? 8 : 4);
    uint64_t bits = 0;

    for (int i = 0; i < (r->is_double ? 8 : 4); i++)
        bits = bits << 8 | from[i];
    if (r->is_double) {
        double value;

        memcpy(&value, &bits, sizeof(value));
        return value;
    } else {
        uint32_t half = (uint32_t)bits;
        float value;

        memcpy(&value, &half, sizeof(value));
        return (double)value;
    }
}

static bool read_binary_row(struct reading *r, int row)
{
    int section = 0;

    for (int i = 0; i < r->n_channels; i++) {
        double value = read_binary(r, (size_t)row * (size_t)r->n_channels + (size_t)i);

        if (!isnan(value) && !(fabs(value) <= NUMBER_MAX)) {
            refuse(r, 0, "number %d of row %d is %g, expected one within 1e9", i + 1, row + 1,
                   value);
            return false;
        }
        put(r->crg, r->channel[i], row, r->channel[i] == LONG ? section++ : 0, value);
    }
    return true;
}

/* rows that the file has room for; of a binary one the last record is filled up with NANs */
static size_t count_rows(const struct reading *r)
{
    size_t width = r->is_double ? 8 : 4, per_line = RECORD / (r->is_double ? 20 : 10);
    size_t n = (size_t)r->n_channels, rows;

    if (!r->is_binary)
        return count_lines(r) / ((n + per_line - 1) / per_line);
    rows = (r->size - r->at) / width / n;
    for (size_t spare = 0; rows > 0 && (spare + n) * width < RECORD; spare += n, rows--)
        for (size_t i = 0; i < n; i++)
            if (!isnan(read_binary(r, (rows - 1) * n + i)))
                return rows;
    return rows;
}

/* Return: rows by the head, or 0 where it says nothing */
static size_t rows_by_head(const struct reading *r)
{
    double length = r->end_u - (isnan(r->start_u) ? 0 : r->start_u);

    return length > 0 && length / r->crg->step < 1e9 ? (size_t)llround(length / r->crg->step) + 1
                                                     : 0;
}

static void choose_rows(struct reading *r)
{
    size_t there = count_rows(r), wanted = rows_by_head(r);

    if (wanted > 0 && there < wanted)
        refuse(r, 0, "%zu rows of numbers, expected %zu from REFERENCE_LINE_START_U to _END_U",
               there, wanted);
    else if (wanted > 0 && there > wanted)
        note(r, "%zu rows of numbers behind the end of the line have no effect", there - wanted);
    else
        wanted = there;
    if (r->errors->n == 0 && (wanted < 2 || wanted > 10000000))
        refuse(r, 0, "%zu rows of numbers, expected 2 to 10000000", wanted);
    r->crg->n = r->errors->n == 0 ? (int)wanted : 0;
}

/* values along the line have no holes */
static void check_line(struct reading *r, const char *name, const double *value, int from)
{
    for (int i = from; i < r->crg->n && value != NULL; i++)
        if (isnan(value[i])) {
            refuse(r, 0, "%s is missing in row %d, expected a number", name, i + 1);
            return;
        }
}

static int read_rows(struct reading *r)
{
    struct lk_crg *c = r->crg;

    choose_rows(r);
    if (r->errors->n > 0)
        return 0;
    if (allocate(c, r) != 0)
        return -ENOMEM;
    for (int i = 0; i < c->n; i++)
        if (!(r->is_binary ? read_binary_row(r, i) : read_text_row(r, i)))
            return 0;
    check_line(r, "phi", c->phi, 1);
    check_line(r, "slope", c->slope, 1);
    check_line(r, "banking", c->banking, 0);
    return 0;
}

static void check_head(struct reading *r)
{
    struct lk_crg *c = r->crg;

    if (!(c->step >= 1e-4 && c->step <= 1e3))
        refuse(r, 0,
               isnan(c->step) ? "REFERENCE_LINE_INCREMENT is missing, expected 0.1 mm to 1 km"
                              : "REFERENCE_LINE_INCREMENT is %g, expected 0.1 mm to 1 km",
               c->step);
    if (r->format == 0 && r->errors->n == 0)
        r->is_binary = true; /* KRBI, where a file does not say */
    if (c->n_v < 2)
        refuse(r, 0, "%d long sections, expected at least 2", c->n_v);
}

static int read_all(struct reading *r)
{
    struct lk_crg *c = r->crg;

    read_head(r);
    c->n_v = count(r, LONG);
    if (r->errors->n == 0)
        check_head(r);
    if (r->errors->n > 0)
        return 0;
    c->v = malloc((size_t)c->n_v * sizeof(double));
    if (c->v == NULL)
        return -ENOMEM;
    place_sections(r);
    return r->errors->n > 0 ? 0 : read_rows(r);
}

static void forget(struct lk_crg *c)
{
    *c = (struct lk_crg){.step = NAN};
    for (int i = 0; i < 2; i++)
        c->x[i] = c->y[i] = c->z0[i] = c->heading[i] = c->rise[i] = c->bank[i] = NAN;
}

int lk_crg_read(const char *name, const void *bytes, size_t size, struct lk_crg *ret,
                struct lk_errors *ret_errors)
{
    struct reading *r = calloc(1, sizeof(*r));
    int result = -ENOMEM;

    forget(ret);
    ret_errors->n = 0;
    if (r == NULL)
        return result;
    r->name = name;
    r->bytes = bytes;
    r->size = size;
    r->crg = ret;
    r->errors = ret_errors;
    r->start_u = r->end_u = r->right = r->left = r->step_v = NAN;
    r->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (r->locale != (locale_t)0) {
        result = read_all(r);
        freelocale(r->locale);
    }
    free(r);
    if (result == 0 && ret_errors->n > 0)
        result = LK_E_TEXT;
    if (result != 0)
        lk_crg_free(ret);
    return result;
}

void lk_crg_free(struct lk_crg *c)
{
    free(c->v);
    free(c->phi);
    free(c->slope);
    free(c->banking);
    free(c->z);
    c->v = c->phi = c->slope = c->banking = c->z = NULL;
}
