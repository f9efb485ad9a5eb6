/* SPDX-License-Identifier: Apache-2.0 */
/* Describes a loaded model for viewers: the layout of its samples, and its shapes. */
#include "foxglove/foxglove.h"
#include "gateway.h"
#include "linkage/parameters.h"
#include "ros2.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return a copy on the heap, because the reply of a client is valid only until the next call. */
static Linkage__V1__ModelDescription *copy_model(const Linkage__V1__ModelDescription *model)
{
    size_t size = lk_wire_encoded_size(&model->base);
    uint8_t *bytes = malloc(size + 1);
    Linkage__V1__ModelDescription *copy = NULL;

    if (bytes != NULL && lk_wire_encode(&model->base, bytes, size, &size) == 0)
        copy = linkage__v1__model_description__unpack(NULL, size, bytes);
    free(bytes);
    return copy;
}

/* Make the type of a message with the channels @from.
 * @ret_n: number of scalars of all channels
 * Return: 0, negative errno. */
static int make_type(struct lk_mcap_type *type, const char *model, const char *message,
                     Linkage__V1__ChannelDescription *const *from, size_t n, size_t *ret_n)
{
    struct lk_channel *channels = calloc(n + 1, sizeof(*channels));
    int r = channels != NULL ? 0 : -1;

    for (size_t i = 0; i < n && r == 0; i++) {
        struct lk_channel *c = &channels[i];

        if (from[i]->n_components > LK_COMPONENTS_MAX)
            r = -1;
        snprintf(c->name, sizeof(c->name), "%s", from[i]->name);
        for (size_t k = 0; k < from[i]->n_components && r == 0; k++) {
            c->component[k] = from[i]->components[k];
            c->unit[k] = from[i]->units[k];
        }
        c->size = (int)from[i]->n_components;
        *ret_n += from[i]->n_components;
    }
    if (r == 0)
        r = lk_mcap_type_init(type, model, message, channels, (int)n);
    free(channels);
    return r;
}

/* Read the model as the daemon did, with its external values. */
static struct lk_model *read_model(const Linkage__V1__ModelText *text, const char *roads,
                                   struct lk_errors *errors)
{
    struct lk_settings settings = {0};
    struct lk_model *model = NULL;
    int r = 0;

    for (size_t i = 0; i < text->n_settings && r == 0; i++)
        r = lk_settings_add(&settings, text->settings[i]->path, text->settings[i]->value);
    if (r == 0)
        r = lk_model_read_text_with(roads, text->name, (const char *)text->text.data,
                                    text->text.len, settings.list, settings.n, &model, errors);
    lk_settings_fini(&settings);
    return r == 0 ? model : NULL;
}

static void make_scene(struct gate_meaning *meaning, const Linkage__V1__ModelText *text,
                       const char *roads)
{
    struct lk_errors errors = {0};
    struct lk_model *model;

    if (text == NULL) {
        snprintf(meaning->no_scene, sizeof(meaning->no_scene),
                 "the daemon does not give the text of its model (an older version?)");
        return;
    }
    model = read_model(text, roads, &errors);
    if (model == NULL || lk_scene_new(model, &meaning->scene) != 0)
        snprintf(meaning->no_scene, sizeof(meaning->no_scene), "%.200s",
                 errors.n > 0 ? errors.line[0].text : "no memory");
    lk_model_free(model);
    if (meaning->scene == NULL)
        return;
    meaning->shapes.grows = true;
    lk_foxglove_clear(&meaning->shapes, gate_utc_ns());
    lk_foxglove_shapes(&meaning->shapes, meaning->scene, gate_utc_ns());
}

struct gate_meaning *gate_meaning_new(const Linkage__V1__ModelDescription *model,
                                      const Linkage__V1__ModelText *text, const char *roads)
{
    struct gate_meaning *meaning = calloc(1, sizeof(*meaning));

    if (meaning == NULL)
        return NULL;
    meaning->n_holders = 1;
    meaning->model = copy_model(model);
    if (meaning->model == NULL ||
        make_type(&meaning->inputs, meaning->model->name, "Inputs", meaning->model->inputs,
                  meaning->model->n_inputs, &meaning->n_inputs) != 0 ||
        make_type(&meaning->outputs, meaning->model->name, "Outputs", meaning->model->outputs,
                  meaning->model->n_outputs, &meaning->n_outputs) != 0) {
        gate_meaning_drop(meaning);
        return NULL;
    }
    make_scene(meaning, text, roads);
    return meaning;
}

struct gate_meaning *gate_meaning_hold(struct gate_meaning *meaning)
{
    if (meaning != NULL)
        atomic_fetch_add(&meaning->n_holders, 1);
    return meaning;
}

void gate_meaning_drop(struct gate_meaning *meaning)
{
    if (meaning == NULL || atomic_fetch_sub(&meaning->n_holders, 1) != 1)
        return;
    if (meaning->model != NULL)
        linkage__v1__model_description__free_unpacked(meaning->model, NULL);
    lk_mcap_type_fini(&meaning->inputs);
    lk_mcap_type_fini(&meaning->outputs);
    lk_scene_free(meaning->scene);
    lk_mcap_buffer_fini(&meaning->shapes);
    free(meaning);
}

void gate_meaning_post(const struct gate_meaning *meaning, struct gate_hub *hub,
                       enum gate_topic topic, const double *values, uint64_t ns)
{
    bool goes_in = topic == GATE_INPUTS;
    const struct lk_mcap_type *type = goes_in ? &meaning->inputs : &meaning->outputs;
    struct gate_parcel *parcel = gate_parcel_new(topic, meaning->number, ns, NULL, type->size);

    if (parcel != NULL)
        lk_mcap_type_fill(type, values, parcel->data);
    gate_hub_post(hub, parcel);
    parcel = gate_parcel_new(goes_in ? GATE_ROS2_INPUTS : GATE_ROS2_OUTPUTS, meaning->number, ns,
                             NULL, ros2_size(type));
    if (parcel != NULL)
        ros2_fill(type, values, parcel->data);
    gate_hub_post(hub, parcel);
}
