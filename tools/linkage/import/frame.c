/* SPDX-License-Identifier: Apache-2.0 */
#include "import.h"

#include "maths/vec.h"

#include <string.h>

const struct frame frame_unity = {{0, 0, 0}, {1, 0, 0, 0}};

void frame_of(const double xyz[3], const double rpy[3], struct frame *ret)
{
    double about[3][4], yaw_pitch[4];

    for (int i = 0; i < 3; i++) {
        memset(about[i], 0, sizeof(about[i]));
        about[i][0] = cos(0.5 * rpy[i]);
        about[i][1 + i] = sin(0.5 * rpy[i]);
        ret->r[i] = xyz[i];
    }
    lk_quat_mul(about[2], about[1], yaw_pitch);
    lk_quat_mul(yaw_pitch, about[0], ret->q);
    lk_quat_normalise(ret->q);
}

void frame_direction(const struct frame *frame, const double d[3], double ret[3])
{
    double R[9], turned[3];

    lk_quat_matrix(frame->q, R);
    lk_rotate(R, d, turned);
    memcpy(ret, turned, sizeof(turned));
}

void frame_point(const struct frame *frame, const double p[3], double ret[3])
{
    double arm[3];

    frame_direction(frame, p, arm);
    for (int i = 0; i < 3; i++)
        ret[i] = arm[i] + frame->r[i];
}

void frame_in(const struct frame *outer, const struct frame *inner, struct frame *ret)
{
    struct frame result;

    frame_point(outer, inner->r, result.r);
    lk_quat_mul(outer->q, inner->q, result.q);
    lk_quat_normalise(result.q);
    *ret = result;
}

void frame_inverse(const struct frame *frame, struct frame *ret)
{
    double R[9], back[3];

    lk_quat_matrix(frame->q, R);
    lk_rotate_back(R, frame->r, back);
    *ret = (struct frame){{-back[0], -back[1], -back[2]},
                          {frame->q[0], -frame->q[1], -frame->q[2], -frame->q[3]}};
}
