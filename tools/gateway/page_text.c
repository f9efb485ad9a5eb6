/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the JSON messages to a page, except the messages made by the threads of the line. */
#include "draft.h"
#include "fields_json.h"
#include "foxglove/scene_json.h"
#include "page.h"
#include "reply_json.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the model ---- */

struct gate_parcel *page_text_model(const struct gate_meaning *meaning)
{
    struct draft draft;

    if (!draft_begin(&draft, "model"))
        return NULL;
    if (meaning != NULL) {
        const Linkage__V1__ModelDescription *model = meaning->model;

        lk_fields_json(&draft.json, &model->base, "name step_s");
        lk_reply_channels_json(&draft.json, model);
        lk_fields_json(&draft.json, &model->base, "parameters(name unit low high value tunable)");
        lk_json_text(&draft.json, "no_scene", meaning->no_scene);
        if (meaning->scene != NULL)
            lk_scene_json(&draft.json, meaning->scene);
    }
    return gate_parcel_end(GATE_ANSWER, 0, gate_utc_ns(), &draft);
}

/* ---- role, answers ---- */

struct gate_parcel *page_text_role(const struct page *page)
{
    struct draft draft;

    if (!draft_begin(&draft, "role"))
        return NULL;
    lk_json_bool(&draft.json, "operates", page->role == PAGE_OPERATES);
    lk_json_bool(&draft.json, "may_operate", page->may_operate);
    return gate_parcel_end(GATE_ANSWER, 0, gate_utc_ns(), &draft);
}

struct gate_parcel *page_text_answer(const char *to, bool ok, const char *text)
{
    struct draft draft;

    if (!draft_begin(&draft, "answer"))
        return NULL;
    lk_json_text(&draft.json, "to", to);
    lk_json_bool(&draft.json, "ok", ok);
    lk_json_text(&draft.json, "text", text);
    return gate_parcel_end(GATE_ANSWER, 0, gate_utc_ns(), &draft);
}
