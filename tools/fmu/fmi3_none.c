/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of FMI 3.0 for features that a unit does not support according to its description. They
 * exist because an importer may refuse a unit in which any function of the standard is missing. */
#include "fmi3.h"
#include "unit.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* refusals use only the instance */

FMI3_FUNCTIONS(FMI3_DECLARE)

static fmi3Status refuse(fmi3Instance instance, const char *what, const char *type)
{
    return instance == NULL
               ? fmi3Error
               : (fmi3Status)fmu_say(*(struct fmu **)instance, FMU_ERROR, "%s%s", what, type);
}

#define REFUSE(result, name, arguments, what)                                                      \
    result FMI3_NAME(name) arguments                                                               \
    {                                                                                              \
        return refuse(instance, what, "");                                                         \
    }

/* Refuse access to values of other types. The name of a function after "Get" or "Set" is the type
 * of its values. A request for zero values succeeds. */
#define NO_VALUES(result, name, arguments)                                                         \
    result FMI3_NAME(name) arguments                                                               \
    {                                                                                              \
        return n == 0 ? fmi3OK : refuse(instance, "there is no variable of type ", &#name[3]);     \
    }
FMI3_OTHER_VALUES(NO_VALUES)

#define NO_BINARIES(...) REFUSE(__VA_ARGS__, "there is no variable of type Binary")
FMI3_BINARIES(NO_BINARIES)

#define NO_CLOCKS(...) REFUSE(__VA_ARGS__, "there are no clocks")
FMI3_CLOCKS(NO_CLOCKS)

#define NO_EVENT_MODE(...) REFUSE(__VA_ARGS__, "there is no event mode")
FMI3_EVENT_MODE(NO_EVENT_MODE)

#define NO_DERIVATIVES(...) REFUSE(__VA_ARGS__, "there are no derivatives")
FMI3_DERIVATIVES(NO_DERIVATIVES)

#define NO_CHANGED_DEPENDENCIES(...)                                                               \
    REFUSE(__VA_ARGS__, "dependencies do not change, the description has them")
FMI3_CHANGED_DEPENDENCIES(NO_CHANGED_DEPENDENCIES)

#define NO_CONFIGURATION(...) REFUSE(__VA_ARGS__, "there are no structural parameters")
FMI3_CONFIGURATION(NO_CONFIGURATION)

#define NO_MODEL_EXCHANGE(...) REFUSE(__VA_ARGS__, "this unit is for co-simulation only")
FMI3_MODEL_EXCHANGE(NO_MODEL_EXCHANGE)
