/* SPDX-License-Identifier: Apache-2.0 */
/* Section `villas` of the configuration: valid contents, and for each mistake one message with line
 * and column. */
#include "config_text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct lkd_config config;
static struct lk_error error;

/* Return a configuration with this section. */
static const char *with_section(const char *section)
{
    static char text[8192];

    snprintf(text, sizeof(text), "linkaged: 1\nvillas: %s\n", section);
    return text;
}

static int read_section(const char *section)
{
    return config_text_read(with_section(section), &config, &error);
}

static void refused(const char *section, const char *place, const char *words)
{
    config_text_refused(with_section(section), place, words);
}

static void test_default(void **state)
{
    (void)state;
    lkd_config_default(&config);
    assert_string_equal(config.villas.inputs, "");
    assert_string_equal(config.villas.outputs, "");
    assert_int_equal(config.villas.in.n, 0);
    assert_int_equal(config.villas.out.n, 0);
    assert_int_equal(config.villas.divisor, 1);
    assert_false(config.villas.clear_text);
}

static void test_all_keys(void **state)
{
    const struct lkd_villas_config *villas = &config.villas;

    (void)state;
    assert_int_equal(read_section("{inputs: 'tcp://127.0.0.1:5610', outputs: 'ipc:///tmp/v', "
                                  "in: [push.x, push.y, motor], out: [rate, rate, pose], "
                                  "divisor: 1000000, clear_text: refuse}"),
                     0);
    assert_string_equal(villas->inputs, "tcp://127.0.0.1:5610");
    assert_string_equal(villas->outputs, "ipc:///tmp/v");
    assert_int_equal(villas->in.n, 3);
    assert_string_equal(villas->in.name[0], "push.x");
    assert_string_equal(villas->in.name[2], "motor");
    assert_int_equal(villas->out.n, 3);
    assert_string_equal(villas->out.name[2], "pose");
    assert_int_equal(villas->divisor, 1000000);

    /* one direction is sufficient; an empty section disables the exchange */
    assert_int_equal(read_section("{outputs: 'ipc://@v', out: [a]}"), 0);
    assert_string_equal(villas->inputs, "");
    assert_int_equal(read_section("{}"), 0);
}

static void test_clear_text(void **state)
{
    (void)state;
    refused("{inputs: 'tcp://192.168.1.4:5610', in: [a]}", "2:18", "clear_text: allow");
    refused("{outputs: 'tcp://0.0.0.0:5610', out: [a], clear_text: refuse}", "2:19", "encrypted");
    assert_int_equal(read_section("{inputs: 'tcp://192.168.1.4:5610', in: [a], clear_text: allow}"),
                     0);
    assert_true(config.villas.clear_text);
    refused("{inputs: 'tcp://rig.example:5610', in: [a], clear_text: allow}", "2:18", "numeric");
    refused("{inputs: 'udp://127.0.0.1:5610', in: [a], clear_text: allow}", "2:18", "transport");
}

static void test_slips(void **state)
{
    char many[8192] = "{outputs: 'ipc://@v', out: [";

    (void)state;
    refused("{input: 'ipc://@v'}", "2:10", "input");
    refused("{inputs: 'ipc://@v'}", "2:18", "'in'");
    refused("{in: [a]}", "2:14", "'inputs'");
    refused("{outputs: 'ipc://@v', out: []}", "2:19", "'out'");
    refused("{out: [a]}", "2:15", "'outputs'");
    refused("{inputs: 'ipc://@v', in: a}", "2:34", "list");
    refused("{inputs: 'ipc://@v', in: [a, b, a]}", "2:41", "position already");
    refused("{inputs: 'ipc://@v', in: [a.b.c]}", "2:35", "CHANNEL.COMPONENT");
    refused("{inputs: 'ipc://@v', in: [a, 7b]}", "2:38", "CHANNEL.COMPONENT");
    refused("{inputs: 'ipc://@v', in: [a.]}", "2:35", "CHANNEL.COMPONENT");
    refused("{inputs: 'ipc://@v', in: ['']}", "2:35", "CHANNEL.COMPONENT");
    refused("{inputs: 'ipc://@v', in: [[a]]}", "2:35", "CHANNEL.COMPONENT");
    refused("{outputs: 'ipc://@v', out: [a], divisor: 0}", "2:50", "1");
    refused("{inputs: 'ipc://@v', in: [a], outputs: 'ipc://@v', out: [a]}", "2:9", "in use");
    refused("{inputs: 'tcp://127.0.0.1:5601', in: [a]}", "2:9", "in use");
    for (int i = 0; i <= LKD_VILLAS_NAMES_MAX; i++)
        snprintf(many + strlen(many), sizeof(many) - strlen(many), "a%d, ", i);
    strcat(many, "]}");
    refused(many, "2:36", "at most 256");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default),
        cmocka_unit_test(test_all_keys),
        cmocka_unit_test(test_clear_text),
        cmocka_unit_test(test_slips),
    };

    return cmocka_run_group_tests(tests, config_text_open, config_text_close);
}
