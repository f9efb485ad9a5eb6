/* SPDX-License-Identifier: Apache-2.0 */
/* The variables of a unit (FMU). The exporter and the unit use the same list. A value reference is
 * an index in this list. */
#ifndef TOOLS_FMU_VARIABLES_H
#define TOOLS_FMU_VARIABLES_H

#include "linkage/parameters.h"

/** enum fmu_kind - kinds of variables, in the order of the list. */
enum fmu_kind {
    FMU_TIME,    /* simulated time, always the first variable */
    FMU_TUNABLE, /* parameter of the model that acts while the model runs */
    FMU_FIXED,   /* other parameter or number of the model; constant after the initialisation */
    FMU_INPUT,   /* scalar of an input channel */
    FMU_OUTPUT,  /* scalar of an output channel */
};

/** struct fmu_variable - one scalar.
 * @name:       name such as "motor" or "pose.x"; for a number of the model its path, such as
 *              "bodies.arm.mass"
 * @says:       description
 * @unit:       unit as in the model; "": none
 * @start:      start value, unused for outputs
 * @low, @high: limits; infinite: no limit
 * @place:      index among the scalars of inputs or outputs; -1 for a fixed variable */
struct fmu_variable {
    enum fmu_kind kind;
    char name[LK_PATH_SIZE];
    char says[96];
    char unit[16];
    double start;
    double low;
    double high;
    int place;
};

/** struct fmu_variables - list of variables; initialise with {0}.
 * @list: array of @n variables
 * @room: number of variables for which memory is allocated */
struct fmu_variables {
    struct fmu_variable *list;
    int n;
    size_t room;
};

/** fmu_variables_make() - Make the list of variables of the model packed in @bytes. Numbers of the
 * solver, of inputs and of shapes are excluded. Solver numbers define the unit itself, numbers of
 * inputs are set through the inputs, and shapes have no effect.
 * @model:  the same model, without external values
 * @system: the system compiled from @model
 * Return: 0, LK_E_TEXT, -ENOMEM; release @ret in any case. */
int fmu_variables_make(const char *bytes, size_t size, const struct lk_model *model,
                       const struct lk_system *system, struct fmu_variables *ret,
                       struct lk_errors *ret_errors);
void fmu_variables_fini(struct fmu_variables *variables);

#define FMU_TOKEN_SIZE 32
/** fmu_token() - Compute the token of a model. An importer passes it to the unit, which proves that
 * unit and description match. */
void fmu_token(const char *bytes, size_t size, char ret[FMU_TOKEN_SIZE]);

#define FMU_RESOURCE "model.linkage" /* name of the packed model in the folder of resources */

/** fmu_model() - Return the packed model of this unit, see resource.c.
 * @resources: the folder, as a path or a file: URI; may be NULL
 * @ret_bytes: the packed model, on the heap
 * Return: 0, LK_E_TEXT (with @ret_error), -ENOMEM. */
int fmu_model(const char *resources, char **ret_bytes, size_t *ret_size,
              struct lk_error *ret_error);

#endif
