/* SPDX-License-Identifier: Apache-2.0 */
/* Sections `outputs` and `motion` of the configuration: what they mean, and the line and column
 * that a refusal names. */
#include "config_text.h"
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct lkd_config config;
static struct lk_error error;

static int read_config(const char *text)
{
    return config_text_read_rest(text, &config, &error);
}

/* Check that @text is refused.
 * @place: "line:column: words" of the message */
static void refused(const char *text, const char *place)
{
    assert_int_equal(read_config(text), LK_E_TEXT);
    if (!strstr(error.text, place))
        fail_msg("'%s' instead of '%s'", error.text, place);
}

static void test_defaults(void **state)
{
    (void)state;
    assert_int_equal(read_config(""), 0);
    assert_int_equal(config.outputs_divisor, 1);
    assert_int_equal(config.n_motion, 0);
    assert_int_equal(read_config("motion:\n  - {endpoint: 'udp://127.0.0.1:5610'}\n"), 0);
    assert_int_equal(config.n_motion, 1);
    assert_int_equal(config.motion[0].divisor, 1);
    assert_false(config.motion[0].wide);
    assert_false(config.motion[0].from_cycle);
    for (int i = 0; i < LKD_MOTION_SLOTS; i++)
        assert_string_equal(config.motion[0].slot[i].channel, "");
}

static void test_every_key(void **state)
{
    const struct lkd_motion_config *m = &config.motion[1];

    (void)state;
    assert_int_equal(
        read_config("outputs: {divisor: 10}\n"
                    "motion:\n"
                    "  - {endpoint: 'udp://127.0.0.1:1'}\n"
                    "  - endpoint: udp://192.168.7.8:65535\n"
                    "    divisor: 4\n"
                    "    send_from: cycle\n"
                    "    format: f64\n"
                    "    pose: [{}, {channel: p, component: x, scale: -1000, offset: 2}]\n"
                    "    velocity: [{channel: v}]\n"
                    "    acceleration: [{}, {}, {}, {}, {}, {channel: a}]\n"
                    "    specific_force: [{}, {}, {channel: f}]\n"
                    "    angular_rate: [{}, {}, {channel: w}]\n"),
        0);
    assert_int_equal(config.outputs_divisor, 10);
    assert_int_equal(config.n_motion, 2);
    assert_int_equal(m->address.sin_port, htons(65535));
    assert_int_equal(m->address.sin_addr.s_addr, htonl(0xc0a80708));
    assert_int_equal(m->divisor, 4);
    assert_true(m->from_cycle && m->wide);
    assert_string_equal(m->slot[0].channel, "");
    assert_string_equal(m->slot[1].channel, "p");
    assert_string_equal(m->slot[1].component, "x");
    assert_true(m->slot[1].scale == -1000 && m->slot[1].offset == 2);
    assert_string_equal(m->slot[6].channel, "v");
    assert_true(m->slot[6].scale == 1 && m->slot[6].offset == 0);
    assert_string_equal(m->slot[17].channel, "a");
    assert_string_equal(m->slot[20].channel, "f");
    assert_string_equal(m->slot[23].channel, "w");
}

#define TO "motion:\n  - endpoint: "
#define OK "udp://127.0.0.1:5610\n"

static void test_refusals(void **state)
{
    (void)state;
    refused("outputs: {divisor: 0}\n", ":2:20: ");
    refused("outputs: {speed: 1}\n", ":2:11: ");
    refused("motion: {endpoint: 'udp://127.0.0.1:1'}\n", ":2:9: ");
    refused("motion:\n  - {divisor: 1}\n", ":3:5: ");
    refused(TO "tcp://127.0.0.1:5610\n", ":3:15: 'tcp://127.0.0.1:5610' is no receiver");
    refused(TO "udp://127.0.0.1\n", ":3:15: no port");
    refused(TO "udp://platform:5610\n", ":3:15: 'platform' is no numeric IPv4 address");
    refused(TO "udp://0.0.0.0:5610\n", ":3:15: '0.0.0.0' is no numeric");
    refused(TO "udp://127.0.0.1:0\n", ":3:15: no such port");
    refused(TO "udp://127.0.0.1:65536\n", ":3:15: no such port");
    refused(TO OK "    format: f16\n", ":4:13: ");
    refused(TO OK "    send_from: kernel\n", ":4:16: ");
    refused(TO OK "    pose: x\n", ":4:11: pose: expected a list");
    refused(TO OK "    pose: [{}, {}, {}, {}, {}, {}, {}]\n", ":4:36: 7 outputs in pose");
    refused(TO OK "    angular_rate: [{}, {}, {}, {}]\n", "4 outputs in angular_rate");
    refused(TO OK "    pose: [{component: x}]\n", ":4:12: ");
    refused(TO OK "    pose: [{channel: p, gain: 1}]\n", ":4:25: ");
    refused(TO OK "    pose: [{channel: p, scale: .inf}]\n", ":4:32: ");
    refused("motion:\n- {endpoint: 'udp://127.0.0.1:1'}\n- {endpoint: 'udp://127.0.0.1:2'}\n"
            "- {endpoint: 'udp://127.0.0.1:3'}\n- {endpoint: 'udp://127.0.0.1:4'}\n"
            "- {endpoint: 'udp://127.0.0.1:5'}\n",
            ":7:3: 5 receivers, expected at most 4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_every_key),
        cmocka_unit_test(test_refusals),
    };

    return cmocka_run_group_tests(tests, config_text_open, config_text_close);
}
