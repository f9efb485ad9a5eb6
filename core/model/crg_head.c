/* SPDX-License-Identifier: Apache-2.0 */
/* The head of an OpenCRG file, line by line: its keys, its channels, and their positions. */
#include "crg_reading.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name;
    enum lk_crg_section section;
} sections[] = {
    {"CT", LK_CRG_COMMENT},
    {"ROAD_CRG", LK_CRG_ROAD},
    {"KD_DEFINITION", LK_CRG_DEFINITION},
    {"ROAD_CRG_OPTS", LK_CRG_WITHOUT_EFFECT},
    {"ROAD_CRG_MPRO", LK_CRG_WITHOUT_EFFECT},
    {"ROAD_CRG_MODS", LK_CRG_MODIFIERS},
    {"ROAD_CRG_FILE", LK_CRG_REFERENCES},
};

static void add_line(struct lk_crg_reading *r, struct lk_errors *to, int line, const char *format,
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

void lk_crg_refuse(struct lk_crg_reading *r, int line, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add_line(r, r->errors, line, format, arguments);
    va_end(arguments);
}

void lk_crg_note(struct lk_crg_reading *r, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add_line(r, &r->crg->notes, r->line, format, arguments);
    va_end(arguments);
}

/* ---- lines ---- */

char *lk_crg_trim(char *text)
{
    char *end;

    while (isspace((unsigned char)*text))
        text++;
    end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return text;
}

bool lk_crg_number(const struct lk_crg_reading *r, const char *text, double *ret)
{
    char *end;

    *ret = strtod_l(text, &end, r->locale);
    return end != text && *end == '\0' && fabs(*ret) <= LK_CRG_NUMBER_MAX;
}

bool lk_crg_next_line(struct lk_crg_reading *r, char text[LK_CRG_LINE_MAX + 1], size_t *ret_length)
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
    n = n < LK_CRG_LINE_MAX ? n : LK_CRG_LINE_MAX;
    for (size_t i = 0; i < n; i++)
        text[i] = from[i] != '\0' ? from[i] : '?';
    text[n] = '\0';
    r->at += *ret_length + (end != NULL);
    r->line++;
    return true;
}

/* ---- keys and channels ---- */

static double *place_of_key(struct lk_crg_reading *r, const char *key)
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

static void take_key(struct lk_crg_reading *r, char *line)
{
    char *equals = strchr(line, '='), *key = line, *value;
    double number, *place;

    if (equals == NULL) {
        lk_crg_refuse(r, r->line, "'%.40s' has no '=', expected KEY = value", line);
        return;
    }
    *equals = '\0';
    key = lk_crg_trim(key);
    value = lk_crg_trim(equals + 1);
    place = r->section == LK_CRG_ROAD ? place_of_key(r, key) : NULL;
    if (r->section == LK_CRG_MODIFIERS)
        lk_crg_refuse(
            r, r->line,
            "the modifier %.40s is not applied here, expected a file with its modifiers applied",
            key);
    else if (place == NULL)
        lk_crg_note(r, "%.40s has no effect here", key);
    else if (!lk_crg_number(r, value, &number))
        lk_crg_refuse(r, r->line, "%.40s is '%.40s', expected a number", key, value);
    else
        *place = number;
}

static void take_format(struct lk_crg_reading *r, const char *text)
{
    static const char *const formats[] = {"LRFI", "LDFI", "KRBI", "KDBI"};

    for (int i = 0; i < 4; i++)
        if (strcasecmp(formats[i], text) == 0) {
            r->is_double = i % 2 == 1;
            r->is_binary = i >= 2;
            r->format = r->line;
            return;
        }
    lk_crg_refuse(r, r->line, "the format is '%.40s', expected LRFI, LDFI, KRBI or KDBI", text);
}

/* Read a long section. @text: "long section at v = -1.5,m" or "long section 3,m" */
static void take_long(struct lk_crg_reading *r, char *text)
{
    char *equals = strchr(text, '='), *comma = strrchr(text, ',');
    double *place = &r->place[r->n_channels];

    if (comma != NULL)
        *comma = '\0';
    *place = NAN;
    if (equals != NULL && !lk_crg_number(r, lk_crg_trim(equals + 1), place))
        lk_crg_refuse(r, r->line, "v is '%.40s', expected a number", lk_crg_trim(equals + 1));
}

static void take_channel(struct lk_crg_reading *r, char *text)
{
    static const struct {
        const char *name;
        enum lk_crg_channel channel;
    } kinds[] = {{"reference line phi", LK_CRG_PHI},
                 {"reference line slope", LK_CRG_SLOPE},
                 {"reference line banking", LK_CRG_BANKING},
                 {"long section", LK_CRG_LONG}};
    enum lk_crg_channel kind = LK_CRG_OTHER;

    if (r->n_channels == LK_CRG_CHANNELS_MAX) {
        lk_crg_refuse(r, r->line, "a channel more, expected at most %d", LK_CRG_CHANNELS_MAX);
        return;
    }
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strncasecmp(text, kinds[i].name, strlen(kinds[i].name)) == 0)
            kind = kinds[i].channel;
    for (int i = 0; i < r->n_channels && kind != LK_CRG_LONG && kind != LK_CRG_OTHER; i++)
        if (r->channel[i] == kind)
            lk_crg_refuse(r, r->line, "the channel '%.40s' is there already, expected one of it",
                          text);
    if (kind == LK_CRG_LONG)
        take_long(r, text);
    if (kind == LK_CRG_OTHER)
        lk_crg_note(r, "the channel '%.40s' has no effect here", text);
    r->channel[r->n_channels++] = kind;
}

