/* SPDX-License-Identifier: Apache-2.0 */
/* Roads: the tangent plane of a road near a point, in the axes of the body to which the road is
 * fixed. Pure functions of fixed work. Thread: any. RT: yes. */
#ifndef LK_TYRE_ROAD_H
#define LK_TYRE_ROAD_H

#include "maths/table.h"
#include "tyre/road_grid.h"

/** enum lk_road_kind - PLANE: the plane through @point with the normal @normal;  PROFILE: heights
 * along @normal over the distance from @point along @direction, one profile per track; beyond the
 * ends of the profile the road is level;  GRID: heights along @normal over the distances along
 * @direction and to its left;  EXTERNAL: each tyre has its own plane from an input, see struct
 * lk_tyre */
enum lk_road_kind { LK_ROAD_PLANE, LK_ROAD_PROFILE, LK_ROAD_GRID, LK_ROAD_EXTERNAL };

/** enum lk_track - the profile of a road that a wheel runs on. */
enum lk_track { LK_TRACK_LEFT, LK_TRACK_RIGHT, LK_TRACKS };

/** struct lk_road - one road. @point, @normal, @direction (unit vectors, orthogonal): in the
 * axes of its body, from the body's centre of mass [m]
 * @profile: profile of each track, with slope 0 at both ends
 * @grid:    the grid;  @ends: whether there is no road beyond the grid
 * @samples: number of points from which a tyre computes its plane, 1 or 4 */
struct lk_road {
    enum lk_road_kind kind;
    int samples;
    double point[3];
    double normal[3];
    double direction[3];
    struct lk_points profile[LK_TRACKS];
    struct lk_road_grid grid;
    int ends;
};

/** struct lk_road_plane - tangent plane at a wheel: a point and the unit normal. @cosine: cosine of
 * the angle between this normal and the normal of the road as a whole, along which heights are
 * measured;  @grip: coefficient of friction of the road there, 1 unless its file has another */
struct lk_road_plane {
    double point[3];
    double normal[3];
    double cosine;
    double grip;
};

/** lk_road_at() - compute the tangent plane of @road above or below @place on @track. Return:
 * whether there is a road; if not, @ret is the plane through @place. */
int lk_road_at(const struct lk_road *road, enum lk_track track, const double place[3],
               struct lk_road_plane *ret);

/** lk_road_patch() - compute the plane of a tyre with four samples: at @place plus and minus @ahead
 * and @left, axes of the road's body. The plane contains the mean of the four samples and is
 * parallel to both lines between opposite samples (G. Rill, Road Vehicle Dynamics, 2011). If a
 * sample has no road, @ret is the plane of lk_road_at().
 * Return: as lk_road_at(). */
int lk_road_patch(const struct lk_road *road, enum lk_track track, const double place[3],
                  const double ahead[3], const double left[3], struct lk_road_plane *ret);

#endif
