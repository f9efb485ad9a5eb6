/* SPDX-License-Identifier: Apache-2.0 */
/* The purpose of the step `rattle`: rotating machines, loads on light chains, poses in which rows
 * lose rank. The models are in machines/. They are compared with tests/reference/machines/, with
 * closed forms, and with the conservation of energy. */
#include "cmocka_all.h"
#include "machines.h"
#include "sanitized.h"
#include "trajectory.h"
#include <math.h>
#include <stdio.h>

/* ---- known motions: error and order ---- */

static const char *const plain[] = {SOLVER, NULL};

/* lighter links of the hoist, for all ten */
#define LINK(other) "mass: 0.1, inertia: [2e-5, 1.2e-4, 1.2e-4]", other
#define LINKS(o)                                                                                   \
    {                                                                                              \
        SOLVER, LINK(o), LINK(o), LINK(o), LINK(o), LINK(o), LINK(o), LINK(o), LINK(o), LINK(o),   \
            LINK(o), NULL                                                                          \
    }
static const char *const by_order_6[] = {"solver: {step: 0.001}",
                                         "solver: {formulation: " FORMULATION ", order: 6}", NULL};
static const char *const links_001[] = LINKS("mass: 0.01, inertia: [2e-6, 1.2e-5, 1.2e-5]");

/** struct known - a case with a reference
 * @h:     [s];  @tolerance: for positions, velocities and forces at @h, 0: not compared
 * @order: whether the errors at h / 2 and h / 4 must decrease with the square of the step */
struct known {
    struct reference_case c;
    double h;
    double tolerance[QUANTITIES];
    int order;
};

static const struct known knowns[] = {
    {.c = {"crank", MACHINE("crank"), REFERENCE("crank"), plain, .forces = {{"F", "piston_pin"}},
           .end = 0.2},
     .h = 5e-4,
     .tolerance = {0.3, 22, 2500},
     .order = 1},
    {.c = {"cardan", MACHINE("cardan"), REFERENCE("cardan"), plain, .end = 1},
     .h = 1e-3,
     .tolerance = {2.3e-3, 0.1, 0},
     .order = 1},
    {.c = {"gimbal", MACHINE("gimbal"), REFERENCE("gimbal"), plain, .end = 0.1},
     .h = 2e-4,
     .tolerance = {2e-3, 2, 0},
     .order = 1},
    {.c = {"bennett", MACHINE("bennett"), REFERENCE("bennett"), plain,
           .forces = {{"F1", "joint1"}, {"F2", "joint2"}, {"F3", "joint3"}, {"F4", "joint4"}},
           .end = 1},
     .h = 5e-3,
     .tolerance = {1.2e-3, 6e-3, 0.15},
     .order = 1},
    {.c = {"double-hooke", MACHINE("double-hooke"), REFERENCE("double-hooke"), plain, .end = 0.5},
     .h = 1e-3,
     .tolerance = {3e-4, 1.7e-2, 0},
     .order = 1},
    {.c = {"spherical-four-bar", MACHINE("spherical-four-bar"), REFERENCE("spherical-four-bar"),
           plain, .end = 0.5},
     .h = 1e-3,
     .tolerance = {1.6e-3, 8e-2, 0},
     .order = 1},
    {.c = {"scissor-lift", MACHINE("scissor-lift"), REFERENCE("scissor-lift"), plain, .end = 0.3},
     .h = 2e-3,
     .tolerance = {1.2e-7, 1.5e-6, 0},
     .order = 1},
    {.c = {"scott-russell", MACHINE("scott-russell"), REFERENCE("scott-russell"), plain,
           .end = 0.6},
     .h = 2e-3,
     .tolerance = {5e-5, 4e-4, 0},
     .order = 1},
    {.c = {"crane", MACHINE("crane"), REFERENCE("crane"), plain, .forces = {{"F", "hook"}},
           .end = 2},
     .h = 1e-3,
     .tolerance = {1e-3, 1e-2, 0},
     .order = 0},
    {.c = {"hoist-0.1", MACHINE("hoist"), REFERENCE("hoist-0.1"), plain, .forces = {{"F", "hook"}},
           .end = 3},
     .h = 1e-3,
     .tolerance = {2e-2, 1, 0},
     .order = 0},
    {.c = {"hoist-0.01", MACHINE("hoist"), REFERENCE("hoist-0.01"), links_001,
           .forces = {{"F", "hook"}}, .end = 3},
     .h = 1e-3,
     .tolerance = {2e-2, 1, 0},
     .order = 0},
    /* the largest step that this order accepts with the oscillation of the links */
    {.c = {"hoist-0.1-order-6", MACHINE("hoist"), REFERENCE("hoist-0.1"), by_order_6,
           .forces = {{"F", "hook"}}, .end = 3},
     .h = 5e-4,
     .tolerance = {1e-4, 2.5e-2, 0},
     .order = 0},
    {.c = {"pantograph", MACHINE("pantograph"), REFERENCE("pantograph"), plain, .end = 0.3},
     .h = 1e-3,
     .tolerance = {1e-3, 1e-2, 0},
     .order = 0},
    {.c = {"peaucellier", MACHINE("peaucellier"), REFERENCE("peaucellier"), plain, .end = 0.3},
     .h = 1e-3,
     .tolerance = {1e-3, 1e-2, 0},
     .order = 0},
};

