/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of FMI 3.0 for co-simulation. For their behaviour see unit.h. fmi3_none.c contains
 * the unsupported functions. */
#include "fmi3.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

FMI3_FUNCTIONS(FMI3_DECLARE)

/* struct instance - an instance of FMI 3.0.
 * @fmu:          the unit; must be the first member, because fmi3_none.c accesses only this member
 * @update:       callback of the importer after each step, or NULL
 * @early_return: the importer may request an early return */
struct instance {
    struct fmu *fmu;
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
    fmi3IntermediateUpdateCallback update;
    bool early_return;
};

static const char *const categories[] = {"logStatusOK", "logStatusWarning", "logStatusDiscard",
                                         "logStatusError", "logStatusFatal"};

static void log_line(void *context, enum fmu_status status, const char *line)
{
    const struct instance *i = context;

    if (i->log != NULL)
        i->log(i->environment, (fmi3Status)status, categories[status], line);
}

static bool after_step(void *context, double time, double *ret_until)
{
    const struct instance *i = context;
    fmi3Boolean is_requested = false;
    fmi3Float64 until = time;

    i->update(i->environment, time, false, true, true, i->early_return, &is_requested, &until);
    if (!is_requested || !i->early_return)
        return false;
    *ret_until = until > time ? until : time;
    return true;
}

static struct fmu *unit_of(fmi3Instance instance)
{
    return ((struct instance *)instance)->fmu;
}

static fmi3Status refuse(fmi3Instance instance, const char *what)
{
    return instance == NULL ? fmi3Error
                            : (fmi3Status)fmu_say(unit_of(instance), FMU_ERROR, "%s", what);
}

const char *FMI3_NAME(GetVersion)(void)
{
    return "3.0";
}

fmi3Status FMI3_NAME(SetDebugLogging)(fmi3Instance instance, fmi3Boolean on, size_t n,
                                      const fmi3String list[])
{
    (void)on; /* no effect: the unit logs only refusals, never a trace */
    (void)n;
    (void)list;
    return instance == NULL ? fmi3Error : fmi3OK;
}

static fmi3Instance refuse_type(fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    if (log != NULL)
        log(environment, fmi3Error, categories[FMU_ERROR], "this unit is for co-simulation only");
    return NULL;
}

fmi3Instance FMI3_NAME(InstantiateModelExchange)(fmi3String name, fmi3String token,
                                                 fmi3String resources, fmi3Boolean visible,
                                                 fmi3Boolean logging,
                                                 fmi3InstanceEnvironment environment,
                                                 fmi3LogMessageCallback log)
{
    (void)name;
    (void)token;
    (void)resources;
    (void)visible;
    (void)logging;
    return refuse_type(environment, log);
}

fmi3Instance FMI3_NAME(InstantiateScheduledExecution)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
    fmi3ClockUpdateCallback clock, fmi3PreemptionCallback lock, fmi3PreemptionCallback unlock)
{
    (void)name;
    (void)token;
    (void)resources;
    (void)visible;
    (void)logging;
    (void)clock;
    (void)lock;
    (void)unlock;
    return refuse_type(environment, log);
}

fmi3Instance
FMI3_NAME(InstantiateCoSimulation)(fmi3String name, fmi3String token, fmi3String resources,
                                   fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode,
                                   fmi3Boolean early_return,
                                   const fmi3ValueReference intermediate[], size_t n_intermediate,
                                   fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                   fmi3IntermediateUpdateCallback update)
{
    struct instance *i = calloc(1, sizeof(*i));

    (void)name;
    (void)visible;
    (void)logging;
    (void)event_mode;   /* the unit has no events */
    (void)intermediate; /* all variables can be read at any step */
    (void)n_intermediate;
    if (i == NULL)
        return NULL;
    *i = (struct instance){
        .environment = environment, .log = log, .update = update, .early_return = early_return};
    i->fmu = fmu_new(&(struct fmu_host){.context = i,
                                        .log = log_line,
                                        .after_step = update != NULL ? after_step : NULL},
                     token, resources);
    if (i->fmu != NULL)
        return i;
    free(i);
    return NULL;
}

void FMI3_NAME(FreeInstance)(fmi3Instance instance)
{
    if (instance != NULL)
        fmu_free(unit_of(instance));
    free(instance);
}

