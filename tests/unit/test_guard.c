/* SPDX-License-Identifier: Apache-2.0 */
/* The guard step by step: which values act, given the commanded values and the news. The step is 1
 * ms; the channels are those of bench_rig.h. */
#include "bench_rig.h"
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { TORQUE, PUSH, MOTOR, N_CHANNELS };

#define N_VALUES 5

/* the values of enum Flag of the contract */
#define STALE        LINKAGE__V1__FLAG__FLAG_STALE
#define TRIPPED      LINKAGE__V1__FLAG__FLAG_TRIPPED
#define RATE_LIMITED LINKAGE__V1__FLAG__FLAG_RATE_LIMITED
#define LOST         LINKAGE__V1__FLAG__FLAG_LOST

static struct lk_system *the_system;
static struct lkd_guard guard;
static struct lkd_policy policy;
static struct lkd_guard_view view;
static struct lkd_news news[N_CHANNELS];
static double commanded[N_VALUES];
static double slopes[N_VALUES];

static int open_guard(void **state)
{
    (void)state;
    the_system = bench_rig_system();
    policy = lkd_policy_default();
    view = (struct lkd_guard_view){0};
    memset(news, 0, sizeof(news));
    memset(commanded, 0, sizeof(commanded));
    memset(slopes, 0, sizeof(slopes));
    commanded[0] = 1;
    return lkd_guard_init(&guard, the_system, &policy);
}

static int close_guard(void **state)
{
    (void)state;
    lkd_guard_fini(&guard);
    lk_system_free(the_system);
    return 0;
}

/* Use the policy as the test has changed it. */
static void renew(void)
{
    lkd_guard_fini(&guard);
    assert_int_equal(lkd_guard_init(&guard, the_system, &policy), 0);
    lkd_guard_begin(&guard, news);
}

static void rule(enum lkd_condition condition, enum lkd_action action, double value, double ramp_s)
{
    policy.rule[condition] = (struct lkd_rule){action, value, ramp_s};
}

static int step(void)
{
    int r = lkd_guard_apply(&guard, &view, commanded, slopes, news);

    view.step++;
    return r;
}

static void steps(int n)
{
    while (n-- > 0)
        assert_int_equal(step(), -1);
}

/* Make @n steps with a new sample for each watched channel. */
static void fed(int n)
{
    for (; n > 0; n--) {
        for (int i = 0; i < N_CHANNELS; i++)
            news[i].heard += news[i].watched;
        steps(1);
    }
}

static void acts(int scalar, double expected)
{
    double tolerance = 1e-12 * fmax(1, fabs(expected));

    if (!(fabs(guard.acting[scalar] - expected) <= tolerance))
        fail_msg("scalar %d acts with %.17g, expected %.17g", scalar, guard.acting[scalar],
                 expected);
    assert_true(guard.shown[scalar] == guard.acting[scalar]);
}

static uint64_t count(enum lkd_condition condition)
{
    return guard.count[condition];
}

static bool tripped(int channel)
{
    return guard.channel[channel].acting_action != LKD_ACTION_COUNT;
}

/* ---- normal operation ---- */

static void test_passes_through(void **state)
{
    (void)state;
    acts(0, 1);
    commanded[0] = -7;
    commanded[1] = 5;
    commanded[3] = 6;
    steps(500); /* a channel without a bench never becomes stale */
    acts(0, -7);
    acts(1, 5);
    acts(2, 0);
    acts(3, 6);
    assert_int_equal(guard.flags, 0);
    assert_int_equal(guard.channel[TORQUE].age_now, 0);
    for (int i = 0; i < LKD_CONDITIONS; i++)
        assert_int_equal(count((enum lkd_condition)i), 0);
}

/* From the first step on, a value is extrapolated with its slope up to the horizon, and is constant
 * afterwards. A new sample restarts the extrapolation, whether the channel is watched or not. */
static void test_slope(void **state)
{
    (void)state;
    policy.horizon_s = 0.0035;
    renew();
    commanded[0] = 2;
    slopes[0] = 1000;
    slopes[1] = -2e4; /* limits -100 to 100 */
    news[TORQUE].heard++;
    news[PUSH].heard++;
    steps(1);
    acts(0, 2);
    acts(1, 0);
    steps(2);
    acts(0, 4);
    acts(1, -40);
    steps(2);
    acts(0, 5.5);
    acts(1, -70);
    steps(100);
    acts(0, 5.5);
    commanded[0] = 8;
    news[TORQUE].heard++;
    steps(1);
    acts(0, 8);
    acts(1, -70);
    steps(5);
    acts(0, 10); /* limit of the channel */
    assert_int_equal(guard.flags, 0);
}

