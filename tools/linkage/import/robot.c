/* SPDX-License-Identifier: Apache-2.0 */
/* The links and joints of a file, before they are merged to bodies. */
#include "import.h"

#include <stdlib.h>
#include <string.h>

/* Make room for one more element of @size bytes.
 * Return: the array, or NULL. */
static void *grow(void *array, int n, int *room, size_t size)
{
    int more = 2 * *room + 32;
    void *grown;

    if (n >= IMPORT_ITEMS_MAX)
        return NULL;
    if (n < *room)
        return array;
    grown = realloc(array, (size_t)more * size);
    if (grown != NULL)
        *room = more;
    return grown;
}

struct link *robot_link(struct robot *robot, const char *name)
{
    struct link *links = grow(robot->links, robot->n_links, &robot->room_links, sizeof(*links));
    char *copy = strdup(name);

    if (links != NULL)
        robot->links = links;
    if (links == NULL || copy == NULL) {
        free(copy);
        return NULL;
    }
    links += robot->n_links++;
    *links = (struct link){.name = copy,
                           .joint = LINK_NONE,
                           .body = LINK_NONE,
                           .next = LINK_NONE,
                           .centre = frame_unity,
                           .frame = frame_unity,
                           .in_body = frame_unity};
    return links;
}

struct limb *robot_limb(struct robot *robot, const char *name)
{
    struct limb *limbs = grow(robot->limbs, robot->n_limbs, &robot->room_limbs, sizeof(*limbs));
    char *copy = strdup(name);

    if (limbs != NULL)
        robot->limbs = limbs;
    if (limbs == NULL || copy == NULL) {
        free(copy);
        return NULL;
    }
    limbs += robot->n_limbs++;
    *limbs = (struct limb){.name = copy,
                           .parent = LINK_NONE,
                           .child = LINK_NONE,
                           .mimic = LINK_NONE,
                           .multiplier = 1,
                           .origin = frame_unity,
                           .closing = frame_unity,
                           .axis = {1, 0, 0},
                           .child_axis = {1, 0, 0}};
    return limbs;
}

int robot_find_link(const struct robot *robot, const char *name)
{
    for (int i = 0; i < robot->n_links; i++)
        if (strcmp(robot->links[i].name, name) == 0)
            return i;
    return LINK_NONE;
}

int robot_find_limb(const struct robot *robot, const char *name)
{
    for (int i = 0; i < robot->n_limbs; i++)
        if (strcmp(robot->limbs[i].name, name) == 0)
            return i;
    return LINK_NONE;
}

void robot_free(struct robot *robot)
{
    for (int i = 0; i < robot->n_links; i++)
        free(robot->links[i].name);
    for (int i = 0; i < robot->n_limbs; i++) {
        free(robot->limbs[i].name);
        free(robot->limbs[i].mimic_name);
    }
    free(robot->links);
    free(robot->limbs);
    free(robot->bodies);
    free(robot->shapes);
    free(robot->name);
    *robot = (struct robot){0};
}
