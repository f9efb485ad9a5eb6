/* SPDX-License-Identifier: Apache-2.0 */
/* Dampers that stop a motion within a step, with `rattle`: compared with independent integrators,
 * closed forms, and a step that is 50 times shorter. */
#include "cmocka_all.h"
#include "linkage/parameters.h"
#include "machines.h"
#include "sanitized.h"
#include "step/lanes/batch.h"
#include <math.h>
#include <stdio.h>

/** struct known - value of an output component @at a time [s] with step @h [s]. It was computed
 * with Dormand-Prince of order 5 with a tolerance of 1e-11, or with the index-3 form and steps of
 * 0.1 ms. */
struct known {
    const char *path;
    double h;
    const char *output;
    int component;
    double at;
    double value;
    double within;
};

static const struct known knowns[] = {
    {MACHINE("rubber-bushing-arm"), 1e-3, "wheel", 2, 0.1, 0.0013065, 1e-5},
    {MACHINE("rubber-bushing-arm"), 1e-3, "wheel", 2, 0.5, -0.0838376, 1e-5},
    {MACHINE("stiff-damper-arm"), 1e-3, "wheel", 2, 0.1, 0.039249711, 2e-6},
    {MACHINE("stiff-damper-arm"), 1e-3, "wheel", 2, 1, 0.021177695, 1e-6},
    {MACHINE("stiff-damper-arm"), 2e-3, "wheel", 2, 1, 0.021177695, 4e-6},
    {MACHINE("light-lever"), 1e-3, "pose", 0, 0.05, 0.014304, 2e-6},
};

static void is_as_known(void **state)
{
    const struct known *k = *state;
    static const char *const as_it_is[] = {NULL};
    struct lk_system *sys = machine(k->path, as_it_is, k->h, 0);
    double found;

    machine_advance(sys, (int)lround(k->at / k->h), NULL);
    found = machine_output(sys, k->output, k->component);
    printf("    %s: off by %.1e\n", k->path, found - k->value);
    assert_true(fabs(found - k->value) < k->within);
    lk_system_free(sys);
}

/* A mass of 1 mg on 100 N/m and 4 N s/m moves as x = 0.05 exp(-25 t) after m / c = 0.25 us. */
static void valve_is_in_balance(void **state)
{
    static const char *const as_it_is[] = {NULL};
    static const double c = 4;
    const char *path = *state;
    struct lk_system *sys = machine(path, as_it_is, 1e-3, 0);
    int size = lk_system_input_size(sys);

    for (int i = 1; i <= 100; i++) {
        double t = 1e-3 * i, x = 0.05 * exp(-25 * t);

        machine_advance(sys, 1, size > 0 ? &c : NULL);
        assert_true(fabs(machine_output(sys, "pose", 0) - x) < 1e-4 * 0.05);
        /* the first velocities are of first order, because no earlier positions are known */
        assert_true(fabs(machine_output(sys, "motion", 0) + 25 * x) < (i < 3 ? 2e-2 : 5e-4) * 1.25);
        if (i > 4)
            assert_true(fabs(machine_output(sys, "acceleration", 0) - 625 * x) < 0.01 * 625 * x);
        /* the energy that the spring has lost, and the error of the balance */
        assert_true(fabs(machine_output(sys, "work", 1) - 50 * (0.0025 - x * x)) < 1e-4 * 0.125);
        assert_true(fabs(machine_output(sys, "work", 4)) < 1e-5 * 0.125);
    }
    lk_system_free(sys);
}

/* A stiff damper stops a mass and is then released by an input: it must not have stored any
 * motion. */
static void released_valve_does_not_jump(void **state)
{
    static const char *const heavy[] = {"{mass: 1e-06",
                                        "{velocity: [1, 0, 0], mass: 1",
                                        "stiffness: 100",
                                        "stiffness: 0",
                                        "[0, 9]",
                                        "[0, 1e9]",
                                        NULL};
    struct lk_system *sys = machine(MACHINE("light-valve"), heavy, 1e-3, 0);
    double c = 1e7, stopped;

    (void)state;
    machine_advance(sys, 20, &c);
    assert_true(fabs(machine_output(sys, "motion", 0)) < 1e-6);
    stopped = machine_output(sys, "pose", 0);
    c = 0;
    machine_advance(sys, 100, &c);
    assert_true(fabs(machine_output(sys, "pose", 0) - stopped) < 1e-7);
    /* the damper has dissipated 0.5 J, all of the energy */
    assert_true(fabs(machine_output(sys, "work", 1) - 0.5) < 1e-6);
    lk_system_free(sys);
}

