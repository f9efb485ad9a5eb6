/* SPDX-License-Identifier: Apache-2.0 */
/* linkage flex, matrices in files: a beam as matrices against the same beam of a model; a lattice
 * of bars against dense eigenvalues, with rigid and averaging spiders. */
#include "cmocka_all.h"
#include "maths/vec.h"
#include "model/model.h"
#include "solid.h"

#include <cblas.h>
#include <errno.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NX   5 /* nodes of the lattice along x, y and z */
#define NY   3
#define NZ   2
#define N    (NX * NY * NZ)
#define DOFS (3 * N)

static const char *const names[] = {"K.mtx", "M.mtx", "nodes.csv"};

static void near_to(const char *what, double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%s: %.12g instead of %.12g, off by %.3g", what, value, expected,
                 value - expected);
}

/* ---- files ---- */

/* Write the lower triangle of a dense matrix. */
static void write_matrix(const char *path, const double *A, int n)
{
    FILE *file = fopen(path, "w");
    int entries = 0;

    assert_non_null(file);
    for (int k = 0; k < n; k++)
        for (int i = k; i < n; i++)
            entries += A[i + k * n] != 0 || i == k;
    fprintf(file, "%%%%MatrixMarket matrix coordinate real symmetric\n%% test\n%d %d %d\n", n, n,
            entries);
    for (int k = 0; k < n; k++)
        for (int i = k; i < n; i++)
            if (A[i + k * n] != 0 || i == k)
                fprintf(file, "%d %d %.17g\n", i + 1, k + 1, A[i + k * n]);
    fclose(file);
}

static void write_nodes(const double *position, int n)
{
    FILE *file = fopen(names[2], "w");

    assert_non_null(file);
    fprintf(file, "id,x,y,z\n");
    for (int i = 0; i < n; i++)
        fprintf(file, "%d, %.17g, %.17g, %.17g\n", 10 + i, position[3 * i], position[3 * i + 1],
                position[3 * i + 2]);
    fclose(file);
}

/* Reduce what the files contain. Return: as flex_solid(). */
static int reduce(const char **interface, int n_interfaces, struct flex_wish wish,
                  struct flex_body *body)
{
    const struct flex_files files = {.mass = names[1],
                                     .stiffness = names[0],
                                     .nodes = names[2],
                                     .interface = interface,
                                     .n_interfaces = n_interfaces};
    int result = flex_solid(&files, &wish, body);

    if (result == 0) {
        body->pairs.n = body->modes.n;
        assert_int_equal(flex_integrate(body), 0);
    }
    return result;
}

/* ---- a beam ---- */

/* Write the matrices of a beam, from its modes: all of them, and the rigid motions. */
static void write_beam(const struct flex_beam *beam, const struct flex_mass *mass)
{
    size_t n = 6 * (size_t)beam->n;
    double *M = calloc(n * n, sizeof(*M)), *K = calloc(n * n, sizeof(*K));

    for (size_t i = 0; i < n; i++) {
        double u[2][6], *unit = calloc(n, sizeof(*unit));

        for (size_t k = 0; k < n; k++)
            for (int e = 0; e < beam->n - 1; e++) {
                if (labs((long)(i / 6) - e) > 1 || labs((long)(k / 6) - e) > 1)
                    continue;
                memset(unit, 0, n * sizeof(*unit));
                unit[i] = 1;
                flex_element_strain(beam, mass, e, unit, u[0]);
                unit[i] = 0;
                unit[k] = 1;
                flex_element_strain(beam, mass, e, unit, u[1]);
                for (int r = 0; r < 6; r++)
                    K[i + k * n] += beam->element[e].stiffness[r] * u[0][r] * u[1][r];
            }
        free(unit);
        for (size_t k = i / 6 * 6; k < i / 6 * 6 + 6; k++)
            M[i + k * n] = i % 6 < 3 ? (i == k ? mass->value[i / 6] : 0)
                           : k % 6 < 3
                               ? 0
                               : mass->inertia[6 * (i / 6) + (size_t)lk_sym_at((int)(i % 6) - 3,
                                                                               (int)(k % 6) - 3)];
    }
    write_matrix(names[0], K, (int)n);
    write_matrix(names[1], M, (int)n);
    write_nodes(mass->position, beam->n);
    free(M);
    free(K);
}

