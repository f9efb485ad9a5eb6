/* SPDX-License-Identifier: Apache-2.0 */
/* A temporary folder that a test fills as the root folder of a machine. */
#ifndef TESTS_RIG_FIXTURE_H
#define TESTS_RIG_FIXTURE_H

#include "folder.h"

/** struct fixture - a folder of its own for one test. */
struct fixture {
    char root[RIG_FOLDER];
};

/** fixture_open() - make the folder; a failure ends the test. */
void fixture_open(struct fixture *fixture);
/** fixture_write() - write @text to the file @root/@path; makes its folders. */
void fixture_write(const struct fixture *fixture, const char *path, const char *text);
/** fixture_delete() - delete the file @root/@path. */
void fixture_delete(const struct fixture *fixture, const char *path);
/** fixture_close() - remove the folder and all in it. */
void fixture_close(struct fixture *fixture);
/** fixture_setup(), fixture_teardown() - open and close a fixture, as the @state of a test. */
int fixture_setup(void **state);
int fixture_teardown(void **state);

#endif
