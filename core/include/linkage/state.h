/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a system as bytes: save it, restore it, continue in another program.
 *
 *     size_t size = lk_system_state_size(system);
 *     lk_system_state_get(system, bytes);          at any step
 *     lk_system_state_set(other, bytes, size, &error);
 *
 * A system that restores the state of another system of the same model continues with the same
 * bits. The state contains everything on which the next step depends: motion, multipliers,
 * unwrapped coordinates, inputs, states of force elements, energies and the number of steps. Its
 * header identifies the model (all words and numbers; not comments and layout), formulation, order,
 * iterations, step size, engine and build. States are exchanged only between machines of the same
 * byte order. */
#ifndef LINKAGE_STATE_H
#define LINKAGE_STATE_H

#include "linkage/linkage.h"

#ifdef __cplusplus
extern "C" {
#endif

/** lk_system_state_size() - return the number of bytes of a state of @system, constant.  RT:
 * yes. */
LK_RT size_t lk_system_state_size(const struct lk_system *system);

/** lk_system_state_get() - write the present state.
 * @bytes: lk_system_state_size() bytes, of any alignment; written
 * Thread: the stepping thread.  RT: yes, one copy and a checksum. */
LK_RT void lk_system_state_get(const struct lk_system *system, void *bytes);

/** lk_system_state_copy() - write the present state without its checksum, for the cycle;
 * lk_state_seal() adds the checksum.
 * Thread: the stepping thread.  RT: yes, one copy. */
LK_RT void lk_system_state_copy(const struct lk_system *system, void *bytes);
/** lk_state_seal() - add the checksum to a state. @bytes: of lk_system_state_copy(). Thread:
 * any. */
void lk_state_seal(void *bytes, size_t size);

/** lk_system_state_set() - restore @bytes, including time and energies.
 * @bytes: of lk_system_state_get(); may be untrusted: everything is checked before the system
 *         changes
 * Thread: any, while no thread steps @system.  RT: no.
 * Return: 0, LK_E_STATE (the message names the difference; the system is unchanged). */
int lk_system_state_set(struct lk_system *system, const void *bytes, size_t size,
                        struct lk_error *ret_error);

#ifdef __cplusplus
}
#endif
#endif
