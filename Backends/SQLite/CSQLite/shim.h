// SPDX-License-Identifier: Apache-2.0
#ifndef ROOST_CSQLITE_SHIM_H
#define ROOST_CSQLITE_SHIM_H

#include <sqlite3.h>
#include <sys/stat.h>
#ifdef __GLIBC__
#include <linux/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#endif

// Swift cannot call C functions with variable arguments: the one switch that Roost turns has a name of its own.
static inline int roost_sqlite3_db_config(sqlite3 *db, int option, int value) {
  return sqlite3_db_config(db, option, value, (int *)0);
}

// SQLITE_TRANSIENT is a cast of -1, which Swift does not import.
static inline sqlite3_destructor_type roost_sqlite3_transient(void) { return SQLITE_TRANSIENT; }

// What stands for the state of a database with a write-ahead log: another one after every commit and every checkpoint
// of any process. It is the beginning of the log's index in the shared memory, as SQLite's documentation of the
// format has it: twelve words that describe the last commit, and the number of frames that were copied to the file.
typedef struct {
  unsigned int words[13];
} roost_sqlite3_log_state;

// Reads the state; 0 when there is none. The connection must have read a database with a log before, so that the
// shared memory is there; it stays at its address for as long as the connection is open.
static inline int roost_sqlite3_read_log_state(sqlite3 *db, roost_sqlite3_log_state *state) {
  sqlite3_file *file = (sqlite3_file *)0;
  if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return 0;
  if (!file || !file->pMethods || file->pMethods->iVersion < 2) return 0;
  if (!file->pMethods->xShmMap) return 0;
  void volatile *memory = (void volatile *)0;
  if (file->pMethods->xShmMap(file, 0, 32768, 0, &memory) != SQLITE_OK || !memory) return 0;
  const unsigned int volatile *words = (const unsigned int volatile *)memory;
  for (int index = 0; index < 12; index++) state->words[index] = words[index];
  state->words[12] = words[24];
  __sync_synchronize();
  // The version of the format, and whether the index is in use.
  return state->words[0] == 3007000 && state->words[3] != 0;
}

// Whether two states are the same.
static inline int roost_sqlite3_same_log_state(
    const roost_sqlite3_log_state *left, const roost_sqlite3_log_state *right) {
  for (int index = 0; index < 13; index++) {
    if (left->words[index] != right->words[index]) return 0;
  }
  return 1;
}

// How many frames the log has, and how many of them were copied to the file.
static inline unsigned int roost_sqlite3_logged(const roost_sqlite3_log_state *state) {
  return state->words[4];
}
static inline unsigned int roost_sqlite3_copied(const roost_sqlite3_log_state *state) {
  return state->words[12];
}

// Which file is at a path, and how long it is.
typedef struct {
  unsigned long long device;
  unsigned long long inode;
  long long size;
} roost_sqlite3_place;

// Looks at a file that is flushed with every save; 0 when there is none. The times of the file are not asked for: on
// Linux, a file whose times were looked at gets new ones with its next write, which the flush has to write too.
static inline int roost_sqlite3_find(const char *path, roost_sqlite3_place *place) {
#if defined(__GLIBC__) && defined(SYS_statx)
  struct statx found;
  if (syscall(SYS_statx, -100 /* AT_FDCWD */, path, 0, STATX_INO | STATX_SIZE, &found) == 0) {
    place->device = gnu_dev_makedev(found.stx_dev_major, found.stx_dev_minor);
    place->inode = found.stx_ino;
    place->size = (long long)found.stx_size;
    return 1;
  }
#endif
  struct stat status;
  if (stat(path, &status) != 0) return 0;
  place->device = (unsigned long long)status.st_dev;
  place->inode = (unsigned long long)status.st_ino;
  place->size = (long long)status.st_size;
  return 1;
}

// The length of the log that a connection has open, wherever it lies; -1 when that is not known.
static inline long long roost_sqlite3_log_size(sqlite3 *db) {
  sqlite3_file *file = (sqlite3_file *)0;
  sqlite3_int64 size = -1;
  if (sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) != SQLITE_OK) return -1;
  if (!file || !file->pMethods) return -1;
  return file->pMethods->xFileSize(file, &size) == SQLITE_OK ? size : -1;
}

#endif
