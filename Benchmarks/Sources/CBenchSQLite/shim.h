// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>

static inline sqlite3_destructor_type bench_transient(void) { return SQLITE_TRANSIENT; }
