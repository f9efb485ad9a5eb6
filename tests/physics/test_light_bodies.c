/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies with little or no mass, stepped by `rattle`, `ali3` and the form in Euler parameters: each
 * is compared with a closed form of the motion without this mass. */
#include "cmocka_all.h"
#include "machines.h"
#include "sanitized.h"
#include <math.h>
#include <stdio.h>

static const char *const plain[] = {SOLVER, NULL};

/** struct observed - an output, its component, and its exact value at time t
 * @order: least order of its error, 0: 1.9 */
struct observed {
    const char *output;
    int component;
    double (*exact)(double t);
    double scale;
    double order;
};

/* m y'' + c y' + k y = -m g, starting at rest: m = 2, k = 200, c = 3 */
static double hung(double t, int derivative)
{
    const double w0 = sqrt(100), d = 0.75, w = sqrt(w0 * w0 - d * d), rest = -9.81 / 100;
    double e = exp(-d * t), s = sin(w * t), c = cos(w * t);

    switch (derivative) {
    case 0:
        return rest * (1 - e * (c + d / w * s));
    case 1:
        return rest * w0 * w0 / w * e * s;
    default:
        return rest * w0 * w0 * e * (c - d / w * s);
    }
}

static double hung_y(double t)
{
    return hung(t, 0);
}

static double hung_v(double t)
{
    return hung(t, 1);
}

static double hung_a(double t)
{
    return hung(t, 2);
}

static double hung_x(double t)
{
    return 0.1 + 0.3 * t;
}

static double hung_force(double t)
{
    return -200 * hung(t, 0) - 3 * hung(t, 1);
}

static const struct observed hung_block[] = {{"y", 0, hung_y, 0.2},        {"v", 0, hung_v, 1},
                                             {"a", 0, hung_a, 10},         {"x", 0, hung_x, 0.2},
                                             {"force", 0, hung_force, 20}, {NULL, 0, NULL, 0}};

/* The hung block with the spring compressed by 0.1 m at the start */
#define LOADED "stiffness: 200, damping: 3}", "stiffness: 200, damping: 3, rest: -0.1}"

static double loaded_y(double t)
{
    return hung(t, 0) * (9.81 / 100 + 0.1) / (9.81 / 100);
}

static double loaded_a(double t)
{
    return hung(t, 2) * (9.81 / 100 + 0.1) / (9.81 / 100);
}

static const struct observed loaded_block[] = {
    {"y", 0, loaded_y, 0.2}, {"a", 0, loaded_a, 10}, {"x", 0, hung_x, 0.2}, {NULL, 0, NULL, 0}};

/* Return x of the guided chain: 1 kg, 1000 N/m and 10 N s/m along x; no mass along y. */
static double guided_x(double t)
{
    const double d = 5, w = sqrt(1000 - d * d);

    return 0.02 * exp(-d * t) * (cos(w * t) + d / w * sin(w * t));
}

static double chain_y(double t)
{
    return 0.01 * exp(-100 * t);
}

static double chain_stretch_y(double t)
{
    return 0.03 + 0.1 * t - chain_y(t);
}

static const struct observed guided_chain[] = {{"x_i", 0, guided_x, 0.02},
                                               {"y_i", 0, chain_y, 0.01},
                                               {"y_j", 0, chain_stretch_y, 0.02},
                                               {NULL, 0, NULL, 0}};

/* Two springs k with dampers c in series, with a mass of 1 kg at the end and none between them, so
 * the force in both is equal. With p the point between them and X, V of the mass: 2 c p' + 2 k p =
 * k X + c V. The deviation p - X / 2 decays with the rate k / c; apart from it, X is the motion
 * with one spring k / 2 and one damper c / 2. */
struct two_in_a_row {
    double k, c, p, x, v;
};

static void two_rates(const struct two_in_a_row *y, struct two_in_a_row *ret)
{
    ret->p = (y->k * y->x + y->c * y->v - 2 * y->k * y->p) / (2 * y->c);
    ret->x = y->v;
    ret->v = -y->k * y->p - y->c * ret->p;
}

static struct two_in_a_row two_at(struct two_in_a_row y, double t)
{
    const double d = 1e-5;
    int n = (int)lround(t / d);

