/* SPDX-License-Identifier: Apache-2.0 */
/* Four lanes for processors with AVX2 and FMA; built with these instructions, see meson.build. */
#define LK_LANES            4
#define LK_ENGINE           lk_engine_avx2
#define LK_ENGINE_NAME      "avx2"
#define LK_ENGINE_SUPPORTED lk_engine_has_avx2
#include "step/lanes/engines.h"

#include "step/lanes/engine_inl.h"
