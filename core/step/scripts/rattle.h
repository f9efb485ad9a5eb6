/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the formulation `rattle`, see rattle.c for its equations. All for the cycle, RT: yes. */
#ifndef LK_STEP_RATTLE_H
#define LK_STEP_RATTLE_H

#include "step/one/quads.h"
#include "step/system.h"
#include <stdbool.h>

#define LK_RATTLE_ITERATIONS 5

/* E of rigid rows, see lk_fill_regularise(): nothing is carried on that would have to leak, so it
 * is as small as redundant rows of mixed units allow. What passes a change point is wrong by about
 * its square root (ladder-2, 1 ms: 5 % of the error of the step), so less would be better there;
 * but with 1e-8 the rates of a Bennett linkage at 5 ms are closed to 1.3e-9 m/s instead of 2e-12,
 * with 4e-9 it breaks, and turned in space its reactions differ by 5e-8 instead of 3e-9; with 4e-9
 * and 4e-11 a Peaucellier linkage leaves its aligned pose worse, not better. */
#define LK_RATTLE_REGULARISATION 4e-8

/** struct lk_rattle_iterate - what an increment changes of four bodies: @u, @turn, @theta as in
 * struct lk_quad */
struct lk_rattle_iterate {
    lk_four u[3];
    lk_four turn[4];
    lk_four theta[3];
};

/** struct lk_half_kicks - four bodies. @weight: m W, 1, or 0 where there is no mass;  @last_turn:
 * theta of the last step;
 * @sW: of the inertia;  @tension: K, see tension.h, and @start_sW: s (J + s K)^-1;  @momentum: h J
 * w_n;  @kick: s W (Phi_q^T lambda - Q) at q_n;  @kept: the last iterate that counts */
struct lk_half_kicks {
    lk_four weight;
    lk_four last_turn[3];
    lk_four sW[6];
    lk_four start_sW[6];
    lk_four tension[6];
    lk_four momentum[3];
    lk_four kick[6];
    struct lk_rattle_iterate kept;
};

/** struct lk_rattle_increment - of four bodies in one iteration: @dq, and @correction: s W Phi_q^T
 * dlambda */
struct lk_rattle_increment {
    lk_four dq[6];
    lk_four correction[6];
};

/** struct lk_contact - a hard stop. @law, @term: of it;  @rate, @acceleration, @held: of its row at
 * q_n: rate, acceleration, and the force of the stop;
 * @own: what it yields itself, in the problem at hand;  @rebound: rate at which the row must leave
 * it;  @is_impact: it is hit faster than by its acceleration;  @is_blocked: other rows hold its row
 */
struct lk_contact {
    int law;
    int term;
    double rate;
    double acceleration;
    double held;
    double own;
    double rebound;
    bool is_impact;
    bool is_blocked;
};

#define LK_HARD_STOPS_MAX 128 /* they are decided together, in n^3 operations a step */

/** struct lk_rattle_stops - the @n hard stops, n numbers each unless said. Positive multipliers
 * push from the upper limit, negative from the lower one.
 * @yield:     n x n: s Phi_q W Phi_q^T of their rows, less what all other rows hold
 * @push:      multipliers of the first half kick [N, N m], @kept_push of the iterate that is kept,
 *             @increments of all iterations, one after another
 * @impulse:   over the step, by 4 / h^2;  @bounce: what restitution adds
 * @rate:      of their rows at q_n+1 without stops
 * @power:     that the soft stops take at q_n, with what else acts along their coordinates [W]
 * @work:      of inputs and loads in the step, estimated at its start [J]
 * @b .. @scratch: of lk_complementarity_solve();  @force, @solution: n_rows;  @shove, @response: as
 * lk_system.correction */
struct lk_rattle_stops {
    int n;
    struct lk_contact *contact;
    double *yield;
    double *push;
    double *kept_push;
    double *increments;
    double *impulse;
    double *bounce;
    double *rate;
    double power;
    double work;
    double *matrix;
    double *b;
    double *lower;
    double *upper;
    double *scratch;
    double *force;
    double *solution;
    struct lk_twist *shove;
    struct lk_twist *response;
};

