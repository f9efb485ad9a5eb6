/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of FMI 2.0 for co-simulation. For their behaviour see unit.h. */
#include "fmi2.h"
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FMI2_FUNCTIONS(FMI2_DECLARE)

/* struct component - an instance of FMI 2.0.
 * @name:      copy of the instance's name
 * @callbacks: callbacks of the importer */
struct component {
    struct fmu *fmu;
    char *name;
    fmi2CallbackFunctions callbacks;
};

static const char *const categories[] = {"logStatusOK", "logStatusWarning", "logStatusDiscard",
                                         "logStatusError", "logStatusFatal"};

static void log_line(void *context, enum fmu_status status, const char *line)
{
    const struct component *c = context;

    if (c->callbacks.logger != NULL)
        c->callbacks.logger(c->callbacks.componentEnvironment, c->name, (fmi2Status)status,
                            categories[status], "%s", line);
}

static struct fmu *unit_of(fmi2Component c)
{
    return ((struct component *)c)->fmu;
}

static fmi2Status refuse(fmi2Component c, const char *what)
{
    return c == NULL ? fmi2Error : (fmi2Status)fmu_say(unit_of(c), FMU_ERROR, "%s", what);
}

const char *FMI2_NAME(GetTypesPlatform)(void)
{
    return "default";
}

const char *FMI2_NAME(GetVersion)(void)
{
    return "2.0";
}

fmi2Status FMI2_NAME(SetDebugLogging)(fmi2Component c, fmi2Boolean on, size_t n,
                                      const fmi2String list[])
{
    (void)on; /* no effect: the unit logs only refusals, never a trace */
    (void)n;
    (void)list;
    return c == NULL ? fmi2Error : fmi2OK;
}

static fmi2Component give_up(struct component *c, const char *why)
{
    if (why != NULL)
        log_line(c, FMU_ERROR, why);
    free(c->name);
    free(c);
    return NULL;
}

fmi2Component FMI2_NAME(Instantiate)(fmi2String name, fmi2Type type, fmi2String guid,
                                     fmi2String resources, const fmi2CallbackFunctions *functions,
                                     fmi2Boolean visible, fmi2Boolean logging)
{
    struct component *c = calloc(1, sizeof(*c));

    (void)visible;
    (void)logging;
    if (c == NULL)
        return NULL;
    if (functions != NULL)
        c->callbacks = *functions;
    c->name = strdup(name != NULL ? name : "");
    if (c->name == NULL)
        return give_up(c, NULL);
    if (type != fmi2CoSimulation)
        return give_up(c, "this unit is for co-simulation only");
    c->fmu = fmu_new(&(struct fmu_host){.context = c, .log = log_line}, guid, resources);
    return c->fmu != NULL ? c : give_up(c, NULL);
}

void FMI2_NAME(FreeInstance)(fmi2Component instance)
{
    struct component *c = instance;

    if (c == NULL)
        return;
    fmu_free(c->fmu);
    free(c->name);
    free(c);
}

fmi2Status FMI2_NAME(SetupExperiment)(fmi2Component c, fmi2Boolean has_tolerance,
                                      fmi2Real tolerance, fmi2Real start, fmi2Boolean has_stop,
                                      fmi2Real stop)
{
    (void)has_tolerance; /* the step size is fixed */
    (void)tolerance;
    return c == NULL ? fmi2Error
                     : (fmi2Status)fmu_setup(unit_of(c), start, has_stop ? stop : INFINITY);
}

fmi2Status FMI2_NAME(EnterInitializationMode)(fmi2Component c)
{
    return c == NULL ? fmi2Error : (fmi2Status)fmu_enter_initialisation(unit_of(c));
}

fmi2Status FMI2_NAME(ExitInitializationMode)(fmi2Component c)
{
    return c == NULL ? fmi2Error : (fmi2Status)fmu_exit_initialisation(unit_of(c));
}

fmi2Status FMI2_NAME(Terminate)(fmi2Component c)
{
    return c == NULL ? fmi2Error : (fmi2Status)fmu_terminate(unit_of(c));
}

fmi2Status FMI2_NAME(Reset)(fmi2Component c)
{
    return c == NULL ? fmi2Error : (fmi2Status)fmu_reset(unit_of(c));
}

/* ---- values ---- */

fmi2Status FMI2_NAME(GetReal)(fmi2Component c, const fmi2ValueReference references[], size_t n,
                              fmi2Real values[])
{
    return c == NULL ? fmi2Error : (fmi2Status)fmu_get(unit_of(c), references, n, values);
}

fmi2Status FMI2_NAME(SetReal)(fmi2Component c, const fmi2ValueReference references[], size_t n,
                              const fmi2Real values[])
{
    return c == NULL ? fmi2Error : (fmi2Status)fmu_set(unit_of(c), references, n, values);
}

