/* SPDX-License-Identifier: Apache-2.0 */
/* Roads: the plane that touches a road near a point, in the axes of the body that carries the road.
 * Pure functions of fixed work. Thread: any. RT: yes. */
#ifndef LK_TYRE_ROAD_H
#define LK_TYRE_ROAD_H

#include "maths/table.h"

/** enum lk_road_kind - PLANE: @point, @normal;  PROFILE: heights along @normal over the distance
 * from
 * @point along @direction, one profile a track; beyond its ends a road is level */
enum lk_road_kind { LK_ROAD_PLANE, LK_ROAD_PROFILE };

/** enum lk_track - which profile a wheel runs on. */
enum lk_track { LK_TRACK_LEFT, LK_TRACK_RIGHT, LK_TRACKS };

/** struct lk_road - one road. @point, @normal, @direction (unit, square to each other): in the axes
 * of its body, from its centre of mass [m];  @profile: of each track, slopes 0 at both ends */
struct lk_road {
    enum lk_road_kind kind;
    double point[3];
    double normal[3];
    double direction[3];
    struct lk_points profile[LK_TRACKS];
};

/** struct lk_road_plane - what a wheel stands on: a point and the unit normal. */
struct lk_road_plane {
    double point[3];
    double normal[3];
};

/** lk_road_at() - the plane that touches @road above or below @place on @track. */
void lk_road_at(const struct lk_road *road, enum lk_track track, const double place[3],
                struct lk_road_plane *ret);

#endif