/** enum lk_rattle_measure - of increments. BY_MASS: a . M b;  BY_TURNS: of the turns alone. The
 * matrix is wrong because bodies turn: turns tell how wrong, where in the measure of the mass the
 * turn of a light body is nothing beside the way of a heavy one that it leads to. The mass tells it
 * where laws bend, and a wheel that spins says nothing of the rest. */
enum lk_rattle_measure { LK_BY_MASS, LK_BY_TURNS, LK_MEASURES };
typedef double lk_measures __attribute__((vector_size(LK_MEASURES * sizeof(double))));

/** struct lk_rattle_past - what increments of the iterations tell of the last one. @alpha: that
 * times increment k + 1 is added to it;  @gram: products of two, [i][k] for k = 1 .. i, and [0][0]
 * @inverse: of those with themselves, 0 where a measure sees nothing */
struct lk_rattle_past {
    double alpha[LK_ITERATIONS_MAX];
    lk_measures gram[LK_ITERATIONS_MAX][LK_ITERATIONS_MAX];
    lk_measures inverse[LK_ITERATIONS_MAX];
};

/** lk_rattle_contraction() - @product of an increment with one before, and @inverse of that one's
 * with itself: the part of it that the error of the matrix has made of that one, as far as both
 * measures agree. Increments at round-off tell nothing: at most 1 either way. */
LK_INLINE double lk_rattle_contraction(lk_measures product, lk_measures inverse)
{
    lk_measures part = product * inverse;
    bool turns_tell =
        inverse[LK_BY_TURNS] > 0 &&
        (fabs(part[LK_BY_TURNS]) < fabs(part[LK_BY_MASS]) || inverse[LK_BY_MASS] == 0);

    return lk_clamp(turns_tell ? part[LK_BY_TURNS] : part[LK_BY_MASS], 1);
}

#define LK_CONTRACTION_MAX 0.5 /* that is made use of at most */

/** lk_rattle_stretch() - factor on an increment whose contraction is @alpha. */
LK_INLINE double lk_rattle_stretch(double alpha)
{
    return 1 / (1 - lk_clamp(alpha, LK_CONTRACTION_MAX));
}

/** lk_rattle_look_back() - past->alpha of increment @last, whose products with those before it are
 * @found: the matrix is that of q_n, and where bodies turn fast it is wrong by as much as they turn
 * in a step (C. G. Broyden's update of the inverse, in the form of P. Deuflhard, Newton Methods for
 * Nonlinear Problems, 2004, algorithm QNERR). @since: the first one that tells of it. Return: the
 * factor on the increment. */
LK_INLINE double lk_rattle_look_back(struct lk_rattle_past *past, int last, int since,
                                     const lk_measures *found)
{
    double alpha = 0;

    for (int i = 0; i < last; i++)
        past->alpha[i] = 0;
    for (int i = since; i < last; i++) {
        lk_measures product = found[i];

        for (int k = 0; k < i; k++)
            product += past->alpha[k] * past->gram[i][k + 1];
        alpha = past->alpha[i] = lk_rattle_contraction(product, past->inverse[i]);
    }
    return lk_rattle_stretch(alpha);
}

/** lk_rattle_remember() - the products of increment @last once it is corrected, and times @part,
 * from those that were @found, with itself as well. */
LK_INLINE void lk_rattle_remember(struct lk_rattle_past *past, int last, double part,
                                  const lk_measures *found)
{
    lk_measures square = found[last], inverse;

    for (int k = 1; k < last; k++) {
        lk_measures product = found[k];

        for (int i = 1; i <= k; i++)
            product += past->alpha[i - 1] * past->gram[k][i];
        for (int i = k + 1; i < last; i++)
            product += past->alpha[i - 1] * past->gram[i][k];
        square += past->alpha[k - 1] * (found[k] + product);
        past->gram[last][k] = part * product;
    }
    square *= part * part;
    past->gram[last][last] = square;
    for (int m = 0; m < LK_MEASURES; m++)
        inverse[m] = square[m] > 0 ? 1 / square[m] : 0;
    past->inverse[last] = inverse;
}

