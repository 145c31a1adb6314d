// SPDX-License-Identifier: Apache-2.0
#ifndef ROOST_CSQLITE_SHIM_H
#define ROOST_CSQLITE_SHIM_H

#include <sqlite3.h>

// Swift cannot call C functions with variable arguments: the one switch that Roost turns has a name of its own.
static inline int roost_sqlite3_db_config(sqlite3 *db, int option, int value) {
  return sqlite3_db_config(db, option, value, (int *)0);
}

// SQLITE_TRANSIENT is a cast of -1, which Swift does not import.
static inline sqlite3_destructor_type roost_sqlite3_transient(void) { return SQLITE_TRANSIENT; }

#endif
