/* SPDX-License-Identifier: Apache-2.0 */
/* Section `cueing` of the configuration, and receivers of its platform: what they mean, and the
 * line and column that a refusal names. */
#include "config_text.h"
#include "cueing/transfer.h"
#include <arpa/inet.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct lkd_config config;
static struct lk_error error;

#define AXES "platform: {type: six-axis, low: -0.2, high: 0.2, speed: 0.5, acceleration: 5}"
#define LEGS                                                                                       \
    "platform: {type: hexapod, low: -0.3, high: 0.3, speed: 0.6, acceleration: 6,"                 \
    " base_radius: 1.65, base_angle: 0.122, platform_radius: 1.6, platform_angle: 0.925,"          \
    " height: 1.7}"

static void test_defaults(void **state)
{
    const struct lk_ride_config *ride = &config.cueing.ride;

    (void)state;
    assert_int_equal(config_text_read_rest("", &config, &error), 0);
    assert_false(config.cueing.present);
    assert_int_equal(config_text_read_rest("cueing: {sensor: seat, " AXES "}\n", &config, &error),
                     0);
    assert_true(config.cueing.present && !config.cueing.hears);
    assert_string_equal(config.cueing.names.sensor, "seat");
    assert_true(ride->set.frequency[0] == 0.8 && ride->set.coupled);
    assert_true(ride->h == 1e-3 && ride->fade == 2 && ride->pace == 0.25);
    assert_int_equal(config.cueing.silent_ns, 100000000);
    assert_int_equal(ride->platform.n, 6);
}

static void test_every_key(void **state)
{
    const struct lk_ride_config *ride = &config.cueing.ride;
    const struct lk_washout_set *set = &ride->set;

    (void)state;
    if (config_text_read_rest(
            "cueing:\n  sensor: head\n  set: reid-nahon\n  report: 'udp://127.0.0.1:5611'\n"
            "  rate: 500\n  silent: 0.25\n  fade: 3\n  pace: 0.125\n  coupled: false\n"
            "  force_scale: [0.1, 0.2, 0.3]\n  rate_scale: [0.4, 0.5, 0.6]\n  force_limit: 7\n"
            "  rate_limit: 1.5\n  frequency: [1, 2, 3]\n  damping: [0.7, 0.8, 0.9]\n"
            "  leak: [0, 0.1, 0.2]\n  tilt_frequency: 4\n  tilt_damping: 1.1\n  tilt_rate: 0.1\n"
            "  tilt_limit: 0.3\n  tilt_acceleration: 0.14\n  turn_frequency: [5, 6, 7]\n  "
            "turn_damping: [1.2, 1.3, 1.4]\n"
            "  head: [0.1, 0, 0.9]\n"
            "  gains: {force_scale: gain, frequency: ['', slow, ''], tilt_rate: tilt}\n"
            "  platform: {type: three-axis, low: [-0.1, -0.2, -0.3], high: 0.4, speed: 1,"
            " acceleration: [2, 3, 4]}\n"
            "motion: [{endpoint: 'udp://127.0.0.1:1', platform: true}]\n",
            &config, &error))
        fail_msg("%s", error.text);
    assert_true(ride->h == 1.0 / 500 && ride->fade == 3 && ride->pace == 0.125);
    assert_int_equal(config.cueing.silent_ns, 250000000);
    assert_true(config.cueing.hears && config.cueing.report.sin_port == htons(5611));
    assert_memory_equal(set->force_scale, ((double[3]){0.1, 0.2, 0.3}), 24);
    assert_memory_equal(set->rate_scale, ((double[3]){0.4, 0.5, 0.6}), 24);
    assert_true(set->force_limit == 7 && set->rate_limit == 1.5 && !set->coupled);
    assert_memory_equal(set->frequency, ((double[3]){1, 2, 3}), 24);
    assert_memory_equal(set->damping, ((double[3]){0.7, 0.8, 0.9}), 24);
    assert_memory_equal(set->leak, ((double[3]){0, 0.1, 0.2}), 24);
    assert_true(set->tilt_frequency == 4 && set->tilt_damping == 1.1 && set->tilt_rate == 0.1);
    assert_true(set->tilt_limit == 0.3 && set->tilt_acceleration == 0.14);
    assert_memory_equal(set->turn_frequency, ((double[3]){5, 6, 7}), 24);
    assert_memory_equal(set->turn_damping, ((double[3]){1.2, 1.3, 1.4}), 24);
    assert_memory_equal(set->head, ((double[3]){0.1, 0, 0.9}), 24);
    for (int i = 0; i < LK_WASHOUT_VALUES; i++)
        assert_string_equal(config.cueing.names.gain[i], i < 3     ? "gain"
                                                         : i == 9  ? "slow"
                                                         : i == 19 ? "tilt"
                                                                   : "");
    assert_int_equal(ride->platform.n, 3);
    assert_true(ride->platform.limits[2].low == -0.3 && ride->platform.limits[2].high == 0.4);
    assert_true(ride->platform.limits[0].speed == 1 && ride->platform.limits[0].acceleration == 2);
    assert_true(config.motion[0].platform);
}