/* What stiff dampers add to the second half kick. A damper that stops a motion within a step
 * (a = h c / 2 J W J^T > 1) lets the symmetric velocity v = 2 u / h - v_n ring by (1 - a) / (1 + a)
 * a step, although positions are right. Where the system closes_dampers, their rows stay in the
 * factor of q_n+1 with E = h / 2 c, and the projection of velocities and accelerations takes
 *
 *     J (v - v'),   J (a - a')
 *
 * as their violations, v' and a' by differences of positions, see lk_rattle_differences(): v
 * becomes (v + a v') / (1 + a) along each row, seen through all rigid rows. Order 2 is kept,
 * nothing rings, and no threshold decides where it acts: c has a weight that grows from 0 to 1 as a
 * passes LK_RINGS_FROM, see lk_law_closing(). */

/** struct lk_rattle - scratch. @increment: of all iterations, one after another, with their
 * @multipliers, n_rows each, and their @past;  @lambda: of the iterate that is kept, n_rows;
 * @value: of each law's row at q_n;  @rate: of each law's row by the half kick alone, where the
 * system closes_dampers;  @load: -Q at q_n+1, as lk_system.residual;  @violation:
 * largest one of the last iterate;  @ends: 1 once an iterate was taken back: later increments are
 * 0;  @has_clock: a load depends on time;  @since: first increment that tells of the matrix, those
 * before had other stops act or lk_rattle_leaks();  @tense: bodies whose tension is followed, with
 * the @root of their J and their own @free_sW, and @tension: K of all bodies */
struct lk_rattle {
    struct lk_half_kicks *quad;
    struct lk_rattle_increment *increment;
    double *multipliers;
    struct lk_rattle_past *past;
    double *lambda;
    double *value;
    double *rate;
    struct lk_twist *load;
    double violation;
    bool ends;
    bool has_clock;
    int since;
    struct lk_rattle_stops stops;
    int n_tense;
    int *tense;
    double (*root)[6];
    double (*tension)[6];
    struct lk_inverse_mass *free_sW;
};

/** struct lk_convergence - of the iterations of a step. @found, @done: increments so far, and those
 * of them that were applied;  @part: factor on the last one;  @past: what those before tell of it
 * @violation: largest one of the last iterate that counts;  @ends: an iterate was taken back: later
 * increments are 0;  @goes_back: the last increment is taken back;  @since: first increment that
 * tells of the matrix: those before had other stops act, or lk_rattle_leaks() */
struct lk_convergence {
    int found;
    int done;
    double part;
    struct lk_rattle_past past;
    double violation;
    bool ends;
    bool goes_back;
    int since;
};

/** lk_rattle_begin_convergence() - no increment is there; its past is written before it is read. */
LK_INLINE void lk_rattle_begin_convergence(struct lk_convergence *of)
{
    of->found = of->done = 0;
    of->part = 0;
    of->violation = INFINITY;
    of->ends = of->goes_back = false;
    of->since = 0;
}

#define LK_WORSE_FROM 2     /* increments after which a violation that grows is taken back, */
#define LK_WORSE      2     /* times the one before, */
#define LK_WORSE_MIN  1e-10 /* if it is larger than this [m, rad] */

/** lk_rattle_grows() - whether @violation is so much worse than the @last one that the last of the
 * increments @done is taken back. */
LK_INLINE bool lk_rattle_grows(int done, double violation, double last)
{
    return done >= LK_WORSE_FROM && violation > LK_WORSE * last && violation > LK_WORSE_MIN;
}

