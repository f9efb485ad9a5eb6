/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_unit.h"
#include "fmi2.h"
#include "fmi3.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* functions of a unit that a bench calls */
#define CALLS2(ENTRY)                                                                              \
    ENTRY(Instantiate)                                                                             \
    ENTRY(FreeInstance)                                                                            \
    ENTRY(SetupExperiment)                                                                         \
    ENTRY(EnterInitializationMode)                                                                 \
    ENTRY(ExitInitializationMode) ENTRY(Terminate) ENTRY(GetReal) ENTRY(SetReal) ENTRY(DoStep)
#define CALLS3(ENTRY)                                                                              \
    ENTRY(InstantiateCoSimulation)                                                                 \
    ENTRY(FreeInstance)                                                                            \
    ENTRY(EnterInitializationMode)                                                                 \
    ENTRY(ExitInitializationMode) ENTRY(Terminate) ENTRY(GetFloat64) ENTRY(SetFloat64) ENTRY(DoStep)
#define MEMBER2(name) fmi2##name##TYPE *name;
#define MEMBER3(name) fmi3##name##TYPE *name;

/** struct unit_instance - a loaded unit.
 * @said:        the last line that the unit logged
 * @two, @three: its functions in FMI 2.0 or 3.0 */
struct unit_instance {
    int version;
    void *library;
    void *instance;
    bool is_running;
    char said[256];
    fmi2CallbackFunctions callbacks;
    struct {
        CALLS2(MEMBER2)
    } two;
    struct {
        CALLS3(MEMBER3)
    } three;
};

static void log_2(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                  fmi2String category, fmi2String format, ...)
{
    struct unit_instance *u = environment;
    va_list arguments;

    (void)name;
    (void)category;
    if (status == fmi2OK || u == NULL)
        return;
    va_start(arguments, format);
    vsnprintf(u->said, sizeof(u->said), format, arguments);
    va_end(arguments);
}

static void log_3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                  fmi3String message)
{
    struct unit_instance *u = environment;

    (void)category;
    if (status != fmi3OK && u != NULL)
        snprintf(u->said, sizeof(u->said), "%s", message);
}

static int refuse(struct unit_instance *u, const char *what, int status, struct lk_error *error)
{
    static const char *const names[] = {"ok", "warning", "discard", "error", "fatal", "pending"};

    lk_error_set(error, "the unit does not %s: status %s%s%s", what,
                 status >= 0 && status < 6 ? names[status] : "of no standard",
                 u->said[0] != '\0' ? ", it says: " : "", u->said);
    return 1;
}

/* Convert a status of the unit to a result. Warnings (status 1) are ignored. */
static int judge(struct unit_instance *u, const char *what, int status, struct lk_error *error)
{
    return status == 0 || status == 1 ? 0 : refuse(u, what, status, error);
}

void unit_binary(int version, const char *id, char ret[PATH_MAX])
{
    snprintf(ret, PATH_MAX, "binaries/%s/%s.so",
             version == 2 ? LINKAGE_FMI2_PLATFORM : LINKAGE_FMI3_PLATFORM, id);
}

