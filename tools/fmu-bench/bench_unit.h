/* SPDX-License-Identifier: Apache-2.0 */
/* A foreign unit (FMU) used as a bench: its archive, its description, and an instance.
 *
 *     unpack.c        unpacks the archive into a new folder; refuses hostile archives
 *     description.c   reads modelDescription.xml: FMI 2.0 or 3.0, co-simulation, real scalars
 *     instance.c      loads the shared object and calls its functions
 *
 * A function of a unit may never return, or may crash its process. Therefore the unit is called in
 * a separate process, see main.c. */
#ifndef TOOLS_FMU_BENCH_UNIT_H
#define TOOLS_FMU_BENCH_UNIT_H

#include "linkage/error.h"
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define UNIT_NAME_SIZE     256
#define UNIT_VARIABLES_MAX 100000

/** enum unit_causality - causality of a variable, as far as a bench distinguishes it. */
enum unit_causality { UNIT_OTHER, UNIT_INPUT, UNIT_OUTPUT, UNIT_PARAMETER };

struct unit_variable {
    char name[UNIT_NAME_SIZE];
    unsigned reference;
    enum unit_causality causality;
};

/** struct unit_description - content of modelDescription.xml.
 * @version:   version of FMI, 2 or 3
 * @id:        attribute modelIdentifier
 * @token:     attribute instantiationToken; in FMI 2, guid
 * @variables: the @n scalars of type Real */
struct unit_description {
    int version;
    char id[UNIT_NAME_SIZE];
    char token[UNIT_NAME_SIZE];
    struct unit_variable *variables;
    int n;
};

/** unit_unpack() - Unpack an archive: the description, the resources, and the binary for this
 * machine.
 * @path:   the archive
 * @folder: an existing folder
 * Return: 0; 1 with @ret_error (one line). */
int unit_unpack(const char *path, const char *folder, struct lk_error *ret_error);
/** unit_remove() - Remove the folder and its content. */
void unit_remove(const char *folder);

/** unit_describe() - Read the description of the unit that was unpacked into @folder.
 * Return: 0; 1 with @ret_error (one line). Call unit_description_fini() in any case. */
int unit_describe(const char *folder, struct unit_description *ret, struct lk_error *ret_error);
void unit_description_fini(struct unit_description *description);
/** unit_find() - Return the variable with the name @name; NULL if there is none. */
const struct unit_variable *unit_find(const struct unit_description *description, const char *name);
/** unit_binary() - Write the path of the binary within the archive. */
void unit_binary(int version, const char *id, char ret[PATH_MAX]);

struct unit_instance;

/** unit_open() - Load the binary and create an instance, which starts at time 0.
 * Return: 0; 1 with @ret_error. */
int unit_open(const char *folder, const struct unit_description *description,
              struct unit_instance **ret, struct lk_error *ret_error);
/** unit_start() - End the initialisation of the instance.
 * unit_set(), unit_get() - Write or read the value of one variable.
 * unit_step() - Execute one communication step of length @size from @time on.
 * Return: 0; 1 with @ret_error. */
int unit_start(struct unit_instance *unit, struct lk_error *ret_error);
int unit_set(struct unit_instance *unit, const struct unit_variable *variable, double value,
             struct lk_error *ret_error);
int unit_get(struct unit_instance *unit, const struct unit_variable *variable, double *ret_value,
             struct lk_error *ret_error);
int unit_step(struct unit_instance *unit, double time, double size, struct lk_error *ret_error);
/** unit_close() - Free the instance and unload the binary. */
void unit_close(struct unit_instance *unit);

#endif
