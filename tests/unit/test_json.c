/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON writer: its output is checked byte by byte, and any input gives valid JSON. */
#include "../cmocka_all.h"
#include "json_valid.h"
#include "linkage/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** struct page - a writer, and the text that it has written */
struct page {
    struct lk_json json;
    char *text;
    size_t size;
};

static struct lk_json *open_page(struct page *page)
{
    *page = (struct page){0};
    page->json.file = open_memstream(&page->text, &page->size);
    assert_non_null(page->json.file);
    lk_json_open(&page->json, NULL, '{');
    return &page->json;
}

/* Close the object and compare the text.
 * @expected: NULL: any valid text */
static void close_page(struct page *page, const char *expected)
{
    int at;

    lk_json_close(&page->json, '}');
    lk_json_end(&page->json);
    fclose(page->json.file);
    if (expected)
        assert_string_equal(page->text, expected);
    if (!json_valid(page->text, &at))
        fail_msg("wrong at byte %d: %s", at, page->text);
    free(page->text);
}

static void assert_text(const char *text, const char *expected)
{
    struct page page;

    lk_json_text(open_page(&page), "t", text);
    close_page(&page, expected);
}

static void text_is_escaped(void **state)
{
    (void)state;
    assert_text("plain", "{\"t\":\"plain\"}\n");
    assert_text(NULL, "{\"t\":\"\"}\n");
    assert_text("a\"b\\c", "{\"t\":\"a\\\"b\\\\c\"}\n");
    assert_text("a\nb\x1b[2J\x7f", "{\"t\":\"a\\u000ab\\u001b[2J\\u007f\"}\n");
    assert_text("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\xa7",
                "{\"t\":\"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\xa7\"}\n");
}

static void texts_are_an_array(void **state)
{
    static const char *const texts[] = {"a", "b\"c"};
    struct page page;

    (void)state;
    lk_json_texts(open_page(&page), "t", texts, 2);
    close_page(&page, "{\"t\":[\"a\",\"b\\\"c\"]}\n");
    lk_json_texts(open_page(&page), "t", texts, 0);
    close_page(&page, "{\"t\":[]}\n");
}

static void what_is_not_utf8_is_mended(void **state)
{
    (void)state;
    /* the first and the last code point of each length of UTF-8 */
    assert_text(
        "\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
        "{\"t\":\"\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"}\n");
    assert_text("\xff", "{\"t\":\"\\ufffd\"}\n");
    assert_text("a\xc3", "{\"t\":\"a\\ufffd\"}\n");                     /* truncated */
    assert_text("\xc0\xaf", "{\"t\":\"\\ufffd\\ufffd\"}\n");            /* overlong */
    assert_text("\xe0\x80\xaf", "{\"t\":\"\\ufffd\\ufffd\\ufffd\"}\n"); /* overlong */
    assert_text("\xed\xa0\x80", "{\"t\":\"\\ufffd\\ufffd\\ufffd\"}\n"); /* surrogate */
    assert_text("\xf4\x90\x80\x80", "{\"t\":\"\\ufffd\\ufffd\\ufffd\\ufffd\"}\n");
}

/* Any two bytes, as a value and as a key, give valid JSON. */
static void any_bytes_become_json(void **state)
{
    (void)state;
    for (int first = 1; first < 256; first++) {
        struct page page;
        struct lk_json *json = open_page(&page);

        for (int second = 0; second < 256; second++) {
            const char bytes[] = {(char)first, (char)second, 'x', '\0'};

            lk_json_text(json, "t", bytes);
            lk_json_text(json, bytes, "");
        }
        close_page(&page, NULL);
    }
}

static void numbers_and_nesting(void **state)
{
    struct page page;
    struct lk_json *json = open_page(&page);

    (void)state;
    lk_json_open(json, "a", '[');
    lk_json_number(json, NULL, 0.1);
    lk_json_number(json, NULL, NAN);
    lk_json_number(json, NULL, -INFINITY);
    lk_json_rounded(json, NULL, 2.0 / 3, 4);
    lk_json_rounded(json, NULL, INFINITY, 4);
    lk_json_fixed(json, NULL, 1234567.0625, 3);
    lk_json_fixed(json, NULL, NAN, 3);
    lk_json_close(json, ']');
    lk_json_open(json, "e", '[');
    lk_json_close(json, ']');
    lk_json_count(json, "n", UINT64_MAX);
    lk_json_bool(json, "b", true);
    lk_json_null(json, "u");
    close_page(&page, "{\"a\":[0.10000000000000001,null,null,0.6667,null,1234567.062,null],"
                      "\"e\":[],\"n\":18446744073709551615,\"b\":true,\"u\":null}\n");
}

static void lines_and_spaces_are_the_callers(void **state)
{
    struct page page;
    struct lk_json *json = open_page(&page);

    (void)state;
    json->spaced = true;
    lk_json_line(json, 2);
    lk_json_text(json, "a", "b");
    lk_json_line(json, 2);
    lk_json_open(json, "c", '[');
    lk_json_number(json, NULL, 1);
    lk_json_number(json, NULL, 2);
    lk_json_line(json, 2);
    lk_json_close(json, ']');
    lk_json_line(json, 0);
    close_page(&page, "{\n  \"a\": \"b\",\n  \"c\": [1, 2\n  ]\n}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test(texts_are_an_array),
        cmocka_unit_test(what_is_not_utf8_is_mended),
        cmocka_unit_test(any_bytes_become_json),
        cmocka_unit_test(numbers_and_nesting),
        cmocka_unit_test(lines_and_spaces_are_the_callers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
