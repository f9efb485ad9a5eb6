/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of beams: their cross-sections along the length. Axes of a section: x along the
 * beam, z towards `up`, y to complete them. */
#ifndef LK_MODEL_BEAM_SECTION_H
#define LK_MODEL_BEAM_SECTION_H

#include "reader.h"

#define LK_BEAM_SECTIONS_MAX 256

/** struct lk_beam_section - stiffness and mass at a place.
 * @at: fraction of the length;  @EA: [N];  @EI: for bending about y and about z [N m^2]
 * @GJ: [N m^2];  @GA: for shear along y and along z [N], infinite: none
 * @mass: per length [kg/m];  @inertia: per length, about x, y and z [kg m]
 * @size: width along y and height along z [m], for viewers;  @is_round: as a cylinder */
struct lk_beam_section {
    double at;
    double EA;
    double EI[2];
    double GJ;
    double GA[2];
    double mass;
    double inertia[3];
    double size[2];
    bool is_round;
};

/** struct lk_beam_sections - @n sections with ascending @at, from 0 to 1; one: constant. */
struct lk_beam_sections {
    int n;
    struct lk_beam_section section[LK_BEAM_SECTIONS_MAX];
};

/** lk_read_beam_sections() - read the sections of the beam @map, either one section from the keys
 * of the beam itself, or the list `sections`. Return: 0, LK_E_TEXT. */
int lk_read_beam_sections(struct lk_node map, struct lk_beam_sections *ret, struct lk_error *err);

/** lk_beam_section_keys - keys of a section in the file. */
#define LK_BEAM_SECTION_KEYS                                                                       \
    "EA", "EI", "GJ", "shear", "mass_per_length", "inertia_per_length", "profile", "material"

/** lk_beam_section_at() - return the section at @s: each value linear between its neighbours. */
struct lk_beam_section lk_beam_section_at(const struct lk_beam_sections *sections, double s);

#endif
