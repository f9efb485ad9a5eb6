/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of ZMTP that no library would produce: bytes for a connection, below the level of
 * messages. Greetings of any version and mechanism; handshakes that are truncated, duplicated or
 * out of order; identities that the other side would assign; unknown commands; frames with wrong
 * sizes and flags; CURVE with random bytes. The same seed gives the same sessions. */
#ifndef TEST_ODD_SESSIONS_H
#define TEST_ODD_SESSIONS_H

#include <stddef.h>
#include <stdint.h>

#define ODD_SIZE_MAX (1u << 17)

/** struct odd - a session
 * @random:    state of the random numbers, set by the caller before the first session
 * @mechanism: mechanism that the other side requires
 * @types:     two socket types that the other side accepts; mostly used, so that the session gets
 *             past its greeting
 * @peers:     connections of the socket so far, to predict the next names if the other side counts
 *             them
 * @n:         number of bytes
 * @pause:     number of bytes after which the session reads from the other side, 0: never */
struct odd {
    uint64_t random;
    const char *mechanism;
    const char *types[2];
    uint64_t peers;
    size_t n;
    size_t pause;
    unsigned char bytes[ODD_SIZE_MAX];
};

/** odd_session() - Make the next session. */
void odd_session(struct odd *z);
/** odd_draw() - Return a random number below @n, which is at least 1. */
uint64_t odd_draw(struct odd *z, uint64_t n);

#endif
