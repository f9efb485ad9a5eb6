/* SPDX-License-Identifier: Apache-2.0 */
/* Data in web pages that the tools write. */
#include "commands.h"

#include <stdio.h>

void put_in_script(FILE *file, const char *json, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (json[i] == '<')
            fputs("\\u003c", file);
        else
            putc(json[i], file);
}