/* Rate limit and fail-safe actions apply to the extrapolated value like to any value that
 * changes. */
static void test_slope_and_the_rest(void **state)
{
    (void)state;
    policy.timeout_steps = 5;
    policy.horizon_s = 10;
    rule(LKD_CONDITION_STALE, LKD_ACTION_HOLD, NAN, 0.1);
    renew();
    slopes[4] = 1000; /* 1 per step; the rate limit is 0.5 */
    slopes[0] = 100;
    commanded[0] = 0;
    news[MOTOR].heard++;
    news[TORQUE].heard++;
    news[MOTOR].watched = news[TORQUE].watched = true;
    steps(5);
    acts(4, 2);
    acts(0, 0.4);
    assert_int_equal(guard.flags, RATE_LIMITED);
    steps(30);
    acts(0, 0.5);
    acts(4, 2.5);
    assert_true(tripped(TORQUE) && tripped(MOTOR));
    slopes[1] = 1e308;
    commanded[1] = 1e308;
    steps(1);
    assert_true(isfinite(guard.acting[1]));
}

static void test_rate(void **state)
{
    (void)state;
    commanded[4] = 2.2;
    commanded[0] = 9; /* this channel has no rate limit */
    steps(1);
    acts(4, 0.5);
    acts(0, 9);
    assert_int_equal(guard.flags, RATE_LIMITED);
    steps(3);
    acts(4, 2);
    steps(1);
    acts(4, 2.2);
    assert_int_equal(guard.flags, 0);
    assert_int_equal(guard.channel[MOTOR].rate_limited, 4);
    assert_int_equal(guard.channel[TORQUE].rate_limited, 0);
    commanded[4] = -10;
    steps(2);
    acts(4, 1.2);
}

/* ---- stale channels ---- */

/* Feed the channel, then make as many steps without a sample as the time-out permits. */
static void let_stale(void)
{
    news[TORQUE].watched = true;
    commanded[0] = 5;
    fed(3);
    acts(0, 5);
    steps(100);
    assert_int_equal(guard.flags, 0);
    assert_int_equal(guard.channel[TORQUE].age_now, 100);
}

static void test_stale_hold(void **state)
{
    (void)state;
    rule(LKD_CONDITION_STALE, LKD_ACTION_HOLD, NAN, 0.1);
    renew();
    let_stale();
    commanded[0] = 6; /* set by hand, for example: not a sample */
    steps(1);
    acts(0, 5);
    assert_int_equal(guard.flags, STALE | TRIPPED);
    assert_int_equal(guard.channel[TORQUE].acting_action, LKD_ACTION_HOLD);
    assert_int_equal(guard.channel[TORQUE].acting_condition, LKD_CONDITION_STALE);
    assert_int_equal(guard.channel[TORQUE].trips, 1);
    assert_int_equal(guard.channel[TORQUE].trip_step, 103);
    assert_false(tripped(PUSH));
    steps(1000);
    acts(0, 5);
    assert_int_equal(count(LKD_CONDITION_STALE), 1);
    assert_int_equal(guard.last_step[LKD_CONDITION_STALE], 103);
    assert_int_equal(guard.channel[TORQUE].times_stale, 1);
}

static void test_stale_zero(void **state)
{
    (void)state;
    rule(LKD_CONDITION_STALE, LKD_ACTION_ZERO, NAN, 0.1);
    renew();
    let_stale();
    steps(1);
    acts(0, 0);
}

/* The value moves along a straight line to the initial value, within the time of the ramp. */
static void test_stale_ramp(void **state)
{
    (void)state;
    rule(LKD_CONDITION_STALE, LKD_ACTION_RAMP, NAN, 0.008);
    renew();
    let_stale();
    for (int i = 1; i <= 8; i++) {
        steps(1);
        acts(0, 5 - 0.5 * i);
    }
    acts(0, 1);
    steps(50);
    acts(0, 1);
}

static void test_stale_ramp_to(void **state)
{
    (void)state;
    rule(LKD_CONDITION_STALE, LKD_ACTION_RAMP, -3, 0);
    renew();
    let_stale();
    steps(1);
    acts(0, -3); /* a ramp of zero time is a step */
}

