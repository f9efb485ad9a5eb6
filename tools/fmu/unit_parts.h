/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of a unit, for unit.c and state.c. */
#ifndef TOOLS_FMU_UNIT_PARTS_H
#define TOOLS_FMU_UNIT_PARTS_H

#include "unit.h"

/** struct fmu - an instance.
 * @bytes:    the packed model of @size bytes
 * @token:    token of the packed model
 * @system:   system compiled with the parameter values @compiled
 * @values:   values of all parameters, at the indices of their variables
 * @inputs:   values that act in the next step
 * @outputs:  values of the present state, valid if @has_outputs
 * @is_stale: @values have changed since the system was compiled
 * @start:    simulated time at step 0 [s]
 * @stop:     upper bound of the time [s] */
struct fmu {
    struct fmu_host host;
    char *bytes;
    size_t size;
    char token[FMU_TOKEN_SIZE];
    struct fmu_variables variables;
    struct lk_system *system;
    double *values;
    double *compiled;
    double *inputs;
    double *outputs;
    bool is_stale;
    bool has_outputs;
    enum fmu_phase phase;
    double start;
    double stop;
};

static inline bool fmu_is_parameter(const struct fmu_variable *v)
{
    return v->kind == FMU_FIXED || v->kind == FMU_TUNABLE;
}

/** fmu_compile() - Compile the model with the parameter values @values. NULL: use the values of the
 * file, and also create the list of variables.
 * Return: FMU_OK, FMU_ERROR. */
enum fmu_status fmu_compile(struct fmu *fmu, const double *values, struct lk_system **ret);

#endif