#define LK_LEAKS     10    /* times the violation before the first increment, */
#define LK_LEAKS_MIN 1e-13 /* if it is larger than this [m, rad]: not round-off */

/** lk_rattle_leaks() - whether the first increment leaves a much larger @violation than the @last
 * one that it found: multipliers begin at 0, so it leaves E times all of them. The next increment
 * takes that back, and would pass for a contraction of -1: increments would be halved for nothing.
 * @done: increments so far */
LK_INLINE bool lk_rattle_leaks(int done, double violation, double last)
{
    return done == 1 && violation > LK_LEAKS * last && violation > LK_LEAKS_MIN;
}

/** struct lk_rattle_own - what the state of a body has besides its motion. @x, @q: pose of the last
 * factor;
 * @moved: u and theta of the last step;  @bent: their difference from those before, by h^2; 0
 * before the first step */
struct lk_rattle_own {
    double x[3];
    double q[4];
    double moved[6];
    double bent[6];
};

LK_INLINE struct lk_rattle_own *lk_rattle_own(const struct lk_state *state)
{
    return (struct lk_rattle_own *)state->own;
}

/** lk_rattle_has_differences() - whether velocities or accelerations are taken from differences of
 * positions: of bodies that lack inertia, or by dampers. RT: yes. */
LK_INLINE bool lk_rattle_has_differences(const struct lk_system *sys)
{
    return sys->closes_dampers || sys->n_massless > 0 || sys->n_thin > 0;
}

/* ---- one/state.c ---- */

int lk_rattle_own_size(int n_bodies);
int lk_rattle_layout(struct lk_system *system, const struct lk_topology *topology,
                     const struct lk_plan *plan, struct lk_arena *arena);
LK_RT void lk_rattle_begin(struct lk_system *system);
/** lk_rattle_lanes_layout() - what a step on batches needs of it: values of laws, hard stops. */
int lk_rattle_lanes_layout(struct lk_system *system, const struct lk_topology *topology,
                           const struct lk_plan *plan, struct lk_arena *arena);
/** lk_rattle_begin_body() - lk_rattle_begin() for one body. */
LK_RT void lk_rattle_begin_body(struct lk_system *system, int b);
LK_RT void lk_rattle_renew(struct lk_system *system);

/** lk_rattle_place_unclosed() - system->pose of all bodies: those that the iterations of @state
 * ended at. */
LK_RT void lk_rattle_place_unclosed(struct lk_system *system, const struct lk_state *state);

/** lk_rattle_release_laws() - E of the compliant rows of joint @j in the factor of velocities and
 * accelerations, at the present poses, into system->next.tangent: LK_DECOUPLED, or
 * lk_law_closing() where the system closes_dampers. @value: see struct lk_rattle */
LK_RT void lk_rattle_release_laws(struct lk_system *system, const double *value, int j);

/** lk_rattle_factor_unclosed() - Jacobians and factor at the present poses, with E of compliant
 * rows from the tangents of @state. */
LK_RT void lk_rattle_factor_unclosed(struct lk_system *system, const struct lk_state *state);

/** lk_rattle_forget_rigid() - multipliers of rigid rows in system->next: 0. Each half kick finds
 * its own. What was found before is as good a guess, but for a part that loads no body, and that is
 * large near a singular pose. */
LK_RT void lk_rattle_forget_rigid(struct lk_system *system);

/** lk_rattle_forget_way() - the next step is predicted from the velocities of system->next, not
 * from the way of the last one. */
LK_RT void lk_rattle_forget_way(struct lk_system *system);

/* ---- one/positions.c: half a kick at q_n ---- */

/** lk_rattle_predict() - motion of the step by the last half kick, and s W g with the forces in
 * system->residual. */
LK_RT void lk_rattle_predict(struct lk_system *system, struct lk_rattle *rattle);

/** lk_rattle_take_tension(), lk_rattle_leave_tension() - s (J + s K)^-1 in place of s W for the
 * bodies whose tension is followed, and back. */
