/* SPDX-License-Identifier: Apache-2.0 */
/* linkage/document.h: places, kinds, typed reading and its limits, in every locale. */
#include "../skip.h"
#include "linkage/document.h"
#include "linkage/text.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct lk_document *parse(const char *text)
{
    struct lk_document *document = NULL;
    struct lk_error error = {""};

    if (lk_document_parse("d", text, strlen(text), &document, &error) != 0)
        fail_msg("%s", error.text);
    return document;
}

static void test_places_and_kinds(void **state)
{
    struct lk_document *document = parse("# heading\n"
                                         "first: {a: 1, b: [x, y]}\n"
                                         "zweiter-\xc3\xa4: \xc3\xa4 # columns count letters\n"
                                         "third:\n"
                                         "  - - deep\n");
    struct lk_node root = lk_document_root(document);
    struct lk_node list = lk_node_get(lk_node_get(root, "first"), "b");
    struct lk_node deep = lk_node_at(lk_node_at(lk_node_get(root, "third"), 0), 0);

    (void)state;
    assert_int_equal(lk_node_kind(root), LK_NODE_MAP);
    assert_int_equal(lk_node_size(root), 3);
    assert_int_equal(lk_node_kind(list), LK_NODE_LIST);
    assert_int_equal(lk_node_size(list), 2);
    assert_string_equal(lk_node_text(lk_node_at(list, 1)), "y");
    assert_int_equal(lk_node_line(lk_node_at(list, 1)), 2);
    assert_int_equal(lk_node_column(lk_node_at(list, 1)), 22);
    assert_string_equal(lk_node_text(lk_node_key_at(root, 2)), "third");
    assert_int_equal(lk_node_column(lk_node_at(root, 1)), 12);
    assert_string_equal(lk_node_text(deep), "deep");
    assert_int_equal(lk_node_line(deep), 5);
    assert_int_equal(lk_node_column(deep), 7);
    lk_document_free(document);
}

static void test_absent_nodes_are_harmless(void **state)
{
    struct lk_document *document = parse("a: [1]\n");
    struct lk_document *empty = parse("# nothing but this\n");
    struct lk_node root = lk_document_root(document);
    struct lk_node none = lk_node_get(root, "b");
    struct lk_error error;

    (void)state;
    assert_int_equal(lk_node_kind(none), LK_NODE_NONE);
    assert_int_equal(lk_node_size(none), 0);
    assert_int_equal(lk_node_line(none), 0);
    assert_string_equal(lk_node_text(none), "");
    assert_int_equal(lk_node_get(none, "c").index, 0);
    assert_int_equal(lk_node_at(root, 1).index, 0);
    assert_int_equal(lk_node_at(root, -1).index, 0);
    assert_int_equal(lk_node_key_at(root, 1).index, 0);
    assert_int_equal(lk_node_key_at(lk_node_get(root, "a"), 0).index, 0);
    assert_int_equal(lk_node_kind(lk_document_root(empty)), LK_NODE_NONE);
    assert_int_equal(lk_node_refuse(lk_document_root(empty), &error, "nothing"), LK_E_TEXT);
    assert_string_equal(error.text, "d:1:1: nothing");
    lk_document_free(empty);
    lk_document_free(document);
    lk_document_free(NULL);
}

static void test_numbers(void **state)
{
    static const struct {
        const char *text;
        double value; /* NAN: the text is refused */
    } rows[] = {
        {"0", 0},          {"-0.5", -0.5},  {"+1", 1},      {".5", 0.5},    {"5.", 5},
        {"1e3", 1000},     {"1E-3", 0.001}, {"1e+2", 100},  {"'7'", 7},     {"1e-400", 0},
        {"", NAN},         {"'-'", NAN},    {".", NAN},     {"1e", NAN},    {"1e+", NAN},
        {"1 2", NAN},      {"1,5", NAN},    {"0x1p3", NAN}, {"1_000", NAN}, {"nan", NAN},
        {".inf", NAN},     {"-inf", NAN},   {"1e309", NAN}, {"[1]", NAN},   {"{a: 1}", NAN},
        {"infinity", NAN}, {"' 1'", NAN},   {"1d3", NAN},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[64];
        struct lk_document *document;
        struct lk_error error;
        double value = -1;
        int result;

        snprintf(text, sizeof(text), "x: %s\n", rows[i].text);
        document = parse(text);
        result = lk_node_read_number(lk_document_root(document), "x", &value, &error);
        assert_int_equal(result, isnan(rows[i].value) ? LK_E_TEXT : 0);
        assert_true(value == (isnan(rows[i].value) ? -1 : rows[i].value));
        lk_document_free(document);
    }
}

/* Set a German locale, that of the machine or one compiled in @folder. */
static bool speak_german(char *folder)
{
    char command[256];
    bool made;

    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") || setlocale(LC_NUMERIC, "de_DE"))
        return true;
    if (!mkdtemp(folder))
        return false;
    snprintf(command, sizeof(command), "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/said 2>&1",
             folder, folder);
    made = system(command) == 0 && setenv("LOCPATH", folder, 1) == 0 &&
           setlocale(LC_NUMERIC, "de_DE.UTF-8");
    snprintf(command, sizeof(command), "rm -r %s", folder);
    return system(command) == 0 && made;
}

