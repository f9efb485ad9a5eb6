/* SPDX-License-Identifier: Apache-2.0 */
/* Reads OpenCRG files (ASAM OpenCRG 1.2): a grid of heights along a curved reference line.
 *
 * A file is sections of `KEY = value` lines, a definition of channels, and rows of numbers: one row
 * a step along the line. Formats LRFI and LDFI are text in columns of 10 and 20 characters, KRBI
 * and KDBI floats and doubles, big-endian. All in SI. Offline only. */
#ifndef LK_MODEL_CRG_H
#define LK_MODEL_CRG_H

#include "linkage/errors.h"
#include "road_file.h"
#include <stddef.h>

#define LK_CRG_SIZE_MAX     (512u << 20)
#define LK_CRG_CHANNELS_MAX 4096

/** enum lk_crg_end - what the head says of both ends of the line. */
enum lk_crg_end { LK_CRG_START, LK_CRG_END };

/** struct lk_crg - a file. @n: rows;  @step: of u [m];  @n_v: long sections, at @v from right to
 * left [m]
 * @phi, @slope, @banking: a value a row, or NULL; those of the first row of phi and slope are
 *          unused, as each is that of the way from the row before
 * @z:      heights over line and banking, n rows of n_v; NAN: a hole
 * @x, @y, @z0, @heading, @rise, @bank: of the ends of the line; NAN: not given
 * @n_notes, @notes: what has no effect here, a line each */
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
 * @name: how messages call it
 * @ret_errors: one line a mistake, "name:line: what is wrong, what was expected"
 * Return: 0, LK_E_TEXT, -ENOMEM. */
int lk_crg_read(const char *name, const void *bytes, size_t size, struct lk_crg *ret,
                struct lk_errors *ret_errors);

/** lk_crg_free() - release what it holds; @crg may be all zero. */
void lk_crg_free(struct lk_crg *crg);

/* ---- crg_surface.c ---- */

struct lk_crg_surface;

/** lk_crg_surface_new() - the line of @crg in the plane and its heights. Where the end of the line
 * is given, it is drawn from both ends, each with the weight of its distance from the other.
 * @crg: stays the caller's, and there;  @margin: so far beyond its borders heights go on as they
 * are [m];  @ret_gap: distance of the line's own end from that given [m], 0 without one Return: 0,
 * -ENOMEM. */
int lk_crg_surface_new(const struct lk_crg *crg, double margin, struct lk_crg_surface **ret_surface,
                       double *ret_gap);
void lk_crg_surface_free(struct lk_crg_surface *surface);

/** lk_crg_surface_box() - corners of what the road covers, and its lowest and highest height [m].
 */
void lk_crg_surface_box(const struct lk_crg_surface *surface, double ret_low[2], double ret_high[2],
                        double ret_heights[2]);

/** lk_crg_surface_patch() - heights at the nodes of @patch: an lk_road_patches. Where the road
 * crosses itself, that of the nearer line. Its work is in proportion to the nodes on the road and
 * to the rows of the file in the patch. */
bool lk_crg_surface_patch(void *surface, const struct lk_road_patch *patch, double *z);

/** lk_crg_surface_at() - height at @place [m]; NAN: there is no road. */
double lk_crg_surface_at(struct lk_crg_surface *surface, const double place[2]);

/** lk_crg_surface_area() - ground that the road covers [m2], once where it crosses itself, counted
 * at places @step [m] apart. */
double lk_crg_surface_area(struct lk_crg_surface *surface, double step);

/** lk_crg_surface_crossings() - places so far where the road had two heights more than 1 cm apart,
 * @ret_place: the first of them. */
int lk_crg_surface_crossings(const struct lk_crg_surface *surface, double ret_place[2]);

#endif
