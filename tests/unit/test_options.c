/* SPDX-License-Identifier: Apache-2.0 */
/* tools/common/option_table.h: destinations of values, ranges, error messages, and the word at
 * which parsing ends. */
#include "../cmocka_all.h"
#include "option_table.h"

#include <float.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MARK   4
#define LIST_N 2

static char said[128]; /* last error message */
static int n_ends;

static struct {
    bool flag;
    bool form;
    const char *text;
    const char *list[LIST_N];
    int n;
    double number;
    double positive;
    int integer;
    long whole;
    uint64_t count;
    const char *value;
    unsigned int given;
} o;

static int refuse(const struct option_row *row, const char *text, const char *expected)
{
    snprintf(said, sizeof(said), "%s|%s|%s", row->name, text, expected != NULL ? expected : "-");
    return 7;
}

static int refuse_unknown(int c, const char *word)
{
    snprintf(said, sizeof(said), "%c|%s", c, word);
    return 8;
}

static int take_value(const struct option_row *row, const char *text)
{
    *(const char **)row->data = text != NULL ? text : "none";
    return text != NULL && strcmp(text, "bad") == 0 ? 9 : 0;
}

static int take_form(const struct option_row *row, const char *text)
{
    assert_null(text);
    *(bool *)row->data = true;
    return 0;
}

static int end(void)
{
    n_ends++;
    return 0;
}

static const struct option_row rows[] = {
    {"flag", 'f', .flag = &o.flag},
    {"text", 't', .text = &o.text, .mark = MARK},
    {"list", .list = o.list, .n = &o.n, .most = LIST_N},
    {"number", 'n', .number = &o.number},
    {"positive", .number = &o.positive, .low = OPTIONS_ABOVE_0, .high = DBL_MAX,
     .expected = "more than 0"},
    {"integer", 'i', .integer = &o.integer, .low = -3, .high = 64},
    {"whole", .whole = &o.whole, .low = 1, .high = 1e9, .unit = "steps"},
    {"count", .count = &o.count, .low = 1, .high = 1e15},
    {"value", 'v', .take = take_value, .data = &o.value, .optional = true},
    {"form", 'F', .bare = true, .take = take_form, .data = &o.form},
    {NULL, 'm', .integer = &o.integer, .low = 100, .high = 200},
    {"help", 'h', .end = end},
    {"version", .print = "test_options 1\n"},
    {NULL},
};

/* Parse a command line.
 * @line: words, separated by single blanks */
static int parse_with(const char *line, const char *order, int *ret_n_left)
{
    static char copy[256], name[] = "test";
    const struct option_table table = {rows, refuse, refuse_unknown, order, &o.given};
    char *argv[16] = {name}, *rest = copy, *word;
    int argc = 1, code;

    snprintf(copy, sizeof(copy), "%s", line);
    while ((word = strsep(&rest, " ")) != NULL)
        if (*word != '\0')
            argv[argc++] = word;
    memset(&o, 0, sizeof(o));
    said[0] = '\0';
    n_ends = 0;
    optind = 0;
    opterr = 0;
    code = options_parse(argc, argv, &table);
    *ret_n_left = argc - optind;
    return code;
}

static int parse(const char *line)
{
    int n_left;

    return parse_with(line, ":", &n_left);
}

static void values_arrive(void **state)
{
    int n_left;

    (void)state;
    assert_int_equal(parse_with("a -f --text=x --list 1 b --list=2 -n -1e-3 -i64", ":", &n_left),
                     0);
    assert_int_equal(n_left, 2);
    assert_true(o.flag && o.number == -1e-3 && o.integer == 64 && o.n == 2);
    assert_string_equal(o.text, "x");
    assert_string_equal(o.list[0], "1");
    assert_string_equal(o.list[1], "2");
    assert_int_equal(o.given, MARK);
    assert_int_equal(parse("--positive 1e-300 --whole 1e9 --count 1000000000000000 -m 100"), 0);
    assert_true(o.positive == 1e-300 && o.whole == 1000000000 && o.integer == 100);
    assert_true(o.count == UINT64_C(1000000000000000) && o.given == 0);
    assert_int_equal(parse("--in=-3 -F"), 0); /* abbreviated */
    assert_true(o.integer == -3 && o.form);
    assert_int_equal(parse_with("-f a -t x", "+:", &n_left), 0);
    assert_true(n_left == 3 && o.text == NULL);
}

static void optional_values_may_be_absent(void **state)
{
    (void)state;
    assert_int_equal(parse("-v"), 0);
    assert_string_equal(o.value, "none");
    assert_int_equal(parse("-vx"), 0);
    assert_string_equal(o.value, "x");
    assert_int_equal(parse("--value=y"), 0);
    assert_string_equal(o.value, "y");
    assert_int_equal(parse("--value=bad -f"), 9);
    assert_false(o.flag);
}

static void complaints_name_the_range(void **state)
{
    static const struct {
        const char *line;
        int code;
        const char *said;
    } bad[] = {
        {"-n x -f", 7, "number|x|0 to 0"},
        {"-n inf", 7, "number|inf|0 to 0"},
        {"-n 1x", 7, "number|1x|0 to 0"},
        {"--positive 0", 7, "positive|0|more than 0"},
        {"--integer 65", 7, "integer|65|-3 to 64"},
        {"--integer 1.5", 7, "integer|1.5|-3 to 64"},
        {"--whole 0", 7, "whole|0|1 to 1000000000 steps"},
        {"--count 1e16", 7, "count|1e16|1 to 1e+15"},
        {"--list 1 --list 2 --list 3", 7, "list|3|-"},
        {"--none", 8, "?|--none"},
        {"--flag=1", 8, "?|--flag=1"},
        {"--text", 8, ":|--text"},
        {"-m", 8, ":|-m"},
        {"-x", 8, "?|-x"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(parse(bad[i].line), bad[i].code);
        assert_string_equal(said, bad[i].said);
        assert_false(o.flag);
    }
}

static void without_callback_the_status_is_usage(void **state)
{
    char name[] = "test", word[] = "--none";
    char *argv[] = {name, word, NULL};

    (void)state;
    optind = 0;
    opterr = 0;
    assert_int_equal(options_parse(2, argv, &(struct option_table){rows}), OPTIONS_USAGE);
    assert_int_equal(options_status(OPTIONS_USAGE), OPTIONS_USAGE);
    assert_int_equal(options_status(OPTIONS_END), 0);
}

static void help_ends_the_reading(void **state)
{
    (void)state;
    assert_int_equal(parse("-f --help --none"), OPTIONS_END);
    assert_true(o.flag && n_ends == 1 && said[0] == '\0');
    assert_int_equal(parse("--version -f"), OPTIONS_END);
    assert_false(o.flag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_arrive),
        cmocka_unit_test(optional_values_may_be_absent),
        cmocka_unit_test(complaints_name_the_range),
        cmocka_unit_test(without_callback_the_status_is_usage),
        cmocka_unit_test(help_ends_the_reading),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
