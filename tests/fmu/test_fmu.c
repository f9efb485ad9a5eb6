/* SPDX-License-Identifier: Apache-2.0 */
/* Units of FMI 2.0 and 3.0, loaded like in an importer, compared with the library that steps the
 * same model: bits, parameters, states and refusals.
 *
 * usage: test_fmu MODEL UNIT2 UNIT3: the model, and the folders of its unpacked units */
#include "../cmocka_all.h"
#include "fmi2.h"
#include "fmi3.h"
#include "linkage/errors.h"
#include "linkage/linkage.h"
#include "linkage/parameters.h"

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP    0.002
#define OUTPUTS 14 /* load, pose, hold */

static const char *model_path;
static const char *folders[2];
static char tokens[2][64];

/* names as in the description, from which their value references are read */
static const char *const outputs[OUTPUTS] = {
    "output.load", "pose.x",  "pose.y",  "pose.z",  "pose.qw", "pose.qx", "pose.qy",
    "pose.qz",     "hold.fx", "hold.fy", "hold.fz", "hold.tx", "hold.ty", "hold.tz"};

#define MEMBER2(result, name, arguments) fmi2##name##TYPE *name##2;
#define MEMBER3(result, name, arguments) fmi3##name##TYPE *name##3;

/* struct unit - an instance of either version
 * @lines:        number of logged lines
 * @line:         last logged line
 * @updates:      number of intermediate updates
 * @return_after: time after which an update requests an early return */
struct unit {
    int version;
    void *library;
    void *instance;
    int lines;
    char line[512];
    int updates;
    double return_after;
    FMI2_FUNCTIONS(MEMBER2)
    FMI3_FUNCTIONS(MEMBER3)
};

static void take_line(struct unit *u, const char *line)
{
    u->lines++;
    snprintf(u->line, sizeof(u->line), "%s", line);
}

static void log_2(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                  fmi2String category, fmi2String format, ...)
{
    va_list arguments;
    char line[512];

    (void)category;
    assert_string_equal(name, "here");
    assert_true(status != fmi2OK);
    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    take_line(environment, line);
}

static void log_3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                  fmi3String message)
{
    (void)category;
    assert_true(status != fmi3OK);
    take_line(environment, message);
}

static void update_3(fmi3InstanceEnvironment environment, fmi3Float64 time, fmi3Boolean set,
                     fmi3Boolean get, fmi3Boolean finished, fmi3Boolean can_return,
                     fmi3Boolean *requested, fmi3Float64 *until)
{
    struct unit *u = environment;
    double value;
    unsigned reference = 0;

    assert_false(set);
    assert_true(get && finished && can_return);
    u->updates++;
    assert_int_equal(u->GetFloat643(u->instance, &reference, 1, &value, 1), fmi3OK);
    assert_true(value == time);
    *requested = time >= u->return_after;
    *until = time;
}

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);

    if (found == NULL)
        fail_msg("%s is not exported", name);
    return found;
}

#define FIND2(result, name, arguments) *(void **)&u->name##2 = symbol(u->library, "fmi2" #name);
#define FIND3(result, name, arguments) *(void **)&u->name##3 = symbol(u->library, "fmi3" #name);

static void load(struct unit *u, int version)
{
    char path[4096];

    memset(u, 0, sizeof(*u));
    u->version = version;
    u->return_after = INFINITY;
    snprintf(path, sizeof(path), "%s/unit.so", folders[version - 2]);
    u->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (u->library == NULL)
        fail_msg("%s", dlerror());
    FMI2_FUNCTIONS(FIND2)
    FMI3_FUNCTIONS(FIND3)
}

static bool instantiate(struct unit *u, const char *token, const char *resources)
{
    const fmi2CallbackFunctions callbacks = {.logger = log_2, .componentEnvironment = u};

    u->instance =
        u->version == 2
            ? u->Instantiate2("here", fmi2CoSimulation, token, resources, &callbacks, 0, 0)
            : u->InstantiateCoSimulation3("here", token, resources, false, false, false, true, NULL,
                                          0, u, log_3, update_3);
    return u->instance != NULL;
}

