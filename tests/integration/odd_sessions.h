/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of ZMTP that no library would have: bytes for a connection, below the messages.
 * Greetings of any version and mechanism, handshakes that are cut, doubled or in the wrong order,
 * identities such as the other side makes up itself, commands that nobody knows, frames whose size
 * and flags lie, CURVE with noise in it. The same seed makes the same sessions. */
#ifndef TEST_ODD_SESSIONS_H
#define TEST_ODD_SESSIONS_H

#include <stddef.h>
#include <stdint.h>

#define ODD_SIZE_MAX (1u << 17)

/** struct odd - a session.
 * @random: state of the random numbers, set by the caller before the first session
 * @mechanism: that the other side wants;  @types: two socket types that it talks to; as a rule they
 * are used, so that the session gets further than its greeting
 * @peers:  that the socket has had: what the next ones are called where the other side counts them
 * @n:      bytes;  @pause: after so many of them the other side is listened to, 0: never */
struct odd {
    uint64_t random;
    const char *mechanism;
    const char *types[2];
    uint64_t peers;
    size_t n;
    size_t pause;
    unsigned char bytes[ODD_SIZE_MAX];
};

/** odd_session() - make the next one. */
void odd_session(struct odd *z);
/** odd_draw() - a number below @n, at least 1. */
uint64_t odd_draw(struct odd *z, uint64_t n);

#endif
