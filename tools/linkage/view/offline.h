/* SPDX-License-Identifier: Apache-2.0 */
/* A web page with the motion of a model, which needs neither a server nor a network. It consists of
 * offline.html, offline.js and the gateway's view.js, and the poses of all bodies at given
 * times. */
#ifndef TOOLS_LINKAGE_OFFLINE_H
#define TOOLS_LINKAGE_OFFLINE_H

#include "linkage/scene.h"
#include <stdbool.h>

/** struct offline_motion - what a page shows.
 * @time:  times of @n instants [s]
 * @poses: poses of all bodies, consecutively
 * @least: smallest joint gap that is drawn [m, rad]; INFINITY: gaps have no meaning
 * @speed: the page plays the motion again and again, so much faster than real; 0: it waits for its
 *         reader */
struct offline_motion {
    const double *time;
    const double *poses;
    int n;
    double least;
    double speed;
};

/** offline_can_write() - Return whether this program has what a page consists of. Return: false
 * after an error message. @path: of the page */
bool offline_can_write(const char *path);

/** offline_save() - Write the page @path. Return: false after an error message. */
bool offline_save(const char *path, const char *name, const struct lk_scene *scene,
                  const struct offline_motion *motion);

#endif