/* A safe value beyond the limits of the model is clamped. */
static void test_safe_value_within_limits(void **state)
{
    (void)state;
    rule(LKD_CONDITION_STALE, LKD_ACTION_RAMP, 1000, 0);
    renew();
    let_stale();
    steps(2);
    acts(0, 10);
}

static void test_stale_count(void **state)
{
    (void)state;
    rule(LKD_CONDITION_STALE, LKD_ACTION_COUNT, NAN, 0);
    renew();
    let_stale();
    steps(10);
    acts(0, 5);
    assert_int_equal(guard.flags, STALE);
    assert_int_equal(count(LKD_CONDITION_STALE), 1);
    fed(1);
    assert_int_equal(guard.flags, 0);
    steps(150);
    assert_int_equal(count(LKD_CONDITION_STALE), 2);
}

static void test_stale_fault(void **state)
{
    (void)state;
    rule(LKD_CONDITION_STALE, LKD_ACTION_FAULT, NAN, 0);
    renew();
    let_stale();
    assert_int_equal(step(), LKD_CONDITION_STALE);
}

static void test_stale_off(void **state)
{
    (void)state;
    policy.timeout_steps = 0;
    renew();
    news[TORQUE].watched = true;
    steps(100000);
    assert_int_equal(guard.flags, 0);
    assert_int_equal(guard.channel[TORQUE].age_now, 100000);
}

/* A claimed channel without samples becomes stale like any other. In lockstep no channel becomes
 * stale. */
static void test_watched_and_timed(void **state)
{
    (void)state;
    news[PUSH].watched = true;
    steps(101);
    assert_true(tripped(PUSH));
    renew();
    guard.timed = false;
    news[PUSH].lost = true;
    steps(1000);
    assert_false(tripped(PUSH));
    assert_int_equal(guard.flags, 0);
    assert_int_equal(count(LKD_CONDITION_LOST), 0);
}

/* A channel with a rule of its own; all other channels use the general rules. */
static void test_channel_rule(void **state)
{
    (void)state;
    rule(LKD_CONDITION_STALE, LKD_ACTION_ZERO, NAN, 0.1);
    policy.n_channels = 2;
    strcpy(policy.channel[0].name, "no-such");
    strcpy(policy.channel[1].name, "push");
    policy.channel[1].timeout_steps = 4;
    policy.channel[1].rule = (struct lkd_rule){LKD_ACTION_RAMP, -2, 0.002};
    renew();
    news[TORQUE].watched = news[PUSH].watched = true;
    commanded[0] = commanded[1] = commanded[2] = 2;
    fed(1);
    steps(4);
    acts(1, 2);
    steps(1);
    acts(0, 2);
    acts(1, 0);
    acts(2, 0);
    acts(3, -1);
    steps(1);
    acts(1, -2);
    acts(3, -2);
    steps(94);
    acts(0, 2);
    steps(1);
    acts(0, 0);
    assert_int_equal(guard.channel[PUSH].times_stale, 1);
    assert_int_equal(guard.channel[PUSH].stale_step, 5);
    assert_int_equal(count(LKD_CONDITION_STALE), 2);
}

/* ---- recovery ---- */

static void test_recovery(void **state)
{
    (void)state;
    rule(LKD_CONDITION_STALE, LKD_ACTION_RAMP, 1, 0.004);
    policy.recover_samples = 3;
    renew();
    let_stale();
    steps(20);
    acts(0, 1);
    commanded[0] = 9;
    fed(2);
    acts(0, 1);
    assert_int_equal(guard.flags, TRIPPED); /* no longer stale, but not recovered */
    fed(1);
    acts(0, 3); /* the recovery takes as long as the ramp */
    assert_false(tripped(TORQUE));
    assert_int_equal(guard.flags, TRIPPED); /* the commanded value does not act yet */
    fed(1);
    acts(0, 5);
    commanded[0] = 7; /* the ramp follows the command */
    fed(1);
    acts(0, 6);
    fed(1);
    acts(0, 7);
    assert_int_equal(guard.flags, TRIPPED);
    fed(1);
    assert_int_equal(guard.flags, 0);
    assert_int_equal(guard.channel[TORQUE].trips, 1);
}

/* Recovery counts all samples, also several in one step. Steps without a sample do not reset the
 * count. */
