/* SPDX-License-Identifier: Apache-2.0 */
/* Two lanes, which every 64-bit processor has (SSE2, NEON). */
#define LK_LANES            2
#define LK_ENGINE           lk_engine_portable
#define LK_ENGINE_NAME      "portable"
#define LK_ENGINE_SUPPORTED lk_engine_has_two
#include "step/lanes/engines.h"

#include "step/lanes/engine_inl.h"
