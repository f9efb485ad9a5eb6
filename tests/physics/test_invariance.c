/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of random mechanisms. The motion must not change with the position of the mechanism,
 * the order of its parts in the file, or the order of the bodies of a joint. Free mechanisms must
 * conserve momenta and energy. Repeating the same inputs must give the same bits.
 *
 * "The same motion" means equal except for round-off, whose amplification depends on the mechanism
 * (see test_random.c). It is measured: the mechanism also runs from initial configurations
 * perturbed by the round-off of its size. NOISE times the difference of these runs is allowed. */
#include "cmocka_all.h"
#include "compile/batch/batches.h"
#include "largest.h"
#include "maths/vec.h"
#include "mechanism.h"
#include "sanitized.h"
#include "step/scripts/step.h"
#include "step/system.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RELATIVE 1e-9
#define SPLIT    1e-4 /* tolerance for models with a split body */
#define REST     1e-3 /* [m, m/s ...]: smaller motion is round-off */
#define NOISE    30
#define UNBALANCED                                                                                 \
    1e-6 /* forces and torques: `ali3` projects velocities after its balance of forces */
#define TRIALS 3
#define STEPS  20
#define LEFT   1e-7 /* relative error of iterations and closing */
#define ITERATIONS                                                                                 \
    20 /* large enough to converge wherever Newton's iterations start; friction needs many         \
          iterations */

#define MECHANISMS (200 / THINNED)

enum kind {
    POSITION,
    TURN,
    VELOCITY,
    SPIN,
    ACCELERATION,
    SPIN_RATE,
    BODY_KINDS,
    FORCE = BODY_KINDS,
    TORQUE,
    KINDS,
};
static const char *const kind_names[] = {
    "position", "orientation", "velocity", "spin", "acceleration", "spin rate", "force", "torque",
};

/** struct motion - the result of a run: three numbers of each kind per body, with bodies ordered by
 * name, or per joint if @n_joints is not 0
 * @n: number of bodies. The orientation is the vector part of q_start^-1 q, which does not depend
 *     on its sign or on the frame. */
struct motion {
    int n;
    int n_joints;
    double *value[KINDS];
};

static int count_of(const struct motion *m, enum kind k)
{
    return 3 * (k < BODY_KINDS ? m->n : m->n_joints);
}

static void free_motion(struct motion *m)
{
    for (int k = 0; k < KINDS; k++)
        free(m->value[k]);
}

/* Compute the rotation of @q since the initial configuration: a vector in body axes, which is the
 * same for a model at another place. */
static void turn_since(const double start[4], const double q[4], double ret[3])
{
    double back[4] = {start[0], -start[1], -start[2], -start[3]}, turn[4];

    lk_quat_mul(back, q, turn);
    for (int i = 0; i < 3; i++)
        ret[i] = turn[0] < 0 ? -turn[i + 1] : turn[i + 1];
}

static struct motion motion_of(const struct lk_system *sys, const struct mechanism *m)
{
    struct motion ret = {.n = m->n_bodies};

    for (int k = 0; k < KINDS; k++) {
        ret.value[k] = calloc((size_t)(m->n_bodies + m->n_joints), 3 * sizeof(double));
        assert_non_null(ret.value[k]);
    }
    for (int b = 0; b < m->n_bodies; b++) {
        struct lk_body_state s;
        char name[16];
        int index;

        snprintf(name, sizeof(name), "b%d", b);
        index = lk_system_body_index(sys, name);
        assert_true(index >= 0);
        lk_system_body_state(sys, index, &s);
        memcpy(ret.value[POSITION] + 3 * b, s.position, sizeof(s.position));
        turn_since(m->body[b].q, s.orientation, ret.value[TURN] + 3 * b);
        memcpy(ret.value[VELOCITY] + 3 * b, s.velocity, sizeof(s.velocity));
        memcpy(ret.value[SPIN] + 3 * b, s.angular_velocity, sizeof(s.velocity));
        memcpy(ret.value[ACCELERATION] + 3 * b, s.acceleration, sizeof(s.velocity));
        memcpy(ret.value[SPIN_RATE] + 3 * b, s.angular_acceleration, sizeof(s.velocity));
    }
    return ret;
}