fmi3Status FMI3_NAME(EnterInitializationMode)(fmi3Instance instance, fmi3Boolean has_tolerance,
                                              fmi3Float64 tolerance, fmi3Float64 start,
                                              fmi3Boolean has_stop, fmi3Float64 stop)
{
    enum fmu_status status;

    (void)has_tolerance; /* the step size is fixed */
    (void)tolerance;
    if (instance == NULL)
        return fmi3Error;
    status = fmu_setup(unit_of(instance), start, has_stop ? stop : INFINITY);
    return (fmi3Status)(status == FMU_OK ? fmu_enter_initialisation(unit_of(instance)) : status);
}

fmi3Status FMI3_NAME(ExitInitializationMode)(fmi3Instance instance)
{
    return instance == NULL ? fmi3Error : (fmi3Status)fmu_exit_initialisation(unit_of(instance));
}

fmi3Status FMI3_NAME(Terminate)(fmi3Instance instance)
{
    return instance == NULL ? fmi3Error : (fmi3Status)fmu_terminate(unit_of(instance));
}

fmi3Status FMI3_NAME(Reset)(fmi3Instance instance)
{
    return instance == NULL ? fmi3Error : (fmi3Status)fmu_reset(unit_of(instance));
}

/* ---- values, all of which are scalars of type Float64 ---- */

fmi3Status FMI3_NAME(GetFloat64)(fmi3Instance instance, FMI3_REFERENCES, fmi3Float64 values[],
                                 size_t n_values)
{
    if (instance == NULL || n_values != n)
        return refuse(instance, "there are more or fewer values than value references");
    return (fmi3Status)fmu_get(unit_of(instance), references, n, values);
}

fmi3Status FMI3_NAME(SetFloat64)(fmi3Instance instance, FMI3_REFERENCES, const fmi3Float64 values[],
                                 size_t n_values)
{
    if (instance == NULL || n_values != n)
        return refuse(instance, "there are more or fewer values than value references");
    return (fmi3Status)fmu_set(unit_of(instance), references, n, values);
}

/* ---- states ---- */

fmi3Status FMI3_NAME(GetFMUState)(fmi3Instance instance, fmi3FMUState *state)
{
    return instance == NULL || state == NULL
               ? fmi3Error
               : (fmi3Status)fmu_state_get(unit_of(instance), (struct fmu_state **)state);
}

fmi3Status FMI3_NAME(SetFMUState)(fmi3Instance instance, fmi3FMUState state)
{
    return instance == NULL || state == NULL ? refuse(instance, "there is no state")
                                             : (fmi3Status)fmu_state_set(unit_of(instance), state);
}

fmi3Status FMI3_NAME(FreeFMUState)(fmi3Instance instance, fmi3FMUState *state)
{
    (void)instance;
    if (state != NULL) {
        free(*state);
        *state = NULL;
    }
    return fmi3OK;
}

fmi3Status FMI3_NAME(SerializedFMUStateSize)(fmi3Instance instance, fmi3FMUState state,
                                             size_t *size)
{
    if (instance == NULL || state == NULL)
        return refuse(instance, "there is no state");
    *size = ((struct fmu_state *)state)->size;
    return fmi3OK;
}

fmi3Status FMI3_NAME(SerializeFMUState)(fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[],
                                        size_t size)
{
    const struct fmu_state *s = state;

    if (instance == NULL || state == NULL || size < s->size)
        return refuse(instance, "the memory is smaller than the state, or there is no state");
    memcpy(bytes, s->bytes, s->size);
    return fmi3OK;
}

fmi3Status FMI3_NAME(DeserializeFMUState)(fmi3Instance instance, const fmi3Byte bytes[],
                                          size_t size, fmi3FMUState *state)
{
    return instance == NULL ? fmi3Error
                            : (fmi3Status)fmu_state_take(unit_of(instance), (const char *)bytes,
                                                         size, (struct fmu_state **)state);
}

/* ---- steps ---- */

fmi3Status FMI3_NAME(DoStep)(fmi3Instance instance, fmi3Float64 time, fmi3Float64 size,
                             fmi3Boolean no_state_before, fmi3Boolean *event_needed,
                             fmi3Boolean *terminate, fmi3Boolean *early_return,
                             fmi3Float64 *last_time)
{
    enum fmu_status status;
    bool is_early = false;

    (void)no_state_before;
    if (instance == NULL)
        return fmi3Error;
    status = fmu_step(unit_of(instance), time, size, &is_early);
    *event_needed = false;
    *terminate = false;
    *early_return = is_early;
    *last_time = fmu_time(unit_of(instance));
    return (fmi3Status)status;
}

fmi3Status FMI3_NAME(GetNumberOfVariableDependencies)(fmi3Instance instance,
                                                      fmi3ValueReference reference, size_t *n)
{
    (void)reference;
    (void)n;
    return refuse(instance, "dependencies do not change, the description has them");
}
