/* SPDX-License-Identifier: Apache-2.0 */
/* One lane: the same program on scalars, a reference for the other engines. */
#define LK_LANES            1
#define LK_ENGINE           lk_engine_scalar
#define LK_ENGINE_NAME      "scalar"
#define LK_ENGINE_SUPPORTED lk_engine_has_one
#include "step/lanes/engines.h"

#include "step/lanes/engine_inl.h"