static void keep_reactions(const struct lk_system *sys, struct motion *ret)
{
    ret->n_joints = sys->n_named_joints;
    for (int j = 0; j < ret->n_joints; j++) {
        double reaction[6];

        lk_system_joint_reaction(sys, j, reaction);
        memcpy(ret->value[FORCE] + 3 * j, reaction, 3 * sizeof(double));
        memcpy(ret->value[TORQUE] + 3 * j, reaction + 3, 3 * sizeof(double));
    }
}

/* Multiply E of rigid rows by @times. */
static void soften(struct lk_system *sys, double times)
{
    for (int i = 0; i < sys->n_joints; i++)
        for (int r = 0; r < lk_rigid_rows(&sys->joint[i]); r++)
            sys->regular[sys->joint[i].row + r] *= times;
    if (!sys->batches)
        return;
    /* batches have their own copies of E */
    lk_batches_fill(sys);
    lk_start_resume(sys);
}

/* Run a mechanism. If the step is too long for it, a step is refused. The motion is then that of
 * the last accepted step, and the test uses another mechanism (@n is 0). */
static int n_held; /* bodies with planar reduction in all runs so far */

static struct motion run(struct mechanism *m, double softer)
{
    struct lk_system *sys;
    struct dice dice = {m->seed};
    struct motion ret;
    double *inputs;
    int r = 0;

    m->iterations = ITERATIONS;
    sys = mechanism_compile(m);
    assert_non_null(sys);
    n_held += sys->n_held;
    soften(sys, softer);
    inputs = calloc((size_t)lk_system_input_size(sys) + 1, sizeof(double));
    assert_non_null(inputs);
    for (int step = 0; step < STEPS && r == 0; step++) {
        mechanism_inputs(m, &dice, inputs);
        r = lk_system_step(sys, inputs);
    }
    ret = motion_of(sys, m);
    ret.n = r == 0 ? ret.n : 0;
    if (m->hides_reactions && r == 0)
        keep_reactions(sys, &ret);
    free(inputs);
    lk_system_free(sys);
    return ret;
}

/** struct yardstick - a run, and its sensitivity to round-off */
struct yardstick {
    struct motion motion;
    double size[KINDS];
    double noise[KINDS];
};

/* Perturb the initial configuration by random numbers up to @noise. */
static void disturb(struct mechanism *m, struct dice *dice, double noise)
{
    for (int b = 0; b < m->n_bodies; b++) {
        for (int i = 0; i < 3; i++)
            m->body[b].x[i] += dice_uniform(dice, -noise, noise);
        for (int i = 0; i < 4; i++)
            m->body[b].q[i] += dice_uniform(dice, -noise, noise);
    }
}

static double size_of(const struct mechanism *m)
{
    double size = 1;

    for (int b = 0; b < m->n_bodies; b++)
        for (int i = 0; i < 3; i++)
            size = fmax(size, fabs(m->body[b].x[i]));
    return size;
}

static struct mechanism *draw(long seed, enum mechanism_kind kind)
{
    struct dice dice = {(uint64_t)seed};

    return mechanism_make((uint64_t)seed, kind, (int)dice_spread(&dice, 1, 24));
}

/* Add the difference between a run of @m and the first run to the noise. */
static void add_noise(struct yardstick *y, struct mechanism *m, double softer)
{
    struct motion beside = run(m, softer);

    for (int k = 0; k < KINDS; k++)
        y->noise[k] = fmax(y->noise[k],
                           largest(beside.value[k], y->motion.value[k], count_of(&y->motion, k)));
    free_motion(&beside);
    mechanism_free(m);
}

static struct mechanism *draw_by(const char *formulation, long seed, enum mechanism_kind kind)
{
    struct mechanism *m = draw(seed, kind);

    if (formulation) {
        m->formulation = formulation;
        m->is_soft = 0;
        m->hides_reactions = 1;
        m->all_rows = 1;
    }
    return m;
}

/* Measure a run and its sensitivity to round-off.
 * @formulation: NULL: that of the mechanism; otherwise with all rows
 * @reach:       distance by which the mechanism will be moved from the origin, which increases the
 *               round-off of positions */
