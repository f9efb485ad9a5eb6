/* SPDX-License-Identifier: Apache-2.0 */
/* Tyre property files, line by line. */
#include "tir.h"
#include "document_tree.h"
#include "linkage/text.h"
#include "maths/arithmetic.h"
#include "tyre_keys.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/** enum unit - the units that a file may choose, in the order of unit_keys[]. */
enum unit { LENGTH, FORCE, TIME, PRESSURE, ANGLE, MASS, UNITS };

static const char *const unit_keys[UNITS] = {"LENGTH",   "FORCE", "TIME",
                                             "PRESSURE", "ANGLE", "MASS"};

/* units by their names, with their size in SI. Angles are in radians only, because parameters
 * are per radian */
static const struct {
    enum unit unit;
    const char *name;
    double size;
} units[] = {
    {LENGTH, "meter", 1},
    {LENGTH, "m", 1},
    {LENGTH, "mm", 1e-3},
    {LENGTH, "millimeter", 1e-3},
    {LENGTH, "cm", 1e-2},
    {LENGTH, "centimeter", 1e-2},
    {LENGTH, "km", 1e3},
    {LENGTH, "inch", 0.0254},
    {LENGTH, "foot", 0.3048},
    {FORCE, "newton", 1},
    {FORCE, "n", 1},
    {FORCE, "kilo_newton", 1e3},
    {FORCE, "kn", 1e3},
    {FORCE, "kilonewton", 1e3},
    {FORCE, "pound_force", 4.4482216152605},
    {FORCE, "lbf", 4.4482216152605},
    {FORCE, "kg_force", 9.80665},
    {TIME, "second", 1},
    {TIME, "sec", 1},
    {TIME, "s", 1},
    {TIME, "millisecond", 1e-3},
    {TIME, "minute", 60},
    {TIME, "hour", 3600},
    {PRESSURE, "pascal", 1},
    {PRESSURE, "pa", 1},
    {PRESSURE, "kpascal", 1e3},
    {PRESSURE, "kpa", 1e3},
    {PRESSURE, "bar", 1e5},
    {PRESSURE, "psi", 6894.757293168},
    {ANGLE, "radians", 1},
    {ANGLE, "radian", 1},
    {ANGLE, "rad", 1},
    {MASS, "kg", 1},
    {MASS, "kilogram", 1},
    {MASS, "gram", 1e-3},
    {MASS, "tonne", 1e3},
    {MASS, "pound_mass", 0.45359237},
    {MASS, "slug", 14.593903},
};

/* exponents of the units of length, force, time and pressure, for parameters that have units */
static const struct {
    const char *key;
    int power[PRESSURE + 1];
} dimensions[] = {
    {"UNLOADED_RADIUS", {1, 0, 0, 0}},
    {"WIDTH", {1, 0, 0, 0}},
    {"RIM_RADIUS", {1, 0, 0, 0}},
    {"BOTTOM_OFFST", {1, 0, 0, 0}},
    {"FNOMIN", {0, 1, 0, 0}},
    {"FZMIN", {0, 1, 0, 0}},
    {"FZMAX", {0, 1, 0, 0}},
    {"VERTICAL_STIFFNESS", {-1, 1, 0, 0}},
    {"LONGITUDINAL_STIFFNESS", {-1, 1, 0, 0}},
    {"LATERAL_STIFFNESS", {-1, 1, 0, 0}},
    {"BOTTOM_STIFF", {-1, 1, 0, 0}},
    {"VERTICAL_DAMPING", {-1, 1, 1, 0}},
    {"LONGVL", {1, 0, -1, 0}},
    {"NOMPRES", {0, 0, 0, 1}},
    {"INFLPRES", {0, 0, 0, 1}},
};

/* formats by their names, and by FITTYP */
static const struct {
    const char *name;
    enum lk_tyre_law_kind kind;
} formats[] = {
    {"PAC2002", LK_TYRE_MF52}, {"MF_05", LK_TYRE_MF52},    {"MF-TYRE", LK_TYRE_MF52},
    {"MF52", LK_TYRE_MF52},    {"MFTYRE52", LK_TYRE_MF52}, {"DELFT", LK_TYRE_MF52},
    {"MF61", LK_TYRE_MF61},    {"MFTYRE61", LK_TYRE_MF61}, {"MF62", LK_TYRE_MF61},
    {"USER", LK_TYRE_LAWS},    {"5", LK_TYRE_MF52},        {"50", LK_TYRE_MF52},
    {"51", LK_TYRE_MF52},      {"52", LK_TYRE_MF52},       {"6", LK_TYRE_MF52},
    {"60", LK_TYRE_MF61},      {"61", LK_TYRE_MF61},       {"62", LK_TYRE_MF61},
};

/* keys without effect on the forces */
static const char *const silent[] = {"FILE_TYPE",
                                     "FILE_VERSION",
                                     "FILE_FORMAT",
                                     "USE_MODE",
                                     "TYPE",
                                     "VXLOW",
                                     "ASPECT_RATIO",
                                     "RIM_WIDTH",
                                     "USER_SUB_ID",
                                     "N_TIRE_STATES",
                                     "FUNCTION_NAME",
                                     "MANUFACTURER",
                                     "NOMINAL_SECTION_WIDTH",
                                     "NOMINAL_ASPECT_RATIO"};

