/* SPDX-License-Identifier: Apache-2.0 */
/* A web page with the motion of a model, which needs neither a server nor a network. It consists of
 * offline.html, offline.js and the gateway's view.js, and the poses of all bodies at given
 * times. */
#ifndef TOOLS_LINKAGE_OFFLINE_H
#define TOOLS_LINKAGE_OFFLINE_H

#include "linkage/scene.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Parts of the page before and after the data; empty if the build had none of its libraries. */
extern const unsigned char offline_head[], offline_tail[];
extern const size_t offline_head_size, offline_tail_size;

/** offline_write() - Write a page with @n instants.
 * @time:  their times [s]
 * @poses: poses of all bodies, consecutively
 * @least: smallest joint gap that is drawn [m, rad]
 * Return: false if memory is exhausted or the file cannot be written. */
bool offline_write(FILE *file, const char *name, const struct lk_scene *scene, const double *time,
                   const double *poses, int n, double least);

#endif