static void open_unit(struct unit *u, int version)
{
    char resources[4096];

    load(u, version);
    snprintf(resources, sizeof(resources), "%s%s/resources%s", version == 2 ? "file://" : "",
             folders[version - 2], version == 2 ? "" : "/");
    assert_true(instantiate(u, tokens[version - 2], resources));
    assert_int_equal(u->lines, 0);
}

static void close_unit(struct unit *u)
{
    if (u->version == 2)
        u->FreeInstance2(u->instance);
    else
        u->FreeInstance3(u->instance);
    dlclose(u->library);
}

/* Return the value reference of a name from the description. */
static unsigned reference_of(int version, const char *name)
{
    static char *text[2];
    char path[4096], what[128], *found, *number;

    if (text[version - 2] == NULL) {
        FILE *f;

        snprintf(path, sizeof(path), "%s/modelDescription.xml", folders[version - 2]);
        f = fopen(path, "r");
        assert_non_null(f);
        text[version - 2] = calloc(1, 1 << 20);
        assert_true(fread(text[version - 2], 1, (1 << 20) - 1, f) > 0);
        fclose(f);
    }
    snprintf(what, sizeof(what), " name=\"%s\" valueReference=\"", name);
    found = strstr(text[version - 2], what);
    if (found == NULL)
        fail_msg("%s is not described", name);
    number = found + strlen(what);
    return (unsigned)strtoul(number, NULL, 10);
}

static int set(struct unit *u, const char *name, double value)
{
    unsigned r = reference_of(u->version, name);

    return u->version == 2 ? (int)u->SetReal2(u->instance, &r, 1, &value)
                           : (int)u->SetFloat643(u->instance, &r, 1, &value, 1);
}

static double get(struct unit *u, const char *name)
{
    unsigned r = reference_of(u->version, name);
    double value = NAN;

    assert_int_equal(u->version == 2 ? (int)u->GetReal2(u->instance, &r, 1, &value)
                                     : (int)u->GetFloat643(u->instance, &r, 1, &value, 1),
                     0);
    return value;
}

static int begin(struct unit *u, double start)
{
    int status;

    if (u->version == 3)
        status = (int)u->EnterInitializationMode3(u->instance, false, 0, start, false, 0);
    else if ((status = (int)u->SetupExperiment2(u->instance, 0, 0, start, 0, 0)) == 0)
        status = (int)u->EnterInitializationMode2(u->instance);
    if (status != 0)
        return status;
    return u->version == 2 ? (int)u->ExitInitializationMode2(u->instance)
                           : (int)u->ExitInitializationMode3(u->instance);
}

/* Make a step to @time + @size.
 * @ret_time: reached time */
static int step_to(struct unit *u, double time, double size, double *ret_time)
{
    fmi3Boolean event, end, early;
    int status;

    if (u->version == 3)
        return (int)u->DoStep3(u->instance, time, size, true, &event, &end, &early, ret_time);
    status = (int)u->DoStep2(u->instance, time, size, 1);
    assert_int_equal(u->GetRealStatus2(u->instance, fmi2LastSuccessfulTime, ret_time), fmi2OK);
    return status;
}

static void step(struct unit *u, double time, double size)
{
    double reached;

    assert_int_equal(step_to(u, time, size, &reached), 0);
    assert_true(fabs(reached - (time + size)) < 1e-9);
}

/* ---- the same motion with the library ---- */

static struct lk_system *reference(const struct lk_setting *settings, int n)
{
    struct lk_model *model = NULL;
    struct lk_system *system = NULL;
    struct lk_errors errors;
    struct lk_error error;

    assert_int_equal(lk_model_read_file_with(model_path, settings, n, &model, &errors), 0);
    assert_int_equal(lk_system_new(model, NULL, &system, &error), 0);
    lk_model_free(model);
    return system;
}

/* Return the place of a channel among the inputs: motor, push, or the tunable parameter. */
static double *input_of(const struct lk_system *system, double *inputs, const char *name)
{
    int n;
    const struct lk_channel *list = lk_system_input_channels(system, &n);

    for (int i = 0; i < n; i++)
        if (strcmp(list[i].name, name) == 0)
            return &inputs[list[i].offset];
    fail_msg("no input %s", name);
    return NULL;
}

