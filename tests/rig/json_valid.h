/* SPDX-License-Identifier: Apache-2.0 */
/* A JSON validator (RFC 8259, UTF-8), independent of the JSON writer in core/base so that the two
 * do not share a bug. */
#ifndef TESTS_RIG_JSON_VALID_H
#define TESTS_RIG_JSON_VALID_H

#include <stdbool.h>

/** json_valid() - Return true if @text is one JSON object and a line feed.
 * @ret_at: position of the first wrong byte, from 1, if @text is not valid */
bool json_valid(const char *text, int *ret_at);

#endif
