/* SPDX-License-Identifier: Apache-2.0 */
#include "variables.h"
#include "linkage/hash.h"
#include "model/packed.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_taken(const struct fmu_variables *all, const char *name)
{
    for (int i = 0; i < all->n; i++)
        if (strcmp(all->list[i].name, name) == 0)
            return true;
    return false;
}

/* Append a variable whose other members have their default values.
 * @clash: prefix that is added if another variable has the same name */
static struct fmu_variable *add(struct fmu_variables *all, enum fmu_kind kind, const char *name,
                                const char *clash)
{
    struct fmu_variable *v;

    if ((size_t)all->n == all->room) {
        size_t room = all->room > 0 ? 2 * all->room : 64;

        v = realloc(all->list, room * sizeof(*v));
        if (v == NULL)
            return NULL;
        all->list = v;
        all->room = room;
    }
    v = &all->list[all->n];
    *v = (struct fmu_variable){.kind = kind, .low = -INFINITY, .high = INFINITY, .place = -1};
    snprintf(v->name, sizeof(v->name), "%s", name);
    /* paths are unique: only channels and parameters have names without dots, which can coincide */
    while (kind != FMU_FIXED && is_taken(all, v->name)) {
        char longer[sizeof(v->name) + 16];

        snprintf(longer, sizeof(longer), "%s.%s", clash, v->name);
        snprintf(v->name, sizeof(v->name), "%.*s", (int)sizeof(v->name) - 1, longer);
    }
    all->n++;
    return v;
}

static void put_unit(struct fmu_variable *v, const char *unit)
{
    snprintf(v->unit, sizeof(v->unit), "%s", strcmp(unit, "?") == 0 ? "" : unit);
}

static const struct lk_channel *find_input(const struct lk_system *system, const char *name)
{
    int n;
    const struct lk_channel *list = lk_system_input_channels(system, &n);

    for (int i = 0; i < n; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}

static int add_parameters(struct fmu_variables *all, const struct lk_model *model,
                          const struct lk_system *system, bool tunable)
{
    int n;
    const struct lk_parameter *list = lk_model_parameters(model, &n);

    for (int i = 0; i < n; i++) {
        const struct lk_parameter *p = &list[i];
        struct fmu_variable *v;

        if ((p->is_tunable != 0) != tunable)
            continue;
        v = add(all, tunable ? FMU_TUNABLE : FMU_FIXED, p->name, "parameter");
        if (v == NULL)
            return -ENOMEM;
        snprintf(v->says, sizeof(v->says), "acts at %.80s", p->acts);
        put_unit(v, p->unit);
        v->start = p->value;
        v->low = p->low;
        v->high = p->high;
        v->place = tunable ? find_input(system, p->name)->offset : -1;
    }
    return 0;
}

/* Return true if a number of the model is not offered as a parameter of the unit, see
 * variables.h. */
static bool is_apart(const struct lk_number *number)
{
    static const char *const sections[] = {"solver.", "inputs.", "shapes."};

    for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
        if (strncmp(number->path, sections[i], strlen(sections[i])) == 0)
            return true;
    return number->parameter[0] != '\0';
}

static int add_numbers(struct fmu_variables *all, const char *bytes, size_t size,
                       struct lk_errors *errors)
{
    struct lk_numbers *numbers = NULL;
    int n, result = lk_numbers_new_packed(bytes, size, NULL, 0, &numbers, errors);
    const struct lk_number *list;

    if (result != 0)
        return result;
    list = lk_numbers_list(numbers, &n);
    for (int i = 0; i < n && result == 0; i++) {
        struct fmu_variable *v;

        if (is_apart(&list[i]))
            continue;
        v = add(all, FMU_FIXED, list[i].path, "");
        if (v == NULL) {
            result = -ENOMEM;
            continue;
        }
        snprintf(v->says, sizeof(v->says), "number of the model");
        put_unit(v, list[i].unit);
        v->start = list[i].value;
    }
    lk_numbers_free(numbers);
    return result;
}

static bool is_tunable(const struct fmu_variables *all, int place)
{
    for (int i = 0; i < all->n; i++)
        if (all->list[i].kind == FMU_TUNABLE && all->list[i].place == place)
            return true;
    return false;
}

static int add_channels(struct fmu_variables *all, const struct lk_channel *list, int n,
                        enum fmu_kind kind)
{
    for (int i = 0; i < n; i++) {
        const struct lk_channel *c = &list[i];

        if (kind == FMU_INPUT && is_tunable(all, c->offset))
            continue;
        for (int k = 0; k < c->size; k++) {
            char name[LK_PATH_SIZE];
            struct fmu_variable *v;

            snprintf(name, sizeof(name), "%s%s%s", c->name, c->component[k][0] != '\0' ? "." : "",
                     c->component[k]);
            v = add(all, kind, name, kind == FMU_INPUT ? "input" : "output");
            if (v == NULL)
                return -ENOMEM;
            snprintf(v->says, sizeof(v->says), "%s%s%.64s", c->type,
                     c->frame[0] != '\0' ? ", axes: " : "", c->frame);
            put_unit(v, c->unit[k]);
            v->place = c->offset + k;
            v->start = c->initial;
            v->low = kind == FMU_INPUT ? c->low : -INFINITY;
            v->high = kind == FMU_INPUT ? c->high : INFINITY;
        }
    }
    return 0;
}

int fmu_variables_make(const char *bytes, size_t size, const struct lk_model *model,
                       const struct lk_system *system, struct fmu_variables *ret,
                       struct lk_errors *errors)
{
    struct fmu_variable *time = add(ret, FMU_TIME, "time", "");
    int result = time == NULL ? -ENOMEM : 0, n;
    const struct lk_channel *list;

    if (result != 0)
        return result;
    put_unit(time, "s");
    snprintf(time->says, sizeof(time->says), "simulated time");
    result = add_parameters(ret, model, system, true);
    if (result == 0)
        result = add_parameters(ret, model, system, false);
    if (result == 0)
        result = add_numbers(ret, bytes, size, errors);
    list = lk_system_input_channels(system, &n);
    if (result == 0)
        result = add_channels(ret, list, n, FMU_INPUT);
    list = lk_system_output_channels(system, &n);
    return result == 0 ? add_channels(ret, list, n, FMU_OUTPUT) : result;
}

void fmu_variables_fini(struct fmu_variables *variables)
{
    free(variables->list);
    *variables = (struct fmu_variables){0};
}

void fmu_token(const char *bytes, size_t size, char ret[FMU_TOKEN_SIZE])
{
    snprintf(ret, FMU_TOKEN_SIZE, "linkage-%016" PRIx64, lk_hash(LK_HASH_BEGIN, bytes, size));
}