static void follows_reference(void **state)
{
    const struct known *k = *state;
    struct trajectory run[3];
    int n = k->order ? 3 : 1;

    for (int i = 0; i < n; i++) {
        trajectory_run(&k->c, k->h / (1 << i), 0, &run[i]);
        printf("    %-12s %.3g ms: %.2e m, %.2e m/s, %.2e N; rows %.1e, %.1e; energy %.1e J\n",
               k->c.name, 1e3 * k->h / (1 << i), run[i].error[POSITION], run[i].error[VELOCITY],
               run[i].error[REACTION], run[i].violation[0], run[i].violation[1],
               run[i].energy_drift);
    }
    /* rows are satisfied to round-off, near a pose without full rank to the regularisation */
    assert_true(run[0].violation[0] < 1e-8 && run[0].violation[1] < 2e-3);
    for (int q = 0; q < QUANTITIES; q++) {
        if (!(k->tolerance[q] > 0))
            continue;
        assert_true(run[0].error[q] < k->tolerance[q]);
        if (k->order)
            assert_in_set((int)lround(log2(run[1].error[q] / run[2].error[q]) * 10),
                          ((const LargestIntegralType[]){19, 20, 21}), 3);
    }
}

/* ---- damping across a tension ---- */

/* An oscillation across the tension that a step of 10 ms does not resolve is damped, and all of its
 * energy is in the balance. */
static void swing_across_tension_is_damped(void **state)
{
    const double start = 0.0133333; /* J */
    struct lk_system *sys = machine(MACHINE("hung-tonne"), plain, 1e-2, 0);
    double balance = 0;

    (void)state;
    for (int i = 0; i < 20; i++) {
        machine_advance(sys, 10, NULL);
        balance = fmax(balance, fabs(machine_output(sys, "work", 4)));
    }
    printf("    the step took %.4g of %.4g J, unexplained %.2g J\n", machine_output(sys, "work", 5),
           start, balance);
    assert_true(fabs(machine_output(sys, "work", 5) - start) < 0.03 * start);
    assert_true(balance < 0.02 * start);
    lk_system_free(sys);
}

/* Spokes that rotate together with their tension do not oscillate across it, so they are not
 * damped. */
static void light_spokes_brake_no_wheel(void **state)
{
    struct lk_system *sys = machine(MACHINE("light-spokes"), plain, 1e-3, 0);

    (void)state;
    for (int i = 0; i < 20; i++) {
        machine_advance(sys, 100, NULL);
        assert_true(fabs(machine_output(sys, "rate", 0) - 50) < 5e-6);
        assert_true(fabs(machine_output(sys, "work", 5)) < 1e-4);
    }
    lk_system_free(sys);
}

