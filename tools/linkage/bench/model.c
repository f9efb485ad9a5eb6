/* SPDX-License-Identifier: Apache-2.0 */
/* Operations and bytes of a step, counted by hand from the formulae.
 *
 * An operation is an addition, a multiplication, a division or a square root of doubles; copies,
 * comparisons and signs are free. The count is the demand of the method: filled lanes, padded rows
 * and indices are overhead, and appear as distance from the peak.
 *
 * Bytes are those of values that a stage reads or writes, each once per stage, as if registers held
 * them within it; a stage is the pass over bodies, joints or fronts that one solve needs. Known
 * zeros and shared constants are not counted.
 *
 * Not counted: inputs, outputs, force elements except their rows, drives, unwrapped coordinates; a
 * split body counts as one with at most as many rows as the largest front. The form is that of the
 * batches (core/step/batch/batch.h), with rotations along the world axes, for every model; models
 * that cannot be batched take somewhat more. */
#include "bench.h"

#include "linkage/analysis.h"
#include "linkage/kinds.h"
#include "rows/table.h"
#include "step/system.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DOUBLE ((double)sizeof(double))

/* ---- elementary products [operations] ---- */

#define CROSS       9  /* 6 products, 3 differences */
#define DOT         5  /* 3 products, 2 sums */
#define ROTATE      15 /* three DOTs: R a or R^T a */
#define SYM_MUL     15 /* the same with a symmetric matrix */
#define CROSS_TWICE 19 /* w (w.p) - p (w.w): two DOTs, 6 products, 3 differences */
#define QUAT_MUL    28 /* 16 products, 12 sums */
#define QUAT_MATRIX 30 /* 9 products, 6 entries of 2 (a +- b), 3 of 1 - 2 (a + b) */
#define EXP         46 /* vector to quaternion: DOT, halves, polynomials of 9 and 10 terms */
#define LOG         44 /* and back: DOT, two divisions, a root, a polynomial of 12 terms, scaling */

#define TURN_SYMMETRIC 75 /* R S R^T: three SYM_MULs, six DOTs */

/* ---- bodies [operations] ---- */

#define PLACE       (3 + QUAT_MUL + QUAT_MATRIX) /* x = x_old + u, q = q_old turn, R(q) */
#define TRAPEZOIDAL 30                           /* v and a, 5 in each of six directions */
/* M (a - g), w x J w + J al at the trapezoidal rates, turned into the world */
#define RESIDUAL (TRAPEZOIDAL + 6 + 2 * SYM_MUL + CROSS + 3 + ROTATE)
/* x + h v + h^2/2 a in six directions, 3 each; the length of the turn; pose, weights s R J^-1 R^T,
 * g */
#define BODY_PREDICT (6 * 3 + DOT + EXP + PLACE + TURN_SYMMETRIC + RESIDUAL)
/* s W (g + Phi^T lambda) */
#define WEIGH (6 + 3 + SYM_MUL)
/* s W Phi^T of a solution */
#define CORRECTION (3 + SYM_MUL)
/* s W g; the increment, turned into the body, its exponential, the new turn and its logarithm, u */
#define BODY_ITERATE (WEIGH + CORRECTION + 6 + ROTATE + EXP + QUAT_MUL + LOG + 3)
/* after every iteration except the last: pose and g */
#define BODY_AGAIN (PLACE + RESIDUAL)
/* after the last: the state with its quaternion normalised, its pose, weights and twist */
#define BODY_ACCEPT (TRAPEZOIDAL + QUAT_MUL + 9 + 4 + 3 + QUAT_MATRIX + TURN_SYMMETRIC + ROTATE)
/* both projections, each rotated into body axes, the accelerations into the world first; the
 * energies */
#define BODY_FINISH (2 * (CORRECTION + 6 + ROTATE) + ROTATE + (2 * DOT + SYM_MUL + 4) + (DOT + 2))

