/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a scene as JSON, for pages that draw it with tools/gateway/page/view.js. */
#ifndef LK_SCENE_JSON_H
#define LK_SCENE_JSON_H

#include "linkage/json.h"
#include "linkage/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/** lk_scene_json() - Add member "scene" to an open object: size [m], up, bodies by name, their
 * poses as drawn, shapes, joints with a point and an axis on their first body, arrows. Lengths are
 * in m, and poses have the format of lk_system_poses(). Numbers have nine digits. Thread: any but
 * the cycle. */
void lk_scene_json(struct lk_json *json, const struct lk_scene *scene);

#ifdef __cplusplus
}
#endif
#endif
