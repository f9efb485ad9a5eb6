/* SPDX-License-Identifier: Apache-2.0 */
/* Tyre property files: sets A and B give the parameters from which they were written, in any units;
 * each mistake has one line with its place. */
#include "cmocka_all.h"
#include "model/tir.h"
#include "model/tyre_keys.h"
#include "tyre_sets.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *folder;

static char *read_file(const char *name, size_t *ret_size)
{
    static char text[1 << 16];
    char path[512];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "r");
    assert_non_null(file);
    *ret_size = fread(text, 1, sizeof(text) - 1, file);
    text[*ret_size] = '\0';
    fclose(file);
    return text;
}

static void read_set(const char *name, struct lk_tir *ret)
{
    struct lk_errors errors;
    size_t size;
    const char *text = read_file(name, &size);

    if (lk_tir_read(name, text, size, ret, &errors) != 0)
        fail_msg("%s", errors.line[0].text);
}

/* Check that all parameters are equal. A unit conversion may cost one or two roundings. */
static void check_same(struct lk_tir *tir, struct lk_tyre_law *law, double tolerance)
{
    assert_int_equal(tir->kind, law->kind);
    for (const struct lk_tyre_key *key = lk_tyre_keys; key->name != NULL; key++) {
        double x = *lk_tyre_key_value(&tir->magic, key);
        double wanted = *lk_tyre_key_value(&law->of.magic, key);

        if (!(fabs(x - wanted) <= tolerance * fabs(wanted)))
            fail_msg("%s is %.17g instead of %.17g", key->name, x, wanted);
    }
}

static void test_sets(void **state)
{
    struct lk_tyre_law law;
    struct lk_tir tir;

    (void)state;
    read_set("set-a.tir", &tir);
    tyre_set_a(&law);
    check_same(&tir, &law, 0);
    assert_false(tir.is_right || tir.is_turned);
    assert_int_equal(tir.n_unused, 1);
    assert_string_equal(tir.unused, "Q_RA1");
    read_set("set-b.tir", &tir);
    tyre_set_b(&law);
    check_same(&tir, &law, 0);
    assert_true(tir.magic.pressure == 260000);
}

static void test_units_side_and_sign(void **state)
{
    struct lk_tyre_law law;
    struct lk_tir tir;

    (void)state;
    read_set("set-a-mm.tir", &tir);
    tyre_set_a(&law);
    check_same(&tir, &law, 1e-15);
    assert_true(tir.is_right && tir.is_turned);
}

/** struct mistake - in set A, @from is replaced with @to. @line: first line of the message */
struct mistake {
    const char *from;
    const char *to;
    const char *line;
};

static const struct mistake mistakes[] = {
    {"PCX1 ", "$CX1 ", "set: the key PCX1 is missing, expected a number"},
    {"PKX1                     = 22.303", "", "set: the key PKX1 is missing, expected a number"},
    {"22.303", "", "set: the key PKX1 is missing, expected a number"},
    {"-21.92", "0", "set: PKY1 is 0, expected less than 0"},
    {"22.303", "22.3x", "PKX1 is '22.3x', expected a number"},
    {"22.303", "inf", "PKX1 is 'inf', expected a number"},
    {"'meter'", "'parsec'", "LENGTH is 'parsec', expected a unit such as meter"},
    {"'radians'", "'degrees'", "ANGLE is 'degrees', expected radians"},
    {"= 52 ", "= 53 ", "FITTYP is '53', expected 5, 52 or 6 (MF 5.2), 61 or 62 (MF 6.1)"},
    {"FITTYP ", "FITTIP ", "set: neither FITTYP nor PROPERTY_FILE_FORMAT says"},
    {"'LEFT'", "'upper'", "TYRESIDE is 'upper', expected LEFT, RIGHT or SYMMETRIC"},
    {"PKX2 ", "PKX1 ", "PKX1 is given twice, first in line "},
    {"-21.92", "21.92", "set: PKY1 is 21.92, expected less than 0"},
    {"= 4850.0", "= -4850.0", "set: FNOMIN is -4850, expected more than 0"},
    {"[SHAPE]", " = 3\n[SHAPE]", "there is no key before '=', expected KEY = value"},
};

static void check_mistake(const char *text, const struct mistake *m)
{
    static char changed[1 << 16];
    const char *at = strstr(text, m->from);
    struct lk_errors errors;
    struct lk_tir tir;

    assert_non_null(at);
    snprintf(changed, sizeof(changed), "%.*s%s%s", (int)(at - text), text, m->to,
             at + strlen(m->from));
    assert_int_equal(lk_tir_read("set", changed, strlen(changed), &tir, &errors), LK_E_TEXT);
    if (errors.n != 1 || strstr(errors.line[0].text, m->line) == NULL)
        fail_msg("%d lines, the first '%s' instead of '%s'", errors.n, errors.line[0].text,
                 m->line);
}

