/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiler decides from a model, and what makes that hold for every value that inputs,
 * parameters and states take later. Who adds such a decision adds a row here, to the same table in
 * doc/architecture.md, and a motion to tests/physics/test_decisions.c in which what it depends on
 * changes. */
#ifndef LK_COMPILE_DECISIONS_H
#define LK_COMPILE_DECISIONS_H

/** struct lk_decision - @what is decided, in @file;  @depends: on what of the model
 * @changes: which of that may change in a run;  @guard: why it holds then, or who watches it */
struct lk_decision {
    const char *what;
    const char *file;
    const char *depends;
    const char *changes;
    const char *guard;
};

/** lk_decisions - all of them, in the order of the table in the document. */
extern const struct lk_decision lk_decisions[];
extern const int lk_n_decisions;

#endif