/* all variables are Real */
#define NO_VALUES(Type, type)                                                                      \
    fmi2Status FMI2_NAME(Get##Type)(fmi2Component c, const fmi2ValueReference references[],        \
                                    size_t n, type values[])                                       \
    {                                                                                              \
        (void)references;                                                                          \
        (void)values;                                                                              \
        return n == 0 ? fmi2OK : refuse(c, "there is no variable of type " #Type);                 \
    }                                                                                              \
    fmi2Status FMI2_NAME(Set##Type)(fmi2Component c, const fmi2ValueReference references[],        \
                                    size_t n, const type values[])                                 \
    {                                                                                              \
        (void)references;                                                                          \
        (void)values;                                                                              \
        return n == 0 ? fmi2OK : refuse(c, "there is no variable of type " #Type);                 \
    }
NO_VALUES(Integer, fmi2Integer)
NO_VALUES(Boolean, fmi2Boolean)
NO_VALUES(String, fmi2String)

/* ---- states ---- */

fmi2Status FMI2_NAME(GetFMUstate)(fmi2Component c, fmi2FMUstate *state)
{
    return c == NULL || state == NULL
               ? fmi2Error
               : (fmi2Status)fmu_state_get(unit_of(c), (struct fmu_state **)state);
}

fmi2Status FMI2_NAME(SetFMUstate)(fmi2Component c, fmi2FMUstate state)
{
    return c == NULL || state == NULL ? refuse(c, "there is no state")
                                      : (fmi2Status)fmu_state_set(unit_of(c), state);
}

fmi2Status FMI2_NAME(FreeFMUstate)(fmi2Component c, fmi2FMUstate *state)
{
    (void)c;
    if (state != NULL) {
        free(*state);
        *state = NULL;
    }
    return fmi2OK;
}

fmi2Status FMI2_NAME(SerializedFMUstateSize)(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    if (c == NULL || state == NULL)
        return refuse(c, "there is no state");
    *size = ((struct fmu_state *)state)->size;
    return fmi2OK;
}

fmi2Status FMI2_NAME(SerializeFMUstate)(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[],
                                        size_t size)
{
    const struct fmu_state *s = state;

    if (c == NULL || state == NULL || size < s->size)
        return refuse(c, "the memory is smaller than the state, or there is no state");
    memcpy(bytes, s->bytes, s->size);
    return fmi2OK;
}

fmi2Status FMI2_NAME(DeSerializeFMUstate)(fmi2Component c, const fmi2Byte bytes[], size_t size,
                                          fmi2FMUstate *state)
{
    return c == NULL
               ? fmi2Error
               : (fmi2Status)fmu_state_take(unit_of(c), bytes, size, (struct fmu_state **)state);
}

/* ---- steps ---- */

fmi2Status FMI2_NAME(DoStep)(fmi2Component c, fmi2Real time, fmi2Real size,
                             fmi2Boolean no_state_before)
{
    bool is_early;

    (void)no_state_before;
    return c == NULL ? fmi2Error : (fmi2Status)fmu_step(unit_of(c), time, size, &is_early);
}

fmi2Status FMI2_NAME(CancelStep)(fmi2Component c)
{
    return refuse(c, "a step is never pending");
}

fmi2Status FMI2_NAME(GetRealStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
{
    if (c == NULL || kind != fmi2LastSuccessfulTime)
        return fmi2Discard;
    *value = fmu_time(unit_of(c));
    return fmi2OK;
}

fmi2Status FMI2_NAME(GetBooleanStatus)(fmi2Component c, const fmi2StatusKind kind,
                                       fmi2Boolean *value)
{
    if (c == NULL || kind != fmi2Terminated)
        return fmi2Discard;
    *value = fmi2False;
    return fmi2OK;
}

#define NO_STATUS(What, type)                                                                      \
    fmi2Status FMI2_NAME(Get##What)(fmi2Component c, const fmi2StatusKind kind, type *value)       \
    {                                                                                              \
        (void)c;                                                                                   \
        (void)kind;                                                                                \
        (void)value;                                                                               \
        return fmi2Discard;                                                                        \
    }
NO_STATUS(Status, fmi2Status)
NO_STATUS(IntegerStatus, fmi2Integer)
NO_STATUS(StringStatus, fmi2String)

/* ---- functions not supported according to the description ---- */

fmi2Status FMI2_NAME(GetDirectionalDerivative)(fmi2Component c, const fmi2ValueReference unknown[],
                                               size_t n_unknown, const fmi2ValueReference known[],
                                               size_t n_known, const fmi2Real seed[],
                                               fmi2Real result[])
{
    (void)unknown;
    (void)n_unknown;
    (void)known;
    (void)n_known;
    (void)seed;
    (void)result;
    return refuse(c, "there are no directional derivatives");
}

fmi2Status FMI2_NAME(SetRealInputDerivatives)(fmi2Component c,
                                              const fmi2ValueReference references[], size_t n,
                                              const fmi2Integer order[], const fmi2Real values[])
{
    (void)references;
    (void)n;
    (void)order;
    (void)values;
    return refuse(c, "inputs have no derivatives: they are held over a step");
}

fmi2Status FMI2_NAME(GetRealOutputDerivatives)(fmi2Component c,
                                               const fmi2ValueReference references[], size_t n,
                                               const fmi2Integer order[], fmi2Real values[])
{
    (void)references;
    (void)n;
    (void)order;
    (void)values;
    return refuse(c, "outputs have no derivatives");
}
