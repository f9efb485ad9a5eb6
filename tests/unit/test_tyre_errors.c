/* SPDX-License-Identifier: Apache-2.0 */
/* Errors in roads, laws, tyres, maps and drag of a model, with the whole message for each. Each row
 * replaces one piece of a good model, tests/fuzz/tyres.yaml; the messages were reviewed one by
 * one. */
#include "cmocka_all.h"
#include "linkage/errors.h"
#include "linkage/linkage.h"
#include <stdio.h>
#include <string.h>

static const char *good_path;

/* struct row - if the first @old of the good text is replaced with @new, the model is refused with
 * the message @line */
static const struct row {
    const char *old;
    const char *new;
    const char *line;
} rows[] = {
    {"type: plane, point: [0, 0, 0.01]", "type: hill, point: [0, 0, 0.01]",
     "m:17:17: type is 'hill', expected plane, profile, grid, external"},
    {"type: plane, point: [0, 0, 0.01], normal: [0.01, 0, 1]", "type: external",
     "m:28:11: road 'track' is external, expected the key 'ground: {input: NAME}' of the tyre"},
    {"side: left, law: brush", "side: left, ground: {input: grip}, law: brush",
     "m:28:72: road 'track' has its own ground, expected no key 'ground'"},
    {"normal: [0.01, 0, 1]", "normal: [0, 0, 0]",
     "m:17:53: normal has no direction (length 0), expected a vector that is not zero"},
    {"normal: [0.01, 0, 1]", "slope: 1",
     "m:17:45: unknown key 'slope' in a road, expected type, body, friction, point, normal"},
    {"body: pan,", "body: pn,",
     "m:18:33: unknown body 'pn', expected ground, pan, car, left, right, third"},
    {"friction: 0.9", "friction: -1", "m:18:48: friction is -1, expected at least 0"},
    {"type: fiala", "type: fial",
     "m:22:17: type is 'fial', did you mean 'fiala'? Expected fiala, mf52, mf61, tmeasy, calspan"},
    {"type: fiala, slip_stiffness: 1.9e5,", "type: fiala,",
     "m:22:10: the key 'slip_stiffness' is missing, expected a finite number"},
    {"friction: [0.55, 0.98]", "friction: [0.98, 0.55]",
     "m:22:83: friction of 0.98 and 0.55, expected that of full slip, above 0, and that without "
     "slip, no less"},
    {"measured: right", "measured: both", "m:23:33: measured is 'both', expected left, right"},
    {"PCX1: 1.64", "PCX9: 1.64",
     "m:24:32: unknown parameter 'PCX9', expected one of a .tir file that has an effect here: see "
     "doc/reference/tyres.md"},
    {"PCX1: 1.64, ", "", "m:23:52: the key PCX1 is missing, expected a number"},
    {"PKY1: -21.9", "PKY1: 21.9",
     "m:23:52: PKY1 is 21.9, expected less than 0: side forces oppose the slip (ISO axes, W)"},
    {"PKX1: 22.3", "PKX1: 1e16", "m:24:62: PKX1 is 1e+16, expected at most 1e+15 in magnitude"},
    {"road: track, side: left", "road: trak, side: left",
     "m:28:45: unknown road 'trak', expected track, bump, platform"},
    {"joint: axle_l, ", "joint: lift, ",
     "m:28:31: joint 'lift' is of type prismatic, expected the revolute joint about which the "
     "wheel spins"},
    {"side: left, law: brush", "side: up, law: brush",
     "m:28:58: side is 'up', expected left, right"},
    {"side: left, law: brush", "law: brush",
     "m:28:11: the key 'side' is missing, expected left, right"},
    {"law: brush", "law: brash", "m:28:69: unknown law 'brash', expected brush, magic"},
    {"radius: 0.34, ", "", "m:28:11: the key 'radius' is missing, expected a number"},
    {"rim: {radius: 0.2,", "rim: {radius: 0.4,",
     "m:29:33: a rim of 0.4 m, expected less than the tyre, 0.34 m"},
    {"deflection: centre", "deflection: hub", "m:29:67: deflection is 'hub', expected rim, centre"},
    {"carcass: {length: [0.3, 0.5], lag: [0.01, 0.01]}", "carcass: {lag: [0.01, 0.01]}",
     "m:29:84: nothing says how the carcass gives way, expected carcass: {stiffness: [along, "
     "across]} in N/m, or {length: [..]} of relaxation in m"},
    {"carcass: {length: [0.3, 0.5], lag: [0.01, 0.01]}",
     "carcass: {length: [0.3, 0.5], stiffness: [1, 1]}",
     "m:29:84: both length and stiffness are given, expected one of them"},
    {"length: [0.3, 0.5]", "length: [-0.3, 0.5]",
     "m:29:93: length of -0.3 and 0.5, expected none below 0"},
    {"bore: {stiffness: 500, damping: 2}", "bore: {stiffness: 0}",
     "m:30:23: stiffness is 0, expected more than 0, at least 1e-15"},
    {"friction: 0.8", "friction: {input: none}",
     "m:30:59: unknown input 'none', expected gust, grip, pedal"},
    {"peak_slip: [0.11, 0.15]", "peak_slip: [0.5, 0.15]",
     "m:42:21: longitudinal, expected values above 0 at the nominal load and twice that: slips "
     "that grow from peak to sliding, forces that fall"},
    {"trail_end: [0.32, 0.42]", "trail_end: [0.2, 0.42]",
     "m:44:68: trail_end of 0.2, expected more than trail_zero, 0.24, above 0"},
    {"longitudinal: {", "longitudinal: 3, wide: {",
     "m:42:21: expected 'longitudinal', a map with initial, peak_slip, peak, slide_slip and slide"},
    {"{type: tyre, force: tyre_l}", "{type: tyre, force: hold}",
     "m:52:29: force 'hold' is no tyre, expected one"},
    {"{type: tyre, force: tyre_l}", "{type: force, force: tyre_l}",
     "m:52:30: force 'tyre_l' is a tyre, expected an output of type tyre or tyre-contact for it"},
    {"direction: [1, 0.1, 0]", "direction: [0, 0, 1]",
     "m:19:36: the direction of the road is that of its normal, expected one along the road"},
    {"left: {distance: [0, 1, 2], height: [0, 0.05, 0]},\n    right:", "right:",
     "m:19:9: the key 'left' is missing, expected a map with distance and height, which 'right' "
     "may replace on the other side"},
    {"distance: [0, 3]", "distance: [3, 0]",
     "m:20:27: entry 2 of distance is 0, expected more than the one before, by at least 1e-15"},
    {"left: {distance: [0, 1, 2], height: [0, 0.05, 0]}", "left: 3",
     "m:19:55: left is '3', expected a map with keys out of distance, height"},
    {"level: {input: pedal}, map", "map",
     "m:45:10: the key 'level' is missing, expected {input: NAME} of type signal, or a number"},
    {"rate: [-10, 0, 90]", "rate: [-10, 90, 0]",
     "m:45:88: entry 3 of rate is 0, expected more than the one before, by at least 1e-15"},
    {"force: [[1, 0, -9], [90, 80, 0]]", "force: [[1, 0, -9]]",
     "m:45:114: force is no list of 2 lists, one for each level"},
    {"[90, 80, 0]", "[90, 80]", "m:45:127: force has 2 entries, expected a list of 3 numbers"},
    {", force: [[1, 0, -9], [90, 80, 0]]", "",
     "m:45:71: the key 'force' is missing, expected a list of 2 lists, one for each level"},
    {"map: {rate", "graph: {rate",
     "m:45:66: unknown key 'graph' in a force-map, expected type, joint, coordinate, level, map"},
    {"area: [0.6, 2, 3]", "area: [0.6, -2, 3]",
     "m:46:44: entry 2 of area is -2, expected 0 or more"},
    {"area: [0.6, 2, 3], ", "", "m:46:8: the key 'area' is missing, expected a list of 3 numbers"},
    {"wind: [0, 9, 0], ", "", "m:46:72: gust is a factor on the wind, and 'wind' is missing"},
    {"density: 1.25", "density: 0", "m:46:60: density is 0, expected more than 0, at least 1e-15"},
};

