/* SPDX-License-Identifier: Apache-2.0 */
/* The list of integrators. A new integrator needs a file of its own, and two lines here. */
#include "laboratory/integrator.h"
#include <stddef.h>

extern const struct lk_integrator lk_integrator_adams;
extern const struct lk_integrator lk_integrator_arkode_dirk;
extern const struct lk_integrator lk_integrator_arkode_erk;
extern const struct lk_integrator lk_integrator_bdf_1;
extern const struct lk_integrator lk_integrator_bdf_2;
extern const struct lk_integrator lk_integrator_bdf_3;
extern const struct lk_integrator lk_integrator_bdf_4;
extern const struct lk_integrator lk_integrator_bdf_5;
extern const struct lk_integrator lk_integrator_bdf_6;
extern const struct lk_integrator lk_integrator_cvode;
extern const struct lk_integrator lk_integrator_dormand_prince;
extern const struct lk_integrator lk_integrator_generalized_alpha;
extern const struct lk_integrator lk_integrator_half_explicit;
extern const struct lk_integrator lk_integrator_hht_alpha;
extern const struct lk_integrator lk_integrator_ida;
extern const struct lk_integrator lk_integrator_ida_dae;
extern const struct lk_integrator lk_integrator_radau;
extern const struct lk_integrator lk_integrator_radau_dae;
extern const struct lk_integrator lk_integrator_rk4;

const struct lk_integrator *const lk_integrators[] = {
    &lk_integrator_rk4,
    &lk_integrator_dormand_prince,
    &lk_integrator_adams,
    &lk_integrator_radau,
    &lk_integrator_radau_dae,
    &lk_integrator_cvode,
    &lk_integrator_ida,
    &lk_integrator_ida_dae,
    &lk_integrator_arkode_erk,
    &lk_integrator_arkode_dirk,
    &lk_integrator_bdf_1,
    &lk_integrator_bdf_2,
    &lk_integrator_bdf_3,
    &lk_integrator_bdf_4,
    &lk_integrator_bdf_5,
    &lk_integrator_bdf_6,
    &lk_integrator_generalized_alpha,
    &lk_integrator_hht_alpha,
    &lk_integrator_half_explicit,
    NULL,
};
