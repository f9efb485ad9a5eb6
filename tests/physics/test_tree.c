/* SPDX-License-Identifier: Apache-2.0 */
/* The elimination tree compared with a dense solution, for random mechanisms and both
 * strategies. */
#include "cmocka_all.h"
#include "compile/tree/plan.h"
#include "solve/fronts.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BODIES_MAX 60
#define JOINTS_MAX 90
#define ROWS_MAX   (JOINTS_MAX * LK_ROWS_MAX)
#define SIDES      3
#define REGULAR    1e-3

struct mechanism {
    int n_bodies;
    int n_joints;
    int n_rows;
    int body[JOINTS_MAX][LK_TREE_SIDES];
    int rows[JOINTS_MAX];
    int rigid[JOINTS_MAX];
    struct lk_joint joint[JOINTS_MAX];
    double values[JOINTS_MAX][18 * LK_ROWS_PAD];
    struct lk_jacobian jacobian[JOINTS_MAX];
    struct lk_inverse_mass W[BODIES_MAX + 1];
    int n_hubs;
    int hangs_on[BODIES_MAX];
};

static double uniform(void)
{
    return 2.0 * rand() / RAND_MAX - 1;
}

static int below(int n)
{
    return rand() % n;
}

/* Let one joint in twenty connect a third body, as a gear does. */
static void couple(struct mechanism *m, int j)
{
    int c = below(m->n_bodies);

    if (below(20) == 0 && c != m->body[j][0] && c != m->body[j][1])
        m->body[j][2] = c;
}

/* Make a tree of bodies (or bodies on the ground), then additional joints that close loops. */
static void make_mechanism(struct mechanism *m, int n_bodies, int n_loops)
{
    *m = (struct mechanism){.n_bodies = n_bodies};
    for (int b = 0; b < n_bodies; b++) {
        m->W[b].mass = 0.5 + fabs(uniform());
        for (int i = 0; i < 3; i++)
            m->W[b].inertia[i] = 1 + fabs(uniform());
        for (int i = 3; i < 6; i++)
            m->W[b].inertia[i] = 0.2 * uniform();
        /* one in eight starts a new mechanism, free or on the ground */
        if (b == 0 || below(8) == 0) {
            if (below(2))
                memcpy(m->body[m->n_joints++], (int[2]){n_bodies, b}, sizeof(int[2]));
        } else {
            memcpy(m->body[m->n_joints++], (int[2]){below(b), b}, sizeof(int[2]));
        }
    }
    for (int k = 0; k < n_loops && n_bodies > 1; k++) {
        int a = below(n_bodies + 1), b = below(n_bodies);

        if (a != b)
            memcpy(m->body[m->n_joints++], (int[2]){a, b}, sizeof(int[2]));
    }
    for (int j = 0; j < m->n_joints; j++) {
        for (int s = 2; s < LK_TREE_SIDES; s++)
            m->body[j][s] = n_bodies;
        couple(m, j);
        m->rows[j] = 1 + below(LK_ROWS_MAX);
        m->rigid[j] = below(2) ? m->rows[j] : 0;
        m->joint[j] =
            (struct lk_joint){.body = {m->body[j][0], m->body[j][1]}, .n_rows = m->rows[j]};
        m->jacobian[j] = (struct lk_jacobian){m->values[j], lk_jacobian_pad(m->rows[j]),
                                              m->rows[j] >= 3 && below(2)};
        m->jacobian[j].is_point &= m->body[j][2] == n_bodies;
        for (int s = 0; s < SIDES; s++)
            for (int r = 0; r < m->rows[j]; r++) {
                double row[6];

                for (int k = 0; k < 6; k++)
                    row[k] = uniform();
                lk_jacobian_set_row(m->jacobian[j], s, r, row);
            }
        m->n_rows += m->rows[j];
    }
}

/* Set @zone to 1 for all bodies that are connected with @body without passing through @hub. */
static void follow(const struct mechanism *m, int body, int hub, int *zone)
{
    zone[body] = 1;
    for (int j = 0; j < m->n_joints; j++)
        for (int s = 0; s < SIDES * SIDES; s++) {
            int other = m->body[j][s % SIDES];

            if (m->body[j][s / SIDES] == body && other != hub && other < m->n_bodies &&
                !zone[other])
                follow(m, other, hub, zone);
        }
}

/* Choose random bodies as hubs. A group of bodies that only one hub connects with the rest, and
 * that contains no hub, belongs to this hub. One in four hubs has no motion. */
