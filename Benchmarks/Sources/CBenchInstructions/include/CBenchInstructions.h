// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdbool.h>

// Whether the process runs under Valgrind, and this program was built with its headers.
bool bench_instructions_available(void);
// Lets callgrind count from here.
void bench_instructions_start(void);
// Ends that.
void bench_instructions_stop(void);
// Lets callgrind write what it has counted, under a name, and begin again with zero.
void bench_instructions_dump(const char *name);
