/* SPDX-License-Identifier: Apache-2.0 */
/* A model that is wrong with steps of 0.25 ms and more: the initial shape of a rope has kinks, and
 * the load pulls the rope straight within one step. A step of 0.1 ms gives the right motion. */
#ifndef TESTS_KINKED_ROPE_H
#define TESTS_KINKED_ROPE_H

#include <math.h>
#include <stdio.h>

/* Return the position of point @i of the rope across its length. Point 0 is the ground and point 9
 * the load.
 * @axis: direction across the rope */
static inline double kinked_place(int i, int axis)
{
    if (i == 0 || i == 9)
        return 0;
    return axis == 0 ? (i % 2 ? 0.003 : -0.003) : 0.0015 * sin(i - 1);
}

/* Return a rope of eight points of 10 g on rods of 0.2 m, with kinks of 30 mrad, that supports 50
 * kg. */
static inline const char *kinked_rope(double step)
{
    static char text[4096];
    int n = snprintf(text, sizeof(text),
                     "linkage: 1\nname: rope\ngravity: [0, 0, -9.81]\nbodies:\n"
                     "  load: {mass: 50, inertia: [1, 1, 1], position: [0, 0, -2.1]}\n");

    for (int i = 1; i < 9; i++)
        n += snprintf(text + n, sizeof(text) - (size_t)n,
                      "  p%d: {mass: 0.01, inertia: [0, 0, 0], position: [%.15g, %.15g, %.15g]}\n",
                      i, kinked_place(i, 0), kinked_place(i, 1), -0.2 * i);
    n += snprintf(text + n, sizeof(text) - (size_t)n, "joints:\n");
    for (int i = 0; i < 9; i++) {
        char ends[2][8] = {"ground", "load"};

        if (i > 0)
            snprintf(ends[0], sizeof(ends[0]), "p%d", i);
        if (i < 8)
            snprintf(ends[1], sizeof(ends[1]), "p%d", i + 1);
        n += snprintf(text + n, sizeof(text) - (size_t)n,
                      "  d%d: {type: distance, bodies: [%s, %s], points: [[%.15g, %.15g, %.15g], "
                      "[%.15g, %.15g, %.15g]]}\n",
                      i, ends[0], ends[1], kinked_place(i, 0), kinked_place(i, 1), -0.2 * i,
                      kinked_place(i + 1, 0), kinked_place(i + 1, 1), -0.2 * (i + 1));
    }
    snprintf(text + n, sizeof(text) - (size_t)n,
             "outputs: {load: {type: body-pose, body: load}}\nsolver: {step: %g}\n", step);
    return text;
}

#endif
