/* SPDX-License-Identifier: Apache-2.0 */
/* Steady tyre laws: 244 rows from an independent program (tests/reference/tyres/checks.csv), and
 * properties of all laws: no jumps, mirror symmetry, no force without load, a force that opposes
 * slip within the friction limit, and finite results only. */
#include "cmocka_all.h"
#include "compared.h"
#include "tyre_sets.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *checks_path;

static void take_set(int kind, struct lk_tyre_law *law)
{
    void (*const sets[LK_TYRE_LAWS])(struct lk_tyre_law *) = {
        [LK_TYRE_FIALA] = tyre_set_fiala,     [LK_TYRE_MF52] = tyre_set_a,
        [LK_TYRE_MF61] = tyre_set_b,          [LK_TYRE_TMEASY] = tyre_set_c,
        [LK_TYRE_CALSPAN] = tyre_set_calspan,
    };

    sets[kind](law);
}

static uint64_t dice = 3;

/* Return a pseudo-random number, -1 to 1. */
static double draw(void)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)dice / 9.3e18;
}

/* ---- checks.csv ---- */

enum column { LOAD, KAPPA, SLOPE, CAMBER, FX, FY, MX, MY, MZ, KX, KY, SIGMA_X, SIGMA_Y, COLUMNS };

static const char *const names[] = {"fiala", "mf52", "mf61", "tmeasy"};
static struct compared worst[4]; /* largest differences of each law */

static int kind_of(const char *name)
{
    for (int i = 0; i < 4; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return i;
    fail_msg("no such law: %s", name);
    return -1;
}

/* Check a number. Relative tolerance 1e-9, because the file has ten digits.
 * @scale: magnitude of the terms, if the number is their difference */
static void check_number(const char *row, const char *what, double x, double wanted, double scale)
{
    if (!isnan(wanted) && fmax(fabs(wanted), scale) > 0)
        compared_see(&worst[kind_of(row)], wanted, x, fmax(fabs(wanted), scale), what);
    if (!isnan(wanted) && !(fabs(x - wanted) <= 1e-9 * fmax(fabs(wanted), scale)))
        fail_msg("%s: %s %.12g instead of %.12g", row, what, x, wanted);
}

static void check_relaxation(const char *row, const struct lk_tyre_law *law,
                             const struct lk_tyre_slip *slip, const struct lk_tyre_forces *f,
                             const double *wanted)
{
    double length[2];

    lk_tyre_relaxation(law, slip, f, length);
    check_number(row, "sigma x", length[0], wanted[SIGMA_X], 0);
    check_number(row, "sigma y", length[1], wanted[SIGMA_Y], 0);
    check_number(row, "Kx", f->stiffness[0], wanted[KX], 0);
    check_number(row, "Ky", -f->stiffness[1], wanted[KY], 0);
}

static void check_row(const char *row, const struct lk_tyre_law *law, const double *c)
{
    struct lk_tyre_slip slip = {.load = c[LOAD],
                                .kappa = c[KAPPA],
                                .slope = c[SLOPE],
                                .camber = c[CAMBER],
                                .speed = 16.6,
                                .friction = 1};
    struct lk_tyre_forces f;

    lk_tyre_evaluate(law, &slip, &f);
    check_number(row, "Fx", f.fx, c[FX], 0);
    check_number(row, "Fy", f.fy, c[FY], 0);
    check_number(row, "Mx", f.mx, c[MX], 0);
    check_number(row, "My", f.my, c[MY], 0);
    check_number(row, "Mz", f.mz, c[MZ], 0);
    check_relaxation(row, law, &slip, &f, c);
}

static void test_checks(void **state)
{
    FILE *file = fopen(checks_path, "r");
    char line[512];
    int rows = 0;

    (void)state;
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof(line), file));
    while (fgets(line, sizeof(line), file)) {
        struct lk_tyre_law law;
        double c[COLUMNS];
        const char *at = strchr(line, ',');

        take_set(kind_of(line), &law);
        for (int i = 0; i < COLUMNS; i++) {
            char *end;

            c[i] = at ? strtod(at + 1, &end) : NAN;
            c[i] = at && end == at + 1 ? NAN : c[i];
            at = at ? strchr(at + 1, ',') : NULL;
        }
        line[strcspn(line, "\n")] = '\0';
        check_row(line, &law, c);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 244);
    for (int i = 0; i < 4; i++)
        compared_say(names[i], "steady law (of all rows, relative)", &worst[i]);
}

/* ---- properties of all laws ---- */

static struct lk_tyre_slip any_slip(void)
{
    return (struct lk_tyre_slip){.load = 5000 * (1.01 + draw()),
                                 .kappa = draw(),
                                 .slope = draw(),
                                 .camber = 0.2 * draw(),
                                 .speed = 30 + 30 * draw(),
                                 .friction = 0.7 + 0.4 * draw()};
}

static void values_of(const struct lk_tyre_law *law, const struct lk_tyre_slip *slip, double ret[5])
{
    struct lk_tyre_forces f;

    lk_tyre_evaluate(law, slip, &f);
    memcpy(ret, (double[5]){f.fx, f.fy, f.mx, f.my, f.mz}, 5 * sizeof(double));
}

