/* SPDX-License-Identifier: Apache-2.0 */
/* Reads OpenCRG files (ASAM OpenCRG 1.2): a grid of heights along a curved reference line.
 *
 * A file consists of sections of `KEY = value` lines, a definition of channels, and rows of
 * numbers, one row for each step along the line. Formats LRFI and LDFI are text in columns of 10
 * and 20 characters; KRBI and KDBI are big-endian floats and doubles. All values are in SI units.
 * For offline use only. */
#ifndef LK_MODEL_CRG_H
#define LK_MODEL_CRG_H

#include "linkage/errors.h"
#include "road_file.h"
#include <stdbool.h>
#include <stddef.h>

#define LK_CRG_SIZE_MAX     (512u << 20)
#define LK_CRG_CHANNELS_MAX 4096

/** enum lk_crg_end - index of the start and the end of the line in struct lk_crg. */
enum lk_crg_end { LK_CRG_START, LK_CRG_END };

/** struct lk_crg - content of a file.
 * @n: number of rows;  @step: step of u [m];  @n_v: number of long sections, at @v from right to
 *     left [m]
 * @phi, @slope, @banking: one value for each row, or NULL. In phi and slope the value of the first
 *          row is unused, because each value applies to the segment from the previous row
 * @z:      heights above line and banking [m], n rows of n_v; NAN: a hole
 * @x, @y, @z0, @heading, @rise, @bank: values at both ends of the line; NAN: not given
 * @notes:  entries of the file without effect here, one line each */
struct lk_crg {
    int n;
    double step;
    int n_v;
    double *v;
    double *phi;
    double *slope;
    double *banking;
    double *z;
    double x[2];
    double y[2];
    double z0[2];
    double heading[2];
    double rise[2];
    double bank[2];
    struct lk_errors notes;
};

/** lk_crg_read() - read the @size bytes of a file.
 * @name: name of the file in messages
 * @ret_errors: one line for each error, "name:line: what is wrong, what was expected"
 * Return: 0, LK_E_TEXT, -ENOMEM. */
int lk_crg_read(const char *name, const void *bytes, size_t size, struct lk_crg *ret,
                struct lk_errors *ret_errors);

/** lk_crg_free() - release the memory of @crg, which may be all zero. */
void lk_crg_free(struct lk_crg *crg);

/* ---- crg_surface.c ---- */

struct lk_crg_surface;

/** lk_crg_surface_new() - integrate the line of @crg in the plane, and its heights. If the file
 * gives the end of the line, the gap to the integrated end is distributed linearly along the line.
 * @crg: owned by the caller; must exist as long as the surface exists
 * @margin: width beyond the borders of the road in which heights continue unchanged [m]
 * @ret_gap: distance from the integrated end of the line to the given one [m]; 0: the file gives no
 *           end
 * Return: 0, -ENOMEM. */
int lk_crg_surface_new(const struct lk_crg *crg, double margin, struct lk_crg_surface **ret_surface,
                       double *ret_gap);
void lk_crg_surface_free(struct lk_crg_surface *surface);

/** lk_crg_surface_box() - return the corners of the area that the road covers, and its lowest and
 * highest height [m]. */
void lk_crg_surface_box(const struct lk_crg_surface *surface, double ret_low[2], double ret_high[2],
                        double ret_heights[2]);

/** lk_crg_surface_patch() - compute the heights at the nodes of @patch; an lk_road_patches. Where
 * the road crosses itself, the height of the nearer line is used. The work is proportional to the
 * nodes on the road and to the rows of the file in the patch. */
bool lk_crg_surface_patch(void *surface, const struct lk_road_patch *patch, double *z);

/** lk_crg_surface_at() - return the height at @place [m]; NAN: there is no road. */
double lk_crg_surface_at(struct lk_crg_surface *surface, const double place[2]);

/** lk_crg_surface_height() - compute the height at the distance @u along the line of the file and
 * @v to its left [m]; NAN: a hole. Return: whether this is within the file. */
bool lk_crg_surface_height(const struct lk_crg_surface *surface, double u, double v, double *ret);

/** lk_crg_surface_lines() - compute both borders and the line of the road as lines for pictures, in
 * the format of struct lk_road_file. Return: number of points, -ENOMEM. @ret: to be freed. */
int lk_crg_surface_lines(const struct lk_crg_surface *surface, struct lk_road_point **ret);

/** lk_crg_surface_crossings() - count the points evaluated so far at which the road had two heights
 * more than 1 cm apart. @ret_place: the first of them [m] */
int lk_crg_surface_crossings(const struct lk_crg_surface *surface, double ret_place[2]);

#endif
