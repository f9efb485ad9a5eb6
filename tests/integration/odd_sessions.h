/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of ZMTP that no library would produce: bytes for a connection, below the level of
 * messages. Greetings of any version and mechanism, handshakes that are truncated, duplicated or
 * out of order, identities that the other side would assign, unknown commands, frames with wrong
 * size and flags, CURVE with noise. The same seed gives the same sessions. */
#ifndef TEST_ODD_SESSIONS_H
#define TEST_ODD_SESSIONS_H

#include <stddef.h>
#include <stdint.h>

#define ODD_SIZE_MAX (1u << 17)

/** struct odd - a session.
 * @random: state of the random numbers, set by the caller before the first session
 * @mechanism: that the other side requires;  @types: two socket types that it accepts; mostly used,
 * so that the session gets past its greeting
 * @peers:  connections of the socket so far: this predicts the next names where the other side
 * counts them
 * @n:      bytes;  @pause: after so many of them the session reads from the other side, 0: never */
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