    for (int i = 0; i < n; i++) { /* midpoint rule, accurate to 1e-9 */
        struct two_in_a_row middle = y, rate;

        two_rates(&y, &rate);
        middle.p += 0.5 * d * rate.p;
        middle.x += 0.5 * d * rate.x;
        middle.v += 0.5 * d * rate.v;
        two_rates(&middle, &rate);
        y.p += d * rate.p;
        y.x += d * rate.x;
        y.v += d * rate.v;
    }
    return y;
}

static double chain_x(double t)
{
    return two_at((struct two_in_a_row){1000, 10, 0.02, 0.05, 0}, t).p;
}

static double chain_stretch_x(double t)
{
    struct two_in_a_row y = two_at((struct two_in_a_row){1000, 10, 0.02, 0.05, 0}, t);

    return y.x - y.p;
}

static const struct observed free_chain[] = {{"x_i", 0, chain_x, 0.02},
                                             {"x_j", 0, chain_stretch_x, 0.02},
                                             {"y_i", 0, chain_y, 0.01},
                                             {"y_j", 0, chain_stretch_y, 0.02},
                                             {NULL, 0, NULL, 0}};

static double light_p(double t)
{
    return two_at((struct two_in_a_row){1000, 2, 0.02, 0.05, 0.2}, t).p;
}

static double light_v(double t)
{
    struct two_in_a_row y = two_at((struct two_in_a_row){1000, 2, 0.02, 0.05, 0.2}, t), rate;

    two_rates(&y, &rate);
    return rate.p;
}

static double heavy_x(double t)
{
    return two_at((struct two_in_a_row){1000, 2, 0.02, 0.05, 0.2}, t).x;
}

/* at these steps, the third-order error of the backward difference reduces the observed order:
 * 1.57, 1.84, 1.87 at the next steps */
static const struct observed light_between[] = {{"p1", 0, light_p, 0.02},
                                                {"v1", 0, light_v, 1, 1.5},
                                                {"heavy", 0, heavy_x, 0.05},
                                                {NULL, 0, NULL, 0}};

/** struct massless - a model of a body with little or no mass
 * @accuracy: largest error at 1 ms, relative to the scale of each output */
struct massless {
    const char *name;
    const char *path;
    const char *const *replace;
    const struct observed *observed;
    double from;
    double accuracy;
};

static const char *const chain_solver[] = {"solver: {formulation: recursive, step: 0.001}",
                                           "solver: {formulation: " FORMULATION "}", NULL};

static const char *const lighter[] = {"{mass: 1e-6", "{mass: 1e-9", SOLVER, NULL};

#define BY_ALI3  "solver: {step: 0.001}", "solver: {formulation: ali3}"
#define BY_EULER "solver: {step: 0.001}", "solver: {coordinates: euler-parameters}"

static const char *const ali3[] = {BY_ALI3, NULL};
static const char *const euler[] = {BY_EULER, NULL};
static const char *const loaded[] = {SOLVER, LOADED, NULL};
static const char *const loaded_ali3[] = {BY_ALI3, LOADED, NULL};
static const char *const chain_ali3[] = {"solver: {formulation: recursive, step: 0.001}",
                                         "solver: {formulation: ali3}", NULL};
static const char *const chain_euler[] = {"solver: {formulation: recursive, step: 0.001}",
                                          "solver: {coordinates: euler-parameters}", NULL};

static const struct massless masslesses[] = {
    {"hung-block", MACHINE("hung-block"), plain, hung_block, 0, 1e-4},
    {"guided-chain", "config/models/small-mass-chain-guided.yaml", chain_solver, guided_chain, 0,
     1e-3},
    {"free-chain", "config/models/small-mass-chain.yaml", chain_solver, free_chain, 0, 1e-3},
    /* in both loaded-blocks the body without mass starts under load */
    {"hung-block, ali3", MACHINE("hung-block"), ali3, hung_block, 0, 1e-4},
    {"hung-block, euler", MACHINE("hung-block"), euler, hung_block, 0, 1e-4},
    {"loaded-block", MACHINE("hung-block"), loaded, loaded_block, 0, 1e-4},
    {"loaded-block, ali3", MACHINE("hung-block"), loaded_ali3, loaded_block, 0, 1e-4},
    {"guided-chain, ali3", "config/models/small-mass-chain-guided.yaml", chain_ali3, guided_chain,
     0, 1e-3},
    {"free-chain, ali3", "config/models/small-mass-chain.yaml", chain_ali3, free_chain, 0, 1e-3},
    {"free-chain, euler", "config/models/small-mass-chain.yaml", chain_euler, free_chain, 0, 1e-3},
    /* the initial rest of the light body decays within m / 2 c = 2.5e-10 s and moves it by 6.5e-10
     * m */
    {"light-between", MACHINE("light-between"), lighter, light_between, 1e-3, 1e-3},
};

