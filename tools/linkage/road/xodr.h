/* SPDX-License-Identifier: Apache-2.0 */
/* Roads of OpenDRIVE files (ASAM OpenDRIVE 1.4 to 1.8), and their surface.
 *
 * A road has a reference line in the plane. A point of the road has the coordinates s along this
 * line and t to its left. With the elevation e(s), the superelevation phi(s), the shape p(s, t) and
 * the height of the lane k(s, t), it lies at
 *
 *     beside the line by t cos phi,   at the height z = e + t sin phi + p + k
 *
 * so a cross-section is a vertical plane, and shape and heights of lanes count upwards. Outside the
 * inner border of a lane with `level`, the section is level.
 *
 * Data flow: xodr_read.c: text -> struct xodr;  xodr_line.c: reference line and profiles;
 * xodr_surface.c: heights at the nodes of a grid;  xodr_lines.c: borders of lanes, for pictures.
 * Not for the cycle. */
#ifndef TOOLS_LINKAGE_ROAD_XODR_H
#define TOOLS_LINKAGE_ROAD_XODR_H

#include "import.h"
#include "model/crg.h"
#include "model/road_file.h"

#define XODR_SIZE_MAX   (256u << 20) /* largest size of a file [bytes] */
#define XODR_LENGTH_MAX 1e6          /* largest length of all roads together [m] */
#define XODR_LANES_MAX  64           /* largest number of lanes on a side */

/** struct xodr_cubic - c[0] + c[1] d + c[2] d^2 + c[3] d^3 with d = s - @s, up to the next one. */
struct xodr_cubic {
    double s;
    double c[4];
};

/** struct xodr_profile - cubics with rising s; 0 before the first one. */
struct xodr_profile {
    int n;
    struct xodr_cubic *at;
};

enum xodr_curve { XODR_LINE, XODR_ARC, XODR_SPIRAL, XODR_PARAM };

/** struct xodr_piece - a piece of a reference line from @s on, @length long.
 * @x, @y, @heading: its start
 * @curvature: at both ends [1/m];  XODR_PARAM: @u, @v: coefficients of the cubics of p along and
 *             across the heading, where p runs from 0 to @range; s is the length along the line */
struct xodr_piece {
    enum xodr_curve kind;
    long line;
    double s;
    double x;
    double y;
    double heading;
    double length;
    double curvature[2];
    double u[4];
    double v[4];
    double range;
};

/** struct xodr_shape - a piece of a shape: at @s, from @t on; ordered by s, then by t. */
struct xodr_shape {
    double s;
    struct xodr_cubic over_t; /* its s is t */
};

/** struct xodr_kerb - height of a lane above the road from @s on, at its inner and outer border. */
struct xodr_kerb {
    double s;
    double height[2];
};

/** struct xodr_friction - coefficient of friction of a lane from @s on. */
struct xodr_friction {
    double s;
    double mu;
};

/** struct xodr_lane - a lane. @id: as in the file;  @width: its width, or with @has_border the
 * place of its outer border relative to the lane offset, both [m] over s */
struct xodr_lane {
    int id;
    bool has_border;
    bool is_level;
    struct xodr_profile width;
    int n_kerbs;
    struct xodr_kerb *kerb;
    int n_frictions;
    struct xodr_friction *friction;
};

/** struct xodr_section - lanes from @s on. @n: on the left and on the right;  @lane: from the
 * centre outwards */
struct xodr_section {
    double s;
    int n[2];
    struct xodr_lane *lane[2];
};

/** struct xodr_crg - an OpenCRG file on a road, from @from to @to [m].
 * @offset: of its line, along s and t, and of its heights [m];  @scale: of its heights
 * @is_reverse: against s;  @replaces: its heights replace elevation and superelevation */
struct xodr_crg {
    struct lk_crg crg;
    struct lk_crg_surface *surface;
    double from;
    double to;
    double offset[3];
    double scale;
    bool is_reverse;
    bool replaces;
};

