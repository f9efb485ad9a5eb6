/* SPDX-License-Identifier: Apache-2.0 */
/* The free coordinates chosen for a mechanism are checked with rows and gradients that the test
 * computes: their number equals the degrees of freedom, and their rates together with the rows
 * determine each velocity, with a margin. Random mechanisms have loops, redundant rows, couplings,
 * drives and unconnected bodies; small ones have known answers. */
#include "cmocka_all.h"
#include "compile/batch/batches.h"
#include "linkage/analysis.h"
#include "mechanism.h"
#include "step/system.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS   400
#define NOTHING 1e-7 /* relative to a unit row; less than this is round-off */
#define CLEAR   1e-3 /* least component orthogonal to rows and other coordinates */

/* struct span - @n_rows orthonormal rows of length @n */
struct span {
    int n;
    int n_rows;
    double *row;
};

static double length_of(const double *x, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* Add the component of @x that is orthogonal to the rows so far, if it is more than @least of @x.
 * Return: relative size of this component */
static double add_row(struct span *s, double *x, double least)
{
    double length = length_of(x, s->n);

    if (!(length > 0))
        return 0;
    for (int i = 0; i < s->n; i++)
        x[i] /= length;
    for (int again = 0; again < 2; again++)
        for (int r = 0; r < s->n_rows; r++) {
            const double *row = s->row + (size_t)r * (size_t)s->n;
            double along = 0;

            for (int i = 0; i < s->n; i++)
                along += row[i] * x[i];
            for (int i = 0; i < s->n; i++)
                x[i] -= along * row[i];
        }
    length = length_of(x, s->n);
    if (!(length > least))
        return length;
    for (int i = 0; i < s->n; i++)
        s->row[(size_t)s->n_rows * (size_t)s->n + (size_t)i] = x[i] / length;
    s->n_rows++;
    return length;
}

static void add_sides(const struct lk_system *sys, int body, double scale, const double J[6],
                      double *x)
{
    for (int k = 0; k < 6 && body < sys->n_bodies; k++)
        x[6 * body + k] += J[k] * (k < 3 ? scale : 1);
}

/* Return the largest lever arm, which is the unit of translations. */
static double size_of(const struct lk_system *sys)
{
    double size = 0;

    for (int j = 0; j < sys->n_joints; j++)
        for (int s = 0; s < 2 && !sys->joint[j].of[0]; s++)
            size = fmax(size, length_of(sys->joint[j].p[s], 3));
    return size > 0 ? size : 1;
}

static void add_rigid_rows(const struct lk_system *sys, double size, struct span *s, double *x)
{
    for (int j = 0; j < sys->n_joints; j++) {
        const struct lk_joint *joint = &sys->joint[j];

        for (int r = 0; r < lk_rigid_rows(joint); r++) {
            memset(x, 0, (size_t)s->n * sizeof(double));
            for (int side = 0; side < joint->n_sides; side++) {
                double J[6];

                lk_jacobian_row(sys->jacobian[j], side, r, J);
                add_sides(sys, joint->body[side], size, J, x);
            }
            add_row(s, x, NOTHING);
        }
    }
}

static void differentiate(const struct lk_system *sys, double size, struct lk_free_coordinate c,
                          double *x)
{
    memset(x, 0, 6 * (size_t)sys->n_bodies * sizeof(double));
    if (c.joint >= 0) {
        const struct lk_joint *joint = &sys->joint[c.joint];
        const struct lk_pose *pose[LK_SIDES_MAX] = LK_TWO_SIDES(sys->pose, joint);
        double J[2][6];

        lk_joint_ops(joint->type)->coordinate_jacobian(joint, pose, c.which, J);
        for (int s = 0; s < 2; s++)
            add_sides(sys, joint->body[s], size, J[s], x);
    } else {
        double J[6] = {0};

        for (int k = 0; k < 3; k++) {
            J[k] = c.direction == k;
            if (c.direction >= 3)
                J[3 + k] = sys->pose[c.body].R[3 * (c.direction - 3) + k];
        }
        add_sides(sys, c.body, size, J, x);
    }
}

/* Check that the rows and the chosen coordinates determine each velocity.
 * Return: the smallest component of a chosen coordinate that is orthogonal to the rows and to the
 * coordinates before it */
static double expect_determined(const struct lk_system *sys, const struct lk_mobility *m)
{
    struct span s = {.n = 6 * sys->n_bodies};
    double size = size_of(sys), least = 1, *x = calloc((size_t)s.n + 1, sizeof(double));

    s.row = calloc((size_t)s.n * (size_t)s.n + 1, sizeof(double));
    assert_true(x && s.row);
    add_rigid_rows(sys, size, &s, x);
    assert_int_equal(s.n - s.n_rows, m->dof);
    assert_int_equal(m->n_coordinates, m->dof);
    for (int i = 0; i < m->n_coordinates; i++) {
        differentiate(sys, size, m->coordinates[i], x);
        least = fmin(least, add_row(&s, x, 0));
    }
    assert_int_equal(s.n_rows, s.n);
    free(x);
    free(s.row);
    return least;
}

static void random_mechanisms_have_them(void **state)
{
    double worst = 1;
    long of_joints = 0, of_bodies = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct dice dice = {seed};
        struct mechanism *mechanism =
            mechanism_make(seed, MECHANISM_MIXED, (int)dice_spread(&dice, 1, 16));
        struct lk_system *sys;
        struct lk_mobility m;
        double least;

        mechanism->all_rows = 1;
        sys = mechanism_compile(mechanism);
        mechanism_free(mechanism);
        if (sys == NULL)
            continue;
        assert_int_equal(lk_mobility_init(sys, &m), 0);
        assert_non_null(m.coordinates);
        least = expect_determined(sys, &m);
        if (least < worst) {
            worst = least;
            printf("    seed %d: a coordinate has %.2g to itself\n", (int)seed, least);
        }
        for (int i = 0; i < m.n_coordinates; i++)
            *(m.coordinates[i].joint >= 0 ? &of_joints : &of_bodies) += 1;
        lk_mobility_fini(&m);
        lk_system_free(sys);
    }
    printf("    %ld coordinates of joints, %ld of bodies\n", of_joints, of_bodies);
    assert_true(of_joints > SEEDS && of_bodies > SEEDS);
    assert_true(worst > CLEAR);
}