static struct yardstick measure_by(const char *formulation, long seed, enum mechanism_kind kind,
                                   double reach)
{
    struct mechanism *m = draw_by(formulation, seed, kind);
    struct yardstick y = {.motion = run(m, 1)};
    struct dice dice = {(uint64_t)seed};
    double noise = DBL_EPSILON * (size_of(m) + reach);

    mechanism_free(m);
    for (int t = 0; t < TRIALS; t++) {
        m = draw_by(formulation, seed, kind);
        disturb(m, &dice, noise);
        add_noise(&y, m, 1);
    }
    for (int k = 0; k < KINDS; k++)
        y.size[k] = largest(y.motion.value[k], NULL, count_of(&y.motion, k));
    return y;
}

static struct yardstick measure(long seed, enum mechanism_kind kind, double reach)
{
    return measure_by(NULL, seed, kind, reach);
}

static double worst[KINDS];
static long worst_seed[KINDS];
static int refused;

static void start_record(void)
{
    memset(worst, 0, sizeof(worst));
    refused = 0;
}

/* Print the largest differences. At most one mechanism in fifty may move too fast for its step. */
static void end_record(const char *what)
{
    printf("%s:", what);
    for (int k = 0; k < KINDS; k++)
        printf(" %s %.2g (seed %ld)", kind_names[k], worst[k], worst_seed[k]);
    printf(" of what is allowed, %d refused\n", refused);
    assert_true(refused <= MECHANISMS / 50);
}

static void compare(const struct yardstick *y, const struct motion *other, double relative,
                    long seed)
{
    refused += y->motion.n == 0;
    for (int k = 0; k < KINDS; k++) {
        double difference = largest(other->value[k], y->motion.value[k], count_of(&y->motion, k));
        double allowed = relative * fmax(y->size[k], REST) + NOISE * y->noise[k];
        double part = difference > 0 ? difference / allowed : 0;

        if (!(part <= worst[k])) {
            worst[k] = part;
            worst_seed[k] = seed;
        }
        if (!(part <= 1))
            fail_msg("seed %ld, %d bodies: %s differs by %.2g, largest is %.2g, noise %.2g", seed,
                     y->motion.n, kind_names[k], difference, y->size[k], y->noise[k]);
    }
}

/* Move the results back to the place of the first model: x = R^T (x' - shift), and other world
 * vectors likewise. */
static void move_back(struct motion *m, const double q[4], const double shift[3])
{
    static const enum kind world[] = {POSITION, VELOCITY, ACCELERATION};
    double R[9];

    lk_quat_matrix(q, R);
    for (size_t k = 0; k < sizeof(world) / sizeof(world[0]); k++)
        for (int b = 0; b < m->n; b++) {
            double *v = m->value[world[k]] + 3 * b, old[3];

            for (int i = 0; i < 3; i++)
                old[i] = v[i] - (world[k] == POSITION ? shift[i] : 0);
            lk_rotate_back(R, old, v);
        }
}

static void moves_with_the_model(void **state)
{
    (void)state;
    start_record();
    for (long seed = 0; seed < MECHANISMS; seed++) {
        struct dice dice = {(uint64_t)seed + 1};
        struct mechanism *m = draw(seed, MECHANISM_MOVABLE);
        struct yardstick y = measure(seed, MECHANISM_MOVABLE, 2);
        double q[4], shift[3];
        struct motion other;

        dice_unit(&dice, q, 4);
        for (int i = 0; i < 3; i++)
            shift[i] = dice_uniform(&dice, -2, 2);
        mechanism_move(m, q, shift);
        other = run(m, 1);
        move_back(&other, q, shift);
        compare(&y, &other, RELATIVE, seed);
        free_motion(&other);
        free_motion(&y.motion);
        mechanism_free(m);
    }
    end_record("moved");
}

static int is_split(const struct mechanism *m)
{
    struct lk_system *sys = mechanism_compile(m);
    int ret = sys && sys->n_bodies > sys->n_named_bodies;

    lk_system_free(sys);
    return ret;
}

static int n_balanced; /* reactions found by the balance of bodies */

/* Exclude reactions that are reported as unknown, because their rows are dependent, from the
 * comparison. */
