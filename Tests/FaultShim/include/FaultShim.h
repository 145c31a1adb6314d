// SPDX-License-Identifier: Apache-2.0
#ifndef ROOST_FAULT_SHIM_H
#define ROOST_FAULT_SHIM_H

#include <stddef.h>
#include <stdint.h>

/* Stands between the stores' libraries and the system, in the program that links it: the program's own definitions of
 * `pwrite` and its siblings come before those of the C library, for all libraries of the process. It watches the files
 * of one folder, makes calls on them fail, and records what they write. It also watches the sockets of PostgreSQL
 * servers, and makes calls on these fail.
 *
 * Linux only: elsewhere nothing is between, and `fault_is_supported` says so. */

/* What can fail. */
enum {
  FAULT_OPEN, FAULT_READ, FAULT_WRITE, FAULT_SYNC, FAULT_TRUNCATE, FAULT_RENAME, FAULT_UNLINK, FAULT_LOOK,
  FAULT_MAP, FAULT_LOCK, FAULT_ALLOCATE, FAULT_CONNECT, FAULT_SEND, FAULT_RECEIVE, FAULT_POLL, FAULT_KINDS
};

/* What is recorded. */
enum {
  RECORD_CREATE = 1, RECORD_WRITE, RECORD_TRUNCATE, RECORD_SYNC, RECORD_RENAME, RECORD_REMOVE, RECORD_MAKE_FOLDER,
  RECORD_SYNC_FOLDER, RECORD_MARK
};

/* One thing that was done; `size` bytes follow it: what was written, or the path, or two paths with a NUL between. */
typedef struct {
  uint32_t kind;
  /* Of a write: whether it is on the disk when it returns; of a creation: whether the file was there. */
  uint32_t is_durable;
  uint64_t file;
  /* Of a write, where; of a truncation, how long; of a mark, which. */
  uint64_t offset;
  uint64_t size;
} fault_record;

int fault_is_supported(void);

/* Watches the files below a folder, and no others. */
void fault_watch(const char *folder);

/* Makes the n-th call of a kind fail, counted from 1 from now on, and all later ones too if it is sticky. An error of
 * -1 is a write of half of the bytes, and on a socket the end of what the server says. */
void fault_plan(int kind, long number, int error, int is_sticky);
/* Lets everything succeed again. */
void fault_clear(void);
/* How many calls of a kind there were since the last plan or `fault_count`. */
long fault_calls(int kind);
/* How many calls have failed since the last plan. */
long fault_failures(void);
/* Begins to count anew. */
void fault_count(void);

/* Begins to record, with nothing. */
void fault_record_begin(void);
/* Leaves flushes out from now on, which stands for a store that does not flush. */
void fault_record_forget_flushes(void);
void fault_record_end(void);
/* Notes that something was acknowledged. */
void fault_record_mark(uint64_t mark);
/* Lets the power fail after some operations from the beginning of the record on: what is written to files, and what is
 * said to servers. Nothing is recorded after that, and every call fails, until `fault_clear`. */
void fault_power_off_after(long number);
int fault_is_without_power(void);
/* How many operations there were since the beginning of the record. */
long fault_operations(void);
/* What was recorded. */
const unsigned char *fault_record_bytes(size_t *size);

/* How long a flush of a watched file takes from now on. */
void fault_set_flush_time(int64_t microseconds);

/* Adds seconds to the time of day that the process is told. */
void fault_set_clock_offset(int64_t seconds);

#endif