#define HEAD "linkage: 1\nname: test\nbodies:\n"
#define UNIT "mass: 1, inertia: [1, 1, 1]"
#define PLANE(a, b, c, d)                                                                          \
    "joints:\n"                                                                                    \
    "  main: {type: revolute, bodies: [ground, crank], point: [0, 0, 0], axis: [0, 0, 1]" a "}\n"  \
    "  big: {type: revolute, bodies: [crank, rod], point: [" b "], axis: [0, 0, 1]}\n"             \
    "  small: {type: revolute, bodies: [rod, piston], point: [" c "], axis: [0, 0, 1]}\n"          \
    "  bore: {type: prismatic, bodies: [ground, piston], point: [" c "], axis: [1, 0, 0]" d "}\n"
#define SLIDER(x0, x1, x2, y0, y1)                                                                 \
    "  crank: {" UNIT ", position: [" x0 ", " y0 ", 0]}\n"                                         \
    "  rod: {" UNIT ", position: [" x1 ", " y1 ", 0]}\n"                                           \
    "  piston: {" UNIT ", position: [" x2 ", 0, 0]}\n"

/* known answers. @expected: the coordinates, one per line; "" without degrees of freedom */
static const struct known {
    const char *what;
    const char *model;
    const char *expected;
} known[] = {
    /* at this dead centre the piston does not move, so the crank is chosen; at the other one the
     * crank would be equally good */
    {"slider-crank, stretched",
     HEAD SLIDER("0.5", "2.5", "4", "0", "0") PLANE("", "1, 0, 0", "4, 0, 0", ""),
     "main angle (revolute, ground to crank)\n"},
    {"slider-crank, driven by its crank",
     HEAD SLIDER("0", "1.5", "3", "0.5", "0.5")
         PLANE(", drive: {harmonic: {amplitude: 0.1, omega: 1}}", "0, 1, 0", "3, 0, 0", ""),
     ""},
    {"a body in no joint",
     HEAD "  stone: {" UNIT ", position: [0, 0, 0], orientation: {axis: [1, 2, 3], angle: 1}}\n",
     "stone: shift along x\nstone: shift along y\nstone: shift along z\n"
     "stone: turn about x\nstone: turn about y\nstone: turn about z\n"},
    {"a ball joint",
     HEAD "  bob: {" UNIT ", position: [0, 0, -1]}\n"
          "joints:\n  hook: {type: spherical, bodies: [ground, bob], point: [0, 0, 0]}\n",
     "bob: turn about x\nbob: turn about y\nbob: turn about z\n"},
    {"a point mass on a ball joint turns without inertia",
     HEAD "  bob: {mass: 1, inertia: [0, 0, 0], position: [0, 0, -1]}\n"
          "joints:\n  hook: {type: spherical, bodies: [ground, bob], point: [0, 0, 0]}\n",
     "bob: turn about x\nbob: turn about y\nbob: turn about z\n"},
    {"what holds a tube, and a plate beyond it",
     HEAD
     "  tube: {" UNIT ", position: [0, 0, 1]}\n  plate: {" UNIT ", position: [1, 0, 1]}\n"
     "joints:\n"
     "  guide: {type: cylindrical, bodies: [ground, tube], point: [0, 0, 1], axis: [0, 0, 1]}\n"
     "  table: {type: planar, bodies: [tube, plate], point: [1, 0, 1], axis: [0, 0, 1]}\n",
     "guide travel (cylindrical, ground to tube)\nguide angle (cylindrical, ground to tube)\n"
     "table x (planar, tube to plate)\ntable y (planar, tube to plate)\n"
     "table angle (planar, tube to plate)\n"},
    {"two wheels in mesh, the first of the file speaks for both",
     HEAD "  a: {" UNIT ", position: [0, 0, 0]}\n  b: {" UNIT ", position: [3, 0, 0]}\njoints:\n"
          "  p: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 0, 1]}\n"
          "  q: {type: revolute, bodies: [ground, b], point: [3, 0, 0], axis: [0, 0, 1]}\n"
          "  mesh: {type: gear, joints: [p, q], ratio: -0.5}\n",
     "p angle (revolute, ground to a)\n"},
    {"two hinges on one line",
     HEAD "  door: {" UNIT ", position: [1, 0, 0]}\njoints:\n"
          "  low: {type: revolute, bodies: [ground, door], point: [0, 0, 0], axis: [0, 0, 1]}\n"
          "  high: {type: revolute, bodies: [ground, door], point: [0, 0, 2], axis: [0, 0, 1]}\n",
     "low angle (revolute, ground to door)\n"},
    {"a plate on a rod, in a loop with no coordinate that would do",
     HEAD "  plate: {" UNIT ", position: [0, 0, -1]}\njoints:\n"
          "  a: {type: spherical, bodies: [ground, plate], point: [0, 0, 0]}\n"
          "  b: {type: spherical, bodies: [ground, plate], point: [0, 2, 0]}\n",
     "plate: turn about y\n"},
    {"a bushing binds nothing",
     HEAD "  a: {" UNIT ", position: [0, 0, 0]}\n  b: {" UNIT ", position: [1, 0, 0]}\njoints:\n"
          "  p: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 0, 1]}\n"
          "forces:\n  mount: {type: bushing, bodies: [a, b], point: [1, 0, 0], stiffness: "
          "[1, 1, 1, 1, 1, 1], damping: [0, 0, 0, 0, 0, 0]}\n",
     "p angle (revolute, ground to a)\n"
     "b: shift along x\nb: shift along y\nb: shift along z\n"
     "b: turn about x\nb: turn about y\nb: turn about z\n"},
    /* all links are in line: here one crank may move without the other */
    {"a flat parallelogram",
     HEAD "  a: {" UNIT ", position: [0.25, 0, 0]}\n  b: {" UNIT ", position: [1, 0, 0]}\n"
          "  c: {" UNIT ", position: [1.25, 0, 0]}\njoints:\n"
          "  p0: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 0, 1]}\n"
          "  p1: {type: revolute, bodies: [a, b], point: [0.5, 0, 0], axis: [0, 0, 1]}\n"
          "  p2: {type: revolute, bodies: [b, c], point: [1.5, 0, 0], axis: [0, 0, 1]}\n"
          "  p3: {type: revolute, bodies: [ground, c], point: [1, 0, 0], axis: [0, 0, 1]}\n",
     "p0 angle (revolute, ground to a)\np3 angle (revolute, ground to c)\n"},
};

