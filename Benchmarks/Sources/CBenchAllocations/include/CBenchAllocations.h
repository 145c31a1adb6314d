// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdbool.h>
#include <stdint.h>

// Whether allocations can be counted on this system.
bool bench_allocations_available(void);
// Begins or ends counting, for all threads.
void bench_allocations_enable(bool enabled);
// Allocations counted so far.
uint64_t bench_allocations_count(void);
// Bytes asked for by them.
uint64_t bench_allocations_bytes(void);
// Gives freed memory back to the system, where there is a way.
void bench_release_freed_memory(void);
