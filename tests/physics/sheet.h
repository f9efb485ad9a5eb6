/* SPDX-License-Identifier: Apache-2.0 */
/* Models in a plane of any position and orientation. A step with planar reduction is compared with
 * a step of all rows. */
#ifndef TESTS_PHYSICS_SHEET_H
#define TESTS_PHYSICS_SHEET_H

#include "linkage/linkage.h"
#include "mechanism.h"
#include <stddef.h>

#define TEXT 16384

/** struct sheet - a plane
 * @e:      two directions in the plane, and its normal
 * @q:      rotation from the world axes to @e
 * @origin: a point of the plane [m]
 * @text:   text of a model in this plane, which has @n bytes at present */
struct sheet {
    double e[3][3];
    double q[4];
    double origin[3];
    char text[TEXT];
    size_t n;
};

/** sheet_lay() - Make a plane without text.
 * @across: index of the world axis that is exactly its normal; -1: any orientation */
void sheet_lay(struct dice *dice, int across, struct sheet *sheet);

/** sheet_put() - Append text to that of @sheet. sheet_along() - Append a key with a vector along
 * the plane. sheet_place() - Append a key with a point, @z above the plane [m]. */
__attribute__((format(printf, 2, 3))) void sheet_put(struct sheet *sheet, const char *format, ...);
void sheet_along(struct sheet *sheet, const char *key, double x, double y, double z);
void sheet_place(struct sheet *sheet, const char *key, double x, double y, double z);

/** compile_by() - Compile the model in @text. Fail the test if it is refused.
 * @formulation: NULL: that of the model */
struct lk_system *compile_by(const char *formulation, const char *text,
                             const struct lk_options *options);

/** count_rows() - Return the number of rigid rows. count_upright() - Return the number of bodies
 * that cannot tilt and are stepped with planar reduction. */
int count_rows(const struct lk_system *system);
int count_upright(const struct lk_system *system);

/** assert_near() - Assert that @n numbers of magnitude @size are equal within the tolerance of
 * formulation @by. assert_same_motion() - Assert this for all bodies.
 * @text: text of the model, printed if they differ */
void assert_near(const char *by, const double *a, const double *b, int n, double size,
                 const char *text);
void assert_same_motion(const char *by, const struct lk_system *a, const struct lk_system *b,
                        const char *text);

#endif