static void test_recovery_counts_samples(void **state)
{
    (void)state;
    rule(LKD_CONDITION_STALE, LKD_ACTION_HOLD, NAN, 0.001);
    policy.recover_samples = 3;
    renew();
    let_stale();
    steps(1);
    news[TORQUE].heard += 2;
    steps(10);
    assert_true(tripped(TORQUE));
    news[TORQUE].heard += 1;
    steps(1);
    assert_false(tripped(TORQUE));
}

/* If the channel becomes stale before the count is complete, the count restarts. */
static void test_recovery_from_the_beginning(void **state)
{
    (void)state;
    rule(LKD_CONDITION_STALE, LKD_ACTION_HOLD, NAN, 0.001);
    renew();
    let_stale();
    steps(1);
    fed(2);
    steps(101);
    fed(2);
    assert_true(tripped(TORQUE));
    fed(1);
    assert_false(tripped(TORQUE));
    assert_int_equal(guard.channel[TORQUE].trips, 1);
    assert_int_equal(count(LKD_CONDITION_STALE), 2);
}

/* A refused sample resets the count of the recovery, although refusals have no other action than
 * counting. */
static void test_recovery_in_a_row(void **state)
{
    (void)state;
    rule(LKD_CONDITION_STALE, LKD_ACTION_HOLD, NAN, 0.001);
    renew();
    let_stale();
    steps(1);
    for (int i = 0; i < 5; i++) {
        fed(2);
        news[TORQUE].not_finite++;
        steps(1);
    }
    assert_true(tripped(TORQUE));
    fed(3);
    assert_false(tripped(TORQUE));
}

/* If the channel becomes stale during recovery, the fail-safe ramp starts at the current value,
 * without a jump. */
static void test_trip_on_the_way_back(void **state)
{
    double before;

    (void)state;
    rule(LKD_CONDITION_STALE, LKD_ACTION_RAMP, -10, 0.2);
    renew();
    let_stale();
    steps(200);
    acts(0, -10);
    fed(3);
    steps(99);
    before = guard.acting[0];
    assert_true(before > -10 && before < 5);
    for (int i = 0; i < 20; i++) {
        double last = guard.acting[0];

        steps(1);
        assert_true(fabs(guard.acting[0] - last) <= 15.0 / 200 + 1e-12);
    }
    assert_true(tripped(TORQUE));
    assert_int_equal(guard.channel[TORQUE].trips, 2);
}

/* The rate limit also applies to fail-safe actions and to recovery. */
static void test_rate_of_a_trip(void **state)
{
    (void)state;
    rule(LKD_CONDITION_STALE, LKD_ACTION_ZERO, NAN, 0);
    renew();
    news[MOTOR].watched = true;
    commanded[4] = 3;
    fed(6);
    acts(4, 3);
    steps(101);
    acts(4, 2.5);
    assert_int_equal(guard.flags, STALE | TRIPPED | RATE_LIMITED);
    steps(5);
    acts(4, 0);
    fed(3);
    acts(4, 0.5); /* no ramp: limited by the rate alone */
    fed(5);
    acts(4, 3);
    assert_int_equal(guard.channel[MOTOR].rate_limited, 6 - 1 + 6 - 1 + 6 - 1);
}

/* If the channel is no longer claimed, its value returns to the commanded one along the ramp,
 * without a jump. */
static void test_given_back(void **state)
{
    (void)state;
    rule(LKD_CONDITION_STALE, LKD_ACTION_HOLD, NAN, 0.004);
    renew();
    news[TORQUE].watched = true;
    commanded[0] = 9;
    fed(2);
    news[TORQUE].watched = false;
    commanded[0] = 1;
    steps(1);
    acts(0, 7);
    assert_int_equal(guard.flags, TRIPPED);
    steps(3);
    acts(0, 1);
    steps(1);
    assert_int_equal(guard.flags, 0);
    assert_int_equal(guard.channel[TORQUE].trips, 0);

    /* the same with a tripped channel */
    news[TORQUE].watched = true;
    commanded[0] = 9;
    fed(1);
    steps(101);
    assert_true(tripped(TORQUE));
    news[TORQUE].watched = false;
    commanded[0] = 1;
    steps(1);
    assert_false(tripped(TORQUE));
    acts(0, 7);
    steps(200);
    acts(0, 1);
}

/* ---- refused samples ---- */

