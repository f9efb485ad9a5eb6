/* SPDX-License-Identifier: Apache-2.0 */
/* Header of a saved state, see linkage/state.h. */
#ifndef LK_COMPILE_STATE_H
#define LK_COMPILE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LK_STATE_MAGIC                                                                             \
    {                                                                                              \
        'L', 'K', 'S', 'T', 'A', 'T', 'E', '1'                                                     \
    }

/** struct lk_state_header - data that, together with the state, determine the bits of every further
 * step. @model: hash of the words and numbers of the model file
 * @n_numbers: numbers of the state after the header;  @sum: their lk_hash() */
struct lk_state_header {
    char magic[8];
    uint64_t model;
    uint64_t n_numbers;
    uint64_t sum;
    double step;
    int32_t order;
    int32_t iterations;
    char build[16];
    char engine[16];
    char formulation[32];
};

struct lk_state;
struct lk_system;

/* tolerance for the squared length of a quaternion of a state, which is 1 */
#define LK_UNIT_WITHIN 1e-6

/** lk_state_is_plausible() - check that all numbers of @state are finite, quaternions have unit
 * length, and the number of steps is whole. Thread: any.  RT: yes. */
bool lk_state_is_plausible(const struct lk_system *system, const struct lk_state *state);

#endif