static void test_mirror(void **state)
{
    static const double sign[5] = {1, -1, -1, 1, -1};

    (void)state;
    for (int i = 0; i < 5000; i++) {
        struct lk_tyre_slip slip = any_slip(), image = slip;
        struct lk_tyre_law law;
        double own[5], mirrored[5];

        take_set(i % LK_TYRE_LAWS, &law);
        values_of(&law, &slip, own);
        law.is_mirrored = 1;
        image.slope = -slip.slope;
        image.camber = -slip.camber;
        values_of(&law, &image, mirrored);
        for (int k = 0; k < 5; k++)
            assert_true(mirrored[k] == sign[k] * own[k]);
    }
}

/* Curvature factors of the Magic Formula depend on the sign of the slip, and their limit of 1
 * causes a kink. Neither is a jump. */
static void test_no_jump(void **state)
{
    (void)state;
    for (int i = 0; i < 40000; i++) {
        struct lk_tyre_slip slip = any_slip(), beside;
        struct lk_tyre_law law;
        double here[5], there[5];

        if (i % 3 == 0)
            slip.kappa *= 1e-6;
        if (i % 3 == 1)
            slip.slope *= 1e-6;
        beside = slip;
        beside.kappa += 1e-9 * draw();
        beside.slope += 1e-9 * draw();
        beside.camber += 1e-9 * draw();
        beside.load += 1e-6 * draw();
        take_set(i % LK_TYRE_LAWS, &law);
        values_of(&law, &slip, here);
        values_of(&law, &beside, there);
        for (int k = 0; k < 5; k++)
            if (fabs(here[k] - there[k]) > 2e-2)
                fail_msg("law %d, kappa %g slope %g: value %d goes from %g to %g", law.kind,
                         slip.kappa, slip.slope, k, here[k], there[k]);
    }
}

static void test_no_load_no_force(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        struct lk_tyre_slip slip = any_slip();
        struct lk_tyre_law law;
        double none[5], little[5];

        take_set(i % LK_TYRE_LAWS, &law);
        slip.load = i % 2 ? 0 : -slip.load;
        values_of(&law, &slip, none);
        slip.load = 1e-3;
        values_of(&law, &slip, little);
        for (int k = 0; k < 5; k++)
            assert_true(none[k] == 0 && fabs(little[k]) < 5e-3);
    }
}

static double wild(void)
{
    static const double rare[] = {0, 1e-320, -1e-300, 1e300, -1e300, 1e-12, 1, -1, 1e6};

    return draw() < 0 ? rare[(int)(4.49 * (1 + draw()))] : pow(10, 20 * draw()) * draw();
}

static void test_finite(void **state)
{
    (void)state;
    for (int i = 0; i < 200000; i++) {
        struct lk_tyre_slip slip = {wild(), wild(), wild(), wild(), wild(), wild()};
        struct lk_tyre_law law;
        struct lk_tyre_forces f;
        const double *values = &f.fx;
        double length[2];

        take_set(i % LK_TYRE_LAWS, &law);
        lk_tyre_evaluate(&law, &slip, &f);
        lk_tyre_relaxation(&law, &slip, &f, length);
        for (size_t k = 0; k < sizeof(f) / sizeof(double); k++)
            if (!isfinite(values[k]) || (k >= 5 && values[k] < 0))
                fail_msg("law %d: value %zu is %g at %g %g %g %g", law.kind, k, values[k],
                         slip.load, slip.kappa, slip.slope, slip.camber);
        assert_true(isfinite(length[0]) && isfinite(length[1]));
    }
}

/* Without offsets of the law, the force opposes the slip and is at most the friction limit. */
static void test_friction_opposes_slip(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        struct lk_tyre_slip slip = any_slip();
        struct lk_tyre_law law;
        struct lk_tyre_forces f;

        take_set(i % 2 ? LK_TYRE_TMEASY : LK_TYRE_FIALA, &law);
        lk_tyre_evaluate(&law, &slip, &f);
        assert_true(f.fx * slip.kappa >= 0 && f.fy * slip.slope <= 0);
        assert_true(fabs(f.fx) <= 1.3 * slip.friction * slip.load);
        assert_true(fabs(f.fy) <= f.grip * 1.2);
    }
}

/* The tyre of the Iltis at small slip, computed by hand: D = A1 F (F - A2) - A0 A2. */
static void test_calspan(void **state)
{
    struct lk_tyre_slip slip = {.load = 4000, .slope = 1e-6, .friction = 1};
    struct lk_tyre_law law;
    struct lk_tyre_forces f;
    double D = 14.47 * 4000 * (4000 - 12930.0) - 2625 * 12930.0;

    (void)state;
    take_set(LK_TYRE_CALSPAN, &law);
    lk_tyre_evaluate(&law, &slip, &f);
    assert_true(fabs(f.fy / (D / 12930 * 1e-6) - 1) < 1e-5);
    assert_true(fabs(f.mz / (-.171e-4 * 4000 * f.fy) - 1) < 1e-4);
    slip.slope = 10;
    lk_tyre_evaluate(&law, &slip, &f);
    assert_true(fabs(f.fy + (-.464e-4 * 4000 + 1.216 + 2.18e-11 * 16e6) * 1.0274 * 4000) < 1e-9);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checks),  cmocka_unit_test(test_mirror),
        cmocka_unit_test(test_no_jump), cmocka_unit_test(test_no_load_no_force),
        cmocka_unit_test(test_finite),  cmocka_unit_test(test_friction_opposes_slip),
        cmocka_unit_test(test_calspan),
    };

    if (argc < 2)
        return 2;
    checks_path = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
