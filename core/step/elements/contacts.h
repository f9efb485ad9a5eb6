/* SPDX-License-Identifier: Apache-2.0 */
/* Contact with friction in a step of `rattle`. Each point has three compliant rows, two tangents
 * and the normal (rows/contact.h), with the multipliers lambda.
 *
 * The two half kicks of a step have their own multipliers. Those of the first half kick lie in the
 * cone of friction, and so does the sum of both, the impulse of the step. The cone is
 * |lambda_t| <= -mu lambda_n, lambda_n <= 0:
 *
 *     positions:   lambda_n = min(0, gap' / 2 E_n)
 *                  lambda_t = lambda_0 + slip / 2 E_t, or |lambda_t| = mu N
 *     velocities:  c_n' = -e c_n after an impact, else 0
 *                  c_t' = 0, or |lambda_t| = mu N
 *
 * where gap' and the rates c' are those at the end of the step, slip is the tangential displacement
 * in the step, and N = -lambda_n. So a body at rest stays at its depth 2 E_n N, a correction of
 * positions adds no velocity, and an impact follows I. Newton's law, at the end of the step in
 * which the gap closes (O. Bruels, V. Acary, A. Cardona, Simultaneous enforcement of constraints at
 * position and velocity levels in the nonsmooth generalized-alpha scheme, 2014; J. J. Moreau,
 * Unilateral contact and dry friction in finite freedom dynamics, 1988). The compliances E_n and
 * E_t make the forces unique where points are redundant, as the regularisation R of A. Castro, F.
 * Permenter, X. Han, An Unconstrained Convex Formulation of Compliant Contact, 2022, equation 17.
 * Different from there, a contact that sticks does not creep: lambda_0 is the multiplier of the
 * last step, so that the tangential compliance is a spring, and its deflection is at most 2 E_t mu
 * N.
 *
 * Passes. With y = lambda + (d - E (lambda - lambda_0)) / w, where d is half of the error of the
 * row without its compliance, and w is the inverse mass of the row, s Phi_q W Phi_q^T, a point is
 * open, sticks or slides according to the place of y relative to the cone: this is the projection
 * of the augmented multiplier on the cone (P. Alart, A. Curnier, A mixed formulation for frictional
 * contact problems prone to Newton like solution methods, 1991). N in the limit mu N is that of the
 * same y. The number of passes is fixed. Each pass has its own factor, with the compliances E of
 * the present case; those of open points are LK_DECOUPLED, so that the work of a step does not
 * depend on the points that touch. The error after the last pass is an output. */
#ifndef LK_STEP_ELEMENTS_CONTACTS_H
#define LK_STEP_ELEMENTS_CONTACTS_H

#include "rows/contact.h"
#include "step/system.h"

#define LK_CONTACT_PASSES 4 /* passes of the velocities; those of the positions: iterations */

/** struct lk_contact_state - state of a point. @force: minus the multipliers of the first half kick
 * of the last step, as a vector in the axes of side 0 [N];  @residual: largest error of a
 * multiplier in that step [N] */
struct lk_contact_state {
    double force[3];
    double residual;
};

/** struct lk_contact_now - scratch of a point in a step; values in the order of its rows.
 * @mu:     coefficient of friction in this step
 * @axes:   axes of the rows at q_n, in the axes of side 0
 * @before: rates at q_n [m/s];  @rebound: rate of the normal that an impact leaves [m/s]
 * @reference: lambda_0, the multipliers at which the compliances have no deflection
 * @pass:   index of the next pass;  @has_slid, @has_opened: the point has slid, or opened, in an
 *          earlier pass, see project_pass() in contacts.c;  @is_new: the point did not touch in the
 *          last step, and this is the first pass
 * @touched: the point touched in the last step
 * @gap:    at q_n, without the depth by the compliance [m]
 * @touches: the point touches at q_n+1
 * @first, @second: multipliers of both half kicks [N];  @shift: displacements over the step [m] */
struct lk_contact_now {
    double mu;
    double axes[3][3];
    double before[3];
    double rebound;
    double reference[3];
    double first[3];
    double second[3];
    double shift[3];
    bool touched;
    bool touches;
    int pass;
    bool has_slid;
    bool has_opened;
    bool is_new;
    double gap;
    double residual;
};

/** struct lk_contact_point - constants of a point. @joint: index of the joint with its rows
 * @pair:   its two shapes
 * @mu: coefficient of friction, unless an input sets it;  @input: index of this input, or -1
 * @restitution: e, ratio of the normal speeds after and before an impact
 * @inverse: w of each row under the joints [m/N], the same for both tangents
 * @soft:   E_t, E_t, E_n of the positions [m/N];  @soft_rate: the same of the velocities */
struct lk_contact_point {
    int joint;
    struct lk_contact_pair pair;
    double mu;
    int input;
    double restitution;
    double inverse[3];
    double soft[3];
    double soft_rate[3];
    struct lk_contact_now *now;
};

/** struct lk_contact_view - values of the @n points from @first on, for outputs. @gap: smallest gap
 * [m];  @normal: sum of normal forces [N];  @friction: magnitude of the sum of friction forces [N]
 * @slip: largest tangential speed of a point that touches [m/s];  @residual: largest error of a
 * multiplier [N];  @force: sum of all forces on side 1, world axes [N] */
struct lk_contact_view {
    double gap;
    double normal;
    double friction;
    double slip;
    double residual;
    double force[3];
};

/** lk_contacts_follow() - compute (f - lambda) E of the rows of joint @j at an iterate, into
 * system->solution, and E. Cycle, RT: yes. */
LK_RT void lk_contacts_follow(struct lk_system *system, int j);

/** lk_contacts_release() - store multipliers and displacements of the rows of joint @j at the last
 * iterate. Cycle, RT: yes. */
LK_RT void lk_contacts_release(struct lk_system *system, int j);

/** lk_contacts_touch() - compute the right-hand sides of all contacts for the next pass of the
 * velocities, and their E. Cycle, RT: yes. */
LK_RT void lk_contacts_touch(struct lk_system *system);

/** lk_contacts_add() - add the solution of a pass to the multipliers, and to that of all passes.
 * Cycle, RT: yes. */
LK_RT void lk_contacts_add(struct lk_system *system);

/** lk_contacts_decouple() - decouple the rows of all contacts from the next factor, and write the
 * solution of all passes into system->solution. Cycle, RT: yes. */
LK_RT void lk_contacts_decouple(struct lk_system *system);

/** lk_contacts_friction() - return the coefficient of friction of a point, of an input if it has
 * one. @inputs: of the system. Thread: any. RT: yes. */
double lk_contacts_friction(const struct lk_contact_point *point, const double *inputs);

/** lk_contacts_view() - compute the output values of @n points in system->now. RT: yes. */
void lk_contacts_view(const struct lk_system *system, int first, int n,
                      struct lk_contact_view *ret);

#endif