/* parameters of a law that are not used here: a tyre of a model has its own `rim` */
static const char *const idle[] = {"BOTTOM_OFFST", "BOTTOM_STIFF", "LMP", "RIM_RADIUS"};

#define LINE_MAX_LENGTH 400
#define COUNT(array)    ((int)(sizeof(array) / sizeof((array)[0])))

/** struct reading - state of the reader. @line: number of the present line
 * @given: line of each key, 0: not given;  @format_line, @fittyp_line: likewise
 * @format: law that the name of the format selects, or LK_TYRE_LAWS */
struct reading {
    const char *name;
    struct lk_tir *tir;
    struct lk_errors *errors;
    locale_t locale;
    int line;
    double unit[UNITS];
    int given[sizeof(struct lk_tyre_magic) / sizeof(double)];
    enum lk_tyre_law_kind format;
    enum lk_tyre_law_kind fittyp;
    bool is_adams;
};

static void refuse(struct reading *r, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Add an error in line @line; 0: in the whole file */
static void refuse(struct reading *r, int line, const char *format, ...)
{
    char text[400], place[24] = "";
    va_list arguments;

    if (r->errors->n == LK_ERRORS_MAX)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (line > 0)
        snprintf(place, sizeof(place), "%d: ", line);
    lk_error_set(&r->errors->line[r->errors->n++], "%.100s:%s%s%s", r->name, place,
                 line > 0 ? "" : " ", text);
}

/* ---- values ---- */

static void take_unit(struct reading *r, enum unit unit, const char *value)
{
    for (int i = 0; i < COUNT(units); i++)
        if (units[i].unit == unit && strcasecmp(units[i].name, value) == 0) {
            r->unit[unit] = units[i].size;
            return;
        }
    refuse(r, r->line, "%s is '%.40s', expected %s", unit_keys[unit], value,
           unit == ANGLE ? "radians: the parameters of the Magic Formula are per radian"
                         : "a unit such as meter, newton, second, pascal, kg");
}

static enum lk_tyre_law_kind find_format(const char *value)
{
    for (int i = 0; i < COUNT(formats); i++)
        if (strcasecmp(formats[i].name, value) == 0)
            return formats[i].kind;
    return LK_TYRE_LAWS;
}

static void take_format(struct reading *r, const char *key, const char *value,
                        enum lk_tyre_law_kind *ret)
{
    *ret = find_format(value);
    r->is_adams |= strcasecmp(value, "PAC2002") == 0;
    if (*ret == LK_TYRE_LAWS && strcasecmp(value, "USER") != 0)
        refuse(r, r->line, "%s is '%.40s', expected %s", key, value,
               strcmp(key, "FITTYP") == 0 ? "5, 52 or 6 (MF 5.2), 61 or 62 (MF 6.1)"
                                          : "PAC2002, MF_05, MF52 or MF61");
}

static void take_side(struct reading *r, const char *value)
{
    r->tir->is_right = strcasecmp(value, "right") == 0;
    if (!r->tir->is_right && strcasecmp(value, "left") != 0 &&
        strcasecmp(value, "symmetric") != 0 && strcasecmp(value, "unknown") != 0)
        refuse(r, r->line, "TYRESIDE is '%.40s', expected LEFT, RIGHT or SYMMETRIC", value);
}

static void note_unused(struct lk_tir *tir, const char *key)
{
    size_t used = strlen(tir->unused);

    if (used + strlen(key) + 3 < sizeof(tir->unused))
        snprintf(tir->unused + used, sizeof(tir->unused) - used, "%s%s", used > 0 ? ", " : "", key);
    tir->n_unused++;
}

static void note_empty(struct lk_tir *tir, const char *key)
{
    char text[LINE_MAX_LENGTH + 20];

    snprintf(text, sizeof(text), "%s (no value)", key);
    note_unused(tir, text);
}

static void take_parameter(struct reading *r, const struct lk_tyre_key *key, const char *value)
{
    double number;

    if (r->given[key->offset / sizeof(double)] > 0) {
        refuse(r, r->line, "%s is given twice, first in line %d", key->name,
               r->given[key->offset / sizeof(double)]);
        return;
    }
    r->given[key->offset / sizeof(double)] = r->line;
    if (!lk_decimal(value, r->locale, &number) || fabs(number) > 1e15) {
        refuse(r, r->line, "%s is '%.40s', expected a number", key->name, value);
        number = 1; /* report only one error */
    }
    *lk_tyre_key_value(&r->tir->magic, key) = number;
    for (int i = 0; i < COUNT(idle); i++)
        if (strcmp(idle[i], key->name) == 0 && number != key->fallback)
            note_unused(r->tir, key->name);
}

static bool is_silent(const char *key)
{
    for (int i = 0; i < COUNT(silent); i++)
        if (strcmp(silent[i], key) == 0)
            return true;
    return false;
}

static void take_value(struct reading *r, const char *key, const char *value)
{
    const struct lk_tyre_key *parameter = lk_tyre_key_find(key);

    for (int i = 0; i < UNITS; i++)
        if (strcmp(key, unit_keys[i]) == 0) {
            take_unit(r, (enum unit)i, value);
            return;
        }
    if (strcmp(key, "PROPERTY_FILE_FORMAT") == 0)
        take_format(r, key, value, &r->format);
    else if (strcmp(key, "FITTYP") == 0)
        take_format(r, key, value, &r->fittyp);
    else if (strcmp(key, "TYRESIDE") == 0)
        take_side(r, value);
    else if (parameter != NULL)
        take_parameter(r, parameter, value);
    else if (!is_silent(key))
        note_unused(r->tir, key);
}

/* ---- lines ---- */

static char *trim(char *text)
{
    char *end = text + strlen(text);

    while (isspace((unsigned char)*text))
        text++;
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return text;
}

/* return the text in quotes, or the text before a comment */
static char *read_value(char *text)
{
    char *value = trim(text), *end;

    if (*value == '\'' || *value == '"') {
        end = strchr(value + 1, *value);
        if (end != NULL)
            *end = '\0';
        return trim(value + 1);
    }
    value[strcspn(value, "$!")] = '\0';
    return trim(value);
}

/* read a line; lines of numbers in sections of tables are ignored */
static void read_line(struct reading *r, char *line)
{
    char *key = trim(line), *equals = strchr(key, '='), *value;

    if (strchr("[$!#{", *key) != NULL || equals == NULL)
        return;
    *equals = '\0';
    key = trim(key);
    value = read_value(equals + 1);
    for (char *c = key; *c != '\0'; c++)
        *c = (char)toupper((unsigned char)*c);
    if (*key == '\0' || !lk_text_is_clean(key))
        refuse(r, r->line, "there is no key before '=', expected KEY = value");
    else if (*value != '\0')
        take_value(r, key, value);
    /* note the line and ignore it, so that a required key counts as missing */
    else if (!is_silent(key))
        note_empty(r->tir, key);
}

static void read_lines(struct reading *r, const char *text, size_t size)
{
    char line[LINE_MAX_LENGTH + 1];

    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t n = end != NULL ? (size_t)(end - text) - at : size - at;
        size_t kept = n < LINE_MAX_LENGTH ? n : LINE_MAX_LENGTH;

        r->line++;
        memcpy(line, text + at, kept);
        line[kept] = '\0';
        read_line(r, line);
        at += n + 1;
    }
}

