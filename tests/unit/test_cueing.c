/* SPDX-License-Identifier: Apache-2.0 */
/* A platform beside a run: the effect of records, missing records, orders and reports on its ride,
 * and the contents of its datagrams. The test has its own clock. */
#include "motion.h"
#include <arpa/inet.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#define MS INT64_C(1000000)

static struct lkd_cueing_config config;
static struct lkd_cueing cueing;
static int64_t now_ns;

static const struct lk_channel channels[] = {
    {.name = "angle", .size = 1, .offset = 0, .component = {""}},
    {.name = "seat", .size = 6, .offset = 1, .component = {"fx", "fy", "fz", "wx", "wy", "wz"}},
};

static int begin(void **state)
{
    struct lk_actuator_limits limits[LK_PLATFORM_ACTUATORS];

    (void)state;
    for (int i = 0; i < LK_PLATFORM_ACTUATORS; i++)
        limits[i] = (struct lk_actuator_limits){-0.2, 0.2, 0.5, 5};
    config = (struct lkd_cueing_config){
        .present = true,
        .names.sensor = "seat",
        .ride = {.set = lk_washout_named(0), .h = 1e-3, .fade = 2, .pace = 0.25},
        .silent_ns = 100 * MS,
    };
    assert_true(lk_platform_init(&config.ride.platform, LK_PLATFORM_SIX_AXIS, NULL, limits));
    now_ns = 1000 * MS;
    return 0;
}

static void open_cueing(bool realtime)
{
    assert_int_equal(lkd_cueing_init(&cueing, &config), 0);
    lkd_cueing_load(&cueing, channels, 2);
    lkd_cueing_begin(&cueing, realtime);
}

/* Make @n records, one each ms, and call the exchange's timer every 10 ms. */
static void run(int n, enum lkd_cycle_state state, double fx)
{
    struct lkd_output *output = calloc(1, sizeof(*output) + 7 * sizeof(double));

    output->figures.state = state;
    output->values[1] = fx;
    output->values[3] = LK_CUEING_GRAVITY;
    for (int i = 0; i < n; i++) {
        now_ns += MS;
        output->figures.deadline_ns = now_ns - MS / 2;
        lkd_cueing_record(&cueing, output, now_ns);
        if (i % 10 == 0)
            lkd_cueing_tick(&cueing, now_ns);
    }
    free(output);
}

static void wait_without_records(int n)
{
    for (int i = 0; i < n; i++)
        lkd_cueing_tick(&cueing, now_ns += 10 * MS);
}

static enum lk_ride_cause order(enum lkd_platform_order what)
{
    return lkd_cueing_order(&cueing, what);
}

static void rise(void)
{
    run(10, LKD_CYCLE_RUNNING, 0);
    assert_int_equal(order(LKD_PLATFORM_ENGAGE), LK_RIDE_NO_CAUSE);
    run(20000, LKD_CYCLE_RUNNING, 0);
    assert_int_equal(cueing.ride.state, LK_RIDE_FOLLOWING);
}

static void expect_end(enum lk_ride_cause cause)
{
    assert_true(cueing.ride.state == LK_RIDE_HOLDING || cueing.ride.state == LK_RIDE_SETTLING);
    assert_int_equal(cueing.ride.cause, cause);
    wait_without_records(3000);
    assert_int_equal(cueing.ride.state, LK_RIDE_PARKED);
    assert_false(lkd_cueing_drives(&cueing));
}

/* ---- rides ---- */

/* The platform makes one step for each step of the run: the washout's pose is the one at the time
 * of the record. */
static void test_follows_the_records(void **state)
{
    struct lk_washout_state washed = {0};
    double pose[6];

    (void)state;
    open_cueing(true);
    rise();
    memset(&cueing.ride.washed, 0, sizeof(washed));
    run(3000, LKD_CYCLE_RUNNING, 0.3);
    for (int i = 0; i < 3000; i++)
        lk_washout_step(&cueing.ride.washout, &washed,
                        (const double[6]){0.3, 0, LK_CUEING_GRAVITY, 0, 0, 0}, pose);
    assert_memory_equal(&washed, &cueing.ride.washed, sizeof(washed));
    assert_true(fabs(pose[0]) > 0.02 && fabs(cueing.ride.pose[0] - pose[0]) < 1e-12);
    assert_int_equal(order(LKD_PLATFORM_PARK), LK_RIDE_NO_CAUSE);
    run(1, LKD_CYCLE_RUNNING, 1);
    expect_end(LK_RIDE_ORDERED);
    lkd_cueing_fini(&cueing);
}

/* A gain of the operator is an output of the model. The washout's gain changes smoothly to its
 * value, and the ride uses it. */