/* ---- bodies [doubles]; the state is x, q, v, a: 19 ---- */

/* state 19, m, J, s J^-1: 13 read; motion in the step 7, pose 12, weights 6, g 6 written */
#define BODY_PREDICT_DOUBLES (19 + 13 + 7 + 12 + 6 + 6)
/* g 6 read and written with s W 7; then s W 7, s W g 6, R 9, motion in the step 7 read */
#define BODY_ITERATE_DOUBLES (6 + 6 + 7 + 7 + 6 + 9 + 7)
/* state 19, m and J 7 read; motion in the step 7, pose 12, g 6 written */
#define BODY_AGAIN_DOUBLES (19 + 7 + 7 + 12 + 6)
/* state 19 read and written, s J^-1 6 read, pose 12, twist 6, weights 6 written */
#define BODY_ACCEPT_DOUBLES (19 + 19 + 6 + 12 + 6 + 6)
/* twice s W 7, twist 6 read and written, R 9, state 6; R 9, 6 and 6; the state stored 38, m and J 7
 */
#define BODY_FINISH_DOUBLES (2 * (7 + 12 + 9 + 6) + (9 + 6 + 6) + (38 + 7))

/* ---- rows: three kinds, as core/rows/table.h has them [operations] ---- */

/** struct row_cost - one kind of row. @jacobian: in addition to its arms or directions;
 * @post: Phi^T of a multiplier, to both bodies;  @rates: Phi_q of two twists */
struct row_cost {
    double violation;
    double jacobian;
    double post;
    double rates;
    double gamma;
    double stored; /* doubles of its Jacobian */
};

/* three rows d: known with the gap, as is the Jacobian with the arms; arm x lambda, w x arm on both
 * sides; gamma: two CROSS_TWICE and their difference */
static const struct row_cost point = {0, 0, 2 * CROSS, 2 * CROSS + 9, 2 * CROSS_TWICE + 3, 6};
/* two rows of a pin: in a plane a turn is one number, and a cross product with it two products */
static const struct row_cost pin = {0, 0, 2 * 3, 2 * 6, 4 * 2 + 2, 4};
/* n.d; n x (d - r0), n x r1; nine products and sums; gamma: two derivatives of n, three DOTs */
static const struct row_cost sliding = {
    DOT, 2 * CROSS + 3, 18, 21, CROSS + CROSS_TWICE + 3 * DOT + 3, 9};
/* u.v; u x v, which serves both sides; three products, six sums; gamma: two derivatives of both */
static const struct row_cost square = {DOT, CROSS, 9, 9, 2 * (CROSS + CROSS_TWICE) + 3 * DOT + 3,
                                       3};

#define GAP        (2 * ROTATE + 9)      /* both arms R p, and P0 - P1 */
#define GAP_PIN    (2 * 10 + 6)          /* two entries of each */
#define GAP_RATE   (2 * CROSS + 9)       /* which slides need for gamma, */
#define GAP_GAMMA  (2 * CROSS_TWICE + 3) /* and this too */
#define BOTH_SIDES (2 * 6)               /* forces and torques added up at the two bodies */

/** struct kind - a type of joint as rows. @rows: of the joint;  @points, @squares, @slides: rows of
 * each kind that are evaluated for it (a screw evaluates more than it has);  @directions: of both
 * sides, rotated into the world;  @pins: 1: its two rows are those of a pin */
struct kind {
    double rows;
    double points;
    double squares;
    double slides;
    double directions;
    double pins;
};

