// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>

// The macro is a cast that Swift cannot import.
static inline sqlite3_destructor_type bench_sqlite_transient(void) { return SQLITE_TRANSIENT; }
