/* SPDX-License-Identifier: Apache-2.0 */
/* A temporary folder that a test fills as the root folder of a machine. */
#ifndef TESTS_RIG_FIXTURE_H
#define TESTS_RIG_FIXTURE_H

#include "folder.h"

/** struct fixture - a folder that only one test uses. */
struct fixture {
    char root[RIG_FOLDER];
};

/** fixture_open() - Make the folder. A failure ends the test. */
void fixture_open(struct fixture *fixture);
/** fixture_write() - Write @text to the file @root/@path; make its folders. */
void fixture_write(const struct fixture *fixture, const char *path, const char *text);
/** fixture_delete() - delete the file @root/@path. */
void fixture_delete(const struct fixture *fixture, const char *path);
/** fixture_close() - Remove the folder and its content. */
void fixture_close(struct fixture *fixture);
/** fixture_setup(), fixture_teardown() - Open and close a fixture that is the @state of a test. */
int fixture_setup(void **state);
int fixture_teardown(void **state);

#endif