LK_RT void lk_rattle_take_tension(struct lk_system *system, struct lk_rattle *rattle);
LK_RT void lk_rattle_leave_tension(struct lk_system *system, const struct lk_rattle *rattle);

/** lk_rattle_book_tension() - what that took of the energy in the step whose turns are in
 * system->quad, into system->next. */
LK_RT void lk_rattle_book_tension(struct lk_system *system, const struct lk_rattle *rattle);

/** lk_rattle_book_closing() - the work of closing by system->correction, dq = -s W Phi_q^T kappa,
 * and of the s W g in system->residual that the iterations left, into system->next; the iterate is
 * in system->quad. To first order the energy differs from that of a step without either by
 *
 *     g . u / 2 - dq . M a,    a = 2/h (u/h - v_n)
 *
 * as kicks of q_n would have taken the violation away along its rows, which are not those of q_n+1:
 * see doc/method.md. An iterate that was taken back has no g here. */
LK_RT void lk_rattle_book_closing(struct lk_system *system, const struct lk_rattle *rattle);

/** lk_rattle_follow_laws() - (f - lambda) E of the compliant rows of joint @i at the pose of an
 * iterate into system->solution; @is_first: at the predicted one, whose tangent gives E.
 * @value: see struct lk_rattle */
LK_RT void lk_rattle_follow_laws(struct lk_system *system, const double *value, int i,
                                 bool is_first);

/** lk_rattle_turn_laws() - the multipliers of laws, which are those of rows at the start of the
 * step, for the rows at its end: a rotation may have passed half a turn. Call at closed poses,
 * before the kick. @value: see struct lk_rattle */
LK_RT void lk_rattle_turn_laws(struct lk_system *system, const double *value);

/** lk_rattle_find_gaps() - system->gap: Phi at the present poses, which are closed. Redundant rows
 * contradict each other by that, where axes that should be parallel are not by round-off of the
 * model. No motion removes it; driven again in each iteration its multipliers would grow. Where
 * rows may depend on each other they go back to that, not to 0; it changes with the pose, and
 * closing has all of Phi. lk_rattle_count_gaps_anew(): of coordinates, whose last bits depend on
 * the turns that they are counted from: those of system->now. */
LK_RT void lk_rattle_find_gaps(struct lk_system *system);
LK_RT void lk_rattle_count_gaps_anew(struct lk_system *system);

/** lk_rattle_iterate() - all iterations: multipliers that close the positions at q_n+1. Return:
 * whether every turn is less than half a turn. */
LK_RT bool lk_rattle_iterate(struct lk_system *system, struct lk_rattle *rattle);

/** lk_rattle_close() - the factor of the pose reached takes the last violation away; poses and
 * Jacobians of system->next. */
LK_RT void lk_rattle_close(struct lk_system *system);

/* ---- one/velocities.c: half a kick at q_n+1, accelerations ---- */

/** lk_rattle_loads() - -Q of system's poses at time @t [s]. @ret: as lk_system.residual. */
LK_RT void lk_rattle_loads(struct lk_system *system, double t, const double *inputs,
                           struct lk_twist *ret);

/** lk_rattle_sum_forces() - Phi_q^T @lambda - Q into system->residual. @load: -Q */
LK_RT void lk_rattle_sum_forces(struct lk_system *system, const double *lambda,
                                const struct lk_twist *load);

/** lk_rattle_kick() - velocities of system->next, closed. */
LK_RT void lk_rattle_kick(struct lk_system *system, struct lk_rattle *rattle);

/** lk_rattle_project_velocities() - velocities of system->next closed with the last factor, and the
 * twists that go with them. */
LK_RT void lk_rattle_project_velocities(struct lk_system *system, struct lk_rattle *rattle);

/** lk_rattle_settle_laws() - multipliers of compliant rows in system->next by their laws, at the
 * present poses and twists and the coordinates of @state. */