static void beam_as_matrices(void **state)
{
    static const char text[] =
        "linkage: 1\nname: beam\nflexible:\n  b: {type: beam, through: [[0, 0, 0], [1, 0.2, 0], "
        "[1.5, 1, 0.3]], elements: 8, EA: 900, EI: [1, 4], GJ: 2, shear: [300, 400], "
        "mass_per_length: 1, inertia_per_length: [0.02, 0.01, 0.01]}\n";
    const char *interface[] = {"root=10", "tip=18"};
    const struct flex_wish wish = {.n = 14};
    struct lk_model *model;
    struct lk_error error;
    struct flex_beam beam = {0};
    struct flex_body a = {0}, b = {0};
    bool is_interface[16] = {0};

    (void)state;
    if (lk_model_read_text("beam", text, sizeof(text) - 1, &model, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(flex_beam_read(model, "beam", "b", &beam, &a.mass), 0);
    assert_int_equal(beam.n, 9);
    assert_int_equal(flex_beam_places(&beam, "b", false, is_interface, &a), 0);
    assert_int_equal(flex_beam_modes(&beam, &a.mass, is_interface, &wish, &a.modes), 0);
    a.pairs.n = a.modes.n; /* without the quadratic field, as of a solid */
    assert_int_equal(flex_integrate(&a), 0);
    write_beam(&beam, &a.mass);
    assert_int_equal(reduce(interface, 2, wish, &b), 0);

    assert_int_equal(b.modes.n, 14);
    near_to("mass", b.mass.mass, a.mass.mass, 1e-12);
    for (int i = 0; i < 6; i++)
        near_to("inertia", b.mass.tensor[i], a.mass.tensor[i], 1e-12);
    for (int k = 0; k < 14; k++) {
        const double *S = flex_shape_at(&a, &a.place[1], k);
        const double *T = flex_shape_at(&b, &b.place[1], k);
        double sign = copysign(1, cblas_ddot(6, S, 1, T, 1));

        near_to("frequency", b.modes.frequency[k] / a.modes.frequency[k], 1, 1e-9);
        near_to("share", b.modes.share[k], a.modes.share[k], 1e-6);
        for (int i = 0; i < 6; i++) {
            near_to("shape", sign * T[i], S[i], 1e-5);
            near_to("J1", sign * b.first[6 * k + i], a.first[6 * k + i], 1e-5);
            near_to("J2", b.pairs.inertia[6 * flex_pair(k, k) + (size_t)i],
                    a.pairs.inertia[6 * flex_pair(k, k) + (size_t)i], 1e-5);
        }
    }
    flex_body_free(&a);
    flex_body_free(&b);
    flex_beam_free(&beam);
    lk_model_free(model);
}

/* ---- a lattice ---- */

struct lattice {
    double x[DOFS];
    double K[DOFS * DOFS];
    double M[DOFS * DOFS];
};

static struct lattice lattice;

/* Add a bar with the stiffness 1 / length and the consistent mass 0.1 length. */
static void add_bar(struct lattice *l, int a, int b)
{
    double e[3], length;

    lk_sub(l->x + 3 * b, l->x + 3 * a, e);
    length = lk_norm(e);
    for (int s = 0; s < 4; s++) {
        int row = 3 * (s & 1 ? b : a), column = 3 * (s & 2 ? b : a);
        double sign = row == column ? 1 : -1;

        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++)
                l->K[row + i + (column + k) * DOFS] +=
                    sign * e[i] * e[k] / (length * length * length);
            l->M[row + i + (column + i) * DOFS] += 0.1 * length * (row == column ? 2 : 1) / 6;
        }
    }
}

static void build_lattice(struct lattice *l)
{
    memset(l, 0, sizeof(*l));
    for (int i = 0; i < N; i++) {
        l->x[3 * i] = i / (NY * NZ) + 0.1 * (i * i % 5); /* no face is plane */
        l->x[3 * i + 1] = 0.8 * (i / NZ % NY) + 0.05 * (i % 3);
        l->x[3 * i + 2] = 0.7 * (i % NZ) + 0.03 * (i % 5);
    }
    for (int a = 0; a < N; a++)
        for (int b = a + 1; b < N; b++) {
            double arm[3];

            lk_sub(l->x + 3 * b, l->x + 3 * a, arm);
            if (lk_norm(arm) < 1.7)
                add_bar(l, a, b);
        }
    write_matrix(names[0], l->K, DOFS);
    write_matrix(names[1], l->M, DOFS);
    write_nodes(l->x, N);
}