static void test_gains(void **state)
{
    struct lkd_output *output = calloc(1, sizeof(*output) + 7 * sizeof(double));
    const char *missing;

    (void)state;
    strcpy(config.names.gain[1], "angle");
    strcpy(config.names.gain[2], "lost");
    strcpy(config.names.gain[3], "seat");
    open_cueing(true);
    assert_int_equal(lkd_cueing_gain(&config, 0, channels, 2, &missing), -1);
    assert_null(missing);
    assert_int_equal(lkd_cueing_gain(&config, 1, channels, 2, &missing), 0);
    assert_int_equal(lkd_cueing_gain(&config, 2, channels, 2, &missing), -1);
    assert_string_equal(missing, "lost");
    assert_int_equal(lkd_cueing_gain(&config, 3, channels, 2, &missing), -1);
    assert_string_equal(missing, "seat");
    output->figures.state = LKD_CYCLE_RUNNING;
    output->values[0] = 0.25;
    for (int i = 0; i < 3000; i++) {
        output->figures.deadline_ns = now_ns += MS;
        lkd_cueing_record(&cueing, output, now_ns);
    }
    assert_true(fabs(cueing.ride.washout.set.force_scale[1] - 0.25) < 1e-3);
    assert_true(cueing.ride.washout.set.force_scale[0] == 0.6);
    assert_true(cueing.ride.washout.set.force_scale[2] == 0.5);
    lkd_cueing_fini(&cueing);
    free(output);
}

static void test_stands_still(void **state)
{
    (void)state;
    open_cueing(true);
    rise();
    run(1, LKD_CYCLE_PAUSED, 0);
    assert_true(lkd_cueing_drives(&cueing));
    expect_end(LK_RIDE_NOT_RUNNING);
    rise();
    run(1, LKD_CYCLE_FAULT, 0);
    expect_end(LK_RIDE_NOT_RUNNING);
    rise();
    lkd_cueing_halt(&cueing);
    expect_end(LK_RIDE_NOT_RUNNING);
    lkd_cueing_fini(&cueing);
}

static void test_silence(void **state)
{
    (void)state;
    open_cueing(true);
    rise();
    wait_without_records(9);
    assert_int_equal(cueing.ride.state, LK_RIDE_FOLLOWING);
    wait_without_records(3);
    expect_end(LK_RIDE_SILENT);
    lkd_cueing_fini(&cueing);
}

/* After the daemon stood still, a record or its own timer may come first. If the platform was
 * parked meanwhile, the ride has ended, and only an order begins another. */
static void test_stood_still(void **state)
{
    (void)state;
    open_cueing(true);
    rise();
    now_ns += 101 * MS;
    run(1, LKD_CYCLE_RUNNING, 0);
    assert_int_equal(cueing.ride.state, LK_RIDE_SETTLING);
    assert_int_equal(order(LKD_PLATFORM_ENGAGE), LK_RIDE_UNDER_WAY);
    run(20000, LKD_CYCLE_RUNNING, 0);
    assert_int_equal(cueing.ride.state, LK_RIDE_PARKED);
    assert_int_equal(cueing.ride.cause, LK_RIDE_SILENT);
    rise();
    now_ns += 98 * MS;
    run(1, LKD_CYCLE_RUNNING, 0);
    assert_int_equal(cueing.ride.state, LK_RIDE_FOLLOWING);
    now_ns += 101 * MS;
    lkd_cueing_tick(&cueing, now_ns);
    expect_end(LK_RIDE_SILENT);
    lkd_cueing_fini(&cueing);
}

/* A thread that stood still does not make up for all of the lost time: it moves the platform for at
 * most 20 ms. */
static void test_catches_nothing_up(void **state)
{
    double before, way;

    (void)state;
    open_cueing(true);
    run(10, LKD_CYCLE_RUNNING, 0);
    order(LKD_PLATFORM_ENGAGE);
    run(1000, LKD_CYCLE_RUNNING, 0);
    before = cueing.ride.pose[2];
    now_ns += 98 * MS;
    run(1, LKD_CYCLE_RUNNING, 0);
    way = cueing.ride.pose[2] - before;
    assert_true(way > 0 && way < 0.5 * 0.0205);
    lkd_cueing_fini(&cueing);
}

static void test_refused_orders(void **state)
{
    (void)state;
    open_cueing(false);
    run(10, LKD_CYCLE_RUNNING, 0);
    assert_int_equal(order(LKD_PLATFORM_ENGAGE), LK_RIDE_NOT_RUNNING);
    lkd_cueing_begin(&cueing, true);
    assert_int_equal(order(LKD_PLATFORM_ENGAGE), LK_RIDE_NOT_RUNNING);
    run(10, LKD_CYCLE_RUNNING, 0);
    assert_int_equal(order(LKD_PLATFORM_EMERGENCY), LK_RIDE_NO_CAUSE);
    assert_int_equal(order(LKD_PLATFORM_ENGAGE), LK_RIDE_EMERGENCY);
    assert_int_equal(order(LKD_PLATFORM_RELEASE), LK_RIDE_NO_CAUSE);
    assert_int_equal(order(LKD_PLATFORM_ENGAGE), LK_RIDE_NO_CAUSE);
    assert_int_equal(order(LKD_PLATFORM_ENGAGE), LK_RIDE_UNDER_WAY);
    lkd_cueing_load(&cueing, channels, 1);
    assert_int_equal(order(LKD_PLATFORM_ENGAGE), LK_RIDE_NO_SENSOR);
    lkd_cueing_fini(&cueing);
}

/* ---- reports ---- */

