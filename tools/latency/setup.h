/* SPDX-License-Identifier: Apache-2.0 */
/* Prepare a measurement: core, permissions, programs, model, folders. */
#ifndef TOOLS_LATENCY_SETUP_H
#define TOOLS_LATENCY_SETUP_H

#include "course.h"

/** struct lat_setup - settings and files for the daemons.
 * @folder:     temporary folder for sockets and configurations
 * @model_text: text of the model; released by lat_setup_fini() */
struct lat_setup {
    struct lat_rig_setup rig;
    char folder[64];
    char *model_text;
};

/** lat_setup_machine() - Choose the core, read the properties of the machine and the permissions,
 * find the programs, and move this thread off the measured core. Missing properties and programs
 * are noted in the report. If a real-time priority is not permitted, priority 0 is used.
 * Thread: main, before any other thread exists.
 * Return: 0; 1 with @ret_error. */
int lat_setup_machine(struct lat_course *course, struct lat_rig_setup *rig,
                      struct lk_error *ret_error);

/** lat_setup_files() - Create the folders and read the model.
 * Return: 0, 1 or negative errno (with @ret_error); call lat_setup_fini() in any case. */
int lat_setup_files(struct lat_setup *setup, const struct lat_options *options,
                    struct lk_error *ret_error);

/** lat_setup_fini() - Remove the temporary folder and release @setup. */
void lat_setup_fini(struct lat_setup *setup);

#endif