static void take_definition(struct lk_crg_reading *r, char *line)
{
    if (strncmp(line, "#:", 2) == 0)
        take_format(r, lk_crg_trim(line + 2));
    else if (strncasecmp(line, "D:", 2) == 0)
        take_channel(r, lk_crg_trim(line + 2));
    else if (strncasecmp(line, "U:", 2) != 0)
        lk_crg_refuse(r, r->line,
                      "'%.40s' defines nothing, expected D: for a channel, U: or #:", line);
}

static void begin_section(struct lk_crg_reading *r, const char *name)
{
    r->section = LK_CRG_NONE;
    if (*name == '\0')
        return;
    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
        if (strcasecmp(sections[i].name, name) == 0) {
            r->section = sections[i].section;
            return;
        }
    r->section = LK_CRG_COMMENT;
    lk_crg_note(r, "the section $%.40s has no effect here", name);
}

static void take_line(struct lk_crg_reading *r, char *line)
{
    char *comment = strchr(line, '!');

    if (r->section == LK_CRG_COMMENT && *line != '$')
        return;
    if (comment != NULL)
        *comment = '\0';
    line = lk_crg_trim(line);
    if (*line == '$')
        begin_section(r, lk_crg_trim(line + 1));
    else if (*line == '*' || *line == '\0' || r->section == LK_CRG_WITHOUT_EFFECT)
        return;
    else if (r->section == LK_CRG_ROAD || r->section == LK_CRG_MODIFIERS)
        take_key(r, line);
    else if (r->section == LK_CRG_DEFINITION)
        take_definition(r, line);
    else if (r->section == LK_CRG_REFERENCES)
        lk_crg_refuse(r, r->line, "the road is in another file, '%.100s', expected that one", line);
    else
        lk_crg_refuse(r, r->line, "'%.40s' is in no section, expected $ and its name before", line);
}

/* read up to the line of $$, after which the numbers begin */
static void read_lines(struct lk_crg_reading *r)
{
    char text[LK_CRG_LINE_MAX + 1];
    size_t length;

    while (r->errors->n < LK_ERRORS_MAX && lk_crg_next_line(r, text, &length)) {
        if (strncmp(text, "$$", 2) == 0)
            return;
        if (length > LK_CRG_LINE_MAX) {
            lk_crg_refuse(r, r->line,
                          "a line of %zu characters, expected at most 72 before the numbers",
                          length);
            return;
        }
        take_line(r, text);
    }
    if (r->errors->n == 0)
        lk_crg_refuse(r, 0, "there are no numbers, expected them behind a line of $$$$");
}

/* ---- the sections along the road ---- */

int lk_crg_count(const struct lk_crg_reading *r, enum lk_crg_channel kind)
{
    int n = 0;

    for (int i = 0; i < r->n_channels; i++)
        n += r->channel[i] == kind;
    return n;
}

/* compute v of section @i of @n from its number */
static double place_by_number(const struct lk_crg_reading *r, int i, int n)
{
    double right = r->right, step = r->step_v;

    if (isnan(step) && !isnan(r->right) && !isnan(r->left) && n > 1)
        step = (r->left - r->right) / (n - 1);
    if (isnan(right))
        right = !isnan(r->left) ? r->left - (n - 1) * step : -0.5 * (n - 1) * step;
    return right + i * step;
}

static void place_sections(struct lk_crg_reading *r)
{
    struct lk_crg *c = r->crg;
    int k = 0;

    for (int i = 0; i < r->n_channels; i++)
        if (r->channel[i] == LK_CRG_LONG) {
            c->v[k] = isnan(r->place[i]) ? place_by_number(r, k, c->n_v) : r->place[i];
            k++;
        }
    for (k = 0; k < c->n_v; k++) {
        if (isnan(c->v[k])) {
            lk_crg_refuse(
                r, 0,
                "nothing says where long section %d is, expected LONG_SECTION_V_INCREMENT, "
                "or its v in its name",
                k + 1);
            return;
        }
        if (k > 0 && !(c->v[k] - c->v[k - 1] >= 1e-6)) {
            lk_crg_refuse(
                r, 0, "long section %d is at v = %g, expected one to the left of %g, by its order",
                k + 1, c->v[k], c->v[k - 1]);
            return;
        }
    }
}

static void check_head(struct lk_crg_reading *r)
{
    struct lk_crg *c = r->crg;

    if (!(c->step >= 1e-4 && c->step <= 1e3))
        lk_crg_refuse(r, 0,
                      isnan(c->step)
                          ? "REFERENCE_LINE_INCREMENT is missing, expected 0.1 mm to 1 km"
                          : "REFERENCE_LINE_INCREMENT is %g, expected 0.1 mm to 1 km",
                      c->step);
    if (r->format == 0 && r->errors->n == 0)
        r->is_binary = true; /* the default format is KRBI */
    if (c->n_v < 2)
        lk_crg_refuse(r, 0, "%d long sections, expected at least 2", c->n_v);
}

int lk_crg_read_head(struct lk_crg_reading *r)
{
    struct lk_crg *c = r->crg;

    read_lines(r);
    c->n_v = lk_crg_count(r, LK_CRG_LONG);
    if (r->errors->n == 0)
        check_head(r);
    if (r->errors->n > 0)
        return 0;
    c->v = malloc((size_t)c->n_v * sizeof(double));
    if (c->v == NULL)
        return -ENOMEM;
    place_sections(r);
    return 0;
}