static void make_hubs(struct mechanism *m)
{
    bool is_hub[BODIES_MAX] = {false};

    memset(m->hangs_on, -1, sizeof(m->hangs_on));
    for (int k = 0; k < 3; k++)
        is_hub[below(m->n_bodies)] = true;
    for (int j = 0; j < m->n_joints; j++)
        for (int s = 0; s < SIDES * SIDES; s++) {
            int zone[BODIES_MAX] = {0}, hub = m->body[j][s / SIDES], first = m->body[j][s % SIDES];
            bool hangs = true;

            if (hub == m->n_bodies || !is_hub[hub] || first == m->n_bodies || first == hub)
                continue;
            follow(m, first, hub, zone);
            for (int b = 0; b < m->n_bodies; b++)
                hangs &= !zone[b] || !is_hub[b];
            for (int b = 0; b < m->n_bodies && hangs; b++)
                if (zone[b])
                    m->hangs_on[b] = hub;
        }
    for (int b = 0; b < m->n_bodies; b++) {
        m->n_hubs += is_hub[b];
        if (is_hub[b] && below(4) == 0)
            m->W[b] = (struct lk_inverse_mass){0};
    }
}

/* Compute A x for the matrix E + Phi W Phi^T, row by row from its definition. */
static void multiply(const struct mechanism *m, const double *x, double *y)
{
    static double force[BODIES_MAX + 1][6];

    memset(force, 0, sizeof(force));
    for (int j = 0; j < m->n_joints; j++)
        for (int side = 0; side < SIDES; side++)
            for (int r = 0; r < m->rows[j]; r++) {
                double row[6];

                lk_jacobian_row(m->jacobian[j], side, r, row);
                for (int k = 0; k < 6; k++)
                    force[m->body[j][side]][k] += row[k] * x[m->joint[j].row + r];
            }
    for (int b = 0; b < m->n_bodies; b++) {
        const double *I = m->W[b].inertia;
        double *f = force[b], t[3] = {f[3], f[4], f[5]};

        for (int k = 0; k < 3; k++)
            f[k] *= m->W[b].mass;
        f[3] = I[0] * t[0] + I[3] * t[1] + I[4] * t[2];
        f[4] = I[3] * t[0] + I[1] * t[1] + I[5] * t[2];
        f[5] = I[4] * t[0] + I[5] * t[1] + I[2] * t[2];
    }
    for (int j = 0; j < m->n_joints; j++)
        for (int r = 0; r < m->rows[j]; r++) {
            double sum = REGULAR * x[m->joint[j].row + r];

            for (int side = 0; side < SIDES; side++) {
                double row[6];

                lk_jacobian_row(m->jacobian[j], side, r, row);
                for (int k = 0; k < 6 && m->body[j][side] < m->n_bodies; k++)
                    sum += row[k] * force[m->body[j][side]][k];
            }
            y[m->joint[j].row + r] = sum;
        }
}

/* Return the largest error of a solution, relative to its largest value. @leaves: only rigid rows
 * are in the fronts; all other rows keep their values */
static double solve_and_compare(struct mechanism *m, enum lk_tree_strategy strategy, bool leaves)
{
    static double x[ROWS_MAX], solution[ROWS_MAX + 3 * LK_MOTION_ROWS], regular[ROWS_MAX];
    struct lk_topology t = {m->n_bodies, m->n_joints, (const int(*)[LK_TREE_SIDES])m->body,
                            m->rows,     m->rigid,    m->n_hubs > 0 ? m->hangs_on : NULL};
    struct lk_arena arena = {0};
    struct lk_fronts fronts;
    struct lk_tree tree;
    struct lk_plan plan;
    double worst = 0, size = 0;
    int n_rows = 0;

    assert_int_equal(lk_tree_build(&t, strategy, &tree), 0);
    assert_int_equal(lk_plan_init(&t, &tree, &plan), 0);
    for (int j = 0; j < m->n_joints; j++) {
        m->joint[j].row = plan.row[j];
        n_rows += leaves ? m->rigid[j] : m->rows[j];
    }
    t.n_rows = leaves ? m->rigid : m->rows;
    lk_fronts_layout(&fronts, &t, &plan, m->jacobian, &arena);
    arena.base = aligned_alloc(LK_CACHE_LINE, arena.used + LK_CACHE_LINE);
    assert_non_null(arena.base);
    arena.used = 0;
    lk_fronts_layout(&fronts, &t, &plan, m->jacobian, &arena);
    assert_int_equal(fronts.n_rows, n_rows);
    for (int r = 0; r < m->n_rows; r++)
        regular[r] = REGULAR;
    lk_fronts_factor(&fronts, regular, m->W);
    for (int j = 0; j < m->n_joints; j++)
        for (int r = 0; r < m->rows[j]; r++)
            x[plan.row[j] + r] = leaves && m->rigid[j] == 0 ? 0 : uniform();
    multiply(m, x, solution);
    for (int j = 0; j < m->n_joints; j++)
        for (int r = 0; r < m->rows[j] && leaves && m->rigid[j] == 0; r++)
            solution[plan.row[j] + r] = 0;
    lk_fronts_solve(&fronts, solution);
    for (int r = 0; r < m->n_rows; r++) {
        worst = fmax(worst, fabs(solution[r] - x[r]));
        size = fmax(size, fabs(x[r]));
    }
    free(arena.base);
    lk_plan_fini(&plan);
    lk_tree_fini(&tree);
    return size > 0 ? worst / size : 0;
}