static void assert_same(struct unit *u, const struct lk_system *system)
{
    double values[OUTPUTS];

    assert_int_equal(lk_system_output_size(system), OUTPUTS);
    lk_system_outputs(system, values);
    for (int i = 0; i < OUTPUTS; i++) {
        double value = get(u, outputs[i]);

        if (memcmp(&value, &values[i], sizeof(value)) != 0)
            fail_msg("FMI %d: %s is %.17g, expected %.17g", u->version, outputs[i], value,
                     values[i]);
    }
}

/* ---- tests ---- */

static void each_version(void (*test)(int version))
{
    for (int version = 2; version <= 3; version++)
        test(version);
}

static void check_bits(int version)
{
    struct lk_system *system = reference(NULL, 0);
    double inputs[5] = {0};
    struct unit u;
    int n = 0;

    open_unit(&u, version);
    *input_of(system, inputs, "grip") = 40;
    assert_int_equal(begin(&u, 3), 0);
    assert_same(&u, system);
    for (int call = 0; call < 60; call++) {
        int steps = 1 + call % 5;

        *input_of(system, inputs, "motor") = 5 * sin(call);
        input_of(system, inputs, "push")[1] = call;
        assert_int_equal(set(&u, "motor", 5 * sin(call)), 0);
        assert_int_equal(set(&u, "push.y", call), 0);
        step(&u, 3 + n * STEP, steps * STEP);
        for (int i = 0; i < steps; i++, n++)
            assert_int_equal(lk_system_step(system, inputs), 0);
        assert_same(&u, system);
        assert_true(fabs(get(&u, "time") - (3 + n * STEP)) < 1e-9);
    }
    assert_int_equal(u.lines, 0);
    close_unit(&u);
    lk_system_free(system);
}

static void test_bits(void **state)
{
    (void)state;
    each_version(check_bits);
}

static void check_parameters(int version)
{
    const struct lk_setting settings[] = {
        {"load", 3.5}, {"grip", 55}, {"forces.spring.damping", 1.25}};
    struct lk_system *system = reference(settings, 3);
    double inputs[5] = {0};
    struct unit u;

    open_unit(&u, version);
    assert_true(get(&u, "load") == 2);
    assert_int_equal(set(&u, "load", 3.5), 0);
    assert_int_equal(set(&u, "forces.spring.damping", 1.25), 0);
    assert_int_equal(set(&u, "grip", 55), 0);
    assert_int_equal(begin(&u, 0), 0);
    *input_of(system, inputs, "grip") = 55;
    step(&u, 0, 10 * STEP);
    for (int i = 0; i < 10; i++)
        lk_system_step(system, inputs);
    assert_same(&u, system);

    assert_int_equal(set(&u, "grip", 120), 0); /* while the unit runs */
    *input_of(system, inputs, "grip") = 120;
    step(&u, 10 * STEP, 10 * STEP);
    for (int i = 0; i < 10; i++)
        lk_system_step(system, inputs);
    assert_same(&u, system);
    assert_true(get(&u, "grip") == 120);

    assert_int_equal(set(&u, "load", 4), 3); /* fixed after the initialisation */
    assert_non_null(strstr(u.line, "fixed parameter"));
    assert_true(get(&u, "load") == 3.5);

    /* a reset restores the values of the file */
    assert_int_equal(version == 2 ? (int)u.Reset2(u.instance) : (int)u.Reset3(u.instance), 0);
    assert_true(get(&u, "load") == 2 && get(&u, "grip") == 40);
    assert_int_equal(begin(&u, 0), 0);
    lk_system_free(system);
    system = reference(NULL, 0);
    assert_same(&u, system);
    close_unit(&u);
    lk_system_free(system);
}

static void test_parameters(void **state)
{
    (void)state;
    each_version(check_parameters);
}

/* A model that the library refuses is reported at the end of the initialisation. A reset makes the
 * unit usable again. */
