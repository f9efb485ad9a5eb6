/* SPDX-License-Identifier: Apache-2.0 */
/* linkage flex, beams: frequencies, orthonormality, static deflection, the nonlinear shape by exact
 * rotations, foreshortening, and the frequencies of a rotating cantilever. */
#include "cmocka_all.h"
#include "flex.h"
#include "linkage/errors.h"
#include "maths/vec.h"
#include "model/model.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT 4096

/* struct fixture - a beam and what was made of it */
struct fixture {
    struct lk_model *model;
    struct flex_beam beam;
    struct flex_body body;
};

static void near_to(const char *what, double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%s: %.12g instead of %.12g, off by %.3g", what, value, expected,
                 value - expected);
}

static const char straight[] =
    "linkage: 1\nname: beam\nflexible:\n  b: {type: beam, from: [0.2, 0, 0], to: [1.2, 0, 0], "
    "elements: N, EA: 1e6, EI: [1, 4], GJ: 1, mass_per_length: 1, inertia_per_length: [1e-5, "
    "5e-6, 5e-6], damping: 1e-3}\n";
static const char bent[] =
    "linkage: 1\nname: beam\nflexible:\n  b: {type: beam, through: [[0, 0, 0], [1, 0.2, 0], [1.5, "
    "1, 0.3]], elements: N, EA: 900, EI: [1, 4], GJ: 2, shear: [300, 400], mass_per_length: 1, "
    "inertia_per_length: [0.02, 0.01, 0.01], nodes: {middle: 0.4}}\n";

/* Copy a model with the number of elements for N. */
static void write_text(const char *model, int elements, char ret[TEXT])
{
    const char *at = strstr(model, ": N,");

    snprintf(ret, TEXT, "%.*s: %d%s", (int)(at - model), model, elements, at + 3);
}

