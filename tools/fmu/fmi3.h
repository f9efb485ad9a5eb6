/* SPDX-License-Identifier: Apache-2.0 */
/* Types of FMI 3.0, as far as a unit and a bench use them. For their meaning see Functional Mock-up
 * Interface 3.0.2, chapters 2 and 4. Programs that load a unit may use other declarations with the
 * same layout. */
#ifndef TOOLS_FMU_FMI3_H
#define TOOLS_FMU_FMI3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void *fmi3Instance;
typedef void *fmi3InstanceEnvironment;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef char fmi3Char;
typedef const fmi3Char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte *fmi3Binary;
typedef bool fmi3Clock;

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef int fmi3Kind; /* enumerations that no unit uses, such as kinds of dependencies */

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment environment, fmi3Status status,
                                       fmi3String category, fmi3String message);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment environment,
                                               fmi3Float64 time, fmi3Boolean set_requested,
                                               fmi3Boolean get_allowed, fmi3Boolean step_finished,
                                               fmi3Boolean can_return_early,
                                               fmi3Boolean *return_requested,
                                               fmi3Float64 *return_time);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment environment);
typedef void (*fmi3PreemptionCallback)(void);

#define FMI3_REFERENCES const fmi3ValueReference references[], size_t n

/* functions that units support: ENTRY(result, name without fmi3, arguments) */
#define FMI3_OFFERED(ENTRY)                                                                        \
    ENTRY(const char *, GetVersion, (void))                                                        \
    ENTRY(fmi3Status, SetDebugLogging,                                                             \
          (fmi3Instance instance, fmi3Boolean on, size_t n, const fmi3String categories[]))        \
    ENTRY(fmi3Instance, InstantiateModelExchange,                                                  \
          (fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,           \
           fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log))  \
    ENTRY(fmi3Instance, InstantiateCoSimulation,                                                   \
          (fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,           \
           fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early_return,                  \
           const fmi3ValueReference intermediate[], size_t n_intermediate,                         \
           fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,                        \
           fmi3IntermediateUpdateCallback update))                                                 \
    ENTRY(fmi3Instance, InstantiateScheduledExecution,                                             \
          (fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,           \
           fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,   \
           fmi3ClockUpdateCallback clock, fmi3PreemptionCallback lock,                             \
           fmi3PreemptionCallback unlock))                                                         \
    ENTRY(void, FreeInstance, (fmi3Instance instance))                                             \
    ENTRY(fmi3Status, EnterInitializationMode,                                                     \
          (fmi3Instance instance, fmi3Boolean has_tolerance, fmi3Float64 tolerance,                \
           fmi3Float64 start, fmi3Boolean has_stop, fmi3Float64 stop))                             \
    ENTRY(fmi3Status, ExitInitializationMode, (fmi3Instance instance))                             \
    ENTRY(fmi3Status, Terminate, (fmi3Instance instance))                                          \
    ENTRY(fmi3Status, Reset, (fmi3Instance instance))                                              \
    FMI3_VALUES(ENTRY, Float64)                                                                    \
    ENTRY(fmi3Status, GetNumberOfVariableDependencies,                                             \
          (fmi3Instance instance, fmi3ValueReference reference, size_t * n))                       \
    ENTRY(fmi3Status, GetFMUState, (fmi3Instance instance, fmi3FMUState * state))                  \
    ENTRY(fmi3Status, SetFMUState, (fmi3Instance instance, fmi3FMUState state))                    \
    ENTRY(fmi3Status, FreeFMUState, (fmi3Instance instance, fmi3FMUState * state))                 \
    ENTRY(fmi3Status, SerializedFMUStateSize,                                                      \
          (fmi3Instance instance, fmi3FMUState state, size_t * size))                              \
    ENTRY(fmi3Status, SerializeFMUState,                                                           \
          (fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[], size_t size))              \
    ENTRY(fmi3Status, DeserializeFMUState,                                                         \
          (fmi3Instance instance, const fmi3Byte bytes[], size_t size, fmi3FMUState *state))       \
    ENTRY(fmi3Status, DoStep,                                                                      \
          (fmi3Instance instance, fmi3Float64 time, fmi3Float64 size, fmi3Boolean no_state_before, \
           fmi3Boolean * event_needed, fmi3Boolean * terminate, fmi3Boolean * early_return,        \
           fmi3Float64 * last_time))

/* Functions that no unit supports. Each of the following lists has its own error message, see
 * fmi3_none.c. */
