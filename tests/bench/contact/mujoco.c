/* SPDX-License-Identifier: Apache-2.0 */
/* Steps one scene of run with MuJoCo and prints what the table needs, on one line: depth [m], way of
 * the last body since one second [m], open gap of closed loops [m], ripple of the first contact
 * force, and time of a step [us]. Arguments: the file of the scene, time [s], body, torques at the
 * first and at the second hinge [N m]. */
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* return the sum of normal forces between the geoms of bodies with an index above 0 and @body */
static double normal_force(const mjModel *m, const mjData *d, int body, double *depth)
{
    double sum = 0;

    for (int i = 0; i < d->ncon; i++) {
        mjtNum force[6];

        *depth = fmax(*depth, -d->contact[i].dist);
        mj_contactForce(m, d, i, force);
        if (m->geom_bodyid[d->contact[i].geom1] == body ||
            m->geom_bodyid[d->contact[i].geom2] == body)
            sum += force[0];
    }
    return sum;
}

int main(int argc, char **argv)
{
    char error[1000] = "";
    mjModel *m = argc == 6 ? mj_loadXML(argv[1], NULL, error, sizeof(error)) : NULL;
    mjData *d;
    double first[3] = {0}, depth = 0, gap = 0, low = INFINITY, high = 0, begin, spent = 0;
    int n, body, one;

    if (m == NULL) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    d = mj_makeData(m);
    n = (int)lround(atof(argv[2]) / m->opt.timestep);
    body = mj_name2id(m, mjOBJ_BODY, argv[3]);
    one = (int)lround(1 / m->opt.timestep);
    for (int i = 0; i < n; i++) {
        double seen = 0;

        for (int k = 0; k < 2 && m->nv > k; k++)
            if (atof(argv[4 + k]) != 0)
                d->qfrc_applied[m->jnt_dofadr[mj_name2id(m, mjOBJ_JOINT, k ? "right" : "left")]] =
                    atof(argv[4 + k]);
        begin = now();
        mj_step(m, d);
        spent += now() - begin;
        for (int k = 0; k < 3 && i == one; k++)
            first[k] = d->xpos[3 * body + k];
        if (i < one)
            continue;
        double force = normal_force(m, d, body, &seen);

        depth = fmax(depth, seen);
        low = fmin(low, force);
        high = fmax(high, force);
        for (int k = 0; k < d->nefc; k++)
            if (d->efc_type[k] == mjCNSTR_EQUALITY)
                gap = fmax(gap, fabs(d->efc_pos[k]));
    }
    printf("%.2g %.2g %.2g %.2g %.1f\n", depth,
           hypot(hypot(d->xpos[3 * body] - first[0], d->xpos[3 * body + 1] - first[1]),
                 d->xpos[3 * body + 2] - first[2]),
           gap, (high - low) / fmax(high, 1e-9), 1e6 * spent / n);
    mj_deleteData(d);
    mj_deleteModel(m);
    return 0;
}