static struct sockaddr_in free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof(address);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    close(fd);
    return address;
}

static void send_report(int fd, const char *magic, unsigned char flags)
{
    unsigned char report[12] = {0, 0, 0, 0, 1, 0, flags, 0, 1, 0, 0, 0};

    memcpy(report, magic, 4);
    assert_int_equal(sendto(fd, report, sizeof(report), 0, (struct sockaddr *)&config.report,
                            sizeof(config.report)),
                     sizeof(report));
    wait_without_records(1);
}

static void check_report(int fd, unsigned char flags, enum lk_ride_cause cause)
{
    run(10, LKD_CYCLE_RUNNING, 0);
    assert_int_equal(order(LKD_PLATFORM_RELEASE), LK_RIDE_NO_CAUSE);
    assert_int_equal(order(LKD_PLATFORM_ENGAGE), LK_RIDE_NOT_READY);
    send_report(fd, "LKP1", 1);
    assert_true(cueing.heard && cueing.ready);
    assert_int_equal(order(LKD_PLATFORM_ENGAGE), LK_RIDE_NO_CAUSE);
    run(300, LKD_CYCLE_RUNNING, 0);
    send_report(fd, "LKP2", flags);
    assert_int_equal(cueing.ride.state, LK_RIDE_RISING);
    if (flags == 1) /* no further reports in this case */
        run(600, LKD_CYCLE_RUNNING, 0);
    else
        send_report(fd, "LKP1", flags);
    expect_end(cause);
}

static void test_reports(void **state)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    (void)state;
    config.hears = true;
    config.report = free_port();
    open_cueing(true);
    check_report(fd, 1 | 2, LK_RIDE_FAULT);
    check_report(fd, 1 | 4, LK_RIDE_EMERGENCY);
    check_report(fd, 0, LK_RIDE_NOT_READY);
    check_report(fd, 1, LK_RIDE_NOT_READY);
    assert_false(cueing.heard);
    lkd_cueing_fini(&cueing);
    close(fd);
}

/* ---- datagrams ---- */

static double f64(const unsigned char *at)
{
    uint64_t bits = 0;
    double value;

    for (int i = 7; i >= 0; i--)
        bits = bits << 8 | at[i];
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static void test_datagram(void **state)
{
    struct lkd_motion_config receiver = {.wide = true, .platform = true};
    struct lkd_motion motion = {.config = &receiver};
    unsigned char packet[LKD_MOTION_SIZE_MAX];

    (void)state;
    open_cueing(true);
    rise();
    run(500, LKD_CYCLE_RUNNING, 1);
    order(LKD_PLATFORM_EMERGENCY);
    assert_int_equal(
        lkd_motion_encode(&motion, &(struct lkd_motion_view){.ride = &cueing.ride}, packet), 336);
    assert_int_equal(packet[4], 2);
    assert_int_equal(packet[232], LK_RIDE_HOLDING);
    assert_int_equal(packet[236], LK_RIDE_EMERGENCY);
    assert_int_equal(packet[237], 1);
    for (int i = 0; i < 6; i++) {
        assert_true(f64(packet + 240 + 8 * i) == cueing.ride.pose[i]);
        assert_true(f64(packet + 288 + 8 * i) == cueing.ride.guard.position[i]);
    }
    assert_true(cueing.ride.pose[0] != 0);
    receiver.platform = false;
    assert_int_equal(lkd_motion_encode(&motion, &(struct lkd_motion_view){0}, packet), 232);
    assert_int_equal(packet[4], 1);
    receiver = (struct lkd_motion_config){.platform = true};
    assert_int_equal(
        lkd_motion_encode(&motion, &(struct lkd_motion_view){.ride = &cueing.ride}, packet), 192);
    lkd_cueing_fini(&cueing);
}

/* Without records, the receivers of a moving platform get a datagram at each tick. */
static void test_sent_while_it_settles(void **state)
{
    struct lkd_motion_config receiver[2] = {{.divisor = 1, .platform = true}, {.divisor = 1}};
    struct lkd_motions motions;

    (void)state;
    open_cueing(true);
    rise();
    for (int i = 0; i < 2; i++)
        receiver[i].address = free_port();
    assert_int_equal(lkd_motions_init(&motions, receiver, 2, &cueing), 0);
    lkd_cueing_halt(&cueing);
    for (int i = 0; i < 100; i++) {
        lkd_cueing_tick(&cueing, now_ns += 10 * MS);
        lkd_motions_tick(&motions, LINKAGE__V1__STATE__STATE_ARMED, now_ns);
    }
    assert_int_equal(atomic_load(&motions.motion[0].counter), 100);
    assert_int_equal(atomic_load(&motions.motion[1].counter), 20);
    lkd_motions_fini(&motions);
    lkd_cueing_fini(&cueing);
}

#define FRESH(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FRESH(test_follows_the_records),
        FRESH(test_gains),
        FRESH(test_stands_still),
        FRESH(test_silence),
        FRESH(test_stood_still),
        FRESH(test_catches_nothing_up),
        FRESH(test_refused_orders),
        FRESH(test_reports),
        FRESH(test_datagram),
        FRESH(test_sent_while_it_settles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