/* ---- the file ---- */

static void convert_units(struct reading *r)
{
    for (int i = 0; i < COUNT(dimensions); i++) {
        const struct lk_tyre_key *key = lk_tyre_key_find(dimensions[i].key);
        bool is_given = r->given[key->offset / sizeof(double)] > 0;

        for (int unit = 0; unit <= PRESSURE && is_given; unit++)
            *lk_tyre_key_value(&r->tir->magic, key) *=
                pow(r->unit[unit], dimensions[i].power[unit]);
    }
}

/* choose the law: format and FITTYP may both state the law; FITTYP is more specific */
static void choose_kind(struct reading *r)
{
    r->tir->kind = r->fittyp != LK_TYRE_LAWS ? r->fittyp : r->format;
    if (r->tir->kind == LK_TYRE_LAWS)
        refuse(r, 0,
               "neither FITTYP nor PROPERTY_FILE_FORMAT says which formula the parameters are "
               "for, expected FITTYP = 52 or 61");
}

static void finish(struct reading *r)
{
    struct lk_error error;

    convert_units(r);
    choose_kind(r);
    if (r->errors->n == 0 && lk_tyre_keys_end(&r->tir->magic, &error) != 0)
        refuse(r, 0, "%s", error.text);
    r->tir->is_turned = r->is_adams && r->tir->kind == LK_TYRE_MF52 && r->tir->magic.PTX3 != 0;
    if (r->tir->is_turned)
        r->tir->magic.PTX3 = -r->tir->magic.PTX3;
}

int lk_tir_read(const char *name, const char *text, size_t size, struct lk_tir *ret,
                struct lk_errors *ret_errors)
{
    LK_ARITHMETIC;
    struct reading r = {.name = name,
                        .tir = ret,
                        .errors = ret_errors,
                        .unit = {1, 1, 1, 1, 1, 1},
                        .format = LK_TYRE_LAWS,
                        .fittyp = LK_TYRE_LAWS};

    *ret = (struct lk_tir){0};
    ret_errors->n = 0;
    r.locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (r.locale == (locale_t)0)
        return -ENOMEM;
    lk_tyre_keys_begin(&ret->magic);
    if (size > LK_TIR_SIZE_MAX)
        refuse(&r, 0, "the file has %zu bytes, expected at most %u", size, LK_TIR_SIZE_MAX);
    else
        read_lines(&r, text, size);
    if (ret_errors->n == 0)
        finish(&r);
    freelocale(r.locale);
    return ret_errors->n > 0 ? LK_E_TEXT : 0;
}