static void check_refused_model(int version)
{
    struct unit u;

    open_unit(&u, version);
    assert_int_equal(set(&u, "bodies.arm.inertia.1", -1), 0);
    assert_int_equal(begin(&u, 0), 3);
    assert_non_null(strstr(u.line, "swing.yaml:8:"));
    assert_int_equal(set(&u, "motor", 1), 3);
    assert_int_equal(version == 2 ? (int)u.Reset2(u.instance) : (int)u.Reset3(u.instance), 0);
    assert_int_equal(begin(&u, 0), 0);
    step(&u, 0, STEP);
    close_unit(&u);
}

static void test_refused_model(void **state)
{
    (void)state;
    each_version(check_refused_model);
}

/* ---- states ---- */

static void *keep(struct unit *u, void *into)
{
    assert_int_equal(u->version == 2 ? (int)u->GetFMUstate2(u->instance, &into)
                                     : (int)u->GetFMUState3(u->instance, &into),
                     0);
    return into;
}

static int restore(struct unit *u, void *state)
{
    return u->version == 2 ? (int)u->SetFMUstate2(u->instance, state)
                           : (int)u->SetFMUState3(u->instance, state);
}

static void drop(struct unit *u, void *state)
{
    assert_int_equal(u->version == 2 ? (int)u->FreeFMUstate2(u->instance, &state)
                                     : (int)u->FreeFMUState3(u->instance, &state),
                     0);
    assert_null(state);
}

static char *serialize(struct unit *u, void *state, size_t *ret_size)
{
    char *bytes;

    assert_int_equal(u->version == 2
                         ? (int)u->SerializedFMUstateSize2(u->instance, state, ret_size)
                         : (int)u->SerializedFMUStateSize3(u->instance, state, ret_size),
                     0);
    bytes = malloc(*ret_size);
    assert_int_equal(
        u->version == 2
            ? (int)u->SerializeFMUstate2(u->instance, state, bytes, *ret_size)
            : (int)u->SerializeFMUState3(u->instance, state, (fmi3Byte *)bytes, *ret_size),
        0);
    return bytes;
}

static int deserialize(struct unit *u, const char *bytes, size_t size, void **ret_state)
{
    return u->version == 2 ? (int)u->DeSerializeFMUstate2(u->instance, bytes, size, ret_state)
                           : (int)u->DeserializeFMUState3(u->instance, (const fmi3Byte *)bytes,
                                                          size, ret_state);
}

static void note(struct unit *u, double values[OUTPUTS])
{
    for (int i = 0; i < OUTPUTS; i++)
        values[i] = get(u, outputs[i]);
}

static void check_states(int version)
{
    double first[OUTPUTS], again[OUTPUTS];
    void *state = NULL, *other_state = NULL, *early;
    struct unit u, other;
    char *bytes;
    size_t size;

    open_unit(&u, version);
    assert_int_equal(set(&u, "load", 3), 0);
    early = keep(&u, NULL); /* also before the initialisation */
    assert_int_equal(begin(&u, 0), 0);
    assert_int_equal(set(&u, "motor", 4), 0);
    assert_int_equal(set(&u, "grip", 70), 0);
    step(&u, 0, 20 * STEP);
    state = keep(&u, state);
    step(&u, 20 * STEP, 50 * STEP);
    note(&u, first);

    assert_int_equal(set(&u, "motor", -4), 0);
    assert_int_equal(restore(&u, state), 0); /* this also restores the time */
    assert_true(get(&u, "motor") == 4 && get(&u, "time") == 20 * STEP);
    step(&u, 20 * STEP, 50 * STEP);
    note(&u, again);
    assert_memory_equal(first, again, sizeof(first));

    /* as bytes, in an instance with other parameters, also before its initialisation */
    bytes = serialize(&u, state, &size);
    open_unit(&other, version);
    assert_int_equal(deserialize(&other, bytes, size, &other_state), 0);
    assert_int_equal(restore(&other, other_state), 0);
    assert_true(get(&other, "load") == 3 && get(&other, "grip") == 70);
    step(&other, 20 * STEP, 50 * STEP);
    note(&other, again);
    assert_memory_equal(first, again, sizeof(first));

    /* every changed byte is detected */
    for (size_t i = 0; i < size; i += 7) {
        void *damaged = NULL;

        bytes[i] ^= 0x40;
        assert_int_equal(deserialize(&other, bytes, size, &damaged), 3);
        assert_null(damaged);
        bytes[i] ^= 0x40;
    }
    assert_int_equal(deserialize(&other, bytes, size - 1, &other_state), 3);
    assert_int_equal(deserialize(&other, bytes, 3, &other_state), 3);
    step(&other, 70 * STEP, STEP); /* the unit is unchanged */

    assert_int_equal(restore(&u, early), 0);
    assert_int_equal(begin(&u, 0), 0);
    assert_int_equal(set(&u, "motor", 4), 0);
    assert_int_equal(set(&u, "grip", 70), 0);
    step(&u, 0, 70 * STEP);
    note(&u, again);
    assert_memory_equal(first, again, sizeof(first));
    drop(&u, state);
    drop(&u, early);
    drop(&other, other_state);
    free(bytes);
    close_unit(&other);
    close_unit(&u);
}

