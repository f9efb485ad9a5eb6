/* SPDX-License-Identifier: Apache-2.0 */
/* Price table: cost of the operations of a step by processor, and detection of this processor.
 *
 * Each row of the table in prices.c was measured once, by `linkage bench --prices` on that
 * processor. Nothing is measured when a model is compiled, so the choice of engine is
 * reproducible. */
#ifndef LK_COMPILE_BATCH_PRICES_H
#define LK_COMPILE_BATCH_PRICES_H

#include <stdbool.h>

/** enum lk_batch_work - units in which a batched step is counted: STEP: once a step; BODIES: blocks
 * of bodies; ROWS: rows of blocks of joints; FRONTS, FRONT_FLOPS: fronts that are links (see struct
 * lk_batch_part) and their operations; GENERAL: the same of all other fronts; FAR: the surcharge
 * for fronts that gather operands from several places, LK_GENERAL times as much if not a link. */
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

/** enum lk_classic_work - the same for a step one by one: once a step, bodies, rows, operations of
 * the fronts. */
enum lk_classic_work {
    LK_WORK_CLASSIC_STEP,
    LK_WORK_BODY,
    LK_WORK_ROW,
    LK_WORK_FLOP,
    LK_CLASSIC_WORKS
};

/** enum lk_width - engine widths that a row has prices for: eight lanes, four, two, one. */
enum lk_width { LK_WIDTH_8, LK_WIDTH_4, LK_WIDTH_2, LK_WIDTH_1, LK_WIDTHS };

/** struct lk_processor - identification of a processor. @vendor: as "GenuineIntel", "" if unknown;
 * @widest: lanes of the widest engine that it can run */
struct lk_processor {
    char vendor[16];
    int family;
    int model;
    int widest;
};

#define LK_MODEL_RANGES 3

/** struct lk_prices - a row of the table, for ranges of models of one family.
 * @name:    for messages;  @vendor, @family, @model, @widest: see struct lk_processor
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

/** lk_prices_table - all rows; the last has name NULL. */
extern const struct lk_prices lk_prices_table[];

/** lk_width_of() - width of an engine with @lanes lanes. */
enum lk_width lk_width_of(int lanes);

/** lk_processor_here() - identify the processor that runs this. */
void lk_processor_here(struct lk_processor *ret);

/** lk_prices_find() - the row of a processor; without one, the row of the most similar processor:
 * with the same widest engine, if possible of the same vendor.
 * @ret_is_own: whether the row is for this processor */
const struct lk_prices *lk_prices_find(const struct lk_processor *processor, bool *ret_is_own);

#endif
