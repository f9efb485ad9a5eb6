/* SPDX-License-Identifier: Apache-2.0 */
/* The solution of the equations of blocks in a step. */
#include "block_models.h"
#include "cmocka_all.h"
#include "known_motion.h"
#include "step/system.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Outputs do not depend on whether some other block has a sensor, although all three solutions of a
 * step are then computed. */
static void a_sensor_elsewhere_changes_nothing(void **state)
{
    static const char alone[] = "blocks:\n"
                                "  y: {type: lag, input: w, time: 0.01, limits: [-0.2, 0.3]}\n"
                                "  w: {type: sum, inputs: [u, late], signs: \"+-\"}\n"
                                "  late: {type: delay, input: y, time: 0.0035}\n";
    char both[1024];
    struct lk_system *one, *other;

    (void)state;
    snprintf(both, sizeof(both),
             "%s  z: {type: lag, input: {position: shaft}, time: 0.1}\n"
             "forces:\n  f: {type: impedance, joint: shaft, force: {block: z}}\n",
             alone);
    one = compile_rotor(3, 1e-3, alone);
    other = compile_rotor(3, 1e-3, both);
    assert_true(one->net.n_sensors == 0 && other->net.n_sensors == 1);
    for (int i = 0; i < 200; i++) {
        double u = sin(0.1 * i), y;

        assert_int_equal(lk_system_step(one, &u), 0);
        assert_int_equal(lk_system_step(other, &u), 0);
        y = read_output(one, "y", 0);
        assert_true(y == read_output(other, "y", 0) && (i < 5 || y != 0));
    }
    lk_system_free(one);
    lk_system_free(other);
}

/* Solve both stages with constant sensors. */
static void solve_stages(struct lk_system *sys, bool is_tangent)
{
    struct lk_net *net = &sys->net;
    const struct lk_net_signals at = {sys->now.inputs, net->mean, net->delayed};

    lk_net_step(net, sys->now.blocks, (const struct lk_net_signals[2]){at, at}, is_tangent);
}

/* Compute the derivatives of stage @i with respect to sensor @s by central differences: states,
 * then outputs. */
static void differ(struct lk_system *sys, int s, int i, double *ret)
{
    struct lk_net *net = &sys->net;
    const struct lk_net_stage *stage = &net->stage[i];
    double amount = 1e-6, mean = net->mean[s];

    for (int side = 0; side < 2; side++) {
        net->mean[s] = side ? mean - amount : mean + amount;
        solve_stages(sys, false);
        for (int k = 0; k < net->n_states + net->n_blocks; k++) {
            double x = k < net->n_states ? stage->z[k] : stage->y[k - net->n_states];

            ret[k] = side ? (ret[k] - x) / (2 * amount) : x;
        }
    }
    net->mean[s] = mean;
}

/* Check that the derivatives of a stage with respect to a sensor agree with differences, also for a
 * loop with curves. All derivatives that pushes need must be present. */
static void check_tangents(struct lk_system *sys)
{
    struct lk_net *net = &sys->net;
    int m = net->n_sensors, answered = 0;

    for (int s = 0; s < m; s++)
        for (int i = 0; i < 2 && net->sensor[s].is_answered; i++) {
            double expected[100];

            answered++;
            assert_true(net->n_states + net->n_blocks <= 100);
            differ(sys, s, i, expected);
            solve_stages(sys, true);
            for (int k = 0; k < net->n_states + net->n_blocks; k++) {
                double found = k < net->n_states ? net->stage[i].dz[k * m + s]
                                                 : net->stage[i].dy[(k - net->n_states) * m + s];

                if (fabs(found - expected[k]) > 1e-6 * fmax(1, fabs(expected[k])))
                    fail_msg("stage %d, sensor %d, %d: %.12g, %.12g by differences", i, s, k, found,
                             expected[k]);
            }
        }
    assert_true(answered > 0);
}

