/* SPDX-License-Identifier: Apache-2.0 */
/* Joint coordinates: every kind of joint, with either body outboard, moved at random. The tree must
 * satisfy the rows of the mechanics, which are independent of it, and agree with its own
 * differences. */
#include "../cmocka_all.h"
#include "maths/vec.h"
#include "methods/relative/relative.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS 40

/* two bodies, the second hangs on the first */
static const char text[] =
    "linkage: 1\n"
    "name: pair\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [0.3, 0.4, 0.5, 0.01, 0.02, 0.03], position: [0.4, 0.1, -0.3],\n"
    "      orientation: {axis: [1, 2, 3], angle: 0.7}}\n"
    "  b: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [1.4, 0.3, 0.2],\n"
    "      orientation: {axis: [3, -1, 2], angle: 2.1}}\n"
    "joints:\n"
    "  first: {type: %s, bodies: [%s], %s}\n"
    "  second: {type: %s, bodies: [%s], %s}\n"
    "solver: {formulation: ali3, step: 0.001}\n";

/** struct kind - @where: of either joint, with coordinates that are not zero initially */
static const struct kind {
    const char *name;
    const char *where[2];
} kinds[] = {
    {"revolute",
     {"point: [0, 0.1, 0.1], axis: [1, 2, 2], coordinate: 0.3",
      "point: [1, 0.2, 0.1], axis: [2, -1, 2]"}},
    {"prismatic",
     {"point: [0, 0.1, 0.1], axis: [1, 2, 2], coordinate: 0.3",
      "point: [1, 0.2, 0.1], axis: [2, -1, 2]"}},
    {"cylindrical",
     {"point: [0, 0.1, 0.1], axis: [1, 2, 2], coordinate: {travel: 0.3, angle: -1}",
      "point: [1, 0.2, 0.1], axis: [2, -1, 2]"}},
    {"screw",
     {"point: [0, 0.1, 0.1], axis: [1, 2, 2], pitch: 0.1, coordinate: 0.4",
      "point: [1, 0.2, 0.1], axis: [2, -1, 2], pitch: -0.2"}},
    {"universal",
     {"point: [0, 0.1, 0.1], axes: [[1, 2, 2], [2, -2, 1]], coordinate: {first: 0.3, second: 1}",
      "point: [1, 0.2, 0.1], axes: [[2, -1, 2], [2, 2, -1]]"}},
    {"planar",
     {"point: [0, 0.1, 0.1], axis: [1, 2, 2], direction: [2, 1, -2], coordinate: {x: 0.1, y: 2}",
      "point: [1, 0.2, 0.1], axis: [2, -1, 2], direction: [2, 2, -1]"}},
    {"spherical", {"point: [0, 0.1, 0.1]", "point: [1, 0.2, 0.1]"}},
    {"fixed", {"point: [0, 0.1, 0.1]", "point: [1, 0.2, 0.1]"}},
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

static struct lk_mechanics *mechanics_of(const char *model_text)
{
    struct lk_mechanics *m = NULL;
    struct lk_model *model = NULL;
    struct lk_error error;

    if (lk_model_read_text("pair", model_text, strlen(model_text), &model, &error) != 0)
        fail_msg("%s", error.text);
    if (lk_mechanics_new(model, 0, &m, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    return m;
}

static double noise(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

static void scatter(double *x, int n, double size, unsigned *seed)
{
    for (int i = 0; i < n; i++)
        x[i] = size * noise(seed);
}

static void largest_below(const double *x, int n, double bound)
{
    for (int i = 0; i < n; i++)
        assert_true(fabs(x[i]) < bound);
}

/* ---- the rows of the mechanics ---- */

static void fits_rows(struct lk_relative *r, const double *q, const double *nu, unsigned *seed)
{
    struct lk_mechanics *m = r->mechanics;
    const struct lk_motion *motion = lk_mechanics_motion(m);
    double nu_rate[NUMBERS], rows[NUMBERS], J[NUMBERS * 12];

    scatter(nu_rate, r->n_v, 3, seed);
    lk_relative_place(r, q, nu);
    lk_relative_accelerate(r, nu_rate);
    lk_mechanics_evaluate(m, 0);
    lk_mechanics_violation(m, rows);
    largest_below(rows, m->n_rows, 1e-14);
    lk_mechanics_rates(m, rows);
    largest_below(rows, m->n_rows, 1e-13);
    lk_mechanics_gamma(m, rows);
    lk_mechanics_jacobian(m, J);
    for (int i = 0; i < m->n_rows; i++)
        for (int b = 0; b < 2; b++)
            rows[i] += lk_dot(J + 12 * i + 6 * b, motion[b].a.v) +
                       lk_dot(J + 12 * i + 6 * b + 3, motion[b].a.w);
    largest_below(rows, m->n_rows, 1e-12);
}

/* ---- differences ---- */

/** struct snapshot - the result of a placement: of the joint, and velocities [world] of both
 * bodies. */
struct snapshot {
    struct lk_relative_joint joint[2];
    struct lk_motion motion[2];
    double q[NUMBERS];
};

/* after @dt with the same rates */
static struct snapshot later(struct lk_relative *r, const double *q, const double *nu, double dt)
{
    struct snapshot s;
    double d[NUMBERS];

    for (int i = 0; i < r->n_v; i++)
        d[i] = dt * nu[i];
    lk_relative_move(r, q, d, s.q);
    lk_relative_place(r, s.q, nu);
    memcpy(s.joint, r->on, sizeof(s.joint));
    memcpy(s.motion, lk_mechanics_motion(r->mechanics), sizeof(s.motion));
    return s;
}

static void differs_by(const double *after, const double *before, double dt, const double *rate,
                       int n, double bound)
{
    for (int i = 0; i < n; i++)
        assert_true(fabs((after[i] - before[i]) / (2 * dt) - rate[i]) < bound);
}

static void fits_differences(struct lk_relative *r, const double *q, const double *nu)
{
    const double dt = 1e-5, rest[NUMBERS] = {0};
    struct snapshot before = later(r, q, nu, -dt), after = later(r, q, nu, dt);
    const struct lk_motion *motion = lk_mechanics_motion(r->mechanics);
    double rates[NUMBERS];

    lk_relative_place(r, q, nu);
    lk_relative_accelerate(r, rest);
    for (int b = 0; b < 2; b++) {
        differs_by(after.motion[b].x, before.motion[b].x, dt, motion[b].v.v, 3, 1e-8);
        differs_by(after.motion[b].v.v, before.motion[b].v.v, dt, motion[b].a.v, 3, 1e-7);
        differs_by(after.motion[b].v.w, before.motion[b].v.w, dt, motion[b].a.w, 3, 1e-7);
        differs_by(after.joint[b].point, before.joint[b].point, dt, r->on[b].point_rate, 3, 1e-8);
        differs_by(after.joint[b].H[0], before.joint[b].H[0], dt, r->on[b].H_rate[0],
                   6 * r->on[b].n_v, 1e-8);
    }
    lk_relative_rates(r, q, nu, rates);
    differs_by(after.q, before.q, dt, rates, r->n_q, 1e-8);
}

/* ---- back to coordinates ---- */

/* coordinates of an accepted state; angles modulo whole turns, quaternions up to sign */
static void reads_back(struct lk_relative *r, const double *q, const double *nu)
{
    double found[NUMBERS], found_nu[NUMBERS], lambda[NUMBERS] = {0};

    lk_relative_place(r, q, nu);
    assert_int_equal(lk_mechanics_accept(r->mechanics, 0, lambda), 0);
    lk_relative_read(r, found, found_nu);
    for (int i = 0; i < r->n_v; i++)
        assert_true(fabs(found_nu[i] - nu[i]) < 1e-12);
    for (int b = 0; b < 2; b++) {
        const struct lk_relative_joint *j = &r->on[b];
        int end = j->at_q + j->n_q,
            turn = j->kind == LK_RELATIVE_SPHERICAL || j->kind == LK_RELATIVE_FREE ? end - 4 : end;
        double sign = turn < end && found[turn] * q[turn] < 0 ? -1 : 1;

        for (int i = j->at_q; i < end; i++)
            assert_true(fabs(remainder((i < turn ? 1 : sign) * found[i] - q[i], 2 * M_PI)) < 1e-12);
    }
}

/* dual, and rates from velocities alone */
static void takes_apart(struct lk_relative *r, const double *q, const double *nu)
{
    struct lk_twist v[2];
    double found[NUMBERS];

    lk_relative_place(r, q, nu);
    for (int b = 0; b < 2; b++)
        v[b] = lk_mechanics_motion(r->mechanics)[b].v;
    lk_relative_components(r, v, found);
    for (int i = 0; i < r->n_v; i++)
        assert_true(fabs(found[i] - nu[i]) < 1e-13);
    for (int b = 0; b < 2; b++)
        for (int c = 0; c < r->on[b].n_v; c++)
            for (int k = 0; k < r->on[b].n_v; k++)
                assert_true(fabs(lk_dot(r->on[b].dual[c], r->on[b].H[k]) +
                                 lk_dot(r->on[b].dual[c] + 3, r->on[b].H[k] + 3) - (c == k)) <
                            1e-14);
}

/* any state of both joints; angles beyond one turn */
static void check(struct lk_mechanics *m, unsigned seed)
{
    struct lk_relative *r = NULL;
    struct lk_error error;
    double q[NUMBERS], nu[NUMBERS];

    assert_int_equal(lk_relative_new(m, &r, &error), 0);
    assert_int_equal(r->n_cut, 0);
    assert_int_equal(r->n_v, 12 - m->n_rows);
    for (int round = 0; round < 5; round++) {
        scatter(q, r->n_q, 2.5, &seed);
        scatter(nu, r->n_v, 2, &seed);
        lk_relative_normalise(r, q);
        fits_rows(r, q, nu, &seed);
        fits_differences(r, q, nu);
        takes_apart(r, q, nu);
        reads_back(r, q, nu);
    }
    lk_relative_free(r);
}

/* all pairs of kinds, each joint either way round */
static void test_kinds(void **state)
{
    static const char *const first[] = {"ground, a", "a, ground"}, *const second[] = {"a, b",
                                                                                      "b, a"};
    char model[2000];

    (void)state;
    for (size_t i = 0; i < KINDS; i++)
        for (size_t k = 0; k < KINDS; k++)
            for (int way = 0; way < 4; way++) {
                struct lk_mechanics *m;

                snprintf(model, sizeof(model), text, kinds[i].name, first[way % 2],
                         kinds[i].where[0], kinds[k].name, second[way / 2], kinds[k].where[1]);
                m = mechanics_of(model);
                check(m, (unsigned)(100 * i + 10 * k) + (unsigned)way + 1);
                lk_mechanics_free(m);
            }
}

/* a free body has six coordinates; the heavier one */
static void test_floating(void **state)
{
    char model[2000];

    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        struct lk_mechanics *m;
        char *joint;

        snprintf(model, sizeof(model), text, "fixed", "ground, a", kinds[0].where[0], kinds[k].name,
                 "a, b", kinds[k].where[1]);
        joint = strstr(model, "  first:");
        memmove(joint, strstr(joint, "  second:"), strlen(strstr(joint, "  second:")) + 1);
        m = mechanics_of(model);
        check(m, (unsigned)k);
        lk_mechanics_free(m);
    }
}

/* ---- projection ---- */

/* velocities of all bodies at @q and @nu */
static void velocities(struct lk_relative *r, const double *q, const double *nu,
                       struct lk_twist *ret)
{
    lk_relative_place(r, q, nu);
    for (int b = 0; b < r->mechanics->n_bodies; b++)
        ret[b] = lk_mechanics_motion(r->mechanics)[b].v;
}

/* sum of a M b over all bodies [J] */
static double product(const struct lk_system *sys, const struct lk_twist *a,
                      const struct lk_twist *b)
{
    double sum = 0;

    for (int i = 0; i < sys->n_bodies; i++) {
        double turn[3];

        lk_sym_mul(sys->body[i].inertia, b[i].w, turn);
        sum += sys->body[i].mass * lk_dot(a[i].v, b[i].v) + lk_dot(a[i].w, turn);
    }
    return sum;
}

/* both kinds of rows hold afterwards; the change of the rates is orthogonal, in the mass metric, to
 * all rates that the rows allow */
static void projects(struct lk_relative *r, unsigned seed)
{
    struct lk_mechanics *m = r->mechanics;
    double q[NUMBERS], nu[NUMBERS], noisy[NUMBERS], other[NUMBERS], rows[NUMBERS];
    struct lk_twist before[8], after[8], allowed[8];

    lk_relative_read(r, q, nu);
    scatter(noisy, r->n_v, 1e-4, &seed);
    lk_relative_move(r, q, noisy, q);
    assert_int_equal(lk_relative_project(r, 0, q, nu), 0);
    scatter(noisy, r->n_v, 1, &seed);
    memcpy(nu, noisy, sizeof(nu));
    scatter(other, r->n_v, 1, &seed);
    assert_int_equal(lk_relative_project(r, 0, q, nu), 0);
    assert_int_equal(lk_relative_project(r, 0, q, other), 0);
    velocities(r, q, noisy, before);
    velocities(r, q, other, allowed);
    velocities(r, q, nu, after);
    lk_mechanics_evaluate(m, 0);
    lk_mechanics_violation(m, rows);
    largest_below(rows, m->n_rows, 1e-13);
    lk_mechanics_rates(m, rows);
    largest_below(rows, m->n_rows, 1e-12);
    for (int b = 0; b < m->n_bodies; b++)
        for (int i = 0; i < 3; i++) {
            before[b].v[i] -= after[b].v[i];
            before[b].w[i] -= after[b].w[i];
        }
    assert_true(product(m->system, before, before) > 1e-3);
    assert_true(fabs(product(m->system, before, allowed)) < 1e-12);
}

static void test_projection(void **state)
{
    static const char *const names[] = {"slider-crank-3d", "closed-loop-four", "four-bar"};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        struct lk_mechanics *m = NULL;
        struct lk_relative *r = NULL;
        struct lk_model *model = NULL;
        struct lk_error error;
        char path[128];

        snprintf(path, sizeof(path), "config/models/%s.yaml", names[i]);
        assert_int_equal(lk_model_read_file(path, &model, &error), 0);
        assert_int_equal(lk_mechanics_new(model, 0, &m, &error), 0);
        assert_int_equal(lk_relative_new(m, &r, &error), 0);
        assert_int_equal(r->n_cut, 1);
        projects(r, (unsigned)i + 1);
        lk_relative_free(r);
        lk_mechanics_free(m);
        lk_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_floating),
        cmocka_unit_test(test_projection),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