/* The condition number of the matrix is at most |A| / E, here about 1e5, so 1e-16 becomes 1e-11. */
static void solves_random_mechanisms(void **state)
{
    static struct mechanism m;

    (void)state;
    for (int trial = 0; trial < 300; trial++) {
        make_mechanism(&m, 1 + below(BODIES_MAX), below(25));
        assert_true(solve_and_compare(&m, LK_TREE_CHEAPEST, false) < 1e-10);
        assert_true(solve_and_compare(&m, LK_TREE_ROUNDS, false) < 1e-10);
    }
}

/* The fronts with which `rattle` closes poses and velocities exclude the rows of laws. The
 * remaining rows are solved as if there were no others, at their places among all rows. */
static void solves_without_the_rows_of_laws(void **state)
{
    static struct mechanism m;

    (void)state;
    for (int trial = 0; trial < 300; trial++) {
        make_mechanism(&m, 1 + below(BODIES_MAX), below(25));
        assert_true(solve_and_compare(&m, LK_TREE_CHEAPEST, true) < 1e-10);
        assert_true(solve_and_compare(&m, LK_TREE_ROUNDS, true) < 1e-10);
    }
}

/* Motions of hubs as unknowns do not change the solution. */
static void solves_with_hubs(void **state)
{
    static struct mechanism m;
    int n_hanging = 0, n_bodies = 0;

    (void)state;
    for (int trial = 0; trial < 600; trial++) {
        make_mechanism(&m, 2 + below(BODIES_MAX - 1), below(4));
        make_hubs(&m);
        for (int b = 0; b < m.n_bodies; b++)
            n_hanging += m.hangs_on[b] >= 0;
        n_bodies += m.n_bodies;
        assert_true(solve_and_compare(&m, LK_TREE_CHEAPEST, trial % 2) < 1e-10);
        assert_true(solve_and_compare(&m, LK_TREE_ROUNDS, trial % 2) < 1e-10);
    }
    printf("    %d of %d bodies hang on hubs\n", n_hanging, n_bodies);
    assert_true(n_hanging > n_bodies / 8);
}

static int chain_depth(int n, enum lk_tree_strategy strategy, int *ret_largest)
{
    static int body[1100][LK_TREE_SIDES], rows[1100];
    struct lk_topology t = {n, n, (const int(*)[LK_TREE_SIDES])body, rows};
    struct lk_tree tree;
    struct lk_plan plan;
    int depth;

    for (int j = 0; j < n; j++) {
        body[j][0] = j == 0 ? n : j - 1;
        body[j][1] = j;
        for (int s = 2; s < LK_TREE_SIDES; s++)
            body[j][s] = n;
        rows[j] = 3;
    }
    assert_int_equal(lk_tree_build(&t, strategy, &tree), 0);
    assert_int_equal(lk_plan_init(&t, &tree, &plan), 0);
    depth = plan.depth;
    *ret_largest = plan.largest;
    lk_plan_fini(&plan);
    lk_tree_fini(&tree);
    return depth;
}

static void rounds_make_a_balanced_tree_of_a_chain(void **state)
{
    int largest;

    (void)state;
    assert_true(chain_depth(1024, LK_TREE_ROUNDS, &largest) <= 12);
    assert_int_equal(largest, 9);
    chain_depth(1024, LK_TREE_CHEAPEST, &largest);
    assert_int_equal(largest, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_random_mechanisms),
        cmocka_unit_test(solves_without_the_rows_of_laws),
        cmocka_unit_test(solves_with_hubs),
        cmocka_unit_test(rounds_make_a_balanced_tree_of_a_chain),
    };

    srand(1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
