/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a snapshot: it is refused with one line and nothing is changed, or gives a run that
 * steps. The checksums are corrected, so that the checks after them are tested too. */
#include "linkage/hash.h"
#include "linkage/linkage.h"
#include "linkage/state.h"
#include "snapshot.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HEAD 32 /* bytes; the last 8 are the hash of the values after the head */

static const char text[] =
    "linkage: 1\nname: m\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, -1]}\n"
    "joints:\n  pin: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 1, 0]}\n"
    "inputs:\n  motor: {type: joint-torque, joint: pin, limits: [-5, 5]}\n";

static struct lk_system *system_of(void)
{
    struct lk_system *system = NULL;
    struct lk_model *model = NULL;

    if (lk_model_read_text("m", text, sizeof(text) - 1, &model, NULL) != 0 ||
        lk_system_new(model, NULL, &system, NULL) != 0)
        abort();
    lk_model_free(model);
    return system;
}

static void seal(const struct lkd_cycle *cycle, unsigned char *bytes, size_t size)
{
    size_t values = 2 * (size_t)cycle->n_inputs * sizeof(double);
    uint64_t sum;

    if (size != HEAD + values + cycle->snapshot.size)
        return;
    sum = lk_hash(LK_HASH_BEGIN, bytes + HEAD, values);
    memcpy(bytes + HEAD - sizeof(sum), &sum, sizeof(sum));
    lk_state_seal(bytes + HEAD + values, cycle->snapshot.size);
}

static void try_bytes(struct lkd_cycle *cycle, const unsigned char *bytes, size_t size)
{
    struct lk_error error = {""};
    double zero = 0;

    if (lkd_snapshot_check(cycle, bytes, size, &error) == 0) {
        lkd_snapshot_apply(cycle, bytes);
        if (!(fabs(cycle->guard.acting[0]) <= 5))
            abort();
        lk_system_step(cycle->system, cycle->guard.acting);
    } else if (error.text[0] == '\0' || strchr(error.text, '\n') ||
               lk_system_step(cycle->system, &zero) != 0) {
        abort();
    }
    lkd_cycle_rewind(cycle);
}

static void try_changed(struct lkd_cycle *cycle, const unsigned char *own, size_t own_size,
                        size_t at, const uint8_t *data, size_t size)
{
    unsigned char *bytes = malloc(own_size);

    if (!bytes)
        abort();
    memcpy(bytes, own, own_size);
    for (size_t i = 0; i < size; i++)
        bytes[at + i] ^= data[i];
    seal(cycle, bytes, own_size);
    try_bytes(cycle, bytes, own_size);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct lk_system *system;
    static struct lkd_cycle *cycle;
    static unsigned char *own;
    static size_t own_size;
    unsigned char *bytes = malloc(size + 1);

    if (!cycle) {
        struct lkd_settings settings = lkd_settings_default();

        system = system_of();
        if (lkd_cycle_new(system, &settings, &cycle) != 0)
            abort();
        lkd_snapshot_fill(cycle);
        if (lkd_snapshot_bytes(cycle, &own, &own_size) != 0)
            abort();
    }
    if (!bytes)
        abort();
    memcpy(bytes, data, size);
    try_bytes(cycle, bytes, size);
    seal(cycle, bytes, size);
    try_bytes(cycle, bytes, size);
    free(bytes);
    if (size > own_size - HEAD)
        return 0;
    /* a good snapshot whose end, or whose values, are overwritten with these bytes */
    try_changed(cycle, own, own_size, own_size - size, data, size);
    try_changed(cycle, own, own_size, HEAD, data, size);
    return 0;
}