static void test_states(void **state)
{
    (void)state;
    each_version(check_states);
}

/* Instances of both versions step alternately. Each behaves as if it were alone. */
static void test_several(void **unused)
{
    struct lk_system *system[4];
    double inputs[4][5] = {{0}};
    struct unit u[4];

    (void)unused;
    for (int i = 0; i < 4; i++) {
        struct lk_setting setting = {"load", 1 + i};

        open_unit(&u[i], 2 + i % 2);
        system[i] = reference(&setting, 1);
        *input_of(system[i], inputs[i], "grip") = 40;
        *input_of(system[i], inputs[i], "motor") = i;
        assert_int_equal(set(&u[i], "load", 1 + i), 0);
        assert_int_equal(begin(&u[i], 0), 0);
        assert_int_equal(set(&u[i], "motor", i), 0);
    }
    for (int n = 0; n < 30; n++) {
        for (int i = 0; i < 4; i++) {
            step(&u[i], n * STEP, STEP);
            assert_int_equal(lk_system_step(system[i], inputs[i]), 0);
        }
    }
    for (int i = 0; i < 4; i++) {
        assert_same(&u[i], system[i]);
        close_unit(&u[i]);
        lk_system_free(system[i]);
    }
}

/* ---- refusals ---- */

static void check_steps(int version)
{
    static const double wrong[] = {0,    STEP / 2, 1.5 * STEP, -STEP,   NAN,
                                   1e30, 1e-12,    INFINITY,   0.00201, 10.5 * STEP};
    double before[OUTPUTS], after[OUTPUTS], reached;
    struct unit u;

    open_unit(&u, version);
    assert_int_equal(step_to(&u, 0, STEP, &reached), 3); /* before the initialisation */
    assert_int_equal(begin(&u, 0), 0);
    step(&u, 0, 3 * STEP);
    note(&u, before);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        u.lines = 0;
        assert_int_equal(step_to(&u, 3 * STEP, wrong[i], &reached), 2);
        assert_int_equal(u.lines, 1);
        assert_non_null(strstr(u.line, "whole multiple"));
        assert_true(reached == 3 * STEP);
        note(&u, after);
        assert_memory_equal(before, after, sizeof(before));
    }
    assert_int_equal(step_to(&u, 0, STEP, &reached), 3); /* wrong time */
    assert_int_equal(step_to(&u, NAN, STEP, &reached), 3);
    assert_true(reached == 3 * STEP);
    step(&u, 3 * STEP * (1 + 1e-12), 7 * STEP * (1 - 1e-10)); /* an importer's round-off */
    close_unit(&u);
}

static void test_steps(void **state)
{
    (void)state;
    each_version(check_steps);
}

