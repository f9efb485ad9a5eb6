/* SPDX-License-Identifier: Apache-2.0 */
/* Models on a plane that lies anywhere, and what a step that leaves rows out is held against: the
 * motion of all rows. */
#ifndef TESTS_PHYSICS_SHEET_H
#define TESTS_PHYSICS_SHEET_H

#include "linkage/linkage.h"
#include "mechanism.h"
#include <stddef.h>

#define TEXT 16384

/** struct sheet - a plane: @e: two directions in it and its normal, @q: the turn to them;  @origin:
 * [m]
 * @text: of a model that is drawn on it, @n bytes so far */
struct sheet {
    double e[3][3];
    double q[4];
    double origin[3];
    char text[TEXT];
    size_t n;
};

/** sheet_lay() - a plane without text. @across: the world axis that is its normal, to the last bit;
 * -1: it lies anywhere */
void sheet_lay(struct dice *dice, int across, struct sheet *sheet);

/** sheet_put() - text behind that of @sheet;  sheet_along(), sheet_place() - a key with a vector
 * along the sheet, and with a place on it, @z above it [m] */
__attribute__((format(printf, 2, 3))) void sheet_put(struct sheet *sheet, const char *format, ...);
void sheet_along(struct sheet *sheet, const char *key, double x, double y, double z);
void sheet_place(struct sheet *sheet, const char *key, double x, double y, double z);

/** compile_by() - the model in @text, or the test fails. @formulation: NULL: as the model says */
struct lk_system *compile_by(const char *formulation, const char *text,
                             const struct lk_options *options);

/** count_rows() - rigid rows;  count_upright() - bodies that cannot tilt and are stepped so. */
int count_rows(const struct lk_system *system);
int count_upright(const struct lk_system *system);

/** assert_near() - @n numbers, as near as steps by @by leave them, of @size;  assert_same_motion()
 * - of all bodies. @text: of the model, shown where they differ */
void assert_near(const char *by, const double *a, const double *b, int n, double size,
                 const char *text);
void assert_same_motion(const char *by, const struct lk_system *a, const struct lk_system *b,
                        const char *text);

#endif