static void leave_unknown(const struct mechanism *m, const struct motion *all, struct motion *ret)
{
    struct lk_system *sys = mechanism_compile((struct mechanism *)m);

    assert_non_null(sys);
    for (int j = 0; j < ret->n_joints; j++) {
        bool is_known = !isnan(ret->value[FORCE][3 * j]);

        n_balanced += is_known && !sys->joint[j].is_known;
        assert_true(is_known || sys->is_redundant || !sys->joint[j].is_known);
        for (int i = 3 * j; i < 3 * j + 3 && !is_known; i++) {
            ret->value[FORCE][i] = all->value[FORCE][i];
            ret->value[TORQUE][i] = all->value[TORQUE][i];
        }
    }
    lk_system_free(sys);
}

/* Compare planar reduction, which omits the rows that keep bodies upright, with a step of all rows.
 * If these rows are redundant, they cause an error proportional to their E. */
static void compare_with_all_rows(const char *formulation, long seed)
{
    struct mechanism *m = draw_by(formulation, seed, MECHANISM_MIXED);
    struct yardstick y = measure_by(formulation, seed, MECHANISM_MIXED, 0);
    struct motion other;

    add_noise(&y, draw_by(formulation, seed, MECHANISM_MIXED), 2);
    m->all_rows = 0;
    other = run(m, 1);
    leave_unknown(m, &y.motion, &other);
    for (int k = FORCE; k < KINDS && strcmp(formulation, "ali3") == 0; k++)
        y.noise[k] = fmax(y.noise[k], UNBALANCED * y.size[k]);
    compare(&y, &other, RELATIVE, seed);
    free_motion(&other);
    free_motion(&y.motion);
    mechanism_free(m);
}

static void what_holds_upright_may_be_left_out(void **state)
{
    static const char *const formulations[] = {"rattle", "ali3"}; /* rk4: test_plane.c */

    (void)state;
    for (int f = 0; f < 2; f++) {
        start_record();
        n_held = n_balanced = 0;
        for (long seed = 0; seed < MECHANISMS; seed++)
            compare_with_all_rows(formulations[f], seed);
        end_record(formulations[f]);
        printf("    %d bodies held, %d reactions by balance\n", n_held, n_balanced);
        assert_true(n_balanced > 0);
        assert_true(n_held > MECHANISMS / 20);
    }
}

static void order_in_the_file_does_not_matter(void **state)
{
    (void)state;
    start_record();
    for (long seed = 0; seed < MECHANISMS; seed++) {
        struct dice dice = {(uint64_t)seed + 2};
        struct mechanism *m = draw(seed, MECHANISM_MIXED);
        struct yardstick y = measure(seed, MECHANISM_MIXED, 0);
        struct motion other;

        mechanism_shuffle(m, &dice);
        other = run(m, 1);
        compare(&y, &other, is_split(m) ? SPLIT : 10 * RELATIVE, seed);
        free_motion(&other);
        free_motion(&y.motion);
        mechanism_free(m);
    }
    end_record("shuffled");
}

/* A row written from the other body has another E, because its lever arms differ. E does not affect
 * the pose, which the iterations restore, but the projections leave E / (d + E) of a rate of
 * violation. A run with four times E measures the effect. */
static void order_of_bodies_in_joints_does_not_matter(void **state)
{
    (void)state;
    start_record();
    for (long seed = 0; seed < MECHANISMS; seed++) {
        struct mechanism *m = draw(seed, MECHANISM_MIXED);
        struct yardstick y = measure(seed, MECHANISM_MIXED, 0);
        struct motion other;

        add_noise(&y, draw(seed, MECHANISM_MIXED), 4);
        mechanism_mirror(m);
        other = run(m, 1);
        compare(&y, &other, is_split(m) ? SPLIT : 10 * RELATIVE, seed);
        free_motion(&other);
        free_motion(&y.motion);
        mechanism_free(m);
    }
    end_record("mirrored");
}

/** struct sums - momentum, angular momentum about the origin and energy of a free mechanism, and
 * the magnitude of their terms */
struct sums {
    double momentum[3];
    double spin[3];
    double energy;
    double parts[2];
};

static struct sums sums_of(const struct lk_system *sys)
{
    struct sums ret = {0};

    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_motion *m = &sys->now.motion[b];
        double Jw[3], own[3], orbit[3], R[9], mass = sys->body[b].mass;