/* Compute the largest error of each output, at each hundredth of a second for half a second,
 * relative to its scale. */
static void errors_of(const struct massless *m, double h, double *worst)
{
    struct lk_system *sys = machine(m->path, m->replace, h, 0);
    int each = (int)lround(0.01 / h);

    for (int i = 0; i <= 50; i++) {
        double t = 0.01 * i;

        for (int o = 0; m->observed[o].output && t >= m->from; o++) {
            const struct observed *of = &m->observed[o];
            double error =
                fabs(machine_output(sys, of->output, of->component) - of->exact(t)) / of->scale;

            if (!(error <= worst[o]))
                worst[o] = error;
        }
        machine_advance(sys, each, NULL);
    }
    lk_system_free(sys);
}

static void moves_as_without_mass(void **state)
{
    const struct massless *m = *state;
    double worst[3][8] = {{0}};
    int failed = 0;

    for (int i = 0; i < 3; i++)
        errors_of(m, 1e-3 / (1 << i), worst[i]);
    for (int o = 0; m->observed[o].output; o++) {
        double order = log2(worst[1][o] / worst[2][o]);
        /* an error that is zero, or as small as the effect of the mass and its initial state,
         * cannot decrease */
        double least = m->observed[o].order > 0 ? m->observed[o].order : 1.9;
        int good = worst[0][o] < m->accuracy && (order > least || worst[2][o] < 5e-6);

        printf("    %-4s %s %s[%d]: %.2e %.2e %.2e, order %.2f\n", good ? "" : "BAD", m->name,
               m->observed[o].output, m->observed[o].component, worst[0][o], worst[1][o],
               worst[2][o], order);
        failed += !good;
    }
    assert_int_equal(failed, 0);
}

/* A bob of 1 kg falls from the horizontal on a rod of 1 m, whose moment about its own axis is 0. At
 * the lowest point the force of the hinge is 3 g if the bob is attached with a ball joint, and g (1
 * + 2 / 1.004) if it rotates with the rod. The mass of the rod adds less than 2 of its weights; a
 * step ends within 0.003 rad of the lowest point. */
static void thin_rod_pulls(void **state)
{
    static const double masses[] = {1e-4, 1e-6, 1e-8, 1e-10};

    (void)state;
    for (int i = 0; i < 8; i++) {
        double m = masses[i / 2], right = 9.81 * (i % 2 ? 1 + 2 / 1.004 : 3), most = 0;
        char rod[64], drawn[] = "{mass: 1e-06, inertia: [8.33333e-08, 8.33333e-08, 0]";
        const char *const replace[] = {drawn,  rod, "spherical", i % 2 ? "fixed" : "spherical",
                                       SOLVER, NULL};
        struct lk_system *sys;

        snprintf(rod, sizeof(rod), "{mass: %g, inertia: [%g, %g, 0]", m, m / 12, m / 12);
        sys = machine(MACHINE("thin-rod"), replace, 1e-3, 0);
        for (int k = 0; k < 2000; k++) {
            machine_advance(sys, 1, NULL);
            most = fmax(most, hypot(machine_output(sys, "r", 0), machine_output(sys, "r", 2)));
        }
        printf("    %g kg: %.4f N, right is %.4f\n", m, most, right);
        assert_true(fabs(most - right) < right * (2 * m + 3e-5));
        lk_system_free(sys);
    }
}

int main(void)
{
    enum { N = sizeof(masslesses) / sizeof(*masslesses) };
    struct CMUnitTest tests[N + 1];
    int n = 0;

    for (int i = 0; i < N; i += SANITIZED ? 3 : 1)
        tests[n++] = (struct CMUnitTest){masslesses[i].name, moves_as_without_mass, NULL, NULL,
                                         (void *)(uintptr_t)&masslesses[i]};
    tests[n++] = (struct CMUnitTest){"thin_rod_pulls", thin_rod_pulls, NULL, NULL, NULL};
    return _cmocka_run_group_tests("light bodies", tests, (size_t)n, NULL, NULL);
}
