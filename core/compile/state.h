/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in front of the numbers of a state, see linkage/state.h. */
#ifndef LK_COMPILE_STATE_H
#define LK_COMPILE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LK_STATE_MAGIC                                                                             \
    {                                                                                              \
        'L', 'K', 'S', 'T', 'A', 'T', 'E', '1'                                                     \
    }

/** struct lk_state_header - all that the bits of a further step depend on, besides the state.
 * @model: of the words and numbers of its file;  @sum: lk_hash() of the numbers that follow,
 * @n_numbers */
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

#define LK_UNIT_WITHIN 1e-6 /* of 1, the square of the length of a quaternion of a state */

/** lk_state_is_plausible() - whether the numbers of @state may be those of a mechanism: finite,
 * unit quaternions, a whole number of steps. Thread: any.  RT: yes. */
bool lk_state_is_plausible(const struct lk_system *system, const struct lk_state *state);

#endif
