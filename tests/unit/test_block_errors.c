/* SPDX-License-Identifier: Apache-2.0 */
/* Errors in the blocks of a model file, with the whole message for each. Each row replaces one
 * piece of a good model, which is also a seed of the fuzzer. */
#include "linkage/errors.h"
#include "linkage/linkage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *good_path;
static char good[1 << 13];

/* struct row - if the first @old of the good text is replaced with @new, the model is refused with
 * the message @line */
static const struct row {
    const char *old;
    const char *new;
    const char *line;
} rows[] = {
    {"type: lag", "type: leg",
     "m:14:16: type is 'leg', did you mean 'lag'? Expected gain, sum, product, integrator, lag, "
     "transfer-function, state-space, table, delay, saturation, dead-band"},
    {"gain: 2, time", "gian: 2, time",
     "m:14:35: unknown key 'gian' in a lag, did you mean 'gain'? Expected type, input, gain, time, "
     "initial, limits, unit"},
    {"input: error", "input: eror",
     "m:14:28: unknown block 'eror', expected error, slow, map, late, rate, cut or another of 11"},
    {"input: error", "input: {block: nothing}",
     "m:14:36: unknown block 'nothing', expected total, plant, late, rate, cut, band or another of "
     "11"},
    {"input: error", "input: {input: v}", "m:14:36: unknown input 'v', expected u, push"},
    {"input: error", "input: push",
     "m:14:28: input 'push' has three values, expected one with one"},
    {"input: error", "input: {position: tube}",
     "m:14:28: the key 'coordinate' is missing, expected travel, angle"},
    {"input: error", "input: {position: hinge, coordinate: angle}",
     "m:14:58: joint 'hinge' has one coordinate, expected no key 'coordinate'"},
    {"input: error", "input: {velocity: hing}",
     "m:14:39: unknown joint 'hing', expected hinge, tube"},
    {"input: error", "input: {place: hinge}",
     "m:14:29: unknown key 'place' in what a block takes, expected block, input, position, "
     "velocity, length, length_rate, coordinate"},
    {"input: error", "input: {}",
     "m:14:28: nothing is named, expected a number, the name of a block or an input, {position: "
     "JOINT}, {velocity: JOINT}, {length: FORCE} or {length_rate: FORCE}"},
    {"input: error", "input: 3x", "m:14:28: input is '3x', expected a finite number"},
    {"input: error, ", "",
     "m:14:9: the key 'input' is missing, expected a number, the name of a block or an input, "
     "{position: JOINT}, {velocity: JOINT}, {length: FORCE} or {length_rate: FORCE}"},
    {"time: 0.1", "time: 0", "m:14:50: time is 0, expected more than 0, at least 1e-15"},
    {"time: 0.1, ", "", "m:14:9: the key 'time' is missing, expected a finite number"},
    {"limits: [-1, 2]", "limits: [2, -1]",
     "m:14:75: limits of 2 to -1, expected a lowest and a highest value"},
    {"initial: 1,", "initial: 4,",
     "m:14:9: an initial value of 4, expected one within the limits of -1 to 2"},
    {"signs: \"+-+\"", "signs: \"+-\"",
     "m:13:64: signs is '+-', expected '+' or '-' for each of the 3 inputs, as in \"+-\""},
    {"unit: rad", "unit: \"<rad>\"",
     "m:13:77: unit is '<rad>', expected 1 to 15 letters, digits, spaces or /^()*-.%"},
    {"inputs: [u, {position: hinge}, 2]", "inputs: []",
     "m:13:30: inputs is not a list of 1 to 16, expected [first, ...]"},
    {"num: [1, 2]", "num: [1, 2, 3, 4]",
     "m:15:64: num has 4 entries and den 3, expected a proper transfer function: no more in num "
     "than in den"},
    {"den: [1, 2, 3]", "den: [0, 2, 3]",
     "m:15:78: den begins with 0, expected the coefficient of the highest power of s, not 0"},
    {"den: [1, 2, 3]", "den: [1e-40, 2, 3]",
     "m:15:11: a state changes at a rate of 2e+40 1/s, expected at most 1e+15: leave out what is "
     "too "
     "fast to have an effect"},
    {"den: [1, 2, 3]", "den: [1, 2, 1e101]",
     "m:15:84: entry 3 of den is 1e101, expected at most 1e+100 in magnitude"},
    {"num: [1, 2]", "num: [1, 2e80]",
     "m:15:11: a gain or initial value of 5e+79, expected at most 1e+15"},
    {"num: [1, 2]", "num: 1", "m:15:64: num has 0 entries, expected a list of 1 to 17 numbers"},
    {"num: [1, 2], ", "", "m:15:11: the key 'num' is missing, expected a list of numbers"},
    {"a: [[-1, 0], [0, -2]]", "a: 3",
     "m:16:63: a has 0 rows, expected a list of 1 to 16 rows, one for each state"},
    {"b: [[1, 0], [0, 1]]", "b: [[1, 0]]",
     "m:16:86: b is not a list of 2 rows, expected [[...], ...]"},
    {"b: [[1, 0], [0, 1]], ", "", "m:16:10: the key 'b' is missing, expected a list of 2 rows"},
    {"b: [[1, 0], [0, 1]]", "b: [[1, 0], [1]]",
     "m:16:95: b has 1 entries, expected a list of 2 numbers"},
    {"table: {input: [0, 1], output: [0, 2]}, ", "",
     "m:17:8: the key 'table' is missing, expected {input: [...], output: [...]}"},
    {"curve: linear", "curve: cubic", "m:17:83: curve is 'cubic', expected linear, monotone"},
    {"limits: [-1, 1]}\n  band", "}\n  band",
     "m:20:8: the key 'limits' is missing, expected [lowest, highest]"},
    {"  late:", "  u:", "m:18:3: block 'u' has the name of an input, expected another name"},
    {"block: total", "block: totl",
     "m:27:29: unknown block 'totl', expected total, late, rate, cut, slow, map or another of 11"},
    {", block: total", "", "m:27:8: the key 'block' is missing, expected the name of a block"},
    {"{block: torque}", "{block: torqe}",
     "m:25:57: unknown block 'torqe', expected torque, total, error, late, rate, slow or another "
     "of 11"},
    {"block: total", "block: band",
     "m:23:3: block 'total' goes nowhere, expected a force element with {block: total}, another "
     "block, or an output of type block"},
};