/* rows that are not in rows/table.h, but composed of its kinds */
static const struct kind composed[LK_JOINT_IN_FILE] = {
    [LK_JOINT_SCREW] = {5, 0, 4, 3, 6},    /* the screw: a travel and the two rows of an angle */
    [LK_JOINT_DISTANCE] = {1, 0, 0, 1, 1}, /* along the rod, which costs as much as n */
    [LK_JOINT_CONSTANT_VELOCITY] = {4, 1, 2, 0, 4}, /* half the difference of two squares */
    [LK_JOINT_GEAR] = {1, 0, 4, 0, 6},              /* two angles of two squares each */
    [LK_JOINT_RACK] = {1, 0, 2, 1, 4},              /* an angle and a travel */
    [LK_JOINT_DIFFERENTIAL] = {1, 0, 6, 0, 9},      /* three angles of two squares each */
};

/* rows that no joint of the file has: springs, drives, friction, stops, welds of split bodies */
static const struct kind other_row = {1, 0, 1, 0, 2};

static struct kind kind_of(enum lk_joint_type type)
{
    enum lk_kind kind = lk_kind_of(type);
    const struct lk_joint_kind *k;

    if (type == LK_JOINT_PIVOT)
        return (struct kind){0};
    if (kind == LK_KINDS)
        return type < LK_JOINT_IN_FILE && composed[type].rows > 0 ? composed[type] : other_row;
    k = &lk_joint_kinds[kind];
    return (struct kind){
        .rows = lk_kind_rows(k),
        .points = k->point == LK_POINTS_XYZ,
        .squares = k->n_square,
        .slides = k->n_slide,
        .directions = k->n_dir[0] + k->n_dir[1],
        .pins = k->point > LK_POINTS_XYZ,
    };
}

static double of_rows(const struct kind *kind, double of_point, double of_square, double of_slide,
                      double of_pin)
{
    return kind->points * of_point + kind->squares * of_square + kind->slides * of_slide +
           kind->pins * of_pin;
}

/* one joint in one step of @n iterations; a joint to the ground costs as much as any other */
static double joint_flops(const struct kind *kind, int n)
{
    double locate = (kind->pins > 0 ? GAP_PIN : GAP) + ROTATE * kind->directions;
    double violation =
        of_rows(kind, point.violation, square.violation, sliding.violation, pin.violation);
    double jacobian =
        of_rows(kind, point.jacobian, square.jacobian, sliding.jacobian, pin.jacobian);
    double post = of_rows(kind, point.post, square.post, sliding.post, pin.post) + BOTH_SIDES;
    double rates = of_rows(kind, point.rates, square.rates, sliding.rates, pin.rates);
    double gamma = of_rows(kind, point.gamma, square.gamma, sliding.gamma, pin.gamma) +
                   (kind->slides > 0 ? GAP_RATE + GAP_GAMMA : 0);
    /* violation, Phi^T lambda with the current Jacobian; subtraction of Phi s W g from the
     * right-hand side; lambda += dlambda, Phi^T dlambda */
    double iterate = locate + violation + jacobian + 2 * post + rates + 2 * kind->rows;
    /* the Jacobian and the violation of the final pose; rates before and after the projection of
     * velocities; gamma and Phi a; both solutions; lambda += s kappa */
    double finish =
        2 * locate + violation + jacobian + 3 * rates + gamma + 2 * post + 3 * kind->rows;

    return n * iterate + finish + 2 * kind->rows; /* the leak, once */
}

static double joint_doubles(const struct kind *kind, int n)
{
    double J = of_rows(kind, point.stored, square.stored, sliding.stored, pin.stored);
    double constants = 6 + 3 * kind->directions, rows = kind->rows;
    /* two poses 24, lambda and x; scattered values 9, of which the bodies read 12 */
    double evaluate = 24 + constants + 2 * rows + 9 + 12;
    /* J, two twists, x; then J, x and lambda, scattered values */
    double solve = (J + 12 + 2 * rows) + (J + 3 * rows + 9 + 12);
    /* the final Jacobian; gamma, and the residual rates */
    double finish = (24 + constants + J) + (36 + constants + rows + J);

    return n * (evaluate + solve) + 2 * solve + finish + J + 2 * rows;
}