/* The rotation of the light arm hardly contributes to the norm with the mass, but it makes the
 * matrix of the iterations inaccurate. */
static void light_arm_keeps_its_rate(void **state)
{
    struct lk_system *sys = machine(MACHINE("light-arm"), plain, 1e-3, 0);

    (void)state;
    machine_advance(sys, 2000, NULL);
    assert_true(fabs(machine_output(sys, "rate", 0) - 300) < 1e-7);
    assert_true(fabs(machine_output(sys, "residual", 0)) < 1e-14);
    lk_system_free(sys);
}

/* Redundant rows on a fast rotor: violations that the iterations leave must not be mistaken for a
 * contradiction between rows. The energy has the error of the step, C h^2. */
static void flap_swings_on_a_fast_rotor(void **state)
{
    const double start = 16484; /* J */
    double error[2] = {0};

    (void)state;
    for (int fine = 0; fine < 2; fine++) {
        struct lk_system *sys = machine(MACHINE("two-balls"), plain, fine ? 5e-4 : 1e-3, 0);
        double first = machine_output(sys, "energy", 0) + machine_output(sys, "energy", 1);

        assert_true(fabs(first - start) < 1);
        for (int i = 0; i < 2000; i++) {
            machine_advance(sys, fine ? 2 : 1, NULL);
            error[fine] = fmax(error[fine], fabs(machine_output(sys, "energy", 0) +
                                                 machine_output(sys, "energy", 1) - first));
            assert_true(machine_output(sys, "residual", 0) < 1e-13);
        }
        lk_system_free(sys);
    }
    printf("    off by %.2g of its energy, %.2g with half the step\n", error[0] / start,
           error[1] / start);
    assert_true(error[0] < 2e-3 * start && error[1] < 0.3 * error[0]);
}

/* A crane whose rods stay taut, because its load swings too little to fall freely. The position of
 * the load is compared with that for a quarter of the step. */
static void crane_with_tight_rods(void **state)
{
    static const char *const gentle[] = {SOLVER,          "amplitude: 0.15", "amplitude: 0.05",
                                         "offset: -0.15", "offset: -0.05",   NULL};
    struct lk_system *coarse = machine(MACHINE("crane"), gentle, 1e-3, 0);
    struct lk_system *fine = machine(MACHINE("crane"), gentle, 2.5e-4, 0);
    double error = 0, swing = 0;

    (void)state;
    for (int i = 0; i < 500; i++) {
        double square = 0;

        machine_advance(coarse, 20, NULL);
        machine_advance(fine, 80, NULL);
        for (int k = 0; k < 3; k++) {
            double way = machine_output(coarse, "load", k) - machine_output(fine, "load", k);

            square += way * way;
        }
        error = fmax(error, sqrt(square));
        swing = fmax(swing, machine_output(coarse, "load", 1) - 11.4);
    }
    printf("    the load rises by %.2f m, is within %.1e m of a quarter of the step\n", swing,
           error);
    assert_true(swing > 0.2 && error < 5e-5);
    lk_system_free(coarse);
    lk_system_free(fine);
}

/* ---- conservation of energy ---- */

/** struct conserved - a machine without load or friction
 * @energy:     energy at the start [J], computed by hand
 * @iterations: 0: default of the formulation
 * @swing:      largest change of energy in @end seconds
 * @trend:      change of its mean from the first tenth of that time to the last; both relative to
 *              @energy */
struct conserved {
    const char *name;
    const char *path;
    const char *const *replace;
    double h;
    double end;
    int iterations;
    double energy;
    double swing;
    double trend;
};

static double energy_of(const struct lk_system *sys)
{
    struct lk_health health;

    lk_system_health(sys, &health);
    return health.kinetic + health.potential;
}

static const char *const half_speed[] = {
    SOLVER, "15.707963267948966", "7.853981633974483", "314.15926535897932", "157.07963267948966",
    NULL};
