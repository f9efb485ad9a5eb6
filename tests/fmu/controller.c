/* SPDX-License-Identifier: Apache-2.0 */
/* A controller as a unit of FMI 2.0 and 3.0, for tests: u = kp (set - y) + ki * sum. Its modes
 * simulate faults of a unit that affect its caller. Value references: y, u, set, kp, ki, mode. */
#include "fmi2.h"
#include "fmi3.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { Y, U, SET, KP, KI, MODE, VALUES };
enum { GOOD, CRASHES, GIVES_NAN, STALLS, REFUSES }; /* after step 20 */

FMI2_FUNCTIONS(FMI2_DECLARE)
FMI3_FUNCTIONS(FMI3_DECLARE)

struct controller {
    double value[VALUES];
    double sum;
    int steps;
};

static int step(struct controller *c, double size)
{
    double *v = c->value, error = v[SET] - v[Y];

    if (++c->steps > 20 && v[MODE] == CRASHES)
        abort();
    while (c->steps > 20 && v[MODE] == STALLS)
        sleep(1);
    c->sum += error * size;
    v[U] = c->steps > 20 && v[MODE] == GIVES_NAN ? (double)NAN : v[KP] * error + v[KI] * c->sum;
    return c->steps > 20 && v[MODE] == REFUSES ? 3 : 0;
}

static int get(struct controller *c, const unsigned *references, size_t n, double *values)
{
    for (size_t i = 0; i < n; i++)
        values[i] = c->value[references[i]];
    return 0;
}

static int set(struct controller *c, const unsigned *references, size_t n, const double *values)
{
    for (size_t i = 0; i < n; i++)
        c->value[references[i]] = values[i];
    return 0;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                              fmi2Boolean logging)
{
    (void)name, (void)type, (void)guid, (void)resources, (void)functions, (void)visible;
    (void)logging;
    return calloc(1, sizeof(struct controller));
}

void fmi2FreeInstance(fmi2Component c)
{
    free(c);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean has_stop, fmi2Real stop)
{
    (void)c, (void)has_tolerance, (void)tolerance, (void)start, (void)has_stop, (void)stop;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference references[], size_t n,
                       fmi2Real values[])
{
    return (fmi2Status)get(c, references, n, values);
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference references[], size_t n,
                       const fmi2Real values[])
{
    return (fmi2Status)set(c, references, n, values);
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real size, fmi2Boolean no_state_before)
{
    (void)time, (void)no_state_before;
    return (fmi2Status)step(c, size);
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                         fmi3Boolean visible, fmi3Boolean logging,
                                         fmi3Boolean event_mode, fmi3Boolean early_return,
                                         const fmi3ValueReference intermediate[],
                                         size_t n_intermediate, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)event_mode;
    (void)early_return, (void)intermediate, (void)n_intermediate, (void)environment, (void)log;
    (void)update;
    return calloc(1, sizeof(struct controller));
}

void fmi3FreeInstance(fmi3Instance instance)
{
    free(instance);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean has_tolerance,
                                       fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean has_stop, fmi3Float64 stop)
{
    (void)instance, (void)has_tolerance, (void)tolerance, (void)start, (void)has_stop, (void)stop;
    return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance)
{
    (void)instance;
    return fmi3OK;
}

fmi3Status fmi3Terminate(fmi3Instance instance)
{
    (void)instance;
    return fmi3OK;
}

fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                          fmi3Float64 values[], size_t n_values)
{
    (void)n_values;
    return (fmi3Status)get(instance, references, n, values);
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
                          const fmi3Float64 values[], size_t n_values)
{
    (void)n_values;
    return (fmi3Status)set(instance, references, n, values);
}

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 time, fmi3Float64 size,
                      fmi3Boolean no_state_before, fmi3Boolean *event_needed,
                      fmi3Boolean *terminate, fmi3Boolean *early_return, fmi3Float64 *last_time)
{
    (void)no_state_before;
    *event_needed = *terminate = *early_return = false;
    *last_time = time + size;
    return (fmi3Status)step(instance, size);
}
