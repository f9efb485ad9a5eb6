/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations of a step cost on one sort of processor, and which sort this one is.
 *
 * A row of the table in prices.c is measured once, by `linkage bench --prices` on that processor;
 * nothing is measured when a model is compiled, so that it is stepped the same way every time. */
#ifndef LK_COMPILE_BATCH_PRICES_H
#define LK_COMPILE_BATCH_PRICES_H

#include <stdbool.h>

/** enum lk_batch_work - what a step side by side is made of, and counted in: once, whatever the
 * model; blocks of bodies; rows of blocks of joints; fronts that are links (see struct
 * lk_batch_part) and their operations; the same of all other fronts; more for fronts whose operands
 * are collected from several places, of those that are no links LK_GENERAL times as much. */
enum lk_batch_work {
    LK_WORK_STEP,
    LK_WORK_BODIES,
    LK_WORK_ROWS,
    LK_WORK_FRONTS,
    LK_WORK_FRONT_FLOPS,
    LK_WORK_GENERAL_FRONTS,
    LK_WORK_GENERAL_FLOPS,
    LK_WORK_FAR_FRONTS,
    LK_WORK_FAR_FLOPS,
    LK_BATCH_WORKS
};
#define LK_GENERAL 1.6

/** enum lk_classic_work - the same of a step one by one: once, bodies, rows, operations of the
 * fronts. */
enum lk_classic_work {
    LK_WORK_CLASSIC_STEP,
    LK_WORK_BODY,
    LK_WORK_ROW,
    LK_WORK_FLOP,
    LK_CLASSIC_WORKS
};

/** enum lk_width - engines by what a row has for them: eight lanes, four, two, one. */
enum lk_width { LK_WIDTH_8, LK_WIDTH_4, LK_WIDTH_2, LK_WIDTH_1, LK_WIDTHS };

/** struct lk_processor - what it says of itself. @vendor: "GenuineIntel", "" where it is not said;
 * @widest: lanes of the widest engine that it has */
struct lk_processor {
    char vendor[16];
    int family;
    int model;
    int widest;
};

#define LK_MODEL_RANGES 3

/** struct lk_prices - a row: of the models of a family that are meant alike, from first to last.
 * @name:    for people;  @vendor, @family, @model, @widest: see struct lk_processor
 * @batches: [ns] of each work and width; 0 where the processor has no such engine
 * @classic: [ns] of each work of a step one by one */
struct lk_prices {
    const char *name;
    const char *vendor;
    int family;
    struct {
        int first;
        int last;
    } model[LK_MODEL_RANGES];
    int widest;
    double batches[LK_WIDTHS][LK_BATCH_WORKS];
    double classic[LK_CLASSIC_WORKS];
};

/** lk_prices_table - all rows; one without a name ends it. */
extern const struct lk_prices lk_prices_table[];

/** lk_width_of() - of an engine with so many lanes. */
enum lk_width lk_width_of(int lanes);

/** lk_processor_here() - the one that runs this. */
void lk_processor_here(struct lk_processor *ret);

/** lk_prices_find() - the row of a processor. One that has none gets that of its nearest relative:
 * with the same widest engine, if there is one, of the same vendor.
 * @ret_is_own: whether the row is its own */
const struct lk_prices *lk_prices_find(const struct lk_processor *processor, bool *ret_is_own);

#endif
