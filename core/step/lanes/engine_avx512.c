/* SPDX-License-Identifier: Apache-2.0 */
/* Eight lanes for processors with AVX-512; built with these instructions, see meson.build. */
#define LK_LANES            8
#define LK_ENGINE           lk_engine_avx512
#define LK_ENGINE_NAME      "avx512"
#define LK_ENGINE_SUPPORTED lk_engine_has_avx512
#include "step/lanes/engines.h"

#include "step/lanes/engine_inl.h"
