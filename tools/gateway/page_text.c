/* SPDX-License-Identifier: Apache-2.0 */
/* What a page is told as JSON, apart from what the threads of the line make. */
#include "draft.h"
#include "foxglove/scene_json.h"
#include "page.h"
#include "reply_json.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the model ---- */

static void put_parameters(struct lk_json *json, const Linkage__V1__ModelDescription *model)
{
    lk_json_open(json, "parameters", '[');
    for (size_t i = 0; i < model->n_parameters; i++) {
        const Linkage__V1__ParameterDescription *p = model->parameters[i];

        lk_json_open(json, NULL, '{');
        lk_json_text(json, "name", p->name);
        lk_json_text(json, "unit", p->unit);
        lk_json_number(json, "low", p->low);
        lk_json_number(json, "high", p->high);
        lk_json_number(json, "value", p->value);
        lk_json_bool(json, "tunable", p->tunable);
        lk_json_close(json, '}');
    }
    lk_json_close(json, ']');
}

struct gate_parcel *page_text_model(const struct gate_meaning *meaning)
{
    struct draft draft;

    if (!draft_begin(&draft, "model"))
        return NULL;
    if (meaning != NULL) {
        const Linkage__V1__ModelDescription *model = meaning->model;

        lk_json_text(&draft.json, "name", model->name);
        lk_json_number(&draft.json, "step_s", model->step_s);
        lk_reply_channels_json(&draft.json, model);
        put_parameters(&draft.json, model);
        lk_json_text(&draft.json, "no_scene", meaning->no_scene);
        if (meaning->scene != NULL)
            lk_scene_json(&draft.json, meaning->scene);
    }
    return gate_parcel_end(GATE_ANSWER, 0, gate_utc_ns(), &draft);
}

/* ---- short ones ---- */

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