/* A program with a German locale must read the same numbers. */
static void test_numbers_ignore_the_locale(void **state)
{
    char folder[] = "/tmp/linkage-locale-XXXXXX";
    struct lk_document *document;
    struct lk_error error;
    double value = 0;

    (void)state;
    if (!speak_german(folder))
        skip_because("there is neither a German locale nor localedef with the sources of one",
                     "install the package locales");
    document = parse("x: 1.5\n");
    assert_int_equal(lk_node_read_number(lk_document_root(document), "x", &value, &error), 0);
    assert_true(value == 1.5);
    lk_document_free(document);
    assert_true(strtod("1,5", NULL) == 1.5); /* the locale was German throughout */
    setlocale(LC_NUMERIC, "C");
}

static void test_optional_keys_keep_their_defaults(void **state)
{
    struct lk_document *document = parse("n: -7\nyes: true\nv: [1, 2]\nt: text\n");
    struct lk_node root = lk_document_root(document);
    struct lk_error error;
    double number = 3, vector[2] = {8, 9};
    long whole = 4;
    bool flag = false;
    char text[8] = "old";

    (void)state;
    assert_int_equal(lk_node_read_number_or(root, "absent", &number, &error), 0);
    assert_true(number == 3);
    assert_int_equal(lk_node_read_int_or(root, "absent", 0, 9, &whole, &error), 0);
    assert_int_equal(whole, 4);
    assert_int_equal(lk_node_read_int_or(root, "n", -9, 9, &whole, &error), 0);
    assert_int_equal(whole, -7);
    assert_int_equal(lk_node_read_bool_or(root, "absent", &flag, &error), 0);
    assert_false(flag);
    assert_int_equal(lk_node_read_bool_or(root, "yes", &flag, &error), 0);
    assert_true(flag);
    assert_int_equal(lk_node_read_numbers_or(root, "absent", 2, vector, &error), 0);
    assert_true(vector[1] == 9);
    assert_int_equal(lk_node_read_numbers_or(root, "v", 2, vector, &error), 0);
    assert_true(vector[1] == 2);
    assert_int_equal(lk_node_read_text_or(root, "absent", sizeof(text), text, &error), 0);
    assert_string_equal(text, "old");
    assert_int_equal(lk_node_read_text_or(root, "t", sizeof(text), text, &error), 0);
    assert_string_equal(text, "text");
    lk_document_free(document);
}

static void test_refusals(void **state)
{
    static const char *const choices[] = {"red", "green", NULL};
    struct lk_document *document = parse("c: blue\ni: 12\nb: yes\nt: too long\nm: {c: red}\n");
    struct lk_node root = lk_document_root(document);
    struct lk_error e;
    long whole = 4;
    bool flag = true;
    char text[8];
    int choice = -1;

    (void)state;
    assert_int_equal(lk_node_read_choice(root, "c", choices, &choice, &e), LK_E_TEXT);
    assert_string_equal(e.text, "d:1:4: c is 'blue', expected red, green");
    assert_int_equal(lk_node_read_choice(root, "x", choices, &choice, &e), LK_E_TEXT);
    assert_string_equal(e.text, "d:1:1: the key 'x' is missing, expected red, green");
    assert_int_equal(lk_node_read_choice(lk_node_get(root, "m"), "c", choices, &choice, &e), 0);
    assert_int_equal(choice, 0);
    assert_int_equal(lk_node_read_int_or(root, "i", 0, 9, &whole, &e), LK_E_TEXT);
    assert_string_equal(e.text, "d:2:4: i is '12', expected a whole number from 0 to 9");
    assert_int_equal(whole, 4);
    assert_int_equal(lk_node_read_bool_or(root, "b", &flag, &e), LK_E_TEXT);
    assert_string_equal(e.text, "d:3:4: b is 'yes', expected true or false");
    assert_int_equal(lk_node_read_text(root, "t", sizeof(text), text, &e), LK_E_TEXT);
    assert_string_equal(e.text, "d:4:4: t is 'too long', expected a text of 1 to 7 bytes");
    assert_int_equal(lk_node_read_text(root, "m", sizeof(text), text, &e), LK_E_TEXT);
    assert_string_equal(e.text, "d:5:4: m is a map, expected a text of 1 to 7 bytes");
    assert_int_equal(lk_node_check_keys(root, "this", choices, &e), LK_E_TEXT);
    assert_string_equal(e.text, "d:1:1: unknown key 'c' in this, expected red, green");
    lk_document_free(document);
}

/* Read @text, which must be refused. @error gets the message. */
static void expect_refusal(const char *text, size_t size, struct lk_error *error)
{
    struct lk_document *document = NULL;

    assert_int_equal(lk_document_parse("d", text, size, &document, error), LK_E_TEXT);
    assert_null(document);
}