static void tangents_are_those_of_differences(void **state)
{
    struct lk_system *sys = compile_wild("none"), *motor = compile_motor(2e-3, 1e-3);
    struct lk_system *looped =
        compile_rotor(3, 1e-3,
                      "blocks:\n"
                      "  y: {type: integrator, input: e, gain: 500}\n"
                      "  e: {type: sum, inputs: [u, emf, drop], signs: \"+--\"}\n"
                      "  emf: {type: gain, input: {velocity: shaft}, gain: 0.05}\n"
                      "  drop: {type: gain, input: y, gain: 0.5}\n"
                      "forces:\n  drive: {type: impedance, joint: shaft, force: {block: y}}\n");
    const double volts = 12;
    bool is_curved = false;

    (void)state;
    for (int i = 0; i < sys->net.n_groups; i++)
        is_curved |= sys->net.group[i].is_curved;
    assert_true(is_curved && !sys->net.is_linear && motor->net.is_linear && looped->net.is_linear);
    for (int i = 0; i < 60; i++) {
        if (i > 20) /* the valve opens; before, the pressure is at its limit */
            check_tangents(sys);
        check_tangents(motor);
        check_tangents(looped);
        step_wild(sys, i);
        assert_int_equal(lk_system_step(motor, &volts), 0);
        assert_int_equal(lk_system_step(looped, &volts), 0);
    }
    lk_system_free(sys);
    lk_system_free(motor);
    lk_system_free(looped);
}

/* A group of blocks is solved after the groups of its sources; a delay has no sources in the same
 * step. */
static void groups_follow_what_they_take(void **state)
{
    struct lk_system *sys = compile_wild("none");
    const struct lk_net *net = &sys->net;
    int place[100], group[100], n = 0, loops = 0;

    (void)state;
    assert_true(net->n_blocks <= 100);
    for (int g = 0; g < net->n_groups; g++) {
        loops += net->group[g].is_loop;
        assert_int_equal(net->group[g].first, n);
        for (; n < net->group[g].first + net->group[g].n; n++) {
            place[net->order[n]] = n;
            group[net->order[n]] = g;
        }
    }
    assert_int_equal(n, net->n_blocks);
    assert_int_equal(loops, 1); /* drop, root, flow, net, pressure */
    for (int i = 0; i < net->n_blocks; i++)
        for (int k = 0; k < net->block[i].n_sources && net->block[i].kind != LK_BLOCK_DELAY; k++) {
            const struct lk_net_source *s = &net->source[net->block[i].first + k];

            if (s->kind == LK_FROM_BLOCK && group[s->at] != group[i])
                assert_true(place[s->at] < place[i]);
        }
    lk_system_free(sys);
}

/* A state that grows by a factor of e in 0.29 of a step has no implicit step; if it grows a little
 * faster, there is one. */
static void what_grows_too_fast_is_refused(void **state)
{
    static const double factors[] = {1, 1 + 1e-9};

    (void)state;
    for (int k = 0; k < 2; k++) {
        char blocks[256], text[TEXT_MAX];
        double rate = factors[k] / (LK_NET_GAMMA * 1e-3);
        struct lk_model *model;
        struct lk_system *sys = NULL;
        struct lk_error error = {""};
        int r;

        snprintf(blocks, sizeof(blocks),
                 "blocks:\n  x: {type: gain, input: u, gain: 1}\n"
                 "  y: {type: state-space, inputs: [x], a: [[%.17g]], b: [[1]], c: [1]}\n",
                 rate);
        write_rotor(0, 1e-3, blocks, text, sizeof(text));
        assert_int_equal(lk_model_read_text("m", text, strlen(text), &model, &error), 0);
        r = lk_system_new(model, NULL, &sys, &error);
        assert_int_equal(r, k == 0 ? LK_E_MODEL : 0);
        assert_true(k != 0 || strstr(error.text, "block 'y': a step of 0.001 s has no solution"));
        lk_model_free(model);
        lk_system_free(sys);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sensor_elsewhere_changes_nothing),
        cmocka_unit_test(tangents_are_those_of_differences),
        cmocka_unit_test(groups_follow_what_they_take),
        cmocka_unit_test(what_grows_too_fast_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