        lk_quat_matrix(m->q, R);
        lk_sym_mul(sys->body[b].inertia, m->v.w, Jw);
        lk_rotate(R, Jw, own);
        lk_cross(m->x, m->v.v, orbit);
        for (int i = 0; i < 3; i++) {
            ret.momentum[i] += mass * m->v.v[i];
            ret.spin[i] += own[i] + mass * orbit[i];
        }
        ret.parts[0] += mass * lk_norm(m->v.v);
        ret.parts[1] += lk_norm(own) + mass * lk_norm(orbit);
        ret.energy += 0.5 * (mass * lk_dot(m->v.v, m->v.v) + lk_dot(m->v.w, Jw));
    }
    return ret;
}

/** struct drift - largest change of the sums during a run, relative to their magnitude */
struct drift {
    double momentum;
    double spin;
    double energy;
};

static struct drift drift_of(long seed, double h, double duration)
{
    struct dice dice = {(uint64_t)seed};
    struct mechanism *m =
        mechanism_make((uint64_t)seed, MECHANISM_FREE, 2 + (int)dice_spread(&dice, 1, 12));
    struct drift ret = {0};
    struct lk_system *sys;
    struct sums start;

    m->step = h;
    m->iterations = 4;
    sys = mechanism_compile(m);
    assert_non_null(sys);
    start = sums_of(sys);
    for (int step = 0; step < (int)round(duration / h); step++) {
        struct sums s;

        assert_int_equal(lk_system_step(sys, NULL), 0);
        s = sums_of(sys);
        ret.momentum = fmax(ret.momentum, largest(s.momentum, start.momentum, 3) / start.parts[0]);
        ret.spin = fmax(ret.spin, largest(s.spin, start.spin, 3) / start.parts[1]);
        ret.energy = fmax(ret.energy, fabs(s.energy - start.energy) / start.energy);
    }
    lk_system_free(sys);
    mechanism_free(m);
    return ret;
}

/* Momentum is conserved to the round-off of a hundred steps and a dozen bodies, because forces
 * between bodies are opposite pairs. Angular momentum is conserved to the accuracy of the
 * iterations. The energy has an error of order h^2 (partly (omega h)^2, with omega up to 30 rad/s
 * for light bodies): half the step gives a quarter of the error. */
static void free_mechanisms_keep_momentum_and_energy(void **state)
{
    (void)state;
    for (long seed = 0; seed < MECHANISMS / 4; seed++) {
        struct drift coarse = drift_of(seed, 1e-3, 0.1), fine = drift_of(seed, 5e-4, 0.1);

        if (!(fmax(coarse.momentum, fine.momentum) < 1e-13 &&
              fmax(coarse.spin, coarse.energy) < 1e-3 && fine.spin <= 0.27 * coarse.spin + LEFT &&
              fine.energy <= 0.27 * coarse.energy + LEFT))
            fail_msg(
                "seed %ld: with half the step momentum drifts by %.2g instead of %.2g, angular "
                "momentum by %.2g instead of %.2g, energy by %.2g instead of %.2g",
                seed, fine.momentum, coarse.momentum, fine.spin, coarse.spin, fine.energy,
                coarse.energy);
    }
}

#define REPLAYED 50

/** struct recording - inputs and results of REPLAYED steps. @good: number of accepted steps */
struct recording {
    int good;
    size_t n_in;
    size_t n_out;
    double *inputs;
    double *outputs;
};

static struct recording make_recording(const struct lk_system *sys, const struct mechanism *m)
{
    struct dice dice = {m->seed};
    struct recording r = {.n_in = (size_t)lk_system_input_size(sys),
                          .n_out = (size_t)lk_system_output_size(sys)};

    r.inputs = calloc(r.n_in * REPLAYED + 1, sizeof(double));
    r.outputs = calloc(r.n_out * REPLAYED + 1, sizeof(double));
    assert_true(r.inputs && r.outputs);
    for (size_t step = 0; step < REPLAYED; step++)
        mechanism_inputs(m, &dice, r.inputs + step * r.n_in);
    return r;
}

static void free_recording(struct recording *r)
{
    free(r->inputs);
    free(r->outputs);
}