static void check_values(int version)
{
    static const char *const read_only[] = {"time", "pose.x"};
    unsigned far[] = {100000, 0xffffffffu};
    double value = 1, two[2] = {7, NAN};
    unsigned motor = reference_of(version, "motor"), both[2];
    struct unit u;

    open_unit(&u, version);
    assert_int_equal(begin(&u, 0), 0);
    assert_int_equal(set(&u, "motor", 2), 0);
    assert_int_equal(set(&u, "motor", NAN), 2);
    assert_int_equal(set(&u, "motor", INFINITY), 2);
    assert_int_equal(set(&u, "motor", 20.5), 2);
    assert_int_equal(set(&u, "grip", -1), 2);
    assert_true(get(&u, "motor") == 2 && get(&u, "grip") == 40);
    both[0] = motor;
    both[1] = reference_of(version, "push.x");
    assert_int_equal(version == 2 ? (int)u.SetReal2(u.instance, both, 2, two)
                                  : (int)u.SetFloat643(u.instance, both, 2, two, 2),
                     2);
    assert_true(get(&u, "motor") == 2); /* both values are refused */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(set(&u, read_only[i], 1), 3);
        assert_int_equal(version == 2 ? (int)u.GetReal2(u.instance, &far[i], 1, &value)
                                      : (int)u.GetFloat643(u.instance, &far[i], 1, &value, 1),
                         3);
        assert_int_equal(version == 2 ? (int)u.SetReal2(u.instance, &far[i], 1, &value)
                                      : (int)u.SetFloat643(u.instance, &far[i], 1, &value, 1),
                         3);
    }
    if (version == 3)
        assert_int_equal(u.GetFloat643(u.instance, &motor, 1, two, 2), fmi3Error);
    step(&u, 0, STEP); /* the unit continues */
    close_unit(&u);
}

static void test_values(void **state)
{
    (void)state;
    each_version(check_values);
}

/* A missing model, a different model or a damaged model gives no instance, and a line with the
 * reason. */
static void check_resources(int version)
{
    char resources[4096], folder[] = "/tmp/test-fmu-XXXXXX", path[64];
    const char *token = tokens[version - 2];
    char *bytes = malloc(1 << 16);
    struct unit u;
    size_t size;
    FILE *f;

    load(&u, version);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/model.linkage", folder);
    snprintf(resources, sizeof(resources), "%s/resources", folders[version - 2]);
    assert_false(instantiate(&u, "linkage-0000000000000000", resources));
    assert_non_null(strstr(u.line, "token"));
    assert_false(instantiate(&u, NULL, resources));
    assert_false(instantiate(&u, token, NULL));
    assert_false(instantiate(&u, token, "file://elsewhere/a"));
    assert_false(instantiate(&u, token, folder));
    assert_non_null(strstr(u.line, "cannot be read"));
    assert_int_equal(u.lines, 5);

    snprintf(resources + strlen(resources), 32, "/model.linkage");
    f = fopen(resources, "rb");
    assert_non_null(f);
    size = fread(bytes, 1, 1 << 16, f);
    fclose(f);
    for (size_t cut = 0; cut < size; cut += size / 9) {
        f = fopen(path, "wb");
        fwrite(bytes, 1, cut, f);
        fclose(f);
        u.lines = 0;
        assert_false(instantiate(&u, token, folder));
        assert_true(u.lines >= 1);
    }
    for (size_t i = 0; i < size; i += size / 50) {
        bytes[i] ^= 1;
        f = fopen(path, "wb");
        fwrite(bytes, 1, size, f);
        fclose(f);
        assert_false(instantiate(&u, token, folder));
        bytes[i] ^= 1;
    }
    f = fopen(path, "wb");
    fwrite(bytes, 1, size, f);
    fclose(f);
    assert_true(instantiate(&u, token, folder));
    unlink(path);
    rmdir(folder);
    free(bytes);
    close_unit(&u);
}

static void test_resources(void **state)
{
    (void)state;
    each_version(check_resources);
}

