/* SPDX-License-Identifier: Apache-2.0 */
/* Reads standard input and checks that each line is one JSON object, for tests that are scripts.
 * Exit status: 0 if all lines are valid and there is at least one; otherwise 1, with a message that
 * names the line. */
#include "json_valid.h"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    int n = 0;

    while (getline(&line, &size, stdin) > 0) {
        int at;

        n++;
        if (!json_valid(line, &at)) {
            printf("line %d is not a JSON object: wrong at byte %d\n", n, at);
            free(line);
            return 1;
        }
    }
    free(line);
    if (n == 0)
        printf("there is no line\n");
    return n > 0 ? 0 : 1;
}