/** struct xodr_road - a road. @id: for messages */
struct xodr_road {
    char id[32];
    long line;
    double length;
    int n_pieces;
    struct xodr_piece *piece;
    struct xodr_profile elevation;
    struct xodr_profile superelevation;
    struct xodr_profile lane_offset;
    int n_shapes;
    struct xodr_shape *shape;
    int n_sections;
    struct xodr_section *section;
    int n_crgs;
    struct xodr_crg *crg;
};

/** struct xodr - the roads of a file. */
struct xodr {
    int n;
    struct xodr_road *road;
};

/** xodr_read() - Read a file. OpenCRG files are looked for beside @notes->path.
 * Return: false after an error, which is in @notes. @ret is to be freed in any case. */
bool xodr_read(const char *text, size_t size, struct xodr *ret, struct notes *notes);
void xodr_free(struct xodr *xodr);

/* ---- xodr_line.c ---- */

/** xodr_value() - Return the value of a profile at @s; 0 before its first cubic. */
double xodr_value(const struct xodr_profile *profile, double s);

/** xodr_last() - Return the index of the last of @n records of @size bytes whose first double is at
 * most @s; -1: none. */
int xodr_last(const void *records, int n, size_t size, double s);

/** xodr_along() - Compute the point of a piece at the distance @d from its start, and the
 * derivative with respect to d.
 * @d: [m], also beyond the ends of the piece, where it goes on straight */
void xodr_along(const struct xodr_piece *piece, double d, double ret_point[2],
                double ret_tangent[2]);

/* ---- xodr_surface.c ---- */

struct xodr_surface;

/** xodr_surface_new() - Prepare the surface of the roads.
 * @xodr:   owned by the caller; must exist as long as the surface exists
 * @margin: see lk_crg_surface_new()
 * @ground: height of level ground everywhere beside the roads, into which margins go over [m]; NAN:
 *          there is none
 * Return: NULL: out of memory. */
struct xodr_surface *xodr_surface_new(const struct xodr *xodr, double margin, double ground);
void xodr_surface_free(struct xodr_surface *surface);

/** xodr_surface_box() - Return the corners of the area that the roads cover, and the lowest and
 * highest height of their lines [m]. */
void xodr_surface_box(const struct xodr_surface *surface, double ret_low[2], double ret_high[2],
                      double ret_heights[2]);

/** xodr_surface_patch() - Compute the heights at the nodes of @patch; an lk_road_patches. Where
 * roads lie over each other, what is no margin counts, and of that the nearer line. */
bool xodr_surface_patch(void *surface, const struct lk_road_patch *patch, double *z);

/** xodr_surface_frictions() - Compute the coefficients of friction at the nodes of @patch; an
 * lk_road_patches. NAN: none is given. */
bool xodr_surface_frictions(void *surface, const struct lk_road_patch *patch, double *mu);

/** struct xodr_place - a point of a road: @mu: coefficient of friction of its lane; NAN: not given
 */
struct xodr_place {
    double x;
    double y;
    double z;
    double mu;
};

/** xodr_at() - Compute the point of a road at @s and @t, with the tangent of its line. Beyond its
 * borders the road goes on at their height.
 * Return: false: @s is not on the road. */
bool xodr_at(const struct xodr_road *road, double s, double t, struct xodr_place *ret,
             double ret_tangent[2]);

/** xodr_borders() - Compute t of the borders of the lanes of section @section at @s, from right to
 * left [m]. Return: their number. */
int xodr_borders(const struct xodr_road *road, int section, double s,
                 double ret[2 * XODR_LANES_MAX + 1]);

/** xodr_surface_crossings() - Count the points evaluated so far at which two roads had heights more
 * than 1 cm apart. @ret_place: the first of them [m] */
int xodr_surface_crossings(const struct xodr_surface *surface, double ret_place[2]);

/* ---- xodr_lines.c ---- */

/** xodr_lines() - Compute the borders of all lanes as lines for pictures, in the format of struct
 * lk_road_file. Return: number of points; -1: out of memory. @ret: to be freed. */
int xodr_lines(const struct xodr *xodr, struct lk_road_point **ret);

#endif