#define BUSHING(k)                                                                                 \
    {                                                                                              \
        SOLVER, "[1e7, 1e7, 1e7, 1e5, 1e5, 0]", "[" k ", " k ", " k ", 1e5, 1e5, 0]", NULL         \
    }
static const char *const bushing_6[] = BUSHING("1e6");
static const char *const bushing_7[] = BUSHING("1e7");
static const char *const bushing_8[] = BUSHING("1e8");
static const char *const bushing_9[] = BUSHING("1e9");

static const struct conserved conserveds[] = {
    {"rotor-1500", MACHINE("rotor"), half_speed, 1e-3, 10, 0, 308.425, 1e-5, 1e-5},
    {"rotor-3000", MACHINE("rotor"), plain, 1e-3, 10, 0, 1233.701, 1e-9, 1e-9},
    /* within a revolution the energy oscillates with the square of the step */
    {"crank-3000-by-5", MACHINE("crank"), plain, 1e-3, 10, 5, 1184.353, 2e-2, 1e-4},
    {"crank-3000", MACHINE("crank"), plain, 1e-3, 10, 0, 1184.353, 2e-2, 1e-4},
    {"cardan", MACHINE("cardan"), plain, 1e-3, 10, 0, 265.9727, 1e-3, 1e-6},
    {"planetary-gear", MACHINE("planetary-gear"), plain, 1e-3, 10, 0, 0, 1e-9, 1e-9},
    {"gimbal", MACHINE("gimbal"), plain, 1e-3, 100, 0, 2000.009, 1e-6, 1e-7},
    {"bennett", MACHINE("bennett"), plain, 1e-3, 10, 0, 9.92114, 1e-3, 1e-5},
    /* one radian per step without a fixed axis: with five iterations the top loses 15 % */
    {"top", MACHINE("top"), plain, 1e-3, 5, 0, 1140.589, 2e-2, 1e-3},
    /* bounded: the oscillation of the bearing and the revolution, both sampled once per step,
     * exchange energy; with 1e8 N/m 19 % of it in 2.8 s */
    {"bushing-1e6", MACHINE("crank-on-bushing"), bushing_6, 1e-3, 5, 0, 1184.353, 0.1, 0.05},
    {"bushing-1e7", MACHINE("crank-on-bushing"), bushing_7, 1e-3, 5, 0, 1184.353, 0.1, 0.05},
    {"bushing-1e8", MACHINE("crank-on-bushing"), bushing_8, 1e-3, 5, 0, 1184.353, 0.3, 0.2},
    {"bushing-1e9", MACHINE("crank-on-bushing"), bushing_9, 1e-3, 5, 0, 1184.353, 0.1, 0.05},
    {"pantograph", MACHINE("pantograph"), plain, 1e-3, 10, 0, 0.5968626, 1e-2, 1e-3},
    {"peaucellier", MACHINE("peaucellier"), plain, 1e-3, 10, 0, 1.882849, 1e-1, 1e-2},
    /* a worse iterate is discarded, however small its violation is compared with the first one */
    {"peaucellier-3-ms", MACHINE("peaucellier"), plain, 3e-3, 4, 0, 1.882849, 2e-3, 2e-3},
    {"massless-nut", MACHINE("massless-nut"), plain, 1e-3, 1, 0, 0, 1e-3, 1e-3},
    {"massless-nut-0.1", MACHINE("massless-nut"), plain, 1e-4, 1, 0, 0, 1e-5, 1e-5},
};

static void keeps_energy(void **state)
{
    const struct conserved *c = *state;
    struct lk_system *sys = machine(c->path, c->replace, c->h, c->iterations);
    double start = energy_of(sys), least = 0, most = 0, mean[2] = {0};
    int n = (int)lround(c->end / c->h);

    if (c->energy > 0)
        assert_true(fabs(start - c->energy) < 1e-5 * c->energy);
    for (int i = 0; i < n; i++) {
        const double inputs[1] = {0};
        double change;

        assert_int_equal(lk_system_step(sys, inputs), 0);
        change = energy_of(sys) / start - 1;
        least = fmin(least, change);
        most = fmax(most, change);
        mean[0] += i < n / 10 ? change / (n / 10) : 0;
        mean[1] += i >= n - n / 10 ? change / (n / 10) : 0;
    }
    printf("    %-14s %g ms, %g s: energy %+.2e .. %+.2e, mean %+.2e, then %+.2e\n", c->name,
           1e3 * c->h, c->end, least, most, mean[0], mean[1]);
    lk_system_free(sys);
    assert_true(least > -c->swing && most < c->swing);
    assert_true(fabs(mean[1] - mean[0]) < c->trend);
}

