/* SPDX-License-Identifier: Apache-2.0 */
/* A test that cannot run here says why, and what to do so that it can; tests/results.py lists all
 * of them. */
#ifndef TESTS_SKIP_H
#define TESTS_SKIP_H

#define skip_because(why, what)                                                                    \
    do {                                                                                           \
        print_message("left out: %s; %s\n", why, what);                                            \
        skip();                                                                                    \
    } while (0)

#endif