static void reduce(const char *model, int elements, struct flex_wish wish, struct fixture *f)
{
    char text[TEXT];
    bool *interface;
    struct lk_error error;

    memset(f, 0, sizeof(*f));
    write_text(model, elements, text);
    if (lk_model_read_text("beam", text, strlen(text), &f->model, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(flex_beam_read(f->model, "beam", "b", &f->beam, &f->body.mass), 0);
    interface = calloc((size_t)f->beam.n, sizeof(*interface));
    assert_int_equal(flex_beam_places(&f->beam, "b", false, interface, &f->body), 0);
    assert_int_equal(flex_beam_modes(&f->beam, &f->body.mass, interface, &wish, &f->body.modes), 0);
    f->body.pairs.n = wish.second < f->body.modes.n ? wish.second : f->body.modes.n;
    assert_int_equal(flex_bend(&f->beam, &f->body.mass, &f->body.modes, &f->body.pairs), 0);
    assert_int_equal(flex_integrate(&f->body), 0);
    free(interface);
}

static void release(struct fixture *f)
{
    flex_body_free(&f->body);
    flex_beam_free(&f->beam);
    lk_model_free(f->model);
}

static const double *shape(const struct fixture *f, int k, int node)
{
    return f->body.modes.shape + 6 * ((size_t)k * (size_t)f->beam.n + (size_t)node);
}

/* ---- modes ---- */

/* Return the relative error of the third bending frequency about y. */
static double vibrate(int elements)
{
    static const double exact[] = {22.373285, 61.672823, 120.903392};
    struct fixture f;
    double third;

    reduce(straight, elements, (struct flex_wish){.n = 12, .is_free = true}, &f);
    for (int k = 0, at = 0; k < 3; k++) {
        while (fabs(shape(&f, at, 0)[2]) < 0.1) /* skip bending about z, and torsion */
            at++;
        third = 2 * M_PI * f.body.modes.frequency[at] / exact[k] - 1;
        near_to("frequency", third, 0, 3.5 / pow(elements, 2) * (k + 1));
        near_to("damping", f.body.modes.damping[at], 1e-3 * M_PI * f.body.modes.frequency[at],
                1e-9);
        at++;
    }
    release(&f);
    return third;
}

static void free_beam_vibrates(void **state)
{
    (void)state;
    near_to("order 2", vibrate(16) / vibrate(32), 4, 0.3);
}

static void mass_is_exact(void **state)
{
    struct fixture f;
    int n = 16;

    (void)state;
    reduce(straight, n, (struct flex_wish){.n = 12}, &f);
    near_to("mass", f.body.mass.mass, 1, 1e-14);
    near_to("centre", f.body.mass.center[0], 0.7, 1e-14);
    near_to("Jxx", f.body.mass.tensor[0], 1e-5, 1e-16);
    /* half of an element at either end: L^2/12 (1 + 2/n^2) */
    near_to("Jyy", f.body.mass.tensor[1], (1 + 2.0 / (n * n)) / 12 + 5e-6, 1e-14);
    release(&f);
}

/* Sum the product of two fields with the mass of the nodes. */
static double product(const struct fixture *f, const double *a, const double *b)
{
    double sum = 0, Jb[3];

    for (int i = 0; i < f->beam.n; i++, a += 6, b += 6) {
        lk_sym_mul(f->body.mass.inertia + 6 * i, b + 3, Jb);
        sum += f->body.mass.value[i] * lk_dot(a, b) + lk_dot(a + 3, Jb);
    }
    return sum;
}

static void modes_are_orthonormal(void **state)
{
    struct fixture f;
    double *rigid;

    (void)state;
    reduce(bent, 20, (struct flex_wish){.n = 1000, .second = 5}, &f);
    assert_int_equal(f.body.modes.n, 6 * f.beam.n - 6);
    rigid = calloc(36 * (size_t)f.beam.n, sizeof(*rigid));
    flex_rigid_motions(f.beam.n, f.body.mass.position, f.body.mass.center, rigid);
    for (int k = 0; k < f.body.modes.n; k++) {
        double energy = 0, w = 2 * M_PI * f.body.modes.frequency[k], d[6];

        for (int l = 0; l <= k; l++)
            near_to("S M S", product(&f, shape(&f, k, 0), shape(&f, l, 0)), k == l, 1e-11);
        for (int r = 0; r < 6; r++)
            near_to("S M R", product(&f, shape(&f, k, 0), rigid + 6 * r * f.beam.n), 0, 1e-10);
        for (int e = 0; e < f.beam.n - 1; e++) {
            flex_element_strain(&f.beam, &f.body.mass, e, shape(&f, k, 0), d);
            for (int r = 0; r < 6; r++)
                energy += f.beam.element[e].stiffness[r] * d[r] * d[r];
        }
        near_to("S K S", energy / (w * w), 1, 1e-10);
    }
    free(rigid);
    release(&f);
}

/* Write displacement and rotation of mode @k at @node as seen from the first node. */
static void relative(const struct fixture *f, int k, int node, double ret[6])
{
    const double *S = shape(f, k, node), *root = shape(f, k, 0);
    double arm[3], turn[3];

    lk_sub(f->body.mass.position + 3 * node, f->body.mass.position, arm);
    lk_cross(root + 3, arm, turn);
    for (int i = 0; i < 3; i++) {
        ret[i] = S[i] - root[i] - turn[i];
        ret[3 + i] = S[3 + i] - root[3 + i];
    }
}

/* Static modes make the deflection under a force at the end exact, however few modes there are. */
static void end_force_is_exact(void **state)
{
    struct fixture f;
    double deflection[2] = {0}, twist = 0;

    (void)state;
    reduce(straight, 8, (struct flex_wish){.n = 6}, &f);
    for (int k = 0; k < f.body.modes.n; k++) {
        double tip[6], w = 2 * M_PI * f.body.modes.frequency[k];

        relative(&f, k, f.beam.n - 1, tip);
        deflection[0] += tip[2] * tip[2] / (w * w);
        deflection[1] += tip[1] * tip[1] / (w * w);
        twist += tip[3] * tip[3] / (w * w);
    }
    near_to("EI 1", deflection[0], 1.0 / 3, 1e-9);
    near_to("EI 4", deflection[1], 1.0 / 12, 1e-9);
    near_to("GJ", twist, 1, 1e-9);
    release(&f);
}

/* ---- second order ---- */

/* struct motion - positions and orientations of all nodes */
struct motion {
    double x[64][3];
    double q[64][4];
};

static void exponential(const double v[3], double q[4])
{
    double angle = lk_norm(v), s = angle > 1e-12 ? sin(angle / 2) / angle : 0.5;

    q[0] = cos(angle / 2);
    for (int i = 0; i < 3; i++)
        q[1 + i] = s * v[i];
}

static void turn(const double q[4], const double v[3], double ret[3])
{
    double R[9];

    lk_quat_matrix(q, R);
    lk_rotate(R, v, ret);
}

/* Compute the exact motion by composition from the first node at its reference pose, for the
 * displacements @u whose strain the elements have. */
static void compose(const struct fixture *f, const double *u, struct motion *m)
{
    const double *X = f->body.mass.position;

    memcpy(m->x[0], X, sizeof(m->x[0]));
    memcpy(m->q[0], (const double[4]){1}, sizeof(m->q[0]));
    for (int e = 0; e < f->beam.n - 1; e++) {
        const struct flex_element *element = &f->beam.element[e];
        double d[6], local[3], arm[3], step[4];

        flex_element_strain(&f->beam, &f->body.mass, e, u, d);
        lk_rotate(element->axes, d, local);
        for (int i = 0; i < 3; i++)
            local[i] += element->point[i] - X[3 * e + i];
        turn(m->q[e], local, arm);
        for (int i = 0; i < 3; i++)
            m->x[e + 1][i] = m->x[e][i] + arm[i];
        lk_rotate(element->axes, d + 3, local);
        exponential(local, step);
        lk_quat_mul(m->q[e], step, m->q[e + 1]);
        lk_sub(X + 3 * e + 3, element->point, local);
        turn(m->q[e + 1], local, arm);
        for (int i = 0; i < 3; i++)
            m->x[e + 1][i] += arm[i];
    }
}

/* Write the pose of @node to second order for the coordinates @q, as seen from the first node. */
static void expand(const struct fixture *f, const double *q, int node, double x[3],
                   double rotation[4])
{
    double u[2][6] = {{0}}, theta[4], other[4];
    const int at[2] = {0, node};

    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 6; i++) {
            for (int l = 0; l < f->body.pairs.n; l++) {
                u[s][i] += shape(f, l, at[s])[i] * q[l];
                for (int k = 0; k <= l; k++)
                    u[s][i] += (k == l ? 0.5 : 1) * q[k] * q[l] *
                               f->body.pairs
                                   .bend[6 * (flex_pair(k, l) * (size_t)f->beam.n + (size_t)at[s]) +
                                         (size_t)i];
            }
        }
    for (int i = 0; i < 3; i++) {
        u[1][i] += f->body.mass.position[3 * node + i] - u[0][i] - f->body.mass.position[i];
        u[0][3 + i] = -u[0][3 + i];
    }
    exponential(u[0] + 3, theta);
    turn(theta, u[1], x);
    exponential(u[1] + 3, other);
    lk_quat_mul(theta, other, rotation);
    for (int i = 0; i < 3; i++)
        x[i] += f->body.mass.position[i];
}

/* Return the largest error of the pose to second order of all nodes for the coordinates s @q. */
static double error_of(const struct fixture *f, const double *q, double s)
{
    struct motion m;
    size_t rows = 6 * (size_t)f->beam.n;
    double *u = calloc(rows, sizeof(*u)), scaled[8], worst = 0;

    for (int k = 0; k < f->body.pairs.n; k++) {
        scaled[k] = s * q[k];
        cblas_daxpy((int)rows, scaled[k], shape(f, k, 0), 1, u, 1);
    }
    compose(f, u, &m);
    for (int i = 0; i < f->beam.n; i++) {
        double x[3], rotation[4];

        expand(f, scaled, i, x, rotation);
        for (int k = 0; k < 3; k++)
            worst = fmax(worst, fabs(x[k] - m.x[i][k]));
        for (int k = 0; k < 4; k++)
            worst = fmax(worst, fabs(rotation[k] - m.q[i][k]));
    }
    free(u);
    return worst;
}

static void shape_is_of_second_order(void **state)
{
    static const double q[] = {0.02, -0.03, 0.01, 0.02, -0.02, 0.01, 0.02};
    struct fixture f;
    double coarse, fine;

    (void)state;
    reduce(bent, 12, (struct flex_wish){.n = 7, .second = 7}, &f);
    coarse = error_of(&f, q, 1);
    fine = error_of(&f, q, 0.1);
    assert_true(coarse > 1e-8 && coarse < 1e-2);
    near_to("order 3", log10(coarse / fine), 3, 0.1);
    release(&f);
}

/* Compute the inertia about the centre of mass of a pose in the frame of the first node, and the
 * difference to the expansion in the frame of the body. */
static void inertia_of(const struct fixture *f, const double *q, double ret[6],
                       double ret_center[3])
{
    struct flex_mass moved = f->body.mass;
    double root[4], theta[3] = {0};
    const double *J = f->body.mass.inertia;

    moved.position = calloc(3 * (size_t)f->beam.n, sizeof(double));
    moved.inertia = calloc(6 * (size_t)f->beam.n, sizeof(double));
    for (int l = 0; l < f->body.pairs.n; l++)
        for (int i = 0; i < 3; i++) {
            theta[i] += shape(f, l, 0)[3 + i] * q[l];
            for (int k = 0; k <= l; k++)
                theta[i] +=
                    (k == l ? 0.5 : 1) * q[k] * q[l] *
                    f->body.pairs.bend[6 * flex_pair(k, l) * (size_t)f->beam.n + 3 + (size_t)i];
        }
    exponential(theta, root);
    for (int n = 0; n < f->beam.n; n++) {
        double x[3], local[4], whole[4], R[9], RJ[9];

        expand(f, q, n, x, local);
        lk_sub(x, f->body.mass.position, x);
        turn(root, x, moved.position + 3 * n);
        lk_quat_mul(root, local, whole);
        lk_quat_matrix(whole, R);
        for (int i = 0; i < 9; i++) {
            RJ[i] = 0;
            for (int k = 0; k < 3; k++)
                RJ[i] += R[3 * (i / 3) + k] * J[6 * n + lk_sym_at(k, i % 3)];
        }
        for (int i = 0; i < 3; i++)
            for (int k = i; k < 3; k++)
                moved.inertia[6 * n + lk_sym_at(i, k)] = lk_dot(RJ + 3 * i, R + 3 * k);
    }
    flex_mass_sum(&moved);
    memcpy(ret, moved.tensor, sizeof(moved.tensor));
    memcpy(ret_center, moved.center, sizeof(moved.center));
    free(moved.position);
    free(moved.inertia);
}

/* The second differences of the inertia of the shape are J1 and J2. */
static void inertia_is_of_second_order(void **state)
{
    const double h = 1e-4;
    struct fixture f;
    double J[2][2][6], unused[3], q[4] = {0};

    (void)state;
    reduce(bent, 12, (struct flex_wish){.n = 7, .second = 4}, &f);
    for (int k = 0; k < 4; k++)
        for (int l = k; l < 4; l++) {
            for (int s = 0; s < 4; s++) {
                memset(q, 0, sizeof(q));
                q[k] += (s & 1 ? h : -h);
                q[l] += (s & 2 ? h : -h);
                inertia_of(&f, q, J[s & 1][s >> 1], unused);
            }
            for (int i = 0; i < 6; i++) {
                double J2 = f.body.pairs.inertia[6 * flex_pair(k, l) + (size_t)i];

                near_to("J2", (J[1][1][i] - J[0][1][i] - J[1][0][i] + J[0][0][i]) / (4 * h * h), J2,
                        1e-5 * (1 + fabs(J2)));
                if (k == l)
                    near_to("J1", (J[1][1][i] - J[0][0][i]) / (4 * h), f.body.first[6 * k + i],
                            1e-5);
            }
        }
    release(&f);
}

/* A straight beam that bends becomes shorter by the integral of half the square of its slope. The
 * sum over chords omits the change of slope within an element: (11 / 60)^2 / 4 in the third mode.
 */
static void bending_shortens(void **state)
{
    struct fixture f;

    (void)state;
    reduce(straight, 60, (struct flex_wish){.n = 4, .second = 4, .is_free = true}, &f);
    for (int l = 0; l < 4; l++)
        for (int k = 0; k <= l; k++) {
            const double *bend = f.body.pairs.bend + 6 * flex_pair(k, l) * (size_t)f.beam.n;
            double sum = 0;

            for (int i = 0; i < f.beam.n - 1; i++)
                for (int r = 1; r < 3; r++)
                    sum += (shape(&f, k, i + 1)[r] - shape(&f, k, i)[r]) *
                           (shape(&f, l, i + 1)[r] - shape(&f, l, i)[r]) * (f.beam.n - 1);
            near_to("foreshortening", bend[6 * f.beam.n - 6] - bend[0], -sum,
                    0.0084 * (1 + fabs(sum)));
        }
    release(&f);
}

/* ---- a rotating cantilever ---- */

/* Return the inertia about the z axis through the first node, which does not move. */
static double spin_of(const struct fixture *f, const double *q)
{
    double sum = 0, x[3], unused[4];

    for (int i = 0; i < f->beam.n; i++) {
        expand(f, q, i, x, unused);
        lk_sub(x, f->body.mass.position, x);
        sum += f->body.mass.value[i] * (x[0] * x[0] + x[1] * x[1]);
    }
    return sum;
}

/* Compute stiffness K = diag(w^2) - 1/2 eta^2 J'' and mass in the frame of the first node. */
static void linearise(const struct fixture *f, double eta, double *K, double *M)
{
    int n = f->body.pairs.n;
    const double h = 1e-4;
    double q[32] = {0}, s[6], t[6], Jt[3];

    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++) {
            double J = 0;

            for (int sign = 0; sign < 4; sign++) {
                memset(q, 0, sizeof(q));
                q[k] += sign & 1 ? h : -h;
                q[l] += sign & 2 ? h : -h;
                J += (sign == 1 || sign == 2 ? -1 : 1) * spin_of(f, q) / (4 * h * h);
            }
            K[k + n * l] =
                (k == l ? pow(2 * M_PI * f->body.modes.frequency[k], 2) : 0) - 0.5 * eta * eta * J;
            M[k + n * l] = 0;
            for (int i = 0; i < f->beam.n; i++) {
                relative(f, k, i, s);
                relative(f, l, i, t);
                lk_sym_mul(f->body.mass.inertia + 6 * i, t + 3, Jt);
                M[k + n * l] += f->body.mass.value[i] * lk_dot(s, t) + lk_dot(s + 3, Jt);
            }
        }
}