static void refuse_samples(enum lkd_condition condition, uint64_t n)
{
    if (condition == LKD_CONDITION_RANGE)
        news[PUSH].out_of_range += n;
    else
        news[PUSH].not_finite += n;
}

static void try_refusals(enum lkd_condition condition)
{
    rule(condition, LKD_ACTION_COUNT, NAN, 0);
    renew();
    news[PUSH].watched = true;
    commanded[1] = 8;
    fed(1);
    refuse_samples(condition, 7);
    steps(5);
    acts(1, 8);
    assert_int_equal(guard.flags, 0);
    assert_int_equal(count(condition), 7);
    assert_int_equal(guard.last_step[condition], view.step - 5);

    rule(condition, LKD_ACTION_ZERO, NAN, 0.001);
    renew();
    assert_int_equal(count(condition), 0); /* events before the run are ignored */
    fed(1);
    acts(1, 8);
    refuse_samples(condition, 1);
    steps(1);
    acts(1, 0);
    acts(0, 1);
    assert_int_equal(guard.channel[PUSH].acting_condition, condition);
    assert_false(tripped(TORQUE));
    fed(3);
    acts(1, 8);

    rule(condition, LKD_ACTION_FAULT, NAN, 0);
    renew();
    steps(1);
    refuse_samples(condition, 1);
    assert_int_equal(step(), condition);
}

static void test_refusals(void **state)
{
    (void)state;
    try_refusals(LKD_CONDITION_RANGE);
    try_refusals(LKD_CONDITION_NOT_FINITE);
}

/* ---- lost benches ---- */

static void test_lost(void **state)
{
    (void)state;
    rule(LKD_CONDITION_LOST, LKD_ACTION_RAMP, 0, 0.005);
    rule(LKD_CONDITION_STALE, LKD_ACTION_COUNT, NAN, 0);
    renew();
    for (int i = 0; i < N_CHANNELS; i++)
        news[i].watched = true;
    commanded[0] = 5;
    fed(1);
    news[TORQUE].lost = true;
    for (int i = 1; i <= 5; i++) {
        steps(1);
        acts(0, 5 - i);
    }
    assert_int_equal(guard.flags, LOST | TRIPPED);
    assert_int_equal(count(LKD_CONDITION_LOST), 1);
    assert_false(tripped(PUSH));
    news[TORQUE].lost = false; /* a heartbeat, no new value */
    steps(20);
    acts(0, 0);
    fed(3);
    acts(0, 1);
    assert_int_equal(guard.flags, TRIPPED);

    rule(LKD_CONDITION_LOST, LKD_ACTION_FAULT, 0, 0);
    renew();
    news[PUSH].lost = true;
    assert_int_equal(step(), LKD_CONDITION_LOST);
}

/* A channel becomes stale, then its bench is lost: a stronger action replaces the current one, a
 * weaker action does not. */
static void test_stronger_takes_over(void **state)
{
    (void)state;
    rule(LKD_CONDITION_STALE, LKD_ACTION_HOLD, NAN, 0.1);
    rule(LKD_CONDITION_LOST, LKD_ACTION_ZERO, NAN, 0.1);
    rule(LKD_CONDITION_RANGE, LKD_ACTION_RAMP, 7, 0);
    renew();
    let_stale();
    steps(1);
    acts(0, 5);
    news[TORQUE].lost = true;
    steps(1);
    acts(0, 0);
    assert_int_equal(guard.channel[TORQUE].acting_condition, LKD_CONDITION_LOST);
    news[TORQUE].out_of_range++;
    steps(1);
    acts(0, 0);
    assert_int_equal(guard.channel[TORQUE].trips, 2);
    assert_int_equal(count(LKD_CONDITION_RANGE), 1);
    /* the bench is no longer lost, but the channel is still stale */
    news[TORQUE].lost = false;
    steps(10);
    assert_true(tripped(TORQUE));
    fed(3);
    assert_false(tripped(TORQUE));
}

/* ---- conditions of the model ---- */

static void test_late(void **state)
{
    (void)state;
    rule(LKD_CONDITION_LATE, LKD_ACTION_HOLD, NAN, 0.001);
    renew();
    news[TORQUE].watched = true;
    commanded[0] = 5;
    fed(1);
    view.overruns = 2;
    commanded[0] = 6;
    steps(1);
    acts(0, 5);
    acts(1, 0);
    assert_true(tripped(TORQUE) && tripped(PUSH) && tripped(MOTOR));
    assert_int_equal(count(LKD_CONDITION_LATE), 2);
    commanded[1] = 3;
    steps(1);
    acts(1, 3); /* no bench: no wait for samples */
    acts(0, 5);
    fed(3);
    acts(0, 6);
    assert_int_equal(count(LKD_CONDITION_LATE), 2);

    rule(LKD_CONDITION_LATE, LKD_ACTION_FAULT, NAN, 0);
    renew();
    assert_int_equal(step(), LKD_CONDITION_LATE);
}

