/* SPDX-License-Identifier: Apache-2.0 */
/* Section `record` of the configuration. */
#include "../cmocka_all.h"
#include "config_text.h"

#include <stdio.h>
#include <string.h>

static void without_it_there_is_no_recorder(void **state)
{
    struct lkd_config config;
    struct lk_error error;

    (void)state;
    assert_int_equal(config_text_read_rest("", &config, &error), 0);
    assert_string_equal(config.record.directory, "");
    assert_false(config.record.autostart);
    assert_int_equal(config.record.chunk, 1 << 20);
    assert_int_equal(config.record.flush_ns, 500000000);
    assert_int_equal(config.record.io, LKD_RECORD_IO_AUTO);
    assert_int_equal(config.record.max_size, 0);
}

static void all_keys_are_read(void **state)
{
    struct lkd_config config;
    struct lk_error error;
    char expected[RIG_FOLDER + 2];

    (void)state;
    assert_int_equal(
        config_text_read_rest("record: {directory: r, autostart: true, chunk: 70000, flush: 2, "
                              "io: pwrite, sync: true, max_size: 1e9}",
                              &config, &error),
        0);
    snprintf(expected, sizeof(expected), "%s/r", config_folder);
    assert_string_equal(config.record.directory, expected);
    assert_true(config.record.autostart);
    assert_int_equal(config.record.chunk, 70000);
    assert_int_equal(config.record.flush_ns, 2000000000);
    assert_int_equal(config.record.io, LKD_RECORD_IO_PWRITE);
    assert_true(config.record.sync);
    assert_int_equal(config.record.max_size, 1000000000);
}

static void refused(const char *record, const char *words)
{
    struct lkd_config config;
    struct lk_error error = {""};

    assert_int_equal(config_text_read_rest(record, &config, &error), LK_E_TEXT);
    if (!strstr(error.text, words))
        fail_msg("'%s', expected '%s'", error.text, words);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    refused("record: {autostart: true}", "autostart without a folder");
    refused("record: {chunk: 1}", "expected 65536 to");
    refused("record: {chunk: 1e12}", "expected 65536 to");
    refused("record: {flush: 0}", "expected 0.01 to 60");
    refused("record: {io: aio}", "pwrite");
    refused("record: {max_size: 1000}", "expected 262144 and more");
    refused("record: {folder: r}", "folder");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_it_there_is_no_recorder),
        cmocka_unit_test(all_keys_are_read),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };

    return cmocka_run_group_tests(tests, config_text_open, config_text_close);
}
