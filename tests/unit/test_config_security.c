/* SPDX-License-Identifier: Apache-2.0 */
/* Sections `security` and `privileges` of the configuration, and the endpoints that are allowed
 * with `security`. */
#include "config_text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void test_defaults(void **state)
{
    struct lkd_config config;
    struct lk_error error = {0};

    (void)state;
    assert_int_equal(config_text_read("linkaged: 1\n", &config, &error), 0);
    assert_string_equal(config.secret_key, "");
    assert_string_equal(config.clients, "");
    assert_string_equal(config.user, "");
}

static void test_keys_next_to_the_configuration(void **state)
{
    struct lkd_config config;
    struct lk_error error = {0};
    char expected[RIG_FOLDER + 16];

    (void)state;
    if (config_text_read("linkaged: 1\nsecurity: {secret_key: s.key, clients: /a/b}\n"
                         "privileges: {user: linkaged}\n",
                         &config, &error))
        fail_msg("%s", error.text);
    snprintf(expected, sizeof(expected), "%s/s.key", config_folder);
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
    if (config_text_read(with, &config, &error)) /* before or after `endpoints` */
        fail_msg("%s", error.text);
    assert_string_equal(config.control, "tcp://0.0.0.0:7");
    config_text_refused("linkaged: 1\nendpoints: {control: 'tcp://0.0.0.0:7'}\n", "2:22",
                        "linkagectl keygen");
    config_text_refused("linkaged: 1\nendpoints: {outputs: 'tcp://10.1.1.1:7'}\n", "2:22",
                        "loopback");
    config_text_refused(
        "linkaged: 1\nendpoints: {inputs: 'tcp://rig:7'}\nsecurity: {secret_key: s, clients: "
        "c}\n",
        "2:21", "numeric");
    config_text_refused("linkaged: 1\nendpoints: {control: 'tcp://0.0.0.0:7'}\nsecurity: {}\n",
                        "3:11", "secret_key and clients");
}

static void test_refusals(void **state)
{
    (void)state;
    config_text_refused("linkaged: 1\nsecurity: {secret_key: s}\n", "2:11", "clients");
    config_text_refused("linkaged: 1\nsecurity: {clients: s}\n", "2:11", "secret_key");
    config_text_refused("linkaged: 1\nsecurity: {secret: s}\n", "2:12", "secret");
    config_text_refused("linkaged: 1\nsecurity: on\n", "2:11", "security");
    config_text_refused("linkaged: 1\nprivileges: {group: s}\n", "2:14", "group");
    config_text_refused("linkaged: 1\nprivileges: {user: [a]}\n", "2:20", "user");
    config_text_refused(
        "linkaged: 1\nprivileges: {user: "
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}\n",
        "2:20", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_keys_next_to_the_configuration),
        cmocka_unit_test(test_open_addresses),
        cmocka_unit_test(test_refusals),
    };

    return cmocka_run_group_tests(tests, config_text_open, config_text_close);
}
