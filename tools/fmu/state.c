/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a unit as bytes: parameters, inputs, and the state of the system (linkage/state.h).
 * The state of the system itself identifies the model, build and engine for which it is valid. */
#include "linkage/state.h"
#include "linkage/hash.h"
#include "unit_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* struct head - first part of a serialised state. It is followed by the values of all parameters,
 * the parameter values with which the system was compiled, the inputs, and the state of the system.
 * @sum:  hash of all bytes after this field
 * @size: size of the whole state [bytes] */
struct head {
    char magic[8];
    char token[FMU_TOKEN_SIZE];
    uint64_t sum;
    uint64_t size;
    uint64_t phase;
    double start;
    double stop;
};

static const char magic[8] = "LKUNIT1\n";

struct sizes {
    size_t values;
    size_t inputs;
    size_t system;
    size_t all;
};

static struct sizes sizes_of(const struct fmu *fmu)
{
    struct sizes s = {.values = (size_t)fmu->variables.n * sizeof(double),
                      .inputs = (size_t)lk_system_input_size(fmu->system) * sizeof(double),
                      .system = lk_system_state_size(fmu->system)};

    s.all = sizeof(struct head) + 2 * s.values + s.inputs + s.system;
    return s;
}

static uint64_t sum_of(const char *bytes, size_t size)
{
    const size_t from = offsetof(struct head, sum) + sizeof(uint64_t);

    return lk_hash(LK_HASH_BEGIN, bytes + from, size - from);
}

enum fmu_status fmu_state_get(struct fmu *fmu, struct fmu_state **state)
{
    const struct sizes s = sizes_of(fmu);
    struct head head = {.size = s.all, .phase = fmu->phase, .start = fmu->start, .stop = fmu->stop};
    struct fmu_state *made = *state;
    char *at;

    if (made == NULL || made->size != s.all) {
        made = realloc(*state, sizeof(*made) + s.all);
        if (made == NULL)
            return fmu_say(fmu, FMU_ERROR, "%s", strerror(ENOMEM));
        made->size = s.all;
        *state = made;
    }
    memcpy(head.magic, magic, sizeof(magic));
    memcpy(head.token, fmu->token, sizeof(head.token));
    at = made->bytes + sizeof(head);
    memcpy(at, fmu->values, s.values);
    memcpy(at += s.values, fmu->compiled, s.values);
    memcpy(at += s.values, fmu->inputs, s.inputs);
    lk_system_state_get(fmu->system, at + s.inputs);
    memcpy(made->bytes, &head, sizeof(head));
    head.sum = sum_of(made->bytes, s.all);
    memcpy(made->bytes, &head, sizeof(head));
    return FMU_OK;
}

/* Check an untrusted state.
 * @head: receives the first part of the state
 * Return: the error; NULL: the state is valid. */
static const char *find_fault(const struct fmu *fmu, const char *bytes, size_t size,
                              struct head *head)
{
    if (size < sizeof(*head) || memcmp(bytes, magic, sizeof(magic)) != 0)
        return "it is none of a unit of linkage";
    memcpy(head, bytes, sizeof(*head));
    if (memcmp(head->token, fmu->token, sizeof(fmu->token)) != 0)
        return "it is of another model";
    if (head->size != size || size != sizes_of(fmu).all || head->sum != sum_of(bytes, size) ||
        head->phase > FMU_FAILED || !isfinite(head->start) || isnan(head->stop))
        return "it is damaged";
    return NULL;
}

enum fmu_status fmu_state_take(struct fmu *fmu, const char *bytes, size_t size,
                               struct fmu_state **ret)
{
    struct head head;
    const char *fault = find_fault(fmu, bytes, size, &head);
    struct fmu_state *made;

    if (fault != NULL)
        return fmu_say(fmu, FMU_ERROR, "the state does not fit: %s", fault);
    made = malloc(sizeof(*made) + size);
    if (made == NULL)
        return fmu_say(fmu, FMU_ERROR, "%s", strerror(ENOMEM));
    made->size = size;
    memcpy(made->bytes, bytes, size);
    *ret = made;
    return FMU_OK;
}

/* Return in @ret the system for a state: the present system if its parameters are equal, otherwise
 * a new one. */
static enum fmu_status system_of(struct fmu *fmu, const double *compiled, struct lk_system **ret)
{
    *ret = fmu->system;
    for (int i = 0; i < fmu->variables.n; i++)
        if (fmu->compiled[i] != compiled[i])
            return fmu_compile(fmu, compiled, ret);
    return FMU_OK;
}

static enum fmu_status take(struct fmu *fmu, const char *bytes, const struct head *head,
                            double *values)
{
    const struct sizes s = sizes_of(fmu);
    const char *at = bytes + sizeof(*head);
    double *compiled = values + fmu->variables.n;
    struct lk_system *system = NULL;
    struct lk_error error = {""};

    memcpy(values, at, 2 * s.values);
    at += 2 * s.values;
    if (system_of(fmu, compiled, &system) != FMU_OK)
        return FMU_ERROR;
    if (lk_system_state_set(system, at + s.inputs, s.system, &error) != 0) {
        if (system != fmu->system)
            lk_system_free(system);
        return fmu_say(fmu, FMU_ERROR, "%s", error.text);
    }
    if (system != fmu->system)
        lk_system_free(fmu->system);
    fmu->system = system;
    fmu->is_stale = memcmp(values, compiled, s.values) != 0 && head->phase < FMU_STEPPING;
    memcpy(fmu->values, values, s.values);
    memcpy(fmu->compiled, compiled, s.values);
    memcpy(fmu->inputs, at, s.inputs);
    fmu->phase = (enum fmu_phase)head->phase;
    fmu->start = head->start;
    fmu->stop = head->stop;
    fmu->has_outputs = false;
    return FMU_OK;
}

enum fmu_status fmu_state_set(struct fmu *fmu, const struct fmu_state *state)
{
    struct head head;
    const char *fault = find_fault(fmu, state->bytes, state->size, &head);
    enum fmu_status status;
    double *values;

    if (fault != NULL)
        return fmu_say(fmu, FMU_ERROR, "the state does not fit: %s", fault);
    values = malloc(2 * (size_t)fmu->variables.n * sizeof(double));
    if (values == NULL)
        return fmu_say(fmu, FMU_ERROR, "%s", strerror(ENOMEM));
    status = take(fmu, state->bytes, &head, values);
    free(values);
    return status;
}