/* The condition lasts as long as the residual exceeds its limit, and is counted once at its
 * beginning. */
static void test_residual(void **state)
{
    (void)state;
    rule(LKD_CONDITION_RESIDUAL, LKD_ACTION_RAMP, 0, 0.002);
    policy.residual_limit = 0.01;
    renew();
    commanded[0] = 4;
    view.residual = 0.01;
    steps(5);
    acts(0, 4);
    view.residual = 0.011;
    steps(1);
    acts(0, 2);
    steps(10);
    acts(0, 0);
    assert_int_equal(count(LKD_CONDITION_RESIDUAL), 1);
    view.residual = 0;
    steps(1);
    acts(0, 2);
    steps(1);
    acts(0, 4);
    view.residual = NAN;
    steps(2);
    acts(0, 0);
    assert_int_equal(count(LKD_CONDITION_RESIDUAL), 2);

    policy.rule[LKD_CONDITION_RESIDUAL].action = LKD_ACTION_FAULT;
    renew();
    assert_int_equal(step(), LKD_CONDITION_RESIDUAL);
}

static void test_energy(void **state)
{
    (void)state;
    view.energy = 1e9; /* without a limit the condition is off */
    steps(3);
    assert_int_equal(count(LKD_CONDITION_ENERGY), 0);
    policy.energy_limit = 2;
    rule(LKD_CONDITION_ENERGY, LKD_ACTION_ZERO, NAN, 0.001);
    renew();
    commanded[0] = 4;
    view.energy = -2;
    steps(1);
    acts(0, 4);
    view.energy = -2.1;
    steps(1);
    acts(0, 0);
    view.energy = 2.1;
    steps(1);
    acts(0, 0);
    view.energy = 0;
    steps(1);
    acts(0, 4);
    rule(LKD_CONDITION_ENERGY, LKD_ACTION_FAULT, NAN, 0);
    renew();
    view.energy = 3;
    assert_int_equal(step(), LKD_CONDITION_ENERGY);
}

/* Check a condition whose figure has a limit. It behaves like the residual, whatever other limits
 * the policy has. */
static void try_figure(enum lkd_condition condition, double *figure, double limit)
{
    rule(condition, LKD_ACTION_ZERO, NAN, 0.001);
    renew();
    commanded[0] = 4;
    *figure = limit;
    steps(3);
    acts(0, 4);
    *figure = 1.01 * limit;
    steps(3);
    acts(0, 0);
    assert_int_equal(count(condition), 1);
    assert_int_equal(guard.channel[TORQUE].acting_condition, condition);
    *figure = 0;
    steps(1);
    acts(0, 4);
    *figure = NAN;
    steps(1);
    assert_int_equal(count(condition), 2);
    policy.rule[condition].action = LKD_ACTION_FAULT;
    renew();
    assert_int_equal(step(), condition);
    *figure = 0;
    policy = lkd_policy_default();
}

static void test_figures(void **state)
{
    (void)state;
    try_figure(LKD_CONDITION_BOUNDS, &view.position, 1e8);
    try_figure(LKD_CONDITION_BOUNDS, &view.speed, 1e5);
    try_figure(LKD_CONDITION_ENERGY_JUMP, &view.energy_jump, 0.1);
    try_figure(LKD_CONDITION_INCREMENT, &view.increment, 1e-3);
    renew();
    view.dependent = 1;
    steps(3);
    view.dependent = 0;
    steps(1);
    view.dependent = 2;
    steps(1);
    assert_int_equal(count(LKD_CONDITION_PIVOT), 2);
    view.dependent = 0;
    try_figure(LKD_CONDITION_TURN, &view.turn, LK_TURN_MAX);
    try_figure(LKD_CONDITION_STRAIN, &view.strain, LK_STRAIN_MAX);
    try_figure(LKD_CONDITION_CONTACT, &view.contact, LK_CONTACT_MAX);
    policy.port_limit = 2;
    try_figure(LKD_CONDITION_PORT, &view.port_gap, 2);
    renew();
    lkd_guard_fault(&guard, LKD_CONDITION_INCREMENT, 17);
    assert_int_equal(count(LKD_CONDITION_INCREMENT), 1);
    assert_int_equal(guard.last_step[LKD_CONDITION_INCREMENT], 17);
}

