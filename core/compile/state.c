/* SPDX-License-Identifier: Apache-2.0 */
#include "linkage/state.h"
#include "compile/state.h"
#include "linkage/build.h"
#include "linkage/hash.h"
#include "maths/arithmetic.h"
#include "step/scripts/step.h"
#include "step/system.h"
#include <math.h>
#include <string.h>

#define STEPS_MAX 9007199254740992.0 /* 2^53 */

/* copy @word and fill the rest of the field with zeros */
static void put_word(char *field, size_t size, const char *word)
{
    memcpy(field, word, strnlen(word, size));
}

static void write_header(const struct lk_system *sys, struct lk_state_header *ret)
{
    *ret = (struct lk_state_header){
        .magic = LK_STATE_MAGIC,
        .model = sys->model_hash,
        .n_numbers = sys->state_size,
        .step = sys->h,
        .order = sys->order,
        .iterations = sys->iterations,
    };
    put_word(ret->build, sizeof(ret->build), lk_build_id());
    put_word(ret->engine, sizeof(ret->engine), lk_system_engine(sys));
    put_word(ret->formulation, sizeof(ret->formulation), sys->formulation->name);
}

size_t lk_system_state_size(const struct lk_system *sys)
{
    return sizeof(struct lk_state_header) + sys->state_size * sizeof(double);
}

void lk_system_state_copy(const struct lk_system *sys, void *bytes)
{
    struct lk_state_header header;

    write_header(sys, &header);
    memcpy(bytes, &header, sizeof(header));
    memcpy((char *)bytes + sizeof(header), sys->now.block, sys->state_size * sizeof(double));
}

void lk_state_seal(void *bytes, size_t size)
{
    const size_t numbers = sizeof(struct lk_state_header);
    uint64_t sum = lk_hash(LK_HASH_BEGIN, (const char *)bytes + numbers, size - numbers);

    memcpy((char *)bytes + offsetof(struct lk_state_header, sum), &sum, sizeof(sum));
}

void lk_system_state_get(const struct lk_system *sys, void *bytes)
{
    lk_system_state_copy(sys, bytes);
    lk_state_seal(bytes, lk_system_state_size(sys));
}

/* Return the first difference of two headers as text for users; NULL: none. */
static const char *difference(const struct lk_state_header *a, const struct lk_state_header *b)
{
    if (a->model != b->model)
        return "it is of another model, or of another version of this one";
    if (memcmp(a->formulation, b->formulation, sizeof(a->formulation)) != 0)
        return "it is of another formulation";
    if (a->step != b->step)
        return "it is of another step size";
    if (a->order != b->order || a->iterations != b->iterations)
        return "it is of another order or number of iterations";
    if (memcmp(a->engine, b->engine, sizeof(a->engine)) != 0)
        return "it is of another engine";
    if (memcmp(a->build, b->build, sizeof(a->build)) != 0)
        return "it is of another build of linkage";
    return a->n_numbers != b->n_numbers ? "it has another number of numbers" : NULL;
}

bool lk_state_is_plausible(const struct lk_system *sys, const struct lk_state *state)
{
    double steps = state->balance->steps;

    for (size_t i = 0; i < sys->state_size; i++)
        if (!isfinite(state->block[i]))
            return false;
    for (int b = 0; b < sys->n_bodies; b++) {
        const double *q = state->motion[b].q;

        if (!(fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1) < LK_UNIT_WITHIN))
            return false;
    }
    return steps >= 0 && steps < STEPS_MAX && steps == floor(steps);
}

int lk_system_state_set(struct lk_system *sys, const void *bytes, size_t size,
                        struct lk_error *ret_error)
{
    LK_ARITHMETIC;
    const size_t block = sys->state_size * sizeof(double);
    const char *numbers = (const char *)bytes + sizeof(struct lk_state_header), *why;
    struct lk_state_header header, own;

    write_header(sys, &own);
    if (size < sizeof(header) || memcmp(bytes, &own, sizeof(own.magic)) != 0) {
        lk_error_set(ret_error, "not a state of a linkage model");
        return LK_E_STATE;
    }
    memcpy(&header, bytes, sizeof(header));
    why = difference(&header, &own);
    if (!why &&
        (size != sizeof(header) + block || lk_hash(LK_HASH_BEGIN, numbers, block) != header.sum))
        why = "it is damaged";
    if (!why) { /* system->next is scratch between steps */
        memcpy(sys->next.block, numbers, block);
        if (!lk_state_is_plausible(sys, &sys->next))
            why = "its numbers are no state of a mechanism";
    }
    if (why) {
        lk_error_set(ret_error, "the state does not fit: %s", why);
        return LK_E_STATE;
    }
    memcpy(sys->now.block, numbers, block);
    lk_start_resume(sys);
    return 0;
}
