/* SPDX-License-Identifier: Apache-2.0 */
/* Hard end stops, see stops.c. */
#ifndef LK_STEP_ELEMENTS_STOPS_H
#define LK_STEP_ELEMENTS_STOPS_H

#include "step/system.h"
#include <stdbool.h>

struct lk_arena;

/** struct lk_contact - a hard stop. @law, @term: indices of its law and term
 * @rate, @acceleration: first and second derivative of its row at q_n;  @held: force of the stop at
 *                       q_n
 * @own: compliance of the stop itself in the present problem
 * @rebound: rate of the row after its impact
 * @is_impact: the row arrives faster than its acceleration could cause in two steps
 * @is_blocked: other rows prevent motion of the row of the stop */
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

#define LK_HARD_STOPS_MAX 128 /* hard stops are solved together, in n^3 operations */

/** struct lk_stops - the @n hard stops. Arrays have n numbers unless stated otherwise.
 * Positive multipliers push from the upper limit, negative ones from the lower limit.
 * @yield:     n x n: s Phi_q W Phi_q^T of the rows of the stops, reduced by all other rows
 * @push:      multipliers of the first half kick [N, N m];  @kept_push: multipliers of the last
 *             accepted iterate;  @increments: their changes in all iterations, one after another
 * @impulse:   impulse over the step, times 4 / h^2;  @bounce: additional impulse of restitution
 * @rate:      rates of the rows at q_n+1 without stops
 * @work:      work of inputs and loads in the step, estimated at its start [J]
 * @matrix, @b, @lower, @upper, @scratch: arguments of lk_complementarity_solve()
 * @force, @solution: n_rows;  @shove, @response: of the size of lk_system.correction */
struct lk_stops {
    int n;
    struct lk_contact *contact;
    double *yield;
    double *push;
    double *kept_push;
    double *increments;
    double *impulse;
    double *bounce;
    double *rate;
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

void lk_stops_layout(const struct lk_system *system, struct lk_stops *stops,
                     struct lk_arena *arena);

/** lk_stops_find() - find the hard stops of a compiled system. */
void lk_stops_find(struct lk_system *system);

/** lk_stops_find_yields() - compute stops->yield with the factor of the first half kick.
 * system->solution is preserved. */
LK_RT void lk_stops_find_yields(struct lk_system *system);

/** lk_stops_push() - compute the changes of the pushes in increment @iteration, and add their
 * effect to the increment of all rows in system->solution and system->correction. Return:
 * whether the active stops are the same as before. */
LK_RT bool lk_stops_push(struct lk_system *system, int iteration);

/** lk_stops_blend() - add @alpha times the pushes of increment @before to the pushes of @iteration.
 */
LK_RT void lk_stops_blend(struct lk_stops *stops, int iteration, int before, double alpha);

/** lk_stops_keep() - store the pushes of the present iterate, unless the iterations have ended
 * (@ends). lk_stops_take_kept() - restore the pushes that were stored last. */
LK_RT void lk_stops_keep(struct lk_stops *stops, bool ends);
LK_RT void lk_stops_take_kept(struct lk_stops *stops);

/** lk_stops_add() - add @part times the pushes of increment @iteration. */
LK_RT void lk_stops_add(struct lk_stops *stops, int iteration, double part);

#endif
