/* SPDX-License-Identifier: Apache-2.0 */
/* One system by every engine of the step on batches, compared with the same steps one by one.
 *
 * Engines differ from the classical step only by round-off, whose amplification depends on the
 * mechanism (see test_random.c). It is measured: the classical step also runs from initial
 * configurations perturbed by the round-off of its size. NOISE times the differences of these runs
 * is allowed between engines: a step rounds about as many times as rows occur in a sum, and TRIALS
 * draws may all miss the worst direction. Values that the perturbation does not affect (a constant
 * load, say) may still differ by the rounding of sums: RELATIVE is 2e-16 for each of the STEPS *
 * ROUNDINGS operations that a value passes through in succession. */
#ifndef TESTS_PHYSICS_BY_ENGINES_H
#define TESTS_PHYSICS_BY_ENGINES_H

#include "figure.h"
#include "step/system.h"

#define ENGINES_STEPS 20 /* of a run */

/** engines_formulation, engines_order - what is tested; engines_by_ali3(), engines_by_rattle() set
 * it up. */
extern const struct lk_formulation *engines_formulation;
extern int engines_order;
int engines_by_ali3(void **state);
int engines_by_rattle(void **state);
int engines_by_rk4(void **state);

/** engines_known_share - rows that hold the same share a force by their E, of which round-off is
 * known to this part; 0 where there are no such rows. */
extern double engines_known_share;

/** struct subject - what is compiled: a mechanism, or, where that is NULL, the @text of a model.
 * @seed: of its inputs, and in messages */
struct subject {
    const struct mechanism *mechanism;
    const char *text;
    uint64_t seed;
};

/** engines_compile() - a subject by @engine, its name or "none"; asserts that it is stepped so. */
struct lk_system *engines_compile(const struct subject *subject, const char *engine);

/** engines_new_inputs() - zeros for all inputs, to be freed. engines_draw_inputs() - new values. */
double *engines_new_inputs(const struct lk_system *system);
void engines_draw_inputs(const struct subject *subject, const struct lk_system *system,
                         struct dice *dice, double *ret);

/** engines_compare() - every engine with none; the subject may move too fast for its step, which
 * all then refuse, or for `rk4`, which does not compile it. @what: in messages */
void engines_compare(const struct subject *subject, const char *what);
/** engines_compare_mechanism() - the same; releases it. */
void engines_compare_mechanism(struct mechanism *mechanism, const char *what);

/** engines_compared, engines_refused, engines_unfit - how many so far: compared, those of them that
 * were refused a step, and those that were not compiled;  engines_report() - prints them, and the
 * worst of all, relative to the allowed difference. */
extern int engines_compared, engines_refused, engines_unfit;
void engines_report(void);

#endif