static void test_bounds(void **state)
{
    size_t size = LK_DOCUMENT_SIZE_MAX + 1;
    char *text = malloc(size);
    struct lk_document *document = NULL;
    struct lk_error error;

    (void)state;
    assert_non_null(text);
    memset(text, '#', size);
    assert_int_equal(lk_document_parse("d", text, size - 1, &document, &error), 0);
    lk_document_free(document);
    expect_refusal(text, size, &error);
    assert_string_equal(error.text, "d:1:1: the text is too long, expected at most 4 MiB");
    memset(text, '[', size);
    expect_refusal(text, size - 1, &error);
    assert_string_equal(error.text, "d:1:17: nested too deeply, expected at most 16 levels");
    for (size_t i = 0; i < size; i += 2)
        memcpy(text + i, i == 0 ? "[a" : ",a", size - i < 2 ? 1 : 2);
    expect_refusal(text, size - 1, &error);
    assert_non_null(strstr(error.text, "too many values, expected at most 1048576"));
    free(text);
}

/* The cost of many keys is nearly linear: the duplicate of the first key is found after 200 000
 * keys. */
static void test_duplicate_among_many(void **state)
{
    size_t size = 0, room = 200000 * 12 + 64;
    char *text = malloc(room);
    struct lk_error error;

    (void)state;
    assert_non_null(text);
    for (int i = 0; i < 200000; i++)
        size += (size_t)snprintf(text + size, room - size, "k%d: 1\n", i);
    size += (size_t)snprintf(text + size, room - size, "k0: 1\n");
    expect_refusal(text, size, &error);
    assert_string_equal(error.text, "d:200001:1: 'k0' is given twice, expected once (it is in "
                                    "line 1 already)");
    free(text);
}

/* A message stays one line of UTF-8, whatever bytes a file or a socket contains. */
static void test_error_lines_are_safe(void **state)
{
    struct lk_error error;
    char big[2048];

    (void)state;
    lk_error_set(NULL, "nobody listens");
    lk_error_set(&error, "a\nb\t%s", "\x1b[31m\x7f");
    assert_string_equal(error.text, "a?b??[31m?");
    lk_error_set(&error, "%s", "\xc2\x9b \xc3\xa4 \xe2\x82\xac \xf0\x9f\x99\x82");
    assert_string_equal(error.text, "?? \xc3\xa4 \xe2\x82\xac \xf0\x9f\x99\x82");
    lk_error_set(&error, "%s", "\xff \xc0\xaf \xed\xa0\x80 \xe2\x82");
    assert_string_equal(error.text, "? ?? ??? ??");
    for (size_t i = 0; i + 2 < sizeof(big); i += 2)
        memcpy(big + i, "\xc3\xa4", 3);
    lk_error_set(&error, "%s", big);
    assert_int_equal(strlen(error.text), sizeof(error.text) - 1);
    assert_int_equal(error.text[sizeof(error.text) - 2], '?'); /* replaces half a character */
}

static void test_text(void **state)
{
    static const char *const turning[] = {"a\xe2\x80\xae"
                                          "b",
                                          "\xe2\x80\xaa",
                                          "\xe2\x80\x8e",
                                          "\xe2\x80\x8f",
                                          "\xe2\x80\xa8",
                                          "\xe2\x80\xa9",
                                          "\xe2\x81\xa6",
                                          "\xe2\x81\xa9",
                                          "\xd8\x9c"};
    char own[] = "a\xc3\xa4\xe2\x82\xac\n";

    (void)state;
    assert_true(lk_text_is_clean(""));
    assert_true(lk_text_is_clean("a \xc3\xa4 \xe2\x82\xac \xf0\x9f\x99\x82"));
    assert_false(lk_text_is_clean("a\t"));
    assert_false(lk_text_is_clean("\xc2\x85"));
    assert_false(lk_text_is_clean("a\xc3"));
    for (size_t i = 0; i < sizeof(turning) / sizeof(*turning); i++)
        assert_false(lk_text_is_clean(turning[i]));
    assert_true(lk_text_is_clean("\xe2\x80\x93 \xe2\x80\xa6 \xe2\x81\xa5 \xd8\x9b"));
    assert_false(lk_text_is_clean("\xed\xa0\x80"));
    lk_text_clean(own);
    assert_string_equal(own, "a\xc3\xa4\xe2\x82\xac?");
}

static void test_files(void **state)
{
    struct lk_document *document = NULL;
    struct lk_error error;

    (void)state;
    assert_int_equal(lk_document_read("/nowhere/x.yaml", &document, &error), LK_E_TEXT);
    assert_string_equal(error.text, "/nowhere/x.yaml: cannot be read (No such file or directory), "
                                    "expected a YAML file");
    assert_int_equal(lk_document_read("/", &document, &error), LK_E_TEXT);
    assert_non_null(strstr(error.text, "(Is a directory)"));
    assert_int_equal(lk_document_read("/dev/null", &document, &error), LK_E_TEXT);
    assert_non_null(strstr(error.text, "a pipe, a socket or a device"));
    assert_null(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places_and_kinds),
        cmocka_unit_test(test_absent_nodes_are_harmless),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_numbers_ignore_the_locale),
        cmocka_unit_test(test_optional_keys_keep_their_defaults),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_duplicate_among_many),
        cmocka_unit_test(test_error_lines_are_safe),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