static struct bench_tally joint_tally(const struct kind *kind, int n)
{
    return (struct bench_tally){joint_flops(kind, n), DOUBLE * joint_doubles(kind, n)};
}

/* s Phi W Phi^T of one body with @rows rows, @others of which are no point rows. The weights times
 * the turn of a row: 9 for arm x e_k, 1 for a row of a pin, else a SYM_MUL. An entry: 4 in a row of
 * a point (a third of a CROSS, and added), 3 of a pin, else 6; and 2 for e_k e_k on the diagonals
 * of the blocks of points. */
static struct bench_tally element_tally(double rows, double others, double pins)
{
    double triangle = rows * (rows + 1) / 2, points = rows - others - pins;
    double entry = rows > 0 ? (4 * points + 3 * pins + 6 * others) / rows : 0;
    double joints = points / 3, hinges = pins / 2;

    return (struct bench_tally){
        .flops = 9 * points + pins + SYM_MUL * others + entry * triangle +
                 2 * 3 * joints * (joints + 1) / 2 + 2 * 2 * hinges * (hinges + 1) / 2,
        /* the rows, the weights, and the triangle of the front read and written */
        .bytes = DOUBLE * (points + pins + 3 * others + 7 + 2 * triangle),
    };
}

/* ---- fronts; the compiler counts their operations ---- */

static struct bench_tally front_tally(const struct lk_tree_front *front, int factors, int solves)
{
    double e = front->rows_eliminated, r = front->rows_remaining, n = e + r;
    double factor = e * (e + 1) / 2 + e * r, rest = r * (r + 1) / 2;

    return (struct bench_tally){
        .flops = factors * front->factor_flops + solves * front->solve_flops,
        /* a factorisation: the front is cleared and written, its parent reads the remainder; a
         * solve: the factor upwards and U downwards, the right-hand side both ways */
        .bytes =
            DOUBLE * (factors * (n * (n + 1) + rest) + solves * (factor + e * r + 3 * e + 3 * r)),
    };
}

/* ---- a whole model ---- */

static void add_tally(struct bench_tally *sum, struct bench_tally more, double times)
{
    sum->flops += times * more.flops;
    sum->bytes += times * more.bytes;
}

static struct kind find_kind(const char *name)
{
    for (int type = 0; type < LK_JOINT_IN_FILE; type++)
        if (strcmp(lk_joint_traits[type].name, name) == 0)
            return kind_of((enum lk_joint_type)type);
    return other_row;
}

/** struct body_rows - rows of joints at a body. @others: rows except point rows;  @pins: of pins */
struct body_rows {
    double rows;
    double others;
    double pins;
};

static void add_rows(const struct lk_system *system, struct lk_node bodies, const struct kind *kind,
                     struct body_rows *at)
{
    for (int s = 0; s < lk_node_size(bodies); s++) {
        int b = lk_system_body_index(system, lk_node_text(lk_node_at(bodies, s)));

        if (b < 0) /* the ground */
            continue;
        at[b].rows += kind->rows;
        at[b].others += kind->rows - 3 * kind->points - 2 * kind->pins;
        at[b].pins += 2 * kind->pins;
    }
}

/* joints of the file, and the rows outside of it; Return: rows of the joints of the file */
static double count_joints(struct lk_node joints, const struct lk_system *system,
                           struct body_rows *at, struct bench_work *work)
{
    double rows = 0;

    for (int i = 0; i < lk_node_size(joints); i++) {
        struct lk_node joint = lk_node_at(joints, i);
        enum lk_joint_type stepped = system->joint[i].type;
        bool is_kind = stepped < LK_JOINT_IN_FILE || stepped >= LK_JOINT_PIN;
        struct kind kind =
            is_kind ? kind_of(stepped) : find_kind(lk_node_text(lk_node_get(joint, "type")));

        add_tally(&work->joints, joint_tally(&kind, work->iterations), 1);
        add_rows(system, lk_node_get(joint, "bodies"), &kind, at);
        rows += kind.rows;
    }
    return rows;
}

