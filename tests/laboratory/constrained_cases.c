/* SPDX-License-Identifier: Apache-2.0 */
#include "../cmocka_all.h"
#include "constrained_run.h"
#include <math.h>

#define BODY(csv, body)                                                                            \
    {csv "x", body, 0}, {csv "y", body, 1}, {csv "z", body, 2}, {csv "qw", body, 3},               \
        {csv "qx", body, 4}, {csv "qy", body, 5}, {csv "qz", body, 6}, {csv "vx", body, 7},        \
        {csv "vy", body, 8},                                                                       \
    {                                                                                              \
        csv "vz", body, 9                                                                          \
    }
#define TURN(csv, body)                                                                            \
    {csv "x", body, 10}, {csv "y", body, 11},                                                      \
    {                                                                                              \
        csv "z", body, 12                                                                          \
    }
#define FORCE(csv, joint)                                                                          \
    {csv "x", joint, LAB_FORCE}, {csv "y", joint, LAB_FORCE + 1},                                  \
    {                                                                                              \
        csv "z", joint, LAB_FORCE + 2                                                              \
    }
#define PLANE(csv, body)                                                                           \
    {csv "x", body, 0}, {csv "y", body, 1}, {csv "qw", body, 3}, {csv "qz", body, 6},              \
        {csv "vx", body, 7}, {csv "vy", body, 8},                                                  \
    {                                                                                              \
        csv "wz", body, 12                                                                         \
    }
#define POINT(csv)                                                                                 \
    {csv "x", "mass", 0}, {csv "y", "mass", 1}, {csv "vx", "mass", 7}, {csv "vy", "mass", 8},      \
    {                                                                                              \
        csv "lambda", "rod", LAB_TENSION                                                           \
    }

#define EX1 "[0.0871557427476582, -0.996194698091746, 0]"
#define EX8 "[0.2, -0.979795897113271, 0]"
static const char *const start_8a[] = {
    EX1, "[0, -1, 0]", EX1, "[0, -1, 0]", "velocity: [0, 0, 0]", "velocity: [1, 0, 0]", NULL};
static const char *const start_8b[] = {
    EX1, EX8, EX1, EX8, "velocity: [0, 0, 0]", "velocity: [0.76121723660719, 0.155382817758256, 0]",
    NULL};

/* a drive swings the upper link, the lower one hangs from it */
static const char *const driven[] = {
    "joint_1: {type: spherical",
    "joint_1: {type: revolute, axis: [0, 0, 1], drive: {harmonic: {amplitude: 0.2, omega: 5}}",
    NULL};

static const struct lab_column ex8a[] = {POINT("ex8a."), {NULL, NULL, 0}};
static const struct lab_column ex8b[] = {POINT("ex8b."), {NULL, NULL, 0}};
static const struct lab_column top[] = {
    BODY("", "top"), TURN("Omega.", "top"), FORCE("F.", "tip"), {NULL, NULL, 0}};
static const struct lab_column links[] = {BODY("a.", "a"),         TURN("a.w", "a"),
                                          BODY("b.", "b"),         TURN("b.w", "b"),
                                          FORCE("F1.", "joint_1"), {NULL, NULL, 0}};
static const struct lab_column bars[] = {PLANE("A.", "A"),
                                         PLANE("B.", "B"),
                                         PLANE("C.", "C"),
                                         {"joint1.Fx", "joint1", LAB_FORCE},
                                         {"joint1.Fy", "joint1", LAB_FORCE + 1},
                                         {NULL, NULL, 0}};
static const struct lab_column crank[] = {
    BODY("crank.", "crank"),   TURN("crank.w", "crank"), BODY("rod.", "rod"), TURN("rod.w", "rod"),
    BODY("slider.", "slider"), FORCE("Fpin.", "pin"),    {NULL, NULL, 0}};
static const struct lab_column loop[] = {
    BODY("B1.", "B1"), BODY("B2.", "B2"), BODY("B3.", "B3"), BODY("B4.", "B4"), {NULL, NULL, 0}};

const struct lab_case lab_pendulum_ex8a = {"mathematical-pendulum", "mathematical-pendulum",
                                           start_8a, ex8a};
const struct lab_case lab_pendulum_ex8b = {"mathematical-pendulum", "mathematical-pendulum",
                                           start_8b, ex8b};
const struct lab_case lab_heavy_top = {"heavy-top", "heavy-top", NULL, top};
const struct lab_case lab_double_pendulum = {"double-pendulum", "double-pendulum", NULL, links};
const struct lab_case lab_driven_pendulum = {"double-pendulum", "double-pendulum", driven, links};
const struct lab_case lab_four_bar = {"four-bar-vertical", "four-bar-vertical", NULL, bars};
const struct lab_case lab_slider_crank = {"slider-crank-3d", "slider-crank-3d", NULL, crank};
const struct lab_case lab_closed_loop = {"closed-loop-four", "closed-loop-four", NULL, loop};

/* ---- measurements for the tests ---- */

void lab_run_well(const struct lab_case *c, struct lab_method method, double from, double end,
                  struct lab_result *ret)
{
    lab_run(c, &method, from, end, ret);
    if (ret->status != 0)
        fail_msg("%s %s: %s", c->model, method.variant, ret->text.text);
}

/* orders of convergence of all quantities between @h and @h / 2 */
void lab_orders(const struct lab_case *c, struct lab_method method, double h, double end,
                double ret[LAB_QUANTITIES])
{
    struct lab_result coarse, fine;

    method.step = h;
    lab_run_well(c, method, 0, end, &coarse);
    method.step = h / 2;
    lab_run_well(c, method, 0, end, &fine);
    for (int i = 0; i < LAB_QUANTITIES; i++)
        ret[i] = fine.error[i] > 0 ? log2(coarse.error[i] / fine.error[i]) : NAN;
}

static void assert_order(const struct lab_case *c, const struct lab_method *method, double order,
                         double low, double high)
{
    if (!(order > low && order < high))
        fail_msg("%s %s %d: order %g, not in %g .. %g", c->model, method->variant,
                 (int)method->orientation, order, low, high);
}

/* positions and velocities */
void lab_assert_orders(const struct lab_case *c, struct lab_method method, double h, double end,
                       double low, double high)
{
    double order[LAB_QUANTITIES];

    lab_orders(c, method, h, end, order);
    assert_order(c, &method, order[LAB_POSITION], low, high);
    assert_order(c, &method, order[LAB_VELOCITY], low, high);
}
