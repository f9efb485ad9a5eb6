/* SPDX-License-Identifier: Apache-2.0 */
/* A unit (FMU) made from a model, independent of the version of FMI. fmi2.c and fmi3.c adapt the
 * calls of the two versions. */
#ifndef TOOLS_FMU_UNIT_H
#define TOOLS_FMU_UNIT_H

#include "variables.h"
#include <stdarg.h>

/** enum fmu_status - status of a call. The numbers are those of FMI 2.0 and 3.0. */
enum fmu_status { FMU_OK, FMU_WARNING, FMU_DISCARD, FMU_ERROR, FMU_FATAL };

/** enum fmu_phase - phase of an instance, which determines the permitted calls. After FMU_FAILED
 * only reset and free are permitted. */
enum fmu_phase { FMU_NEW, FMU_INITIALISING, FMU_STEPPING, FMU_TERMINATED, FMU_FAILED };

struct fmu;

/** struct fmu_host - callbacks of fmi2.c or fmi3.c.
 * @log:        receives one line without a line feed
 * @after_step: called after each step of the model, except the last step of a call; may be NULL. If
 *              the function returns true, fmu_step() returns early, at the last step not after
 *              *@ret_until. */
struct fmu_host {
    void *context;
    void (*log)(void *context, enum fmu_status status, const char *line);
    bool (*after_step)(void *context, double time, double *ret_until);
};

/** fmu_new() - Create an instance.
 * @token:     token passed by the importer; must be the result of fmu_token()
 * @resources: folder of resources
 * Return: the instance; NULL after a line in the log. */
struct fmu *fmu_new(const struct fmu_host *host, const char *token, const char *resources);
void fmu_free(struct fmu *fmu);
/** fmu_say() - Write a line to the log. Return: @status. */
enum fmu_status fmu_say(struct fmu *fmu, enum fmu_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

enum fmu_phase fmu_phase(const struct fmu *fmu);
/** fmu_setup() - Set the start and stop times of the experiment, before the initialisation.
 * @stop: INFINITY: no stop time */
enum fmu_status fmu_setup(struct fmu *fmu, double start, double stop);
enum fmu_status fmu_enter_initialisation(struct fmu *fmu);
enum fmu_status fmu_exit_initialisation(struct fmu *fmu);
enum fmu_status fmu_terminate(struct fmu *fmu);
enum fmu_status fmu_reset(struct fmu *fmu);

/** fmu_get(), fmu_set() - Read or write @n variables. If fmu_set() refuses any value, no variable
 * changes. */
enum fmu_status fmu_get(struct fmu *fmu, const unsigned references[], size_t n, double values[]);
enum fmu_status fmu_set(struct fmu *fmu, const unsigned references[], size_t n,
                        const double values[]);

/** fmu_step() - Step from @time by @size, a whole multiple of the model's step.
 * @ret_early: true if stepping ended early on request of the host */
enum fmu_status fmu_step(struct fmu *fmu, double time, double size, bool *ret_early);
/** fmu_time() - Return the present time. */
double fmu_time(const struct fmu *fmu);

/** struct fmu_state - serialised state of an instance, which can be stored and used in another
 * process. */
struct fmu_state {
    size_t size;
    char bytes[];
};
enum fmu_status fmu_state_get(struct fmu *fmu, struct fmu_state **state);
enum fmu_status fmu_state_set(struct fmu *fmu, const struct fmu_state *state);
/** fmu_state_take() - Check untrusted bytes and create a state from them. */
enum fmu_status fmu_state_take(struct fmu *fmu, const char *bytes, size_t size,
                               struct fmu_state **ret);

#endif
