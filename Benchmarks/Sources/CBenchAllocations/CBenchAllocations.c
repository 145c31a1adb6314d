// SPDX-License-Identifier: Apache-2.0
// A malloc in the program itself takes the place of the C library's for all libraries of the process. It counts, and
// hands on to the C library's own functions, which glibc exports under names of their own.
#include "CBenchAllocations.h"

#include <errno.h>
#include <stdatomic.h>
#ifdef __linux__
#include <malloc.h>
#endif
#include <stddef.h>
#include <stdlib.h>

static _Atomic uint64_t allocations;
static _Atomic uint64_t allocated_bytes;
static _Atomic bool counting;

void bench_allocations_enable(bool enabled) {
  atomic_store_explicit(&counting, enabled, memory_order_relaxed);
}

uint64_t bench_allocations_count(void) {
  return atomic_load_explicit(&allocations, memory_order_relaxed);
}

uint64_t bench_allocations_bytes(void) {
  return atomic_load_explicit(&allocated_bytes, memory_order_relaxed);
}

void bench_release_freed_memory(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

#ifdef __GLIBC__
bool bench_allocations_available(void) { return true; }

static inline void count(size_t size) {
  if (__builtin_expect(atomic_load_explicit(&counting, memory_order_relaxed), 0)) {
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&allocated_bytes, size, memory_order_relaxed);
  }
}

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
  count(size);
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count(number * size);
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  count(size);
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count(size);
  return __libc_memalign(alignment, size);
}

void *memalign(size_t alignment, size_t size) {
  count(size);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  count(size);
  void *memory = __libc_memalign(alignment, size);
  if (memory == NULL) return ENOMEM;
  *result = memory;
  return 0;
}
#else
bool bench_allocations_available(void) { return false; }
#endif
