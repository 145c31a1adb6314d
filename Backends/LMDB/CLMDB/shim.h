// SPDX-License-Identifier: Apache-2.0
#ifndef ROOST_CLMDB_SHIM_H
#define ROOST_CLMDB_SHIM_H

#include <lmdb.h>
#include <pthread.h>
#include <sys/file.h>

/* Asks for the memory at an address, which is going to be read: nothing happens when it cannot be. */
static inline void roost_prefetch(const void *address) { __builtin_prefetch(address); }

#endif