/* Compute the frequencies of the free lattice [Hz]. */
static void dense_frequencies(const struct lattice *l, double *ret)
{
    static double K[DOFS * DOFS], M[DOFS * DOFS];

    memcpy(K, l->K, sizeof(K));
    memcpy(M, l->M, sizeof(M));
    assert_int_equal(LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'N', 'L', DOFS, K, DOFS, M, DOFS, ret), 0);
    for (int i = 0; i < DOFS; i++)
        ret[i] = sqrt(fmax(ret[i], 0)) / (2 * M_PI);
}

static void free_lattice_vibrates(void **state)
{
    double exact[DOFS];
    struct flex_body b = {0};
    size_t n = 6 * N;

    (void)state;
    dense_frequencies(&lattice, exact);
    assert_int_equal(reduce(NULL, 0, (struct flex_wish){.n = 12, .is_free = true}, &b), 0);
    assert_int_equal(b.modes.n, 12);
    for (size_t k = 0; k < 12; k++) {
        double center[3] = {0}, spin[3] = {0}, turn[3];

        near_to("frequency", b.modes.frequency[k] / exact[6 + k], 1, 1e-9);
        for (int i = 0; i < N; i++)
            for (int e = b.mass.start[i]; e < b.mass.start[i + 1]; e++) {
                double arm[3];

                lk_sub(b.mass.position + 3 * b.mass.column[e], b.mass.center, arm);
                lk_cross(arm, b.modes.shape + k * n + 6 * (size_t)i, turn);
                for (int r = 0; r < 3; r++) {
                    center[r] += b.mass.value[e] * b.modes.shape[k * n + 6 * (size_t)i + (size_t)r];
                    spin[r] += b.mass.value[e] * turn[r];
                }
            }
        for (int r = 0; r < 3; r++) {
            near_to("momentum", center[r], 0, 1e-10);
            near_to("angular momentum", spin[r], 0, 1e-10);
        }
    }
    flex_body_free(&b);
}

/* An averaging spider does not stiffen: enough modes have the frequencies of the free lattice. */
static void average_does_not_stiffen(void **state)
{
    const char *interface[] = {"left~10-15", "right~34-39@4,0.9,0.5"};
    double exact[DOFS];
    struct flex_body b = {0};

    (void)state;
    dense_frequencies(&lattice, exact);
    assert_int_equal(reduce(interface, 2, (struct flex_wish){.n = 84}, &b), 0);
    for (int k = 0; k < 8; k++)
        near_to("frequency", b.modes.frequency[k] / exact[6 + k], 1, 1e-9);
    near_to("place", b.place[1].position[1], 0.9, 0);
    flex_body_free(&b);
}

/* Join the nodes @first to @first + 5 by stiff bars. */
static void stiffen(const struct lattice *l, int first, double *A)
{
    for (int i = first; i < first + 6; i++)
        for (int k = first; k < first + 6; k++) {
            double e[3];

            lk_sub(l->x + 3 * k, l->x + 3 * i, e);
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) {
                    A[3 * i + r + (3 * i + c) * DOFS] += 1e6 * e[r] * e[c];
                    A[3 * i + r + (3 * k + c) * DOFS] -= 1e6 * e[r] * e[c];
                }
        }
}

/* Compute the compliance of the lattice between two faces of six rigid nodes, for opposite forces
 * along the direction @e of the line between their mean points. */
static double stiff_compliance(const struct lattice *l, const double e[3])
{
    static double A[DOFS * DOFS];
    double load[DOFS] = {0}, u[DOFS], compliance = 0;
    int pivot[DOFS];

    memcpy(A, l->K, sizeof(A));
    stiffen(l, 0, A);
    stiffen(l, 24, A);
    for (int i = 0; i < DOFS; i++) /* a weak ground holds the rigid motions */
        A[i + i * DOFS] += 1e-7;
    for (int i = 0; i < 18; i++) {
        load[i] = -e[i % 3] / 6;
        load[72 + i] = e[i % 3] / 6;
    }
    memcpy(u, load, sizeof(u));
    assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, DOFS, 1, A, DOFS, pivot, u, DOFS), 0);
    for (int i = 0; i < DOFS; i++)
        compliance += load[i] * u[i];
    return compliance;
}