static void test_hexapod(void **state)
{
    (void)state;
    assert_int_equal(config_text_read_rest("cueing: {sensor: seat, " LEGS "}\n", &config, &error),
                     0);
    assert_int_equal(config.cueing.ride.platform.kind, LK_PLATFORM_HEXAPOD);
    assert_true(config.cueing.ride.platform.neutral[0] > 2.1);
}

/* Check that a file is refused with a message that contains @words.
 * @line: second line of the file */
static void refused(const char *line, const char *words)
{
    if (config_text_read_rest(line, &config, &error) != LK_E_TEXT)
        fail_msg("accepted: %s", line);
    if (!strstr(error.text, words))
        fail_msg("'%s' instead of '%s'", error.text, words);
}

#define SEAT "cueing: {sensor: seat, "

static void test_refusals(void **state)
{
    (void)state;
    refused("cueing: 3\n", ":2:9: ");
    refused("cueing: {" AXES "}\n", "sensor");
    refused("cueing: {sensor: seat}\n", ":2:9: cueing: expected the key platform");
    refused(SEAT "platform: x}\n", ":2:34: cueing: expected the key platform");
    refused(SEAT "speed: 1, " AXES "}\n", ":2:24: ");
    refused(SEAT "set: fast, " AXES "}\n", ":2:29: ");
    refused(SEAT "rate: 10, " AXES "}\n", ":2:30: 10, expected 60 to 4000");
    refused(SEAT "silent: 0, " AXES "}\n", ":2:32: 0, expected 0.03 to 10");
    refused(SEAT "fade: 0, " AXES "}\n", ":2:30: 0, expected 0.1 to 60");
    refused(SEAT "pace: 1, " AXES "}\n", ":2:30: 1, expected 0.01 to 0.5");
    refused(SEAT "coupled: 1.5, " AXES "}\n", "coupled: 1.5, expected 0 to 1");
    refused(SEAT "gains: gain, " AXES "}\n", ":2:31: gains: expected a map from gains");
    refused(SEAT "gains: {loud: a}, " AXES "}\n", "unknown key 'loud' in gains");
    refused(SEAT "gains: {head: [a, b]}, " AXES "}\n", "head: expected a name, or a list of 3");
    refused(SEAT "gains: {head: {a: b}}, " AXES "}\n", "expected the name of an output");
    refused(SEAT "coupled: perhaps, " AXES "}\n", ":2:33: ");
    refused(SEAT "frequency: [1, 2], " AXES "}\n", ":2:35: ");
    refused(SEAT "frequency: [1, 2, 0], " AXES "}\n", ":2:35: frequency: 0, expected 0.01 to 50");
    refused(SEAT "force_scale: [1, -1, 1], " AXES "}\n", "force_scale: -1, expected 0 to 10");
    refused(SEAT "tilt_limit: 2, " AXES "}\n", ":2:36: tilt_limit: 2, expected 0 to 0.8");
    refused(SEAT "tilt_rate: .nan, " AXES "}\n", ":2:35: ");
    refused(SEAT "head: [0, 0, 11], " AXES "}\n", "head: 11, expected -10 to 10");
    refused(SEAT "report: 'tcp://a:1', " AXES "}\n", ":2:32: 'tcp://a:1' is no receiver");
    refused(SEAT "report: 'udp://127.0.0.1:0', " AXES "}\n", ":2:32: no such port");
}

#define PLATFORM "cueing: {sensor: seat, platform: {type: "
#define LIMITS   ", low: -1, high: 1, speed: 1, acceleration: 1"