static size_t replace(const struct row *row, char *text, size_t size)
{
    const char *at = strstr(good, row->old);

    assert_non_null(at);
    return (size_t)snprintf(text, size, "%.*s%s%s", (int)(at - good), good, row->new,
                            at + strlen(row->old));
}

static int read_text(const char *text, struct lk_error *error)
{
    struct lk_model *model = NULL;
    int r = lk_model_read_text("m", text, strlen(text), &model, error);

    lk_model_free(model);
    return r;
}

static void good_blocks_load(void **state)
{
    struct lk_error error = {""};
    FILE *file = fopen(good_path, "r");

    (void)state;
    assert_non_null(file);
    good[fread(good, 1, sizeof(good) - 1, file)] = '\0';
    fclose(file);
    if (read_text(good, &error) != 0)
        fail_msg("%s", error.text);
}

static void bad_blocks_are_refused(void **state)
{
    static char text[2 * sizeof(good)];

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct lk_error error = {""};

        assert_true(replace(&rows[i], text, sizeof(text)) < sizeof(text));
        assert_int_equal(read_text(text, &error), LK_E_TEXT);
        assert_string_equal(error.text, rows[i].line);
    }
}

/* The message names the algebraic loop with all its blocks. A lag in the loop makes the model
 * valid. */
static void loops_are_named(void **state)
{
    static const char head[] =
        "linkage: 1\nname: loop\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1], "
        "position: [0, 0, 0]}\nblocks:\n";
    static const char tail[] = "  c: {type: %s, input: b}\n  b: {type: sum, inputs: [a, 1]}\n"
                               "  a: {type: product, inputs: [2, c]}\n"
                               "outputs:\n  y: {type: block, block: a}\n";
    char text[1000], rest[500];
    struct lk_error error = {""};

    (void)state;
    snprintf(rest, sizeof(rest), tail, "gain, gain: 2");
    snprintf(text, sizeof(text), "%s%s", head, rest);
    assert_int_equal(read_text(text, &error), LK_E_TEXT);
    assert_string_equal(error.text,
                        "m:6:3: an algebraic loop: c -> b -> a -> c; expected a lag, an integrator "
                        "or a delay in it");
    snprintf(rest, sizeof(rest), tail, "lag, time: 2");
    snprintf(text, sizeof(text), "%s%s", head, rest);
    if (read_text(text, &error) != 0)
        fail_msg("%s", error.text);
}

static void compiled_only_by_what_steps_them(void **state)
{
    static const struct lk_options options[] = {{.order = 4}, {.step = 0.1}};
    static const char *const lines[] = {
        "the model has blocks, expected formulation rattle with order 2",
        "block 'late' delays by 0.01 s with a step of 0.1 s, expected 1 to 65536 steps"};
    struct lk_model *model = NULL;
    struct lk_error error = {""};

    (void)state;
    assert_int_equal(lk_model_read_text("m", good, strlen(good), &model, &error), 0);
    for (int i = 0; i < 2; i++) {
        struct lk_system *sys = NULL;

        assert_int_equal(lk_system_new(model, &options[i], &sys, &error), LK_E_MODEL);
        assert_string_equal(error.text, lines[i]);
    }
    lk_model_free(model);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_blocks_load),
        cmocka_unit_test(bad_blocks_are_refused),
        cmocka_unit_test(loops_are_named),
        cmocka_unit_test(compiled_only_by_what_steps_them),
    };

    if (argc < 2)
        return 2;
    good_path = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
