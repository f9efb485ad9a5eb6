/* SPDX-License-Identifier: Apache-2.0 */
/* Skip a test that cannot run here. The message names the reason and a remedy; tests/results.py
 * lists all of them. */
#ifndef TESTS_SKIP_H
#define TESTS_SKIP_H

#define skip_because(why, what)                                                                    \
    do {                                                                                           \
        print_message("left out: %s; %s\n", why, what);                                            \
        skip();                                                                                    \
    } while (0)

#endif