/* ---- uniform rotation ---- */

/** struct turning - a machine that rotates by at most @turn per step of @h [rad, s]. @swing:
 * amplitude of its energy within 2000 steps, relative to its kinetic energy */
struct turning {
    const char *path;
    const char *body;
    double h;
    double turn;
    double swing;
};

/* The last is the gyro, which is balanced: its energy is constant even beyond LK_TURN_MAX. */
static const struct turning turnings[] = {
    {MACHINE("crank"), "crank", 1.4 / 1047, 0.5, 0.023},
    {MACHINE("crank"), "crank", 0.588 / 314.16, LK_TURN_MAX, 0.051},
    {MACHINE("top"), "top", 0.7 / 1000, LK_TURN_MAX, 0.008},
    {MACHINE("cardan"), "driving", 0.7 / 100, LK_TURN_MAX, 0.002},
    {MACHINE("gimbal"), "rotor", 2.0 / 1000, 2, 1e-6},
};

/* The measurements from which LK_TURN_MAX was chosen, and the figure that is compared with it. */
static void swings_as_it_turns(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(turnings) / sizeof(turnings[0]); i++) {
        const struct turning *t = &turnings[i];
        struct lk_system *sys = machine(t->path, plain, t->h, 0);
        double start = energy_of(sys), swing = 0, kinetic = 0, turn = 0;
        struct lk_extent extent;
        struct lk_health health;
        int body = -1;

        for (int step = 0; step < 2000; step++) {
            machine_advance(sys, 1, NULL);
            lk_system_health(sys, &health);
            lk_system_extent(sys, &extent);
            swing = fmax(swing, fabs(energy_of(sys) - start));
            kinetic = fmax(kinetic, health.kinetic);
            body = extent.turn > turn ? extent.turning : body;
            turn = fmax(turn, extent.turn);
        }
        print_message("%s turns by %.3f rad, swings by %.2e\n", t->path, turn, swing / kinetic);
        assert_true(fabs(turn - t->turn) < 0.01 * t->turn);
        assert_int_equal(body, lk_system_body_index(sys, t->body));
        assert_true(swing < t->swing * kinetic);
        lk_system_free(sys);
    }
}

/* Return the energy that the step itself conserves, to order 4, for a planar mechanism without
 * drives. Backward error analysis (E. Hairer, C. Lubich, G. Wanner, Geometric Numerical
 * Integration, IX.3) of the Verlet step gives H + h^2 (v V'' v / 12 - |grad V|^2 / 24) with the
 * inverse mass as metric. With constraint forces only, both terms are a M a. */
static double own_energy(const struct lk_system *sys)
{
    double sum = 0;

    for (int b = 0; b < sys->n_named_bodies; b++) {
        struct lk_body_state s;

        lk_system_body_state(sys, b, &s);
        for (int i = 0; i < 3; i++)
            sum += sys->body[b].mass * s.acceleration[i] * s.acceleration[i] +
                   sys->body[b].inertia[i] * s.angular_acceleration[i] * s.angular_acceleration[i];
    }
    return energy_of(sys) + sys->h * sys->h / 24 * sum;
}

