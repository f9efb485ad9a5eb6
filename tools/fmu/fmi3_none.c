/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of FMI 3.0 for what the description of a unit says is not there. An importer may
 * refuse a unit that lacks one of them, needed or not. */
#include "fmi3.h"
#include "unit.h"

FMI3_FUNCTIONS(FMI3_DECLARE)

static fmi3Status refuse(fmi3Instance instance, const char *what)
{
    return instance == NULL ? fmi3Error
                            : (fmi3Status)fmu_say(*(struct fmu **)instance, FMU_ERROR, "%s", what);
}

/* none asked for is none refused */
#define NO_VALUES(Type)                                                                            \
    fmi3Status FMI3_NAME(Get##Type)(fmi3Instance instance, FMI3_REFERENCES, fmi3##Type values[],   \
                                    size_t n_values)                                               \
    {                                                                                              \
        (void)references;                                                                          \
        (void)values;                                                                              \
        (void)n_values;                                                                            \
        return n == 0 ? fmi3OK : refuse(instance, "there is no variable of type " #Type);          \
    }                                                                                              \
    fmi3Status FMI3_NAME(Set##Type)(fmi3Instance instance, FMI3_REFERENCES,                        \
                                    const fmi3##Type values[], size_t n_values)                    \
    {                                                                                              \
        (void)references;                                                                          \
        (void)values;                                                                              \
        (void)n_values;                                                                            \
        return n == 0 ? fmi3OK : refuse(instance, "there is no variable of type " #Type);          \
    }
NO_VALUES(Float32)
NO_VALUES(Int8)
NO_VALUES(UInt8)
NO_VALUES(Int16)
NO_VALUES(UInt16)
NO_VALUES(Int32)
NO_VALUES(UInt32)
NO_VALUES(Int64)
NO_VALUES(UInt64)
NO_VALUES(Boolean)
NO_VALUES(String)

fmi3Status FMI3_NAME(EnterEventMode)(fmi3Instance instance)
{
    return refuse(instance, "there is no event mode");
}

fmi3Status FMI3_NAME(GetBinary)(fmi3Instance instance, FMI3_REFERENCES, size_t sizes[],
                                fmi3Binary values[], size_t n_values)
{
    (void)references;
    (void)n;
    (void)sizes;
    (void)values;
    (void)n_values;
    return refuse(instance, "there is no variable of type Binary");
}

fmi3Status FMI3_NAME(SetBinary)(fmi3Instance instance, FMI3_REFERENCES, const size_t sizes[],
                                const fmi3Binary values[], size_t n_values)
{
    (void)references;
    (void)n;
    (void)sizes;
    (void)values;
    (void)n_values;
    return refuse(instance, "there is no variable of type Binary");
}

fmi3Status FMI3_NAME(GetClock)(fmi3Instance instance, FMI3_REFERENCES, fmi3Clock values[])
{
    (void)references;
    (void)n;
    (void)values;
    return refuse(instance, "there are no clocks");
}

fmi3Status FMI3_NAME(SetClock)(fmi3Instance instance, FMI3_REFERENCES, const fmi3Clock values[])
{
    (void)references;
    (void)n;
    (void)values;
    return refuse(instance, "there are no clocks");
}

fmi3Status FMI3_NAME(GetVariableDependencies)(fmi3Instance instance, fmi3ValueReference dependent,
                                              size_t elements[], fmi3ValueReference independents[],
                                              size_t independent_elements[], fmi3Kind kinds[],
                                              size_t n)
{
    (void)dependent;
    (void)elements;
    (void)independents;
    (void)independent_elements;
    (void)kinds;
    (void)n;
    return refuse(instance, "dependencies do not change, the description has them");
}

fmi3Status FMI3_NAME(GetDirectionalDerivative)(fmi3Instance instance,
                                               const fmi3ValueReference unknowns[],
                                               size_t n_unknowns, const fmi3ValueReference knowns[],
                                               size_t n_knowns, const fmi3Float64 seed[],
                                               size_t n_seed, fmi3Float64 sensitivity[],
                                               size_t n_sensitivity)
{
    (void)unknowns;
    (void)n_unknowns;
    (void)knowns;
    (void)n_knowns;
    (void)seed;
    (void)n_seed;
    (void)sensitivity;
    (void)n_sensitivity;
    return refuse(instance, "there are no derivatives");
}

fmi3Status FMI3_NAME(GetAdjointDerivative)(fmi3Instance instance,
                                           const fmi3ValueReference unknowns[], size_t n_unknowns,
                                           const fmi3ValueReference knowns[], size_t n_knowns,
                                           const fmi3Float64 seed[], size_t n_seed,
                                           fmi3Float64 sensitivity[], size_t n_sensitivity)
{
    (void)unknowns;
    (void)n_unknowns;
    (void)knowns;
    (void)n_knowns;
    (void)seed;
    (void)n_seed;
    (void)sensitivity;
    (void)n_sensitivity;
    return refuse(instance, "there are no derivatives");
}

fmi3Status FMI3_NAME(EnterConfigurationMode)(fmi3Instance instance)
{
    return refuse(instance, "there are no structural parameters");
}

fmi3Status FMI3_NAME(ExitConfigurationMode)(fmi3Instance instance)
{
    return refuse(instance, "there are no structural parameters");
}

fmi3Status FMI3_NAME(GetIntervalDecimal)(fmi3Instance instance, FMI3_REFERENCES,
                                         fmi3Float64 intervals[], fmi3Kind qualifiers[])
{
    (void)references;
    (void)n;
    (void)intervals;
    (void)qualifiers;
    return refuse(instance, "there are no clocks");
}

fmi3Status FMI3_NAME(GetIntervalFraction)(fmi3Instance instance, FMI3_REFERENCES,
                                          fmi3UInt64 counters[], fmi3UInt64 resolutions[],
                                          fmi3Kind qualifiers[])
{
    (void)references;
    (void)n;
    (void)counters;
    (void)resolutions;
    (void)qualifiers;
    return refuse(instance, "there are no clocks");
}

fmi3Status FMI3_NAME(GetShiftDecimal)(fmi3Instance instance, FMI3_REFERENCES, fmi3Float64 shifts[])
{
    (void)references;
    (void)n;
    (void)shifts;
    return refuse(instance, "there are no clocks");
}

fmi3Status FMI3_NAME(GetShiftFraction)(fmi3Instance instance, FMI3_REFERENCES,
                                       fmi3UInt64 counters[], fmi3UInt64 resolutions[])
{
    (void)references;
    (void)n;
    (void)counters;
    (void)resolutions;
    return refuse(instance, "there are no clocks");
}

fmi3Status FMI3_NAME(SetIntervalDecimal)(fmi3Instance instance, FMI3_REFERENCES,
                                         const fmi3Float64 intervals[])
{
    (void)references;
    (void)n;
    (void)intervals;
    return refuse(instance, "there are no clocks");
}

fmi3Status FMI3_NAME(SetIntervalFraction)(fmi3Instance instance, FMI3_REFERENCES,
                                          const fmi3UInt64 counters[],
                                          const fmi3UInt64 resolutions[])
{
    (void)references;
    (void)n;
    (void)counters;
    (void)resolutions;
    return refuse(instance, "there are no clocks");
}

fmi3Status FMI3_NAME(SetShiftDecimal)(fmi3Instance instance, FMI3_REFERENCES,
                                      const fmi3Float64 shifts[])
{
    (void)references;
    (void)n;
    (void)shifts;
    return refuse(instance, "there are no clocks");
}

fmi3Status FMI3_NAME(SetShiftFraction)(fmi3Instance instance, FMI3_REFERENCES,
                                       const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
{
    (void)references;
    (void)n;
    (void)counters;
    (void)resolutions;
    return refuse(instance, "there are no clocks");
}

fmi3Status FMI3_NAME(EvaluateDiscreteStates)(fmi3Instance instance)
{
    return refuse(instance, "there is no event mode");
}

fmi3Status FMI3_NAME(UpdateDiscreteStates)(fmi3Instance instance, fmi3Boolean *need_update,
                                           fmi3Boolean *terminate, fmi3Boolean *nominals_changed,
                                           fmi3Boolean *values_changed, fmi3Boolean *event_defined,
                                           fmi3Float64 *event_time)
{
    (void)need_update;
    (void)terminate;
    (void)nominals_changed;
    (void)values_changed;
    (void)event_defined;
    (void)event_time;
    return refuse(instance, "there is no event mode");
}

fmi3Status FMI3_NAME(EnterContinuousTimeMode)(fmi3Instance instance)
{
    return refuse(instance, "this unit is for co-simulation only");
}

fmi3Status FMI3_NAME(CompletedIntegratorStep)(fmi3Instance instance, fmi3Boolean no_state_before,
                                              fmi3Boolean *event_mode, fmi3Boolean *terminate)
{
    (void)no_state_before;
    (void)event_mode;
    (void)terminate;
    return refuse(instance, "this unit is for co-simulation only");
}

fmi3Status FMI3_NAME(SetTime)(fmi3Instance instance, fmi3Float64 time)
{
    (void)time;
    return refuse(instance, "this unit is for co-simulation only");
}

fmi3Status FMI3_NAME(SetContinuousStates)(fmi3Instance instance, const fmi3Float64 states[],
                                          size_t n)
{
    (void)states;
    (void)n;
    return refuse(instance, "this unit is for co-simulation only");
}

fmi3Status FMI3_NAME(GetContinuousStateDerivatives)(fmi3Instance instance,
                                                    fmi3Float64 derivatives[], size_t n)
{
    (void)derivatives;
    (void)n;
    return refuse(instance, "this unit is for co-simulation only");
}

fmi3Status FMI3_NAME(GetEventIndicators)(fmi3Instance instance, fmi3Float64 indicators[], size_t n)
{
    (void)indicators;
    (void)n;
    return refuse(instance, "this unit is for co-simulation only");
}

fmi3Status FMI3_NAME(GetContinuousStates)(fmi3Instance instance, fmi3Float64 states[], size_t n)
{
    (void)states;
    (void)n;
    return refuse(instance, "this unit is for co-simulation only");
}

fmi3Status FMI3_NAME(GetNominalsOfContinuousStates)(fmi3Instance instance, fmi3Float64 nominals[],
                                                    size_t n)
{
    (void)nominals;
    (void)n;
    return refuse(instance, "this unit is for co-simulation only");
}

fmi3Status FMI3_NAME(GetNumberOfEventIndicators)(fmi3Instance instance, size_t *n)
{
    (void)n;
    return refuse(instance, "this unit is for co-simulation only");
}

fmi3Status FMI3_NAME(GetNumberOfContinuousStates)(fmi3Instance instance, size_t *n)
{
    (void)n;
    return refuse(instance, "this unit is for co-simulation only");
}

fmi3Status FMI3_NAME(EnterStepMode)(fmi3Instance instance)
{
    return refuse(instance, "there is no event mode");
}

fmi3Status FMI3_NAME(GetOutputDerivatives)(fmi3Instance instance, FMI3_REFERENCES,
                                           const fmi3Int32 orders[], fmi3Float64 values[],
                                           size_t n_values)
{
    (void)references;
    (void)n;
    (void)orders;
    (void)values;
    (void)n_values;
    return refuse(instance, "there are no derivatives");
}

fmi3Status FMI3_NAME(ActivateModelPartition)(fmi3Instance instance, fmi3ValueReference clock,
                                             fmi3Float64 time)
{
    (void)clock;
    (void)time;
    return refuse(instance, "there are no clocks");
}
