/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a system as bytes: keep it, go back to it, continue in another program.
 *
 *     size_t size = lk_system_state_size(system);
 *     lk_system_state_get(system, bytes);          at any step
 *     lk_system_state_set(other, bytes, size, &error);
 *
 * A system that takes the bytes of another one of the same model goes on with the same bits. They
 * hold all that a further step depends on: motion, multipliers, coordinates with their turns,
 * inputs, carcasses, energies and the number of steps. In front is what the bits depend on: the
 * model (all its words and numbers; comments and layout do not count), formulation, order,
 * iterations, step size, engine and build. Bytes of a machine of the same byte order only. */
#ifndef LINKAGE_STATE_H
#define LINKAGE_STATE_H

#include "linkage/linkage.h"

#ifdef __cplusplus
extern "C" {
#endif

/** lk_system_state_size() - bytes of a state of @system, constant.  RT: yes. */
LK_RT size_t lk_system_state_size(const struct lk_system *system);

/** lk_system_state_get() - the present state.
 * @bytes: lk_system_state_size() bytes, of any alignment; written
 * Thread: that which steps.  RT: yes, one copy and one sum over it. */
LK_RT void lk_system_state_get(const struct lk_system *system, void *bytes);

/** lk_system_state_copy() - the same but for the sum over it: what a cycle has time for.
 * lk_state_seal() makes of it what lk_system_state_get() writes. Thread: that which steps.  RT:
 * yes, one copy. */
LK_RT void lk_system_state_copy(const struct lk_system *system, void *bytes);
/** lk_state_seal() - @bytes: of lk_system_state_copy(). Thread: any. */
void lk_state_seal(void *bytes, size_t size);

/** lk_system_state_set() - continue from @bytes; time and energies are theirs, too.
 * @bytes: of lk_system_state_get(); may come from outside: all of it is checked before the first
 *         number is taken
 * Thread: any while none steps.  RT: no.
 * Return: 0, LK_E_STATE (the line says what differs; the system is as before). */
int lk_system_state_set(struct lk_system *system, const void *bytes, size_t size,
                        struct lk_error *ret_error);

#ifdef __cplusplus
}
#endif
#endif
