// SPDX-License-Identifier: Apache-2.0
// Requests to callgrind. They are instructions without an effect where a program does not run under Valgrind.
#include "CBenchInstructions.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>

bool bench_instructions_available(void) { return RUNNING_ON_VALGRIND > 0; }

void bench_instructions_start(void) { CALLGRIND_START_INSTRUMENTATION; }

void bench_instructions_stop(void) { CALLGRIND_STOP_INSTRUMENTATION; }

void bench_instructions_dump(const char *name) { CALLGRIND_DUMP_STATS_AT(name); }
#else
bool bench_instructions_available(void) { return false; }

void bench_instructions_start(void) {}

void bench_instructions_stop(void) {}

void bench_instructions_dump(const char *name) { (void)name; }
#endif