/** struct swept - a number of a model that is varied from 1 to 1e9, and the output component to
 * check */
struct swept {
    const char *path;
    const char *number;
    const char *output;
    int component;
    bool in_lanes;
};

static const struct swept sweeps[] = {
    {MACHINE("stiff-damper-arm"), "forces.strut.damping", "wheel", 2, false},
    {MACHINE("stiff-damper-arm"), "forces.strut.damping", "wheel", 2, true},
    {MACHINE("stiff-damper-clutch"), "forces.d.damping", "a", 0, false},
    {MACHINE("rubber-bushing-arm"), "forces.strut.damping", "wheel", 2, false},
    {MACHINE("rubber-bushing-arm"), "joints.pivot.compliance.damping.3", "wheel", 2, false},
};

static struct lk_system *with_number(const struct swept *s, double value, double h)
{
    const struct lk_setting setting = {.path = s->number, .value = value};
    const struct lk_engine *engines[LK_ENGINES_MAX + 1];
    struct lk_options options = {.step = h, .engine = "none"};
    struct lk_system *sys = NULL;
    struct lk_model *model = NULL;
    struct lk_errors errors;
    struct lk_error error;

    lk_engines_here(engines);
    if (s->in_lanes)
        options.engine = engines[0]->name;
    assert_int_equal(lk_model_read_file_with(s->path, &setting, 1, &model, &errors), 0);
    if (lk_system_new(model, &options, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    return sys;
}

static void every_damper_is_right(void **state)
{
    const struct swept *s = *state;
    double h = 1e-3, worst = 0;
    int finer = 50;

    for (double c = 1; c < 2e9; c *= 10) {
        struct lk_system *sys = with_number(s, c, h), *fine = with_number(s, c, h / finer);
        double first = machine_output(sys, s->output, s->component), most = 0, off = 0;

        for (int i = 0; i < 500; i++) {
            double right;

            machine_advance(sys, 1, NULL);
            machine_advance(fine, finer, NULL);
            right = machine_output(fine, s->output, s->component);
            most = fmax(most, fabs(right - first));
            off = fmax(off, fabs(machine_output(sys, s->output, s->component) - right));
        }
        worst = fmax(worst, off / most);
        lk_system_free(sys);
        lk_system_free(fine);
    }
    printf("    %s, %s: at most %.1e of the motion\n", s->path, s->number, worst);
    assert_true(worst < 1e-4);
}

int main(void)
{
    enum { N_KNOWN = sizeof(knowns) / sizeof(*knowns), N_SWEPT = sizeof(sweeps) / sizeof(*sweeps) };
    struct CMUnitTest tests[N_KNOWN + N_SWEPT + 3];
    int n = 0;

    for (int i = 0; i < N_KNOWN; i++)
        tests[n++] = (struct CMUnitTest){"is_as_known", is_as_known, NULL, NULL,
                                         (void *)(uintptr_t)&knowns[i]};
    for (int i = 0; i < N_SWEPT && !SANITIZED; i++)
        tests[n++] = (struct CMUnitTest){"every_damper_is_right", every_damper_is_right, NULL, NULL,
                                         (void *)(uintptr_t)&sweeps[i]};
    tests[n++] = (struct CMUnitTest){"valve_is_in_balance", valve_is_in_balance, NULL, NULL,
                                     (void *)(uintptr_t)MACHINE("light-valve")};
    tests[n++] = (struct CMUnitTest){"valve_is_in_balance, on a slide", valve_is_in_balance, NULL,
                                     NULL, (void *)(uintptr_t)MACHINE("light-on-slide")};
    tests[n++] = (struct CMUnitTest){"released_valve_does_not_jump", released_valve_does_not_jump,
                                     NULL, NULL, NULL};
    return _cmocka_run_group_tests("dampers", tests, (size_t)n, NULL, NULL);
}