static void swing_at(double h, double *ret_energy, double *ret_own)
{
    struct lk_system *sys = machine(MACHINE("crank"), plain, h, 0);
    double low[2] = {INFINITY, INFINITY}, high[2] = {0};

    for (int i = 0; i < (int)lround(0.5 / h); i++) {
        double now[2];

        machine_advance(sys, 1, NULL);
        now[0] = energy_of(sys);
        now[1] = own_energy(sys);
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], now[k]);
            high[k] = fmax(high[k], now[k]);
        }
    }
    *ret_energy = (high[0] - low[0]) / high[0];
    *ret_own = (high[1] - low[1]) / high[1];
    printf("    crank, %.3g ms: energy swings by %.2e, that of the step by %.2e\n", 1e3 * h,
           *ret_energy, *ret_own);
    lk_system_free(sys);
}

/* The oscillation of the energy with the square of the step results from sampling it once per step;
 * it is no property of the crank. The energy that the step conserves is constant to the fourth
 * power of the step, below 1e-3 at 0.31 rad. */
static void keeps_an_energy_of_its_own(void **state)
{
    double energy[3], own[3];

    (void)state;
    for (int i = 0; i < 3; i++)
        swing_at(1e-3 / (1 << i), &energy[i], &own[i]);
    assert_true(own[0] < 1e-3);
    for (int i = 0; i < 2; i++) {
        assert_true(fabs(log2(energy[i] / energy[i + 1]) - 2) < 0.15);
        assert_true(fabs(log2(own[i] / own[i + 1]) - 4) < 0.25);
    }
}

/* Return the error of the carrier's angle after 5 s [rad]. */
static double carrier_error(double h)
{
    const double inertia =
        0.004 + 8e-5 * 3.6 * 3.6 + 3 * (5e-5 * 2.25 * 2.25 + 0.2 * 0.036 * 0.036);
    const double torque = 0.05, acceleration = 2.6 * torque / inertia, t = 5;
    const double angle = 80 * t + 0.5 * acceleration * t * t;
    struct lk_system *sys = machine(MACHINE("planetary-gear"), plain, h, 0);
    struct lk_health health;
    double error;

    for (int i = 0; i < (int)lround(t / h); i++) {
        assert_int_equal(lk_system_step(sys, &torque), 0);
        lk_system_health(sys, &health);
        assert_true(health.residual_position < 1e-12);
    }
    error = machine_output(sys, "carrier_angle", 0) - angle;
    printf("    carrier, %.3g ms: %.3g turns, wrong by %.1e rad, %.1e rad/s, %.1e rad/s^2\n",
           1e3 * h, angle / (2 * M_PI), error,
           machine_output(sys, "carrier_rate", 0) - 80 - acceleration * t,
           machine_output(sys, "carrier_acceleration", 0) - acceleration);
    assert_true(fabs(machine_output(sys, "sun_angle", 0) -
                     2.6 * machine_output(sys, "carrier_angle", 0)) < 1e-9);
    assert_true(fabs(machine_output(sys, "planet_angle", 0) +
                     3.25 * machine_output(sys, "carrier_angle", 0)) < 1e-9);
    assert_true(fabs(machine_output(sys, "carrier_rate", 0) / (80 + acceleration * t) - 1) < 1e-9);
    assert_true(fabs(machine_output(sys, "carrier_acceleration", 0) / acceleration - 1) < 1e-8);
    lk_system_free(sys);
    return error;
}

/* The angle of the carrier of the planetary gear is rate t + acceleration t^2 / 2 with the torque
 * on the sun. Moments of inertia relative to the carrier: the sun rotates 3.6 times as fast, a
 * planet -2.25 times and revolves at 36 mm; a torque on the sun, between it and the carrier, counts
 * 2.6 times. The rates are exact. The angle is of order 2, because the planets move along chords:
 * 0.15 rad per step give at most (0.15)^2 / 12 of the angle that the torque adds. */
static void planetary_gear_counts_turns(void **state)
{
    double coarse = carrier_error(1e-3), fine = carrier_error(5e-4);

    (void)state;
    assert_true(fabs(coarse) < 0.15 * 0.15 / 12 * 250);
    assert_true(coarse / fine > 3.8 && coarse / fine < 4.2);
}

