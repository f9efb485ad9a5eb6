/* SPDX-License-Identifier: Apache-2.0 */
/* A test that cannot run here says why. */
#ifndef TESTS_SKIP_H
#define TESTS_SKIP_H

#define skip_because(reason)                                                                       \
    do {                                                                                           \
        print_message("left out: %s\n", reason);                                                   \
        skip();                                                                                    \
    } while (0)

#endif
