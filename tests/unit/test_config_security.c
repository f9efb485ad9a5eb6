/* SPDX-License-Identifier: Apache-2.0 */
/* Sections security and privileges, and what the first one changes about endpoints. */
#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[32], path[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/linkaged-test-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s/c.yaml", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static int read_text(const char *text, struct lkd_config *ret_config, struct lk_error *ret_error)
{
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    return lkd_config_read(path, ret_config, ret_error);
}

static void refused(const char *text, const char *place, const char *words)
{
    struct lkd_config config;
    struct lk_error error = {0};
    char begin[96];

    assert_int_equal(read_text(text, &config, &error), LK_E_TEXT);
    snprintf(begin, sizeof(begin), "%s:%s: ", path, place);
    if (strncmp(error.text, begin, strlen(begin)) != 0 || !strstr(error.text, words))
        fail_msg("'%s', expected '%s' and '%s'", error.text, begin, words);
}

static void test_defaults(void **state)
{
    struct lkd_config config;
    struct lk_error error = {0};

    (void)state;
    assert_int_equal(read_text("linkaged: 1\n", &config, &error), 0);
    assert_string_equal(config.secret_key, "");
    assert_string_equal(config.clients, "");
    assert_string_equal(config.user, "");
}

static void test_keys_next_to_the_configuration(void **state)
{
    struct lkd_config config;
    struct lk_error error = {0};
    char expected[64];

    (void)state;
    if (read_text("linkaged: 1\nsecurity: {secret_key: s.key, clients: /a/b}\n"
                  "privileges: {user: linkaged}\n",
                  &config, &error))
        fail_msg("%s", error.text);
    snprintf(expected, sizeof(expected), "%s/s.key", folder);
    assert_string_equal(config.secret_key, expected);
    assert_string_equal(config.clients, "/a/b");
    assert_string_equal(config.user, "linkaged");
}

static void test_open_addresses(void **state)
{
    static const char with[] = "linkaged: 1\nendpoints: {control: 'tcp://0.0.0.0:7'}\n"
                               "security: {secret_key: s, clients: c}\n";
    struct lkd_config config;
    struct lk_error error = {0};

    (void)state;
    if (read_text(with, &config, &error)) /* wherever in the file the section is */
        fail_msg("%s", error.text);
    assert_string_equal(config.control, "tcp://0.0.0.0:7");
    refused("linkaged: 1\nendpoints: {control: 'tcp://0.0.0.0:7'}\n", "2:22", "linkagectl keygen");
    refused("linkaged: 1\nendpoints: {outputs: 'tcp://10.1.1.1:7'}\n", "2:22", "loopback");
    refused("linkaged: 1\nendpoints: {inputs: 'tcp://rig:7'}\nsecurity: {secret_key: s, clients: "
            "c}\n",
            "2:21", "numeric");
    refused("linkaged: 1\nendpoints: {control: 'tcp://0.0.0.0:7'}\nsecurity: {}\n", "3:11",
            "secret_key and clients");
}

static void test_refusals(void **state)
{
    (void)state;
    refused("linkaged: 1\nsecurity: {secret_key: s}\n", "2:11", "clients");
    refused("linkaged: 1\nsecurity: {clients: s}\n", "2:11", "secret_key");
    refused("linkaged: 1\nsecurity: {secret: s}\n", "2:12", "secret");
    refused("linkaged: 1\nsecurity: on\n", "2:11", "security");
    refused("linkaged: 1\nprivileges: {group: s}\n", "2:14", "group");
    refused("linkaged: 1\nprivileges: {user: [a]}\n", "2:20", "user");
    refused("linkaged: 1\nprivileges: {user: "
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}\n",
            "2:20", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_defaults, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_keys_next_to_the_configuration, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(test_open_addresses, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_refusals, make_folder, remove_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
