/* SPDX-License-Identifier: Apache-2.0 */
#include "draft.h"

#include <stdio.h>

bool draft_begin(struct draft *draft, const char *op)
{
    *draft = (struct draft){0};
    draft->json.file = open_memstream(&draft->text, &draft->size);
    if (draft->json.file == NULL)
        return false;
    lk_json_open(&draft->json, NULL, '{');
    lk_json_text(&draft->json, "op", op);
    return true;
}

bool draft_end(struct draft *draft)
{
    lk_json_close(&draft->json, '}');
    return fclose(draft->json.file) == 0;
}