static const char *load(struct unit_instance *u, const char *folder,
                        const struct unit_description *d)
{
    char path[PATH_MAX], binary[PATH_MAX];
    const char *missing = NULL;

    unit_binary(d->version, d->id, binary);
    if (snprintf(path, sizeof(path), "%s/%s", folder, binary) >= PATH_MAX)
        return "the path is too long";
    u->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (u->library == NULL)
        return dlerror();
#define FIND2(name)                                                                                \
    *(void **)&u->two.name = dlsym(u->library, "fmi2" #name);                                      \
    missing = u->two.name == NULL ? "fmi2" #name " is missing" : missing;
#define FIND3(name)                                                                                \
    *(void **)&u->three.name = dlsym(u->library, "fmi3" #name);                                    \
    missing = u->three.name == NULL ? "fmi3" #name " is missing" : missing;
    if (d->version == 2) {
        CALLS2(FIND2)
    } else {
        CALLS3(FIND3)
    }
    return missing;
}

static int instantiate(struct unit_instance *u, const char *folder,
                       const struct unit_description *d, struct lk_error *error)
{
    char resources[PATH_MAX + 32];

    if (d->version == 2) {
        snprintf(resources, sizeof(resources), "file://%s/resources", folder);
        u->callbacks = (fmi2CallbackFunctions){.logger = log_2,
                                               .allocateMemory = calloc,
                                               .freeMemory = free,
                                               .componentEnvironment = u};
        u->instance = u->two.Instantiate("linkage-fmu", fmi2CoSimulation, d->token, resources,
                                         &u->callbacks, fmi2False, fmi2False);
    } else {
        snprintf(resources, sizeof(resources), "%s/resources/", folder);
        u->instance =
            u->three.InstantiateCoSimulation("linkage-fmu", d->token, resources, false, false,
                                             false, false, NULL, 0, u, log_3, NULL);
    }
    if (u->instance != NULL)
        return 0;
    lk_error_set(error, "the unit makes no instance%s%s", u->said[0] ? ", it says: " : "", u->said);
    return 1;
}

int unit_open(const char *folder, const struct unit_description *d, struct unit_instance **ret,
              struct lk_error *error)
{
    struct unit_instance *u = calloc(1, sizeof(*u));
    const char *fault;
    int result;

    if (u == NULL) {
        lk_error_set(error, "%s", strerror(ENOMEM));
        return 1;
    }
    u->version = d->version;
    fault = load(u, folder, d);
    if (fault != NULL)
        lk_error_set(error, "the unit cannot be loaded on this machine: %.300s", fault);
    result = fault != NULL || instantiate(u, folder, d, error) != 0;
    if (result == 0)
        *ret = u;
    else
        unit_close(u);
    return result;
}

int unit_start(struct unit_instance *u, struct lk_error *error)
{
    int status;

    if (u->version == 2) {
        status = (int)u->two.SetupExperiment(u->instance, fmi2False, 0, 0, fmi2False, 0);
        if (status <= 1)
            status = (int)u->two.EnterInitializationMode(u->instance);
        if (status <= 1)
            status = (int)u->two.ExitInitializationMode(u->instance);
    } else {
        status = (int)u->three.EnterInitializationMode(u->instance, false, 0, 0, false, 0);
        if (status <= 1)
            status = (int)u->three.ExitInitializationMode(u->instance);
    }
    u->is_running = status <= 1;
    return judge(u, "initialise", status, error);
}

int unit_set(struct unit_instance *u, const struct unit_variable *v, double value,
             struct lk_error *error)
{
    int status = u->version == 2
                     ? (int)u->two.SetReal(u->instance, &v->reference, 1, &value)
                     : (int)u->three.SetFloat64(u->instance, &v->reference, 1, &value, 1);

    return status <= 1 ? judge(u, "take a value", status, error)
                       : refuse(u, "take a value", status, error);
}

int unit_get(struct unit_instance *u, const struct unit_variable *v, double *ret,
             struct lk_error *error)
{
    int status = u->version == 2 ? (int)u->two.GetReal(u->instance, &v->reference, 1, ret)
                                 : (int)u->three.GetFloat64(u->instance, &v->reference, 1, ret, 1);

    if (judge(u, "give a value", status, error) != 0)
        return 1;
    if (isfinite(*ret))
        return 0;
    lk_error_set(error, "the unit gives %g as %.200s, expected a finite number", *ret, v->name);
    return 1;
}

int unit_step(struct unit_instance *u, double time, double size, struct lk_error *error)
{
    fmi3Boolean event = false, end = false, early = false;
    fmi3Float64 reached = time + size;
    int status;

    if (u->version == 2)
        return judge(u, "step", (int)u->two.DoStep(u->instance, time, size, fmi2True), error);
    status = (int)u->three.DoStep(u->instance, time, size, true, &event, &end, &early, &reached);
    if (judge(u, "step", status, error) != 0)
        return 1;
    if (!end)
        return 0;
    lk_error_set(error, "the unit asks for the end of the simulation at %g s", reached);
    return 1;
}

void unit_close(struct unit_instance *u)
{
    if (u->instance != NULL && u->version == 2) {
        if (u->is_running)
            u->two.Terminate(u->instance);
        u->two.FreeInstance(u->instance);
    } else if (u->instance != NULL) {
        if (u->is_running)
            u->three.Terminate(u->instance);
        u->three.FreeInstance(u->instance);
    }
    if (u->library != NULL)
        dlclose(u->library);
    free(u);
}