static void test_mistakes(void **state)
{
    size_t size;
    const char *text = read_file("set-a.tir", &size);

    (void)state;
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++)
        check_mistake(text, &mistakes[i]);
}

/* Sets of parameters whose signs may be inverted together without changing the curve: reading
 * restores the signs of the set. A parameter whose sign alone is wrong is refused, see above. */
static void test_signs(void **state)
{
    static const char *const turned[][8] = {
        {"PDY1", "PDY2", "RVY1", "RVY2", "RVY3", "QBZ10", NULL},
        {"PDX1", "PDX2", NULL},
        {"PKY1", "PKY2", "PKY5", NULL},
        {"PCX1", NULL},
        {"PCY1", NULL},
    };

    (void)state;
    for (int i = 0; i < 2 * (int)(sizeof(turned) / sizeof(turned[0])); i++) {
        struct lk_tyre_law law;
        struct lk_error error;
        struct lk_tir tir;

        read_set(i % 2 == 0 ? "set-a.tir" : "set-b.tir", &tir);
        (i % 2 == 0 ? tyre_set_a : tyre_set_b)(&law);
        for (const char *const *key = turned[i / 2]; *key != NULL; key++)
            *lk_tyre_key_value(&tir.magic, lk_tyre_key_find(*key)) *= -1;
        assert_int_equal(lk_tyre_keys_end(&tir.magic, &error), 0);
        check_same(&tir, &law, 0);
    }
}

/* Variants of set A, with @from replaced with @to, as other programs write it: accepted, with a
 * list of entries that have no effect. */
static void test_other_writers(void **state)
{
    static const struct {
        const char *from, *to, *unused;
    } rows[] = {
        {"= 52 ", "= 5 ", "Q_RA1"},
        {"= 52 ", "= 51 ", "Q_RA1"},
        {"'LEFT'", "", "TYRESIDE (no value), Q_RA1"},
        {"'meter'", "$ none", "LENGTH (no value), Q_RA1"},
    };
    static char changed[1 << 16];
    size_t size;
    const char *text = read_file("set-a.tir", &size);

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *at = strstr(text, rows[i].from);
        struct lk_tyre_law law;
        struct lk_errors errors;
        struct lk_tir tir;

        assert_non_null(at);
        snprintf(changed, sizeof(changed), "%.*s%s%s", (int)(at - text), text, rows[i].to,
                 at + strlen(rows[i].from));
        assert_int_equal(lk_tir_read("set", changed, strlen(changed), &tir, &errors), 0);
        tyre_set_a(&law);
        check_same(&tir, &law, 0);
        assert_string_equal(tir.unused, rows[i].unused);
    }
}

/* Parameters of the rim that no law uses are reported as having no effect, unless their value is
 * neutral. */
static void test_without_effect(void **state)
{
    struct lk_errors errors;
    struct lk_tir tir;
    size_t size;
    char *text = read_file("set-b.tir", &size);

    (void)state;
    strcpy(text + size, "\n[MORE]\nRIM_RADIUS = 0.2\nBOTTOM_STIFF = 2e6\nLMP = 1\n");
    assert_int_equal(lk_tir_read("set", text, strlen(text), &tir, &errors), 0);
    assert_string_equal(tir.unused, "Q_RA1, RIM_RADIUS, BOTTOM_STIFF");
    assert_int_equal(tir.n_unused, 3);
}

/* Several mistakes give several messages in order, each with its line number. */
static void test_all_mistakes(void **state)
{
    static const char text[] = "FITTYP = 52\nFNOMIN = a\n\n PCX1 = b $ c\nLENGTH = 'ell'\n";
    struct lk_errors errors;
    struct lk_tir tir;

    (void)state;
    assert_int_equal(lk_tir_read("t", text, strlen(text), &tir, &errors), LK_E_TEXT);
    assert_int_equal(errors.n, 3);
    assert_string_equal(errors.line[0].text, "t:2: FNOMIN is 'a', expected a number");
    assert_string_equal(errors.line[1].text, "t:4: PCX1 is 'b', expected a number");
    assert_non_null(strstr(errors.line[2].text, "t:5: LENGTH is 'ell'"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets),          cmocka_unit_test(test_units_side_and_sign),
        cmocka_unit_test(test_mistakes),      cmocka_unit_test(test_signs),
        cmocka_unit_test(test_other_writers), cmocka_unit_test(test_without_effect),
        cmocka_unit_test(test_all_mistakes),
    };

    if (argc < 2)
        return 2;
    folder = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
