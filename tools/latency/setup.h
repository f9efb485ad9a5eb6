/* SPDX-License-Identifier: Apache-2.0 */
/* Prepare a measurement: core, permissions, programs, model, folders. */
#ifndef TOOLS_LATENCY_SETUP_H
#define TOOLS_LATENCY_SETUP_H

#include "course.h"

/** struct lat_setup - settings and files for the daemons.
 * @folder:     temporary, for sockets and configurations
 * @model_text: to be freed by lat_setup_fini() */
struct lat_setup {
    struct lat_rig_setup rig;
    char folder[64];
    char *model_text;
};

/** lat_setup_machine() - choose the core, read the machine's conditions and permissions, find the
 * programs, and move this thread off the measured core. Adds notes on what is missing; uses
 * priority 0 if a real-time one is not permitted. Thread: main, before any other exists.
 * Return: 0, 1 (@ret_error says why). */
int lat_setup_machine(struct lat_course *course, struct lat_rig_setup *rig,
                      struct lk_error *ret_error);

/** lat_setup_files() - make the folders and read the model.
 * Return: 0, 1 or negative errno (@ret_error says why); lat_setup_fini() in any case. */
int lat_setup_files(struct lat_setup *setup, const struct lat_options *options,
                    struct lk_error *ret_error);

/** lat_setup_fini() - remove the temporary folder, release. */
void lat_setup_fini(struct lat_setup *setup);

#endif
