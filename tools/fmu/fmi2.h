/* SPDX-License-Identifier: Apache-2.0 */
/* Types of FMI 2.0 for co-simulation, as far as a unit and a bench use them. For their meaning see
 * Functional Mock-up Interface 2.0.4, chapters 2 and 4. Programs that load a unit may use other
 * declarations with the same layout. */
#ifndef TOOLS_FMU_FMI2_H
#define TOOLS_FMU_FMI2_H

#include <stddef.h>

typedef void *fmi2Component;
typedef void *fmi2ComponentEnvironment;
typedef void *fmi2FMUstate;
typedef unsigned fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Char;
typedef const fmi2Char *fmi2String;
typedef char fmi2Byte;

enum { fmi2False, fmi2True };
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum {
    fmi2DoStepStatus,
    fmi2PendingStatus,
    fmi2LastSuccessfulTime,
    fmi2Terminated
} fmi2StatusKind;

typedef void fmi2Logger(fmi2ComponentEnvironment environment, fmi2String instance,
                        fmi2Status status, fmi2String category, fmi2String format, ...);

typedef struct {
    fmi2Logger *logger;
    void *(*allocateMemory)(size_t n, size_t size);
    void (*freeMemory)(void *memory);
    void (*stepFinished)(fmi2ComponentEnvironment environment, fmi2Status status);
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

/* all functions of the interface: ENTRY(result, name without fmi2, arguments) */
#define FMI2_FUNCTIONS(ENTRY)                                                                      \
    ENTRY(const char *, GetTypesPlatform, (void))                                                  \
    ENTRY(const char *, GetVersion, (void))                                                        \
    ENTRY(fmi2Status, SetDebugLogging,                                                             \
          (fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]))              \
    ENTRY(fmi2Component, Instantiate,                                                              \
          (fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,                  \
           const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging))      \
    ENTRY(void, FreeInstance, (fmi2Component c))                                                   \
    ENTRY(fmi2Status, SetupExperiment,                                                             \
          (fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start,         \
           fmi2Boolean has_stop, fmi2Real stop))                                                   \
    ENTRY(fmi2Status, EnterInitializationMode, (fmi2Component c))                                  \
    ENTRY(fmi2Status, ExitInitializationMode, (fmi2Component c))                                   \
    ENTRY(fmi2Status, Terminate, (fmi2Component c))                                                \
    ENTRY(fmi2Status, Reset, (fmi2Component c))                                                    \
    FMI2_VALUES(ENTRY, Real, fmi2Real)                                                             \
    FMI2_VALUES(ENTRY, Integer, fmi2Integer)                                                       \
    FMI2_VALUES(ENTRY, Boolean, fmi2Boolean)                                                       \
    FMI2_VALUES(ENTRY, String, fmi2String)                                                         \
    ENTRY(fmi2Status, GetFMUstate, (fmi2Component c, fmi2FMUstate * state))                        \
    ENTRY(fmi2Status, SetFMUstate, (fmi2Component c, fmi2FMUstate state))                          \
    ENTRY(fmi2Status, FreeFMUstate, (fmi2Component c, fmi2FMUstate * state))                       \
    ENTRY(fmi2Status, SerializedFMUstateSize,                                                      \
          (fmi2Component c, fmi2FMUstate state, size_t * size))                                    \
    ENTRY(fmi2Status, SerializeFMUstate,                                                           \
          (fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size))                    \
    ENTRY(fmi2Status, DeSerializeFMUstate,                                                         \
          (fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state))             \
    ENTRY(fmi2Status, GetDirectionalDerivative,                                                    \
          (fmi2Component c, const fmi2ValueReference unknown[], size_t n_unknown,                  \
           const fmi2ValueReference known[], size_t n_known, const fmi2Real seed[],                \
           fmi2Real result[]))                                                                     \
    ENTRY(fmi2Status, SetRealInputDerivatives,                                                     \
          (fmi2Component c, const fmi2ValueReference references[], size_t n,                       \
           const fmi2Integer order[], const fmi2Real values[]))                                    \
    ENTRY(fmi2Status, GetRealOutputDerivatives,                                                    \
          (fmi2Component c, const fmi2ValueReference references[], size_t n,                       \
           const fmi2Integer order[], fmi2Real values[]))                                          \
    ENTRY(fmi2Status, DoStep,                                                                      \
          (fmi2Component c, fmi2Real time, fmi2Real size, fmi2Boolean no_state_before))            \
    ENTRY(fmi2Status, CancelStep, (fmi2Component c))                                               \
    FMI2_STATUS(ENTRY, Status, fmi2Status)                                                         \
    FMI2_STATUS(ENTRY, RealStatus, fmi2Real)                                                       \
    FMI2_STATUS(ENTRY, IntegerStatus, fmi2Integer)                                                 \
    FMI2_STATUS(ENTRY, BooleanStatus, fmi2Boolean)                                                 \
    FMI2_STATUS(ENTRY, StringStatus, fmi2String)

#define FMI2_VALUES(ENTRY, Type, type)                                                             \
    ENTRY(fmi2Status, Get##Type,                                                                   \
          (fmi2Component c, const fmi2ValueReference references[], size_t n, type values[]))       \
    ENTRY(fmi2Status, Set##Type,                                                                   \
          (fmi2Component c, const fmi2ValueReference references[], size_t n, const type values[]))

#define FMI2_STATUS(ENTRY, What, type)                                                             \
    ENTRY(fmi2Status, Get##What, (fmi2Component c, const fmi2StatusKind kind, type *value))

/* A unit may also be linked into a program instead of being loaded. FMI2_FUNCTION_PREFIX then
 * distinguishes its functions from those of other units (2.1.1 of the standard). */
#define FMI2_JOIN(a, b)   a##b
#define FMI2_PREFIX(a, b) FMI2_JOIN(a, b)
#if defined(FMI2_FUNCTION_PREFIX) && !defined(FMI2_OVERRIDE_FUNCTION_PREFIX)
#define FMI2_NAME(name) FMI2_PREFIX(FMI2_FUNCTION_PREFIX, fmi2##name)
#else
#define FMI2_NAME(name) fmi2##name
#endif

#define FMI2_DECLARE(result, name, arguments) result FMI2_NAME(name) arguments;
#define FMI2_TYPE(result, name, arguments)    typedef result fmi2##name##TYPE arguments;
FMI2_FUNCTIONS(FMI2_TYPE)

#endif
