/* SPDX-License-Identifier: Apache-2.0 */
/* linkage sweep: random numbers of a study, the values of its cases, and refused study files. */
#include "../cmocka_all.h"
#include "linkage/hash.h"
#include "sweep/sample.h"
#include "sweep/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- samples ---- */

/* Known answers of Random123, the library of Salmon et al. */
static void test_philox(void **state)
{
    static const struct {
        uint32_t counter[4], key[2], answer[4];
    } known[] = {{{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
                 {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                  {0xffffffff, 0xffffffff},
                  {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
                 {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                  {0xa4093822, 0x299f31d0},
                  {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};

    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        uint32_t answer[4];

        sample_philox(known[i].counter, known[i].key, answer);
        assert_memory_equal(answer, known[i].answer, sizeof(answer));
    }
}

static void test_permutations(void **state)
{
    static const uint64_t sizes[] = {1, 2, 3, 4, 5, 7, 16, 17, 40, 255, 256, 257, 1000, 65537};

    (void)state;
    for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            unsigned char *seen = calloc(sizes[k], 1);

            for (uint64_t i = 0; i < sizes[k]; i++) {
                uint64_t place = sample_permuted(seed, 42, sizes[k], i);

                assert_true(place < sizes[k]);
                assert_int_equal(seen[place]++, 0);
            }
            free(seen);
        }
}

/* Each of the six permutations of three has the probability 1/6: within five standard deviations in
 * 6000 draws. */
static void test_permutations_are_alike(void **state)
{
    int count[27] = {0};

    (void)state;
    for (uint64_t seed = 0; seed < 6000; seed++)
        count[9 * sample_permuted(seed, 1, 3, 0) + 3 * sample_permuted(seed, 1, 3, 1) +
              sample_permuted(seed, 1, 3, 2)]++;
    for (int i = 0; i < 27; i++)
        assert_true(count[i] == 0 || fabs(count[i] - 1000.0) < 5 * 29);
}

/* each n-th part of the interval contains one case, in whatever order the cases are computed */
static void test_strata(void **state)
{
    enum { N = 500 };
    bool seen[N] = {false};

    (void)state;
    for (uint64_t i = N; i-- > 0;) {
        double u = sample_stratified(7, 99, N, i);

        assert_true(u > 0 && u < 1);
        assert_false(seen[(int)(u * N)]);
        seen[(int)(u * N)] = true;
    }
}

static void test_uniform(void **state)
{
    double sum = 0, squares = 0, products = 0;
    const int n = 100000;

    (void)state;
    for (uint64_t i = 0; i < (uint64_t)n; i++) {
        double u = sample_uniform(3, 5, i), v = sample_uniform(3, 6, i);

        assert_true(u > 0 && u < 1);
        sum += u;
        squares += u * u;
        products += (u - 0.5) * (v - 0.5);
    }
    /* five standard deviations of mean, variance and covariance of @n draws */
    assert_true(fabs(sum / n - 0.5) < 5 * sqrt(1.0 / 12 / n));
    assert_true(fabs(squares / n - 1.0 / 3) < 5 * sqrt(4.0 / 45 / n));
    assert_true(fabs(products / n) < 5 * sqrt(1.0 / 144 / n));
}

static void test_normal(void **state)
{
    (void)state;
    assert_true(sample_normal(0.5) == 0);
    for (double u = 1e-300; u < 0.5; u *= 1.7) {
        double z = sample_normal(u);

        /* a relative error e of z is a relative error z^2 e of the probability below z */
        assert_true(fabs(0.5 * erfc(-z / sqrt(2)) / u - 1) < 2e-15 * (10 + z * z));
    }
    for (double u = 0.01; u < 0.5; u += 0.01)
        assert_true(fabs(sample_normal(u) + sample_normal(1 - u)) < 1e-14);
}

/* ---- cases ---- */

#define HEAD "study: 1\nmodel: m.yaml\nduration: 1\n"

static struct study *read_study(const char *text)
{
    struct study *study = NULL;
    struct lk_errors errors;

    if (study_read_text("here/s.yaml", text, strlen(text), &study, &errors) != 0)
        fail_msg("%s", errors.line[0].text);
    return study;
}

static void test_defaults(void **state)
{
    struct study *s = read_study(HEAD);

    (void)state;
    assert_string_equal(s->model, "here/m.yaml");
    assert_int_equal(s->cases, 1);
    assert_int_equal(s->sampling, SAMPLING_GRID);
    assert_true(s->residual == 1e-3 && isinf(s->energy));
    study_free(s);
}

static void test_grid(void **state)
{
    static const double expected[6][2] = {{1, 0}, {1, 0.5}, {1, 1}, {5, 0}, {5, 0.5}, {5, 1}};
    struct study *s = read_study(
        HEAD "parameters: {a.b: {list: [1, 5]}, c: 3}\ninputs: {motor: {grid: [0, 1, 3]}}\n");

    (void)state;
    assert_int_equal(s->cases, 6);
    for (uint64_t i = 0; i < 6; i++) {
        assert_true(study_value(s, 0, i) == expected[i][0]);
        assert_true(study_value(s, 1, i) == 3);
        assert_true(study_value(s, 2, i) == expected[i][1]);
    }
    study_free(s);
}

static void test_list(void **state)
{
    struct study *s = read_study(HEAD "sampling: list\nparameters: {a: {list: [1, 5, 2]}, c: 3}\n"
                                      "input_files: [x.csv, /y.csv, ../z.csv]\n");

    (void)state;
    assert_int_equal(s->cases, 3);
    assert_true(study_value(s, 0, 1) == 5 && study_value(s, 1, 1) == 3);
    assert_string_equal(s->quantity[2].file[(int)study_value(s, 2, 0)], "here/x.csv");
    assert_string_equal(s->quantity[2].file[(int)study_value(s, 2, 1)], "/y.csv");
    assert_string_equal(s->quantity[2].file[(int)study_value(s, 2, 2)], "here/../z.csv");
    study_free(s);
}

#define DRAWN                                                                                      \
    "cases: 30\nseed: 9\nparameters: {u: {uniform: [-1, 3]}, l: {log-uniform: [0.01, 100]}, n: "   \
    "{normal: [5, 0.1]}, k: {list: [7, 8, 9]}}\n"

static void test_distributions(void **state)
{
    struct study *s = read_study(HEAD "sampling: latin-hypercube\n" DRAWN);
    int parts[30] = {0}, decades[4] = {0}, values[3] = {0}, below = 0;

    (void)state;
    for (uint64_t i = 0; i < 30; i++) {
        parts[(int)floor((study_value(s, 0, i) + 1) / 4 * 30)]++;
        below += study_value(s, 2, i) < 5;
        values[(int)study_value(s, 3, i) - 7]++;
        decades[(int)floor(log10(study_value(s, 1, i)) + 2)]++;
    }
    for (int i = 0; i < 30; i++)
        assert_int_equal(parts[i], 1);
    for (int i = 0; i < 3; i++)
        assert_int_equal(values[i], 10);
    for (int i = 0; i < 4; i++) /* 30 / 4, as strata lie on borders */
        assert_in_range(decades[i], 7, 8);
    assert_int_equal(below, 15);
    study_free(s);
}

/* A value depends only on its seed, case and name, not on the number of cases or on other
 * parameters. */
static void test_what_a_value_depends_on(void **state)
{
    struct study *s = read_study(HEAD DRAWN);
    struct study *more =
        read_study(HEAD "cases: 1000\nseed: 9\ninputs: {u: {uniform: [-1, 3]}}\n"
                        "parameters: {x: {uniform: [0, 1]}, u: {uniform: [-1, 3]}}\n");
    struct study *other =
        read_study(HEAD "cases: 30\nseed: 10\nparameters: {u: {uniform: [-1, 3]}}\n");

    (void)state;
    for (uint64_t i = 0; i < 30; i++) {
        assert_true(study_value(s, 0, i) == study_value(more, 1, i));
        assert_true(study_value(s, 0, i) != study_value(more, 2, i)); /* the input is different */
        assert_true(study_value(s, 0, i) != study_value(other, 0, i));
    }
    study_free(s);
    study_free(more);
    study_free(other);
}

/* ---- refusals ---- */

static void test_refusals(void **state)
{
    static const struct {
        const char *text, *line;
    } bad[] = {
        {"", "s.yaml:1:1: the text is empty, expected a study"},
        {"[1]", "s.yaml:1:1: "},
        {"study: 2\nmodel: m\nduration: 1\n", "s.yaml:1:8: study is '2', expected 1"},
        {"study: 1\nduration: 1\n", "the key 'model' is missing"},
        {"study: 1\nmodel: m\n", "the key 'duration' is missing"},
        {"study: 1\nmodel: m\nduration: 0\n", "3:11: duration is 0, expected 1e-06 to 1e+09 s"},
        {HEAD "step: 1\n", "4:7: step is 1, expected 1e-06 to 0.1 s"},
        {HEAD "engine: avx\n", "4:9: engine is 'avx', did you mean 'avx2'?"},
        {HEAD "parametres: {}\n", "4:1: unknown key 'parametres' in a study, did you mean 'param"},
        {HEAD "sampling: latin\n", "4:11: sampling is 'latin', expected grid, list, random, la"},
        {HEAD "sampling: random\n", "4:11: the sampling is random, expected a number of cases"},
        {HEAD "sampling: list\ncases: 3\n", "5:8: cases are counted where the sampling is list"},
        {HEAD "cases: 0\n", "4:8: cases is '0', expected"},
        {HEAD "cases: 10000001\n", "4:8: "},
        {HEAD "cases: 3\nseed: -1\n", "5:7: "},
        {HEAD "parameters: 3\n", "4:13: parameters is no map, expected NAME: VALUE"},
        {HEAD "parameters: {a: [1]}\n", "4:17: a is no number, expected a number, {list: [...]}"},
        {HEAD "parameters: {a: x}\n", "4:17: a is 'x', expected a finite number"},
        {HEAD "parameters: {a: {}}\n", "4:17: a has 0 of them, expected"},
        {HEAD "parameters: {a: {list: [1], grid: [1, 2, 3]}}\n", "4:17: a has 2 of them"},
        {HEAD "parameters: {a: {unifrom: [1, 2]}}\n", "4:18: unknown key 'unifrom' in a, did you "
                                                      "mean 'uniform'?"},
        {HEAD "parameters: {a: {list: []}}\n", "4:24: list of a is no list, expected 1 to 100000"},
        {HEAD "parameters: {a: {list: [1, .inf]}}\n", "4:28: "},
        {HEAD "parameters: {a: {grid: [0, 1, 1.5]}}\n", "4:24: the grid of a has 1.5 values"},
        {HEAD "parameters: {a: {grid: [0, 1, 99999]}, b: {grid: [0, 1, 101]}}\n",
         "1:1: the grid has more than 10000000 cases, expected fewer"},
        {HEAD "cases: 2\nparameters: {a: {uniform: [1, 1]}}\n", "5:27: the range of a is 1 to 1"},
        {HEAD "cases: 2\nparameters: {a: {uniform: [1]}}\n", "5:27: "},
        {HEAD "cases: 2\nparameters: {a: {log-uniform: [0, 1]}}\n",
         "5:31: the range of a begins at 0, expected more than 0"},
        {HEAD "cases: 2\nparameters: {a: {normal: [1, 0]}}\n", "5:26: the deviation of a is 0"},
        {HEAD "parameters: {a: {normal: [1, 1]}}\n",
         "4:17: a has a distribution, and the sampling is grid; expected a number, list or grid"},
        {HEAD "sampling: list\nparameters: {a: {list: [1, 2]}, b: {list: [1, 2, 3]}}\n",
         "5:36: b has 3 values, expected 2, as many as the list before it"},
        {HEAD "input_files: {}\n", "4:14: input_files is no list, expected a file or a list"},
        {HEAD "input_files: [[a]]\n", "4:15: entry 1 of input_files is no text, expected a file"},
        {HEAD "interpolate: true\n", "4:14: interpolate is of values over time, expected input_f"},
        {HEAD "start_states: s\nparameters: {a: 1}\n", "4:15: a state is of one model with its "},
        {HEAD "outputs: x\n", "4:10: outputs is no list, expected [NAME, ...] or NAME: [REDUCTION"},
        {HEAD "outputs: [[x]]\n", "4:11: expected the name of an output"},
        {HEAD "outputs: {x: []}\n", "4:14: the list is empty, expected last, min, max, mean, rms"},
        {HEAD "outputs: {x: maximum}\n", "4:14: 'maximum', expected last, min, max"},
        {HEAD "outputs: {x: [last, mxa]}\n", "4:21: 'mxa', did you mean 'max'?"},
        {HEAD "checks: {energie: 1}\n", "4:10: unknown key 'energie' in checks, did you mean 'en"},
        {HEAD "checks: {energy: 0}\n", "4:18: energy is 0, expected more than 0"},
        {HEAD "checks: {outputs: [x]}\n", "4:19: outputs is no map, expected NAME: [LOW, HIGH]"},
        {HEAD "checks: {outputs: {x: 1}}\n", "4:23: bounds of x, expected [LOW, HIGH], each may "},
        {HEAD "checks: {outputs: {x: [1, 0]}}\n", "4:23: bounds of x are 1 to 0, expected the lo"},
        {HEAD "checks: {outputs: {x: {last: [nan, 1]}}}\n", "4:31: "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct study *study = NULL;
        struct lk_errors errors = {0};

        assert_int_equal(
            study_read_text("s.yaml", bad[i].text, strlen(bad[i].text), &study, &errors),
            LK_E_TEXT);
        if (errors.n < 1 || strstr(errors.line[0].text, bad[i].line) == NULL)
            fail_msg("of\n%s\nexpected %s\ngot      %s", bad[i].text, bad[i].line,
                     errors.line[0].text);
    }
}

/* all mistakes are reported, not only the first one */
static void test_all_lines(void **state)
{
    static const char text[] =
        "study: 2\nmodel: m\nduration: -1\nparameters: {a: x, b: {list: y}}\n"
        "outputs: {c: d}\nchecks: {residual: 0}\n";
    struct study *study = NULL;
    struct lk_errors errors = {0};

    (void)state;
    assert_int_equal(study_read_text("s", text, strlen(text), &study, &errors), LK_E_TEXT);
    assert_int_equal(errors.n, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_philox),
        cmocka_unit_test(test_permutations),
        cmocka_unit_test(test_permutations_are_alike),
        cmocka_unit_test(test_strata),
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_normal),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_distributions),
        cmocka_unit_test(test_what_a_value_depends_on),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_all_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