static void read_good(char *text, size_t size)
{
    FILE *file = fopen(good_path, "r");

    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void test_good_text_loads(void **state)
{
    static char text[1 << 14];
    struct lk_model *model;
    struct lk_error error;

    (void)state;
    read_good(text, sizeof(text));
    assert_int_equal(lk_model_read_text("m", text, strlen(text), &model, &error), 0);
    lk_model_free(model);
}

static void test_bad_texts_are_refused(void **state)
{
    static char text[1 << 14], bad[1 << 15];

    (void)state;
    read_good(text, sizeof(text));
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const char *at = strstr(text, rows[i].old);
        struct lk_model *model;
        struct lk_error error;

        assert_non_null(at);
        snprintf(bad, sizeof(bad), "%.*s%s%s", (int)(at - text), text, rows[i].new,
                 at + strlen(rows[i].old));
        assert_int_equal(lk_model_read_text("m", bad, strlen(bad), &model, &error), LK_E_TEXT);
        assert_string_equal(error.text, rows[i].line);
    }
}

/* A mistake in a law gives one line: tyres that name this law cause no further messages. */
static void test_one_mistake_one_line(void **state)
{
    static const char *const changes[][2] = {
        {"type: mf52", "type: mf25"},
        {"PCX1: 1.64, ", ""},
        {"type: fiala", "type: fial"},
    };
    static char text[1 << 14], bad[1 << 15];

    (void)state;
    read_good(text, sizeof(text));
    for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
        const char *at = strstr(text, changes[i][0]);
        struct lk_model *model;
        struct lk_errors errors;

        assert_non_null(at);
        snprintf(bad, sizeof(bad), "%.*s%s%s", (int)(at - text), text, changes[i][1],
                 at + strlen(changes[i][0]));
        assert_int_equal(lk_model_read_text_all("m", bad, strlen(bad), &model, &errors), LK_E_TEXT);
        for (int k = 0; k < errors.n; k++)
            printf("    %s\n", errors.line[k].text);
        assert_int_equal(errors.n, 1);
    }
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_text_loads),
        cmocka_unit_test(test_bad_texts_are_refused),
        cmocka_unit_test(test_one_mistake_one_line),
    };

    if (argc < 2)
        return 2;
    good_path = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