/* After a million turns of the planets the gears mesh as accurately as at first. Their rows count
 * whole turns separately, because unwrapped angles then have a round-off of 5e-10 rad. */
static void gears_do_not_wear(void **state)
{
    static const double turns[] = {20, 52, -65, -65, -65}; /* carrier, sun, planets */
    struct lk_system *sys = machine(MACHINE("planetary-gear"), plain, 1e-3, 0);
    const double torque = 0.05;
    struct lk_health health;

    (void)state;
    for (int i = 0; i < 5; i++)
        sys->now.coordinate[sys->joint[i].first_coordinate] += 2 * M_PI * 2e4 * turns[i];
    machine_advance(sys, 200, &torque);
    lk_system_health(sys, &health);
    printf("    gears after a million turns: %.1e rad, %.1e rad/s\n", health.residual_position,
           health.residual_velocity);
    assert_true(machine_output(sys, "planet_angle", 0) < -8e6);
    assert_true(health.residual_position < 1e-14);
    lk_system_free(sys);
}

/* ---- gyroscopes ---- */

/* Return the largest rate of the inner ring in half a second. */
static double nutation(struct lk_system *sys, const double *inputs)
{
    double largest = 0;

    for (int i = 0; i < 500; i++) {
        machine_advance(sys, 1, inputs);
        largest = fmax(largest, fabs(machine_output(sys, "inner_rate", 0)));
    }
    return largest;
}

#define TORQUES                                                                                    \
    "inputs: {spin: {type: joint-torque, joint: spin}, push: {type: joint-torque, joint: outer}}"  \
    "\noutputs:"

/** struct gyroscope - the gimbal with some text replaced
 * @spins_up: it starts at rest and is accelerated by 4 N m for a second, so that at the start
 *            nothing shows which body will rotate; then the outer ring is pushed */
struct gyroscope {
    const char *name;
    const char *const *replace;
    int spins_up;
};

static const char *const rotor_first[] = {SOLVER, "[inner, rotor]", "[rotor, inner]", NULL};
static const char *const at_rest[] = {
    SOLVER,         "[0, 0, 2]", "[0, 0, 0]", "[0, 0, 2]", "[0, 0, 0]",
    "[0, 1000, 2]", "[0, 0, 0]", "outputs:",  TORQUES,     NULL};
static const char *const at_rest_first[] = {
    SOLVER,      "[0, 0, 2]", "[0, 0, 0]", "[0, 0, 2]",      "[0, 0, 0]",      "[0, 1000, 2]",
    "[0, 0, 0]", "outputs:",  TORQUES,     "[inner, rotor]", "[rotor, inner]", NULL};
static const char *const cylindrical[] = {SOLVER, "spin: {type: revolute",
                                          "spin: {type: cylindrical", NULL};
static const struct gyroscope gyroscopes[] = {
    {"nutates", plain, 0},
    {"nutates, rotor first", rotor_first, 0},
    {"nutates, cylindrical", cylindrical, 0},
    {"nutates, spun up", at_rest, 1},
    {"nutates, rotor first, spun up", at_rest_first, 1},
};

/* An undamped nutation continues, whichever body of a hinge rotates, and whichever the model names
 * first. A fast top nutates with J_spin / J_across of its rate, here one radian per step. */
static void keeps_nutating(void **state)
{
    const struct gyroscope *g = *state;
    struct lk_system *sys = machine(MACHINE("gimbal"), g->replace, 1e-3, 0);
    double first, last;

    if (g->spins_up) {
        double sign = g->replace == at_rest_first ? -1 : 1;

        machine_advance(sys, 1000, (const double[2]){sign * 4, 0});
        machine_advance(sys, 1, (const double[2]){0, 10});
        assert_true(fabs(fabs(machine_output(sys, "spin_rate", 0)) - 1000) < 1);
    }
    first = nutation(sys, (const double[2]){0});
    machine_advance(sys, 19000, (const double[2]){0});
    last = nutation(sys, (const double[2]){0});
    lk_system_free(sys);
    printf("    %s: %.6f rad/s, after 20 s %.6f\n", g->name, first, last);
    assert_true(first > 1 && fabs(last / first - 1) < 1e-4);
}

