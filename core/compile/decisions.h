/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions that the compiler makes from a model, and the reason why each remains valid for every
 * later value of inputs, parameters and states. A new decision needs a row here, a row in the same
 * table of doc/architecture.md, and a motion in tests/physics/test_decisions.c that changes the
 * quantities on which the decision depends. */
#ifndef LK_COMPILE_DECISIONS_H
#define LK_COMPILE_DECISIONS_H

/** struct lk_decision - one decision, documented as text.
 * @what: what is decided;  @file: source file that decides
 * @depends: data of the model on which the decision depends;  @changes: the part of these data
 *           that may change in a run
 * @guard: why the decision then remains valid, or which check watches it */
struct lk_decision {
    const char *what;
    const char *file;
    const char *depends;
    const char *changes;
    const char *guard;
};

/** lk_decisions - all decisions, in the order of the table in doc/architecture.md. */
extern const struct lk_decision lk_decisions[];
extern const int lk_n_decisions;

#endif