/* Static modes contain the deflection under forces at rigid spiders. */
static void rigid_faces_deflect(void **state)
{
    const char *interface[] = {"left=10,11-15", "right=34-39"};
    struct flex_body b = {0};
    double compliance = 0, e[3], length;

    (void)state;
    assert_int_equal(reduce(interface, 2, (struct flex_wish){.n = 6}, &b), 0);
    lk_sub(b.place[1].position, b.place[0].position, e);
    length = lk_norm(e);
    for (int i = 0; i < 3; i++)
        e[i] /= length;
    for (int k = 0; k < b.modes.n; k++) {
        double w = 2 * M_PI * b.modes.frequency[k];
        double along = lk_dot(e, flex_shape_at(&b, &b.place[1], k)) -
                       lk_dot(e, flex_shape_at(&b, &b.place[0], k));

        compliance += along * along / (w * w);
    }
    near_to("compliance", compliance / stiff_compliance(&lattice, e), 1, 1e-5);
    flex_body_free(&b);
}

static void bad_input_is_refused(void **state)
{
    const char *line[] = {"line~10,12"}, *twice[] = {"a=10-15", "b=15-20"}, *none[] = {"a=9"};
    struct flex_body b = {0};
    double K = lattice.K[0];

    (void)state;
    assert_int_equal(reduce(line, 1, (struct flex_wish){.n = 6}, &b), -EINVAL);
    flex_body_free(&b);
    assert_int_equal(reduce(twice, 2, (struct flex_wish){.n = 6}, &b), -EINVAL);
    flex_body_free(&b);
    assert_int_equal(reduce(none, 1, (struct flex_wish){.n = 6}, &b), -EINVAL);
    flex_body_free(&b);
    lattice.K[0] += 100; /* a support */
    write_matrix(names[0], lattice.K, DOFS);
    lattice.K[0] = K;
    assert_int_equal(reduce(twice, 1, (struct flex_wish){.n = 6}, &b), -EINVAL);
    flex_body_free(&b);
}

/* Two parts are one body if a rigid interface node joins them. */
static void parts_are_joined(void **state)
{
    const char *apart[] = {"a=10-15"}, *average[] = {"a=10-15", "b~22-27"},
               *joined[] = {"a=10-15", "b=22-27"};
    struct flex_body b = {0};

    (void)state;
    memset(lattice.K, 0, sizeof(lattice.K));
    for (int a = 0; a < N; a++)
        for (int c = a + 1; c < N; c++) {
            double arm[3];

            lk_sub(lattice.x + 3 * c, lattice.x + 3 * a, arm);
            if (lk_norm(arm) < 1.7 && (a < 15) == (c < 15))
                add_bar(&lattice, a, c);
        }
    write_matrix(names[0], lattice.K, DOFS);
    write_matrix(names[1], lattice.M, DOFS);
    assert_int_equal(reduce(apart, 1, (struct flex_wish){.n = 6}, &b), -EINVAL);
    flex_body_free(&b);
    assert_int_equal(reduce(average, 2, (struct flex_wish){.n = 6}, &b), -EINVAL);
    flex_body_free(&b);
    assert_int_equal(reduce(joined, 2, (struct flex_wish){.n = 8}, &b), 0);
    flex_body_free(&b);
}

static int enter_folder(void **state)
{
    static char folder[] = "/tmp/test-flex-XXXXXX";

    *state = folder;
    return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    for (int i = 0; i < 3; i++)
        unlink(names[i]);
    return chdir("/") == 0 ? rmdir(*state) : -1;
}

static int use_lattice(void **state)
{
    (void)state;
    build_lattice(&lattice);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beam_as_matrices),
        cmocka_unit_test_setup(free_lattice_vibrates, use_lattice),
        cmocka_unit_test_setup(average_does_not_stiffen, use_lattice),
        cmocka_unit_test_setup(rigid_faces_deflect, use_lattice),
        cmocka_unit_test_setup(bad_input_is_refused, use_lattice),
        cmocka_unit_test_setup(parts_are_joined, use_lattice),
    };

    if (!flex_has_solver) {
        print_message(
            "left out: flex of matrices; install libarpack2-dev and libsuitesparse-dev\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