static void record(struct lk_system *sys, struct recording *r)
{
    for (r->good = 0; r->good < REPLAYED; r->good++) {
        if (lk_system_step(sys, r->inputs + (size_t)r->good * r->n_in) != 0)
            return;
        lk_system_outputs(sys, r->outputs + (size_t)r->good * r->n_out);
    }
}

/* Repeat the recorded steps and compare the bits.
 * @before: called before each step; it must have no effect */
static void replay(struct lk_system *sys, const struct recording *r, const char *how,
                   void (*before)(struct lk_system *, struct dice *), long seed)
{
    struct dice dice = {(uint64_t)seed};
    double *outputs = calloc(r->n_out + 1, sizeof(double));

    assert_non_null(outputs);
    for (int step = 0; step < r->good; step++) {
        if (before)
            before(sys, &dice);
        if (lk_system_step(sys, r->inputs + (size_t)step * r->n_in) != 0)
            fail_msg("seed %ld, %s: step %d is refused", seed, how, step);
        lk_system_outputs(sys, outputs);
        if (memcmp(outputs, r->outputs + (size_t)step * r->n_out, r->n_out * sizeof(double)) != 0)
            fail_msg("seed %ld, %s: step %d has other bits", seed, how, step);
    }
    free(outputs);
}

/* Make a step that is refused: forces whose energy is not finite. Drives react to their inputs with
 * a delay, so they alone would not cause a refusal. */
static void refuse_step(struct lk_system *sys, struct dice *dice)
{
    double inputs[32] = {0};
    int has_force = 0;

    assert_true(lk_system_input_size(sys) <= 32);
    for (int i = 0; i < sys->n_inputs; i++) {
        has_force |= sys->input[i].type != LK_INPUT_DRIVE;
        inputs[sys->input[i].offset] = dice_uniform(dice, 1, 2) * 1e300;
    }
    if (has_force)
        assert_int_not_equal(lk_system_step(sys, inputs), 0);
}

/* Change the order of elimination. Children still precede their parents: the next front is drawn
 * from those whose children are done. */
static void reschedule(struct lk_system *sys, struct dice *dice)
{
    int n = sys->fronts.n_fronts, done = 0;
    int *waiting = calloc((size_t)n + 1, sizeof(int)), *order = calloc((size_t)n + 1, sizeof(int));

    assert_true(waiting && order);
    for (int f = 0; f < n; f++)
        if (sys->fronts.plan_front[f].parent >= 0)
            waiting[sys->fronts.plan_front[f].parent]++;
    while (done < n) {
        int f = dice_below(dice, n);

        while (waiting[f] != 0)
            f = (f + 1) % n;
        order[done++] = f;
        waiting[f] = -1;
        if (sys->fronts.plan_front[f].parent >= 0)
            waiting[sys->fronts.plan_front[f].parent]--;
    }
    lk_fronts_schedule(&sys->fronts, order);
    free(waiting);
    free(order);
}

/* The same inputs give the same bits, whatever happened before or between. */
static void recorded_inputs_give_recorded_bits(void **state)
{
    (void)state;
    for (long seed = 0; seed < MECHANISMS / 2; seed++) {
        struct mechanism *m = draw(seed, MECHANISM_MIXED);
        struct lk_system *sys = mechanism_compile(m), *second = mechanism_compile(m);
        struct recording r;

        assert_true(sys && second);
        r = make_recording(sys, m);
        record(sys, &r);
        replay(second, &r, "in a second system", NULL, seed);
        lk_system_reset(sys);
        replay(sys, &r, "after a reset", NULL, seed);
        assert_memory_equal(sys->now.block, second->now.block, sys->state_size * sizeof(double));
        lk_system_reset(sys);
        replay(sys, &r, "by other schedules", reschedule, seed);
        lk_system_reset(sys);
        replay(sys, &r, "between refused steps", refuse_step, seed);
        free_recording(&r);
        lk_system_free(sys);
        lk_system_free(second);
        mechanism_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_with_the_model),
        cmocka_unit_test(order_in_the_file_does_not_matter),
        cmocka_unit_test(what_holds_upright_may_be_left_out),
        cmocka_unit_test(order_of_bodies_in_joints_does_not_matter),
        cmocka_unit_test(free_mechanisms_keep_momentum_and_energy),
        cmocka_unit_test(recorded_inputs_give_recorded_bits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