/* the motion of a hub is unknown in place of its element */
static bool is_hub(const struct lk_system *system, int body)
{
    for (int b = 0; b < system->n_bodies; b++)
        if (system->body[b].hangs_on == body)
            return true;
    return false;
}

static void count_elements(const struct lk_system *system, const struct lk_summary *s,
                           const struct body_rows *at, struct bench_work *work)
{
    for (int b = 0; b < s->n_bodies; b++) {
        if (is_hub(system, b))
            continue;

        double rows = fmin(at[b].rows, s->largest_front);

        /* both factorisations */
        add_tally(&work->elements,
                  element_tally(rows, fmin(at[b].others, rows), fmin(at[b].pins, rows)), 2);
    }
}

static int count_fronts(const struct lk_system *system, const struct lk_summary *s,
                        struct bench_work *work)
{
    struct lk_tree_view view;
    int r = lk_tree_view_init(system, &view);
    double counted = 0;

    if (r != 0)
        return r;
    for (int i = 0; i < view.n_fronts; i++)
        add_tally(&work->linear, front_tally(&view.fronts[i], 2, work->iterations + 2), 1);
    counted = work->linear.flops;
    /* as the compiler counts factors and solves of the formulation, of stops and of inputs */
    if (counted > 0) {
        work->linear.bytes *= s->step_flops / counted;
        work->linear.flops = s->step_flops;
    }
    lk_tree_view_fini(&view);
    return 0;
}

static void count_bodies(const struct lk_summary *s, struct bench_work *work)
{
    int n = work->iterations;
    /* a split body counts as its parts */
    double bodies = s->n_bodies - s->n_split + s->n_parts;

    work->bodies.flops = bodies * (BODY_PREDICT + n * BODY_ITERATE + (n - 1) * BODY_AGAIN +
                                   BODY_ACCEPT + BODY_FINISH);
    work->bodies.bytes = DOUBLE * bodies *
                         (BODY_PREDICT_DOUBLES + n * BODY_ITERATE_DOUBLES +
                          (n - 1) * BODY_AGAIN_DOUBLES + BODY_ACCEPT_DOUBLES + BODY_FINISH_DOUBLES);
}

/* solver: {iterations: N, coordinates: ...}; defaults as in config/README.md */
static void read_solver(struct lk_node solver, struct bench_work *work)
{
    long order = 2;

    lk_node_read_int_or(solver, "order", 2, LK_ORDER_MAX, &order, NULL);
    work->is_known = order == 2 && strcmp(lk_node_text(lk_node_get(solver, "coordinates")),
                                          "euler-parameters") != 0;
}

int bench_work_count(const struct lk_document *document, const struct lk_system *system,
                     struct bench_work *ret_work)
{
    struct bench_work work = {0};
    struct lk_node root = lk_document_root(document);
    struct lk_summary s;
    struct body_rows *at;
    double rows;
    int r;

    lk_system_summary(system, &s);
    work.iterations = s.iterations;
    read_solver(lk_node_get(root, "solver"), &work);
    at = calloc((size_t)s.n_bodies + 1, sizeof(*at));
    if (at == NULL)
        return -ENOMEM;
    rows = count_joints(lk_node_get(root, "joints"), system, at, &work);
    add_tally(&work.joints, joint_tally(&other_row, work.iterations),
              fmax(s.n_rows_rigid + s.n_rows_compliant - rows, 0));
    count_elements(system, &s, at, &work);
    free(at);
    count_bodies(&s, &work);
    r = count_fronts(system, &s, &work);
    if (r != 0)
        return r;
    add_tally(&work.total, work.bodies, 1);
    add_tally(&work.total, work.joints, 1);
    add_tally(&work.total, work.elements, 1);
    add_tally(&work.total, work.linear, 1);
    *ret_work = work;
    return 0;
}