#define FMI3_EVENT_MODE(ENTRY)                                                                     \
    ENTRY(fmi3Status, EnterEventMode, (fmi3Instance instance))                                     \
    ENTRY(fmi3Status, EvaluateDiscreteStates, (fmi3Instance instance))                             \
    ENTRY(fmi3Status, UpdateDiscreteStates,                                                        \
          (fmi3Instance instance, fmi3Boolean * need_update, fmi3Boolean * terminate,              \
           fmi3Boolean * nominals_changed, fmi3Boolean * values_changed,                           \
           fmi3Boolean * event_defined, fmi3Float64 * event_time))                                 \
    ENTRY(fmi3Status, EnterStepMode, (fmi3Instance instance))

#define FMI3_OTHER_VALUES(ENTRY)                                                                   \
    FMI3_VALUES(ENTRY, Float32)                                                                    \
    FMI3_VALUES(ENTRY, Int8)                                                                       \
    FMI3_VALUES(ENTRY, UInt8)                                                                      \
    FMI3_VALUES(ENTRY, Int16)                                                                      \
    FMI3_VALUES(ENTRY, UInt16)                                                                     \
    FMI3_VALUES(ENTRY, Int32)                                                                      \
    FMI3_VALUES(ENTRY, UInt32)                                                                     \
    FMI3_VALUES(ENTRY, Int64)                                                                      \
    FMI3_VALUES(ENTRY, UInt64)                                                                     \
    FMI3_VALUES(ENTRY, Boolean)                                                                    \
    FMI3_VALUES(ENTRY, String)

#define FMI3_BINARIES(ENTRY)                                                                       \
    ENTRY(fmi3Status, GetBinary,                                                                   \
          (fmi3Instance instance, FMI3_REFERENCES, size_t sizes[], fmi3Binary values[],            \
           size_t n_values))                                                                       \
    ENTRY(fmi3Status, SetBinary,                                                                   \
          (fmi3Instance instance, FMI3_REFERENCES, const size_t sizes[],                           \
           const fmi3Binary values[], size_t n_values))

#define FMI3_CLOCKS(ENTRY)                                                                         \
    ENTRY(fmi3Status, GetClock, (fmi3Instance instance, FMI3_REFERENCES, fmi3Clock values[]))      \
    ENTRY(fmi3Status, SetClock,                                                                    \
          (fmi3Instance instance, FMI3_REFERENCES, const fmi3Clock values[]))                      \
    ENTRY(                                                                                         \
        fmi3Status, GetIntervalDecimal,                                                            \
        (fmi3Instance instance, FMI3_REFERENCES, fmi3Float64 intervals[], fmi3Kind qualifiers[]))  \
    ENTRY(fmi3Status, GetIntervalFraction,                                                         \
          (fmi3Instance instance, FMI3_REFERENCES, fmi3UInt64 counters[],                          \
           fmi3UInt64 resolutions[], fmi3Kind qualifiers[]))                                       \
    ENTRY(fmi3Status, GetShiftDecimal,                                                             \
          (fmi3Instance instance, FMI3_REFERENCES, fmi3Float64 shifts[]))                          \
    ENTRY(                                                                                         \
        fmi3Status, GetShiftFraction,                                                              \
        (fmi3Instance instance, FMI3_REFERENCES, fmi3UInt64 counters[], fmi3UInt64 resolutions[])) \
    ENTRY(fmi3Status, SetIntervalDecimal,                                                          \
          (fmi3Instance instance, FMI3_REFERENCES, const fmi3Float64 intervals[]))                 \
    ENTRY(fmi3Status, SetIntervalFraction,                                                         \
          (fmi3Instance instance, FMI3_REFERENCES, const fmi3UInt64 counters[],                    \
           const fmi3UInt64 resolutions[]))                                                        \
    ENTRY(fmi3Status, SetShiftDecimal,                                                             \
          (fmi3Instance instance, FMI3_REFERENCES, const fmi3Float64 shifts[]))                    \
    ENTRY(fmi3Status, SetShiftFraction,                                                            \
          (fmi3Instance instance, FMI3_REFERENCES, const fmi3UInt64 counters[],                    \
           const fmi3UInt64 resolutions[]))                                                        \
    ENTRY(fmi3Status, ActivateModelPartition,                                                      \
          (fmi3Instance instance, fmi3ValueReference clock, fmi3Float64 time))

#define FMI3_CHANGED_DEPENDENCIES(ENTRY)                                                           \
    ENTRY(fmi3Status, GetVariableDependencies,                                                     \
          (fmi3Instance instance, fmi3ValueReference dependent, size_t elements[],                 \
           fmi3ValueReference independents[], size_t independent_elements[], fmi3Kind kinds[],     \
           size_t n))