static void check_ends(int version)
{
    double reached;
    struct unit u;

    open_unit(&u, version);
    if (version == 2) {
        assert_int_equal(u.SetupExperiment2(u.instance, 0, 0, 0, 1, 10 * STEP), 0);
        assert_int_equal(u.EnterInitializationMode2(u.instance), 0);
        assert_int_equal(u.ExitInitializationMode2(u.instance), 0);
    } else {
        assert_int_equal(u.EnterInitializationMode3(u.instance, false, 0, 0, true, 10 * STEP), 0);
        assert_int_equal(u.ExitInitializationMode3(u.instance), 0);
    }
    step(&u, 0, 10 * STEP);
    assert_int_equal(step_to(&u, 10 * STEP, STEP, &reached), 3);
    assert_non_null(strstr(u.line, "stop time"));
    assert_int_equal(version == 2 ? (int)u.Terminate2(u.instance) : (int)u.Terminate3(u.instance),
                     0);
    assert_int_equal(step_to(&u, 10 * STEP, STEP, &reached), 3);
    close_unit(&u);
}

static void test_ends(void **state)
{
    (void)state;
    each_version(check_ends);
}

/* ---- 3.0 ---- */

static void test_intermediate(void **state)
{
    fmi3Boolean event, end, early;
    double reached;
    struct unit u;

    (void)state;
    open_unit(&u, 3);
    assert_int_equal(begin(&u, 0), 0);
    step(&u, 0, 8 * STEP);
    assert_int_equal(u.updates, 8);
    u.return_after = 11.5 * STEP;
    assert_int_equal(
        u.DoStep3(u.instance, 8 * STEP, 8 * STEP, true, &event, &end, &early, &reached), fmi3OK);
    assert_true(early && !event && !end);
    assert_true(reached == 12 * STEP && get(&u, "time") == reached);
    u.return_after = INFINITY;
    step(&u, 12 * STEP, 4 * STEP);
    close_unit(&u);
}

static void test_other_types(void **state)
{
    struct unit u;
    fmi3UInt64 number;
    fmi2Integer integer;
    unsigned zero = 0;

    (void)state;
    open_unit(&u, 3);
    assert_string_equal(u.GetVersion3(), "3.0");
    assert_string_equal(u.GetVersion2(), "2.0");
    assert_int_equal(u.GetUInt643(u.instance, &zero, 1, &number, 1), fmi3Error);
    assert_int_equal(u.GetUInt643(u.instance, NULL, 0, NULL, 0), fmi3OK);
    assert_int_equal(u.EnterEventMode3(u.instance), fmi3Error);
    assert_int_equal(u.EnterConfigurationMode3(u.instance), fmi3Error);
    assert_null(u.InstantiateModelExchange3("a", tokens[1], "b", false, false, NULL, NULL));
    assert_int_equal(u.DoStep3(NULL, 0, STEP, true, NULL, NULL, NULL, NULL), fmi3Error);
    close_unit(&u);
    open_unit(&u, 2);
    assert_int_equal(u.GetInteger2(u.instance, &zero, 1, &integer), fmi2Error);
    assert_int_equal(u.DoStep2(NULL, 0, STEP, 1), fmi2Error);
    close_unit(&u);
}

static void read_token(int version)
{
    char path[4096], text[4096] = "", *found;
    FILE *f;

    snprintf(path, sizeof(path), "%s/modelDescription.xml", folders[version - 2]);
    f = fopen(path, "r");
    if (f == NULL || fread(text, 1, sizeof(text) - 1, f) == 0 ||
        (found = strstr(text, version == 2 ? " guid=\"" : " instantiationToken=\"")) == NULL)
        exit(2);
    fclose(f);
    sscanf(strchr(found, '"') + 1, "%63[^\"]", tokens[version - 2]);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_states),      cmocka_unit_test(test_several),
        cmocka_unit_test(test_steps),       cmocka_unit_test(test_values),
        cmocka_unit_test(test_resources),   cmocka_unit_test(test_refused_model),
        cmocka_unit_test(test_ends),        cmocka_unit_test(test_intermediate),
        cmocka_unit_test(test_other_types),
    };

    if (argc != 4)
        return 2;
    model_path = argv[1];
    folders[0] = argv[2];
    folders[1] = argv[3];
    read_token(2);
    read_token(3);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
