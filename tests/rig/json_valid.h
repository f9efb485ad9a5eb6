/* SPDX-License-Identifier: Apache-2.0 */
/* A reader of JSON (RFC 8259, in UTF-8) that keeps nothing. Written apart from the JSON writer in
 * core/base, so that the two cannot share a mistake. */
#ifndef TESTS_RIG_JSON_VALID_H
#define TESTS_RIG_JSON_VALID_H

#include <stdbool.h>

/** json_valid() - whether @text is one JSON object and a line feed.
 * @ret_at: the byte, counted from 1, where it is not */
bool json_valid(const char *text, int *ret_at);

#endif