#define FMI3_DERIVATIVES(ENTRY)                                                                    \
    ENTRY(fmi3Status, GetDirectionalDerivative,                                                    \
          (fmi3Instance instance, const fmi3ValueReference unknowns[], size_t n_unknowns,          \
           const fmi3ValueReference knowns[], size_t n_knowns, const fmi3Float64 seed[],           \
           size_t n_seed, fmi3Float64 sensitivity[], size_t n_sensitivity))                        \
    ENTRY(fmi3Status, GetAdjointDerivative,                                                        \
          (fmi3Instance instance, const fmi3ValueReference unknowns[], size_t n_unknowns,          \
           const fmi3ValueReference knowns[], size_t n_knowns, const fmi3Float64 seed[],           \
           size_t n_seed, fmi3Float64 sensitivity[], size_t n_sensitivity))                        \
    ENTRY(fmi3Status, GetOutputDerivatives,                                                        \
          (fmi3Instance instance, FMI3_REFERENCES, const fmi3Int32 orders[], fmi3Float64 values[], \
           size_t n_values))

#define FMI3_CONFIGURATION(ENTRY)                                                                  \
    ENTRY(fmi3Status, EnterConfigurationMode, (fmi3Instance instance))                             \
    ENTRY(fmi3Status, ExitConfigurationMode, (fmi3Instance instance))

#define FMI3_MODEL_EXCHANGE(ENTRY)                                                                 \
    ENTRY(fmi3Status, EnterContinuousTimeMode, (fmi3Instance instance))                            \
    ENTRY(fmi3Status, CompletedIntegratorStep,                                                     \
          (fmi3Instance instance, fmi3Boolean no_state_before, fmi3Boolean * event_mode,           \
           fmi3Boolean * terminate))                                                               \
    ENTRY(fmi3Status, SetTime, (fmi3Instance instance, fmi3Float64 time))                          \
    ENTRY(fmi3Status, SetContinuousStates,                                                         \
          (fmi3Instance instance, const fmi3Float64 states[], size_t n))                           \
    ENTRY(fmi3Status, GetContinuousStateDerivatives,                                               \
          (fmi3Instance instance, fmi3Float64 derivatives[], size_t n))                            \
    ENTRY(fmi3Status, GetEventIndicators,                                                          \
          (fmi3Instance instance, fmi3Float64 indicators[], size_t n))                             \
    ENTRY(fmi3Status, GetContinuousStates,                                                         \
          (fmi3Instance instance, fmi3Float64 states[], size_t n))                                 \
    ENTRY(fmi3Status, GetNominalsOfContinuousStates,                                               \
          (fmi3Instance instance, fmi3Float64 nominals[], size_t n))                               \
    ENTRY(fmi3Status, GetNumberOfEventIndicators, (fmi3Instance instance, size_t * n))             \
    ENTRY(fmi3Status, GetNumberOfContinuousStates, (fmi3Instance instance, size_t * n))

/* All functions of the interface. */
#define FMI3_FUNCTIONS(ENTRY)                                                                      \
    FMI3_OFFERED(ENTRY)                                                                            \
    FMI3_EVENT_MODE(ENTRY)                                                                         \
    FMI3_OTHER_VALUES(ENTRY)                                                                       \
    FMI3_BINARIES(ENTRY)                                                                           \
    FMI3_CLOCKS(ENTRY)                                                                             \
    FMI3_CHANGED_DEPENDENCIES(ENTRY)                                                               \
    FMI3_DERIVATIVES(ENTRY)                                                                        \
    FMI3_CONFIGURATION(ENTRY)                                                                      \
    FMI3_MODEL_EXCHANGE(ENTRY)

#define FMI3_VALUES(ENTRY, Type)                                                                   \
    ENTRY(fmi3Status, Get##Type,                                                                   \
          (fmi3Instance instance, FMI3_REFERENCES, fmi3##Type values[], size_t n_values))          \
    ENTRY(fmi3Status, Set##Type,                                                                   \
          (fmi3Instance instance, FMI3_REFERENCES, const fmi3##Type values[], size_t n_values))

/* Distinguishes the functions of linked units, like FMI2_NAME. */
#define FMI3_JOIN(a, b)   a##b
#define FMI3_PREFIX(a, b) FMI3_JOIN(a, b)
#if defined(FMI3_FUNCTION_PREFIX) && !defined(FMI3_OVERRIDE_FUNCTION_PREFIX)
#define FMI3_NAME(name) FMI3_PREFIX(FMI3_FUNCTION_PREFIX, fmi3##name)
#else
#define FMI3_NAME(name) fmi3##name
#endif

#define FMI3_DECLARE(result, name, arguments) result FMI3_NAME(name) arguments;
#define FMI3_TYPE(result, name, arguments)    typedef result fmi3##name##TYPE arguments;
FMI3_FUNCTIONS(FMI3_TYPE)

#endif
