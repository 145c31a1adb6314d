// SPDX-License-Identifier: Apache-2.0
#ifndef ROOST_CLMDB_SHIM_H
#define ROOST_CLMDB_SHIM_H

#include <lmdb.h>
#include <pthread.h>
#include <sys/file.h>

#endif