static void test_refused_platforms(void **state)
{
    (void)state;
    refused(PLATFORM "bird" LIMITS "}}\n", ":2:41: ");
    refused(PLATFORM "six-axis" LIMITS ", height: 1}}\n", "height");
    refused(PLATFORM "six-axis, high: 1, speed: 1, acceleration: 1}}\n", "low");
    refused(PLATFORM "six-axis, low: 0, high: 1, speed: 1, acceleration: 1}}\n",
            "low: 0, expected -10 to -0.01");
    refused(PLATFORM "three-axis, low: [-1, -1], high: 1, speed: 1, acceleration: 1}}\n", "low");
    refused(PLATFORM "hexapod" LIMITS "}}\n", "base_radius");
    refused(PLATFORM "hexapod" LIMITS ", base_radius: 1.65, base_angle: 2, platform_radius: 1.6,"
                     " platform_angle: 1, height: 1.7}}\n",
            "base_angle: 2, expected 0 to 1.047");
    refused(PLATFORM "hexapod" LIMITS ", base_radius: 1.65, base_angle: 0.1, platform_radius: 1.6,"
                     " platform_angle: 0.9, height: 1.7}}\n",
            ":2:34: within these strokes the legs reach a pose that they do not hold");
    refused("motion: [{endpoint: 'udp://127.0.0.1:1', platform: true}]\n",
            ":2:52: platform without one");
    refused(
        "motion: [{endpoint: 'udp://127.0.0.1:1', platform: true, send_from: cycle}]\n" SEAT AXES
        "}\n",
        ":2:69: the cycle does not know the platform");
}

/* The page names the sag of surge and sway, and the corner frequency of the other axes; its numbers
 * are those of lk_transfer_at(). */
static void test_page(void **state)
{
    char page[2000] = "";
    FILE *f = fmemopen(page, sizeof(page), "w");

    (void)state;
    assert_int_equal(config_text_read_rest("", &config, &error), 0);
    lkd_config_print_cueing(&config.cueing, f);
    fflush(f);
    assert_string_equal(page, "");
    assert_int_equal(config_text_read_rest("cueing: {sensor: seat, coupled: false, " AXES "}\n",
                                           &config, &error),
                     0);
    lkd_config_print_cueing(&config.cueing, f);
    fclose(f);
    assert_non_null(strstr(page, "  rad/s            0.1         0.3           1           3"));
    assert_non_null(
        strstr(page, "  surge     0.98    -6  0.87   -14  0.62    -4  0.71   +15  0.96    +9"));
    assert_non_null(strstr(page, " lowest 0.61 at 1.26"));
    assert_non_null(strstr(page, "\n  yaw  "));
    assert_non_null(strstr(page, "   less than 0.71 below 1.55 rad/s\n"));
    assert_null(strstr(page, "note"));

    /* near the sag, the attitude loop cancels nearly all of the specific force */
    f = fmemopen(page, sizeof(page), "w");
    assert_int_equal(config_text_read_rest("cueing: {sensor: seat, " AXES "}\n", &config, &error),
                     0);
    lkd_config_print_cueing(&config.cueing, f);
    fclose(f);
    assert_non_null(strstr(page, "\n  note: of sway near 1.41 rad/s 0.00 is left; 0.22 with "
                                 "coupled: 0.5, 0.44 with coupled: false\n"));
    assert_non_null(strstr(page, "\n  note: of surge near 1.26 rad/s 0.10 is left"));
}

/* The table has the numbers of lk_transfer_at() at each frequency. An existing file is never
 * overwritten. */
static void test_table(void **state)
{
    char path[RIG_FOLDER + 16], line[1000];
    double omega, gain, phase;
    int n = 0;
    FILE *f;

    (void)state;
    snprintf(path, sizeof(path), "%s/transfer.csv", config_folder);
    assert_int_equal(config_text_read_rest("", &config, &error), 0);
    assert_int_equal(lkd_config_tabulate_cueing(&config.cueing, path, &error), LK_E_TEXT);
    assert_non_null(strstr(error.text, "no section cueing"));
    assert_int_equal(config_text_read_rest("cueing: {sensor: seat, coupled: false, " AXES "}\n",
                                           &config, &error),
                     0);
    assert_int_equal(lkd_config_tabulate_cueing(&config.cueing, path, &error), 0);
    f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof(line), f));
    assert_non_null(strstr(line, "frequency [rad/s],gain.surge [1],phase.surge [deg],gain.sway"));
    for (; fgets(line, sizeof(line), f); n++) {
        struct lk_transfer felt;

        assert_int_equal(sscanf(line, "%lf,%lf,%lf,", &omega, &gain, &phase), 3);
        felt = lk_transfer_at(&config.cueing.ride.set, 0, omega);
        assert_true(fabs(gain - felt.gain) < 1e-6);
        assert_true(fabs(phase - felt.phase * 180 / M_PI) < 1e-4);
    }
    fclose(f);
    assert_int_equal(n, 401);
    assert_int_equal(lkd_config_tabulate_cueing(&config.cueing, path, &error), LK_E_TEXT);
    assert_non_null(strstr(error.text, "transfer.csv: File exists"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_every_key),
        cmocka_unit_test(test_hexapod),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_refused_platforms),
        cmocka_unit_test(test_page),
        cmocka_unit_test(test_table),
    };

    return cmocka_run_group_tests(tests, config_text_open, config_text_close);
}