/* With two causes at once, the channel recovers when both have ended, whichever tripped it
 * first. */
static void test_two_conditions(void **state)
{
    (void)state;
    rule(LKD_CONDITION_RESIDUAL, LKD_ACTION_ZERO, NAN, 0.001);
    rule(LKD_CONDITION_ENERGY, LKD_ACTION_HOLD, NAN, 0.001);
    policy.energy_limit = 1;
    renew();
    commanded[0] = 4;
    view.residual = view.energy = 5;
    steps(3);
    acts(0, 0);
    view.residual = 0;
    for (int i = 0; i < 10; i++) {
        steps(1);
        acts(0, 0);
    }
    view.energy = 0;
    steps(1);
    acts(0, 4);
}

/* ---- runs ---- */

static void test_begin(void **state)
{
    (void)state;
    let_stale();
    steps(300);
    assert_true(tripped(TORQUE));
    lkd_guard_begin(&guard, news);
    acts(0, 1);
    assert_false(tripped(TORQUE));
    assert_int_equal(guard.channel[TORQUE].trips, 0);
    assert_int_equal(guard.channel[TORQUE].acting_condition, -1); /* the cause has ended too */
    assert_int_equal(guard.channel[TORQUE].times_stale, 0);
    assert_int_equal(count(LKD_CONDITION_STALE), 0);
    steps(100); /* the time-out starts again */
    acts(0, 5);
    assert_int_equal(guard.flags, 0);
    steps(1);
    assert_int_equal(guard.flags, STALE | TRIPPED);
}

/* With the same news, the acting values are bitwise equal: the guard depends on nothing else. */
static void test_same_bits(void **state)
{
    static double first[1000];

    (void)state;
    for (int run = 0; run < 2; run++) {
        memset(news, 0, sizeof(news));
        view = (struct lkd_guard_view){0};
        renew();
        news[TORQUE].watched = true;
        for (int i = 0; i < 1000; i++) {
            commanded[0] = sin(0.1 * i);
            news[TORQUE].heard += i % 300 < 150;
            steps(1);
            if (run == 0)
                first[i] = guard.acting[0];
            else
                assert_memory_equal(&first[i], &guard.acting[0], sizeof(double));
        }
    }
}

/* Values at both ends of the range of doubles never give a NaN or an infinity. */
static void test_huge_values(void **state)
{
    (void)state;
    rule(LKD_CONDITION_STALE, LKD_ACTION_RAMP, -DBL_MAX, 0.01);
    renew();
    guard.channel[MOTOR].rate = INFINITY;
    news[MOTOR].watched = true;
    commanded[guard.channel[MOTOR].offset] = DBL_MAX;
    fed(1);
    for (int i = 0; i < 130; i++) {
        steps(1);
        assert_true(isfinite(guard.acting[guard.channel[MOTOR].offset]));
    }
    assert_true(guard.acting[guard.channel[MOTOR].offset] == -DBL_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_guard, close_guard)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_huge_values),
        TEST(test_passes_through),
        TEST(test_slope),
        TEST(test_slope_and_the_rest),
        TEST(test_rate),
        TEST(test_stale_hold),
        TEST(test_stale_zero),
        TEST(test_stale_ramp),
        TEST(test_stale_ramp_to),
        TEST(test_safe_value_within_limits),
        TEST(test_stale_count),
        TEST(test_stale_fault),
        TEST(test_stale_off),
        TEST(test_watched_and_timed),
        TEST(test_channel_rule),
        TEST(test_recovery),
        TEST(test_recovery_counts_samples),
        TEST(test_recovery_from_the_beginning),
        TEST(test_recovery_in_a_row),
        TEST(test_trip_on_the_way_back),
        TEST(test_rate_of_a_trip),
        TEST(test_given_back),
        TEST(test_refusals),
        TEST(test_lost),
        TEST(test_stronger_takes_over),
        TEST(test_late),
        TEST(test_residual),
        TEST(test_energy),
        TEST(test_figures),
        TEST(test_two_conditions),
        TEST(test_begin),
        TEST(test_same_bits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
