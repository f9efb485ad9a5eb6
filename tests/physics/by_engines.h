/* SPDX-License-Identifier: Apache-2.0 */
/* Steps a system with each engine of the step on batches and compares the results with steps made
 * one by one.
 *
 * Engines differ from the classical step only by round-off, whose amplification depends on the
 * mechanism (see test_random.c). The amplification is measured: the classical step also runs from
 * initial configurations perturbed by the round-off of their size. NOISE times the differences of
 * these runs is allowed between engines, because a step rounds about as many times as a sum has
 * rows, and because TRIALS perturbations may all miss the worst direction. Values that the
 * perturbation does not affect (a constant load, for example) may still differ by the rounding of
 * sums: RELATIVE is 2e-16 for each of the STEPS * ROUNDINGS operations that a value passes through
 * in succession. */
#ifndef TESTS_PHYSICS_BY_ENGINES_H
#define TESTS_PHYSICS_BY_ENGINES_H

#include "figure.h"
#include "step/system.h"

#define ENGINES_STEPS 20 /* number of steps of a run */

/** engines_formulation, engines_order - formulation and order under test; engines_by_ali3(),
 * engines_by_rattle() and engines_by_rk4() set them up. */
extern const struct lk_formulation *engines_formulation;
extern int engines_order;
int engines_by_ali3(void **state);
int engines_by_rattle(void **state);
int engines_by_rk4(void **state);

/** engines_known_share - relative round-off of multipliers of redundant rows, which share a force
 * in proportion to their E; 0 if a subject has no such rows. */
extern double engines_known_share;

/** struct subject - the subject of a test: a mechanism, or the @text of a model if @mechanism is
 * NULL.
 * @seed: seed of its inputs, also printed in messages */
struct subject {
    const struct mechanism *mechanism;
    const char *text;
    uint64_t seed;
};

/** engines_compile() - Compile a subject for @engine, its name or "none". Assert that this engine
 * steps it. */
struct lk_system *engines_compile(const struct subject *subject, const char *engine);

/** engines_new_inputs() - Allocate inputs, all 0, which the caller frees. engines_draw_inputs() -
 * Draw new values for inputs. */
double *engines_new_inputs(const struct lk_system *system);
void engines_draw_inputs(const struct subject *subject, const struct lk_system *system,
                         struct dice *dice, double *ret);

/** engines_compare() - Compare each engine with steps one by one. The subject may move too fast for
 * its step, which all engines must then refuse, or too fast for `rk4`, which then does not compile
 * it.
 * @what: name of the subject in messages */
void engines_compare(const struct subject *subject, const char *what);
/** engines_compare_mechanism() - Compare a mechanism with each engine, and release it. */
void engines_compare_mechanism(struct mechanism *mechanism, const char *what);

/** engines_compared, engines_refused, engines_unfit - number of subjects so far: compared;
 * compared, with a refused step; not compiled. engines_report() - Print these numbers and the
 * largest difference, relative to the allowed one. */
extern int engines_compared, engines_refused, engines_unfit;
void engines_report(void);

#endif