LK_RT void lk_rattle_settle_laws(struct lk_system *system, const struct lk_state *state);

/** lk_rattle_accelerate() - accelerations and multipliers of system->next at the present poses and
 * twists, with the coordinates of @state and the loads in @rattle. */
LK_RT void lk_rattle_accelerate(struct lk_system *system, struct lk_rattle *rattle,
                                const struct lk_state *state);

/* ---- rattle.c ---- */

/** lk_rattle_may_jump() - whether an input can change the power of drives at once: not one that
 * drives follow, whose motion is smooth. It holds for a model, whatever its inputs are. */
LK_RT bool lk_rattle_may_jump(const struct lk_system *system);

/* ---- elements/stops.c: hard end stops ---- */

void lk_rattle_stops_layout(const struct lk_system *system, struct lk_rattle_stops *stops,
                            struct lk_arena *arena);

/** lk_rattle_find_contacts() - the hard stops of a compiled system. */
void lk_rattle_find_contacts(const struct lk_system *system, struct lk_rattle_stops *stops);

/** lk_rattle_look_at_stops() - what the stops see at q_n; takes their forces out of the multipliers
 * of system->next. */
LK_RT void lk_rattle_look_at_stops(struct lk_system *system, struct lk_rattle *rattle,
                                   const double *inputs);

/** lk_rattle_book_laws() - what the dampers of soft stops, and of all laws where the system
 * closes_dampers, take in the step, in place of what the powers at its ends tell; coordinates and
 * twists of system->next are up to date. */
LK_RT void lk_rattle_book_laws(struct lk_system *system, const struct lk_rattle *rattle);

/** lk_rattle_book_damping() - the work of the impulses that close dampers: s @sigma, the solution
 * of the projection of velocities, times the mean of the rates before and after it. It counts as
 * dissipated, that of impedances as taken by the step. */
LK_RT void lk_rattle_book_damping(struct lk_system *system, const struct lk_rattle *rattle,
                                  const double *sigma);

/** lk_rattle_find_yields() - stops->yield with the factor of the first half kick.
 * system->solution stays. */
LK_RT void lk_rattle_find_yields(struct lk_system *system, struct lk_rattle *rattle);

/** lk_rattle_push() - pushes of the stops in increment @iteration, added to the increment of all
 * rows in system->solution and system->correction. Return: whether the same stops act as before. */
LK_RT bool lk_rattle_push(struct lk_system *system, struct lk_rattle *rattle, int iteration);

/** lk_rattle_blend_pushes() - @alpha times those of increment @before more in @iteration. */
LK_RT void lk_rattle_blend_pushes(struct lk_rattle *rattle, int iteration, int before,
                                  double alpha);

/** lk_rattle_keep_pushes() - those of the present iterate, unless the iterations have ended.
 * lk_rattle_take_kept_pushes() - those of the iterate that was kept last. */
LK_RT void lk_rattle_keep_pushes(struct lk_rattle *rattle, bool ends);
LK_RT void lk_rattle_take_kept_pushes(struct lk_rattle *rattle);

/** lk_rattle_add_pushes() - @part of the pushes of increment @iteration. */
LK_RT void lk_rattle_add_pushes(struct lk_rattle *rattle, int iteration, double part);

/** lk_rattle_return_pushes() - the second half kick takes the pushes back: into the multipliers of
 * system->next. */
LK_RT void lk_rattle_return_pushes(struct lk_system *system, const struct lk_rattle *rattle);

/** lk_rattle_bounce() - impulses of the stops that pushed, into the velocities and twists of
 * system->next, whose coordinates are up to date. */
LK_RT void lk_rattle_bounce(struct lk_system *system, struct lk_rattle *rattle);

/** lk_rattle_rest() - reactions of the stops that are at rest, into the accelerations and
 * multipliers of system->next. */
LK_RT void lk_rattle_rest(struct lk_system *system, struct lk_rattle *rattle);

#endif
