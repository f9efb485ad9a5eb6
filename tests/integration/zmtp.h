/* SPDX-License-Identifier: Apache-2.0 */
/* ZMTP 3.0 by hand, for peers that no library implements (<https://rfc.zeromq.org/spec/23/>).
 * Connections are plain sockets: ipc endpoints only, and no keys. Failures end the test. */
#ifndef TEST_ZMTP_H
#define TEST_ZMTP_H

#include <stddef.h>

/** zmtp_connect() - Connect to "ipc://PATH" without sending a byte.
 * Return: the descriptor */
int zmtp_connect(const char *endpoint);

/** zmtp_greet() - Send greeting and READY as a socket of @type, and wait for those of the other
 * side.
 * @identity: @size bytes, or NULL for none */
void zmtp_greet(int fd, const char *type, const void *identity, size_t size);

#endif
