// SPDX-License-Identifier: Apache-2.0
// Functions of the C library that wait for the disk: those in the program itself take their place for all libraries of
// the process. They count, do what the library's own would do, and then wait until the flush has taken its time.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CBenchFlushes.h"

#if defined(__linux__) && defined(__GLIBC__)
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic uint64_t flushes;
static _Atomic uint64_t least_time;

bool bench_flushes_available(void) { return true; }

void bench_flushes_take(uint64_t microseconds) {
  atomic_store_explicit(&least_time, microseconds, memory_order_relaxed);
}

uint64_t bench_flushes_count(void) {
  return atomic_load_explicit(&flushes, memory_order_relaxed);
}

static struct timespec now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time;
}

// Counts a flush that began at a time, and waits for what is left of it.
static void finish(struct timespec start) {
  int error = errno;
  atomic_fetch_add_explicit(&flushes, 1, memory_order_relaxed);
  uint64_t nanoseconds = atomic_load_explicit(&least_time, memory_order_relaxed) * 1000;
  if (nanoseconds > 0) {
    nanoseconds += (uint64_t)start.tv_nsec;
    start.tv_sec += (time_t)(nanoseconds / 1000000000);
    start.tv_nsec = (long)(nanoseconds % 1000000000);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &start, NULL) == EINTR) {}
  }
  errno = error;
}

static int flush(int descriptor, long call) {
  struct timespec start = now();
  int result = (int)syscall(call, descriptor);
  finish(start);
  return result;
}

int fsync(int descriptor) { return flush(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return flush(descriptor, SYS_fdatasync); }

// LMDB writes the page that makes a commit valid to a file that waits for the disk with each write.
static ssize_t write_at(int descriptor, const void *bytes, size_t count, int64_t offset) {
  int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0 || (flags & O_DSYNC) == 0) {
    return syscall(SYS_pwrite64, descriptor, bytes, count, offset);
  }
  struct timespec start = now();
  ssize_t written = syscall(SYS_pwrite64, descriptor, bytes, count, offset);
  finish(start);
  return written;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return write_at(descriptor, bytes, count, offset);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t count, __off64_t offset) {
  return write_at(descriptor, bytes, count, offset);
}
#else
bool bench_flushes_available(void) { return false; }
void bench_flushes_take(uint64_t microseconds) { (void)microseconds; }
uint64_t bench_flushes_count(void) { return 0; }
#endif