/* Frequencies of a uniform cantilever that rotates about its root: values of shared references, to
 * the tolerance of 40 elements and 12 modes. EI is 1 about y and z, so flap is the lower one of a
 * pair only without rotation. */
static void rotation_stiffens(void **state)
{
    static const double flap[] = {3.51602, 3.68165, 4.13732}, lag[] = {3.51602, 3.54324, 3.62180};
    static const char round[] =
        "linkage: 1\nname: beam\nflexible:\n  b: {type: beam, from: [0, 0, 0], to: [1, 0, 0], "
        "elements: N, EA: 1e6, EI: [1, 1], GJ: 1, mass_per_length: 1, inertia_per_length: [1e-5, "
        "5e-6, 5e-6]}\n";
    struct fixture f;
    double K[1024], M[1024], w[32];
    int n;

    (void)state;
    reduce(round, 40, (struct flex_wish){.n = 14, .second = 14}, &f);
    n = f.body.pairs.n;
    for (int eta = 0; eta < 3; eta++) {
        linearise(&f, eta, K, M);
        assert_int_equal(LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'N', 'L', n, K, n, M, n, w), 0);
        near_to("lag", sqrt(w[0]), lag[eta], 4e-3 * lag[eta]);
        near_to("flap", sqrt(w[1]), flap[eta], 4e-3 * flap[eta]);
    }
    release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_beam_vibrates),       cmocka_unit_test(mass_is_exact),
        cmocka_unit_test(modes_are_orthonormal),    cmocka_unit_test(end_force_is_exact),
        cmocka_unit_test(shape_is_of_second_order), cmocka_unit_test(inertia_is_of_second_order),
        cmocka_unit_test(bending_shortens),         cmocka_unit_test(rotation_stiffens),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