static struct lk_system *compile_by(const char *text, const char *engine)
{
    const struct lk_options options = {.engine = engine, .all_rows = 1};
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_error error;

    if (lk_model_read_text("test", text, strlen(text), &model, &error) != 0 ||
        lk_system_new(model, &options, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    return sys;
}

static struct lk_system *compile(const char *text)
{
    return compile_by(text, NULL);
}

static void known_mechanisms_are_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        struct lk_system *sys = compile(known[i].model);
        char text[LK_TEXT_SIZE], all[6 * LK_TEXT_SIZE] = "";
        struct lk_mobility m;

        printf("    %s\n", known[i].what);
        assert_int_equal(lk_mobility_init(sys, &m), 0);
        for (int k = 0; k < m.n_coordinates; k++) {
            strcat(all, lk_free_coordinate_text(sys, m.coordinates[k], text, sizeof(text)));
            strcat(all, "\n");
        }
        assert_string_equal(all, known[i].expected);
        assert_true(expect_determined(sys, &m) > CLEAR);
        lk_mobility_fini(&m);
        lk_system_free(sys);
    }
}

/* The parts of a split body have the name of the body. */
static void parts_have_the_name_of_their_body(void **state)
{
    char model[16384], text[LK_TEXT_SIZE];
    size_t n =
        (size_t)snprintf(model, sizeof(model), HEAD "  hub: {" UNIT ", position: [0, 0, 0]}\n");
    struct lk_mobility m;
    struct lk_system *sys;
    int e = 0;

    (void)state;
    for (int i = 0; i < 40; i++)
        n += (size_t)snprintf(model + n, sizeof(model) - n,
                              "  s%d: {" UNIT ", position: [%d, 1, 0]}\n", i, i);
    n += (size_t)snprintf(model + n, sizeof(model) - n, "joints:\n");
    for (int i = 0; i < 40; i++)
        n += (size_t)snprintf(model + n, sizeof(model) - n,
                              "  p%d: {type: revolute, bodies: [hub, s%d], point: [%d, 0, 0], "
                              "axis: [0, 0, 1]}\n",
                              i, i, i);
    while (!lk_engines[e]->is_supported())
        e++;
    sys = compile_by(model, lk_engines[e]->name); /* with lanes there are no hubs */
    assert_true(sys->n_bodies > sys->n_named_bodies);
    assert_int_equal(lk_mobility_init(sys, &m), 0);
    assert_int_equal(m.dof, 46);
    expect_determined(sys, &m);
    assert_string_equal(lk_free_coordinate_text(sys, m.coordinates[39], text, sizeof(text)),
                        "p39 angle (revolute, hub to s39)");
    assert_string_equal(lk_free_coordinate_text(sys, m.coordinates[40], text, sizeof(text)),
                        "hub: shift along x");
    lk_mobility_fini(&m);
    lk_system_free(sys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_mechanisms_are_named),
        cmocka_unit_test(random_mechanisms_have_them),
        cmocka_unit_test(parts_have_the_name_of_their_body),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