/* ---- reactions of redundant rows ---- */

/* Return the largest relative difference, within a second, between the magnitudes of the four
 * reactions of the Bennett linkage at the origin and of that in @path. */
static double reactions_beside(const char *path)
{
    struct lk_system *here = machine(MACHINE("bennett"), plain, 1e-3, 0);
    struct lk_system *there = machine(path, plain, 1e-3, 0);
    double largest = 0;

    for (int k = 0; k < 1000; k++) {
        for (int j = 0; j < 4; j++) {
            double a[6], b[6], size;

            lk_system_joint_reaction(here, j, a);
            lk_system_joint_reaction(there, j, b);
            size = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
            largest = fmax(largest, fabs(sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]) / size - 1));
            assert_true(isfinite(size) && isfinite(b[0]));
        }
        machine_advance(here, 1, NULL);
        machine_advance(there, 1, NULL);
    }
    lk_system_free(here);
    lk_system_free(there);
    return largest;
}

/* The round-off of positions 10 km away causes contradictions between redundant rows, which must
 * not affect the reactions. */
static void reactions_are_the_same_elsewhere(void **state)
{
    double turned = reactions_beside(MACHINE("bennett-turned"));
    double far = reactions_beside(MACHINE("bennett-far"));

    (void)state;
    printf("    turned: %.1e of the reaction, 10 km away: %.1e\n", turned, far);
    assert_true(turned < 1e-8);
    assert_true(far < 1e-7);
}

static struct CMUnitTest named(const char *name, CMUnitTestFunction test, const void *state)
{
    return (struct CMUnitTest){name, test, NULL, NULL, (void *)(uintptr_t)state};
}

/* Near a singular pose the reactions of two bars are 700 times the load. They are compared with an
 * independent integrator, 1394.136932 N, and their error decreases with the square of the step. */
static void shallow_truss_carries(void **state)
{
    static const char *const as_it_is[] = {NULL};
    const double right = 1394.136932, steps[] = {1e-3, 5e-4};
    double off[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct lk_system *sys = machine(MACHINE("shallow-truss"), as_it_is, steps[i], 0);

        machine_advance(sys, (int)lround(0.06 / steps[i]), NULL);
        off[i] = fabs(machine_output(sys, "left", 0) - right);
        lk_system_free(sys);
    }
    printf("    two bars: off by %.2e N, %.2e with half the step\n", off[0], off[1]);
    assert_true(off[0] < 3e-7 * right && off[1] < off[0] / 3);
}

int main(void)
{
    struct CMUnitTest tests[64];
    int n = 0;

    for (size_t i = 0; i < sizeof(knowns) / sizeof(*knowns); i += SANITIZED ? 5 : 1)
        tests[n++] = named(knowns[i].c.name, follows_reference, &knowns[i]);
    for (size_t i = 0; i < sizeof(conserveds) / sizeof(*conserveds); i += SANITIZED ? 5 : 1)
        tests[n++] = named(conserveds[i].name, keeps_energy, &conserveds[i]);
    for (size_t i = 0; i < sizeof(gyroscopes) / sizeof(*gyroscopes); i += SANITIZED ? 5 : 1)
        tests[n++] = named(gyroscopes[i].name, keeps_nutating, &gyroscopes[i]);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(shallow_truss_carries);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(swings_as_it_turns);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(keeps_an_energy_of_its_own);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(swing_across_tension_is_damped);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(light_spokes_brake_no_wheel);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(light_arm_keeps_its_rate);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(flap_swings_on_a_fast_rotor);
    if (!SANITIZED)
        tests[n++] = (struct CMUnitTest)cmocka_unit_test(crane_with_tight_rods);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(planetary_gear_counts_turns);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(gears_do_not_wear);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(reactions_are_the_same_elsewhere);
    return _cmocka_run_group_tests("rattle", tests, (size_t)n, NULL, NULL);
}
