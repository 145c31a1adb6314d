// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdbool.h>
#include <stdint.h>

// Whether flushes can be counted and drawn out on this system.
bool bench_flushes_available(void);
// How long a flush of this process takes at the least from now on, in microseconds; 0 for as long as the disk needs.
void bench_flushes_take(uint64_t microseconds);
// Flushes of this process so far, of files of any kind.
uint64_t bench_flushes_count(void);
