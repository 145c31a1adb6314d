// SPDX-License-Identifier: Apache-2.0
#ifndef ROOST_CLMDB_SHIM_H
#define ROOST_CLMDB_SHIM_H

#include <lmdb.h>
#include <errno.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#ifdef __GLIBC__
#include <linux/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#endif

/* Asks for the memory at an address, which is going to be read: nothing happens when it cannot be. */
static inline void roost_prefetch(const void *address) { __builtin_prefetch(address); }

/* Which file it is, and how long. */
typedef struct {
  unsigned long long device;
  unsigned long long inode;
  long long size;
} roost_place;

/* Looks at a file by its path; 0 when there is none, or it cannot be looked at.
 *
 * The times of the file are not asked for. Linux gives a file whose times somebody looked at a new one with its next
 * write, however little later that comes; and then each flush of the file has the times to write too, which takes as
 * long again as a small commit does. */
static inline int roost_find(const char *path, roost_place *place) {
#if defined(__GLIBC__) && defined(SYS_statx)
  struct statx found;
  if (syscall(SYS_statx, -100 /* AT_FDCWD */, path, 0, STATX_INO | STATX_SIZE, &found) == 0) {
    place->device = gnu_dev_makedev(found.stx_dev_major, found.stx_dev_minor);
    place->inode = found.stx_ino;
    place->size = (long long)found.stx_size;
    return 1;
  }
  /* A file that cannot be found, a system that does not know the call, or a sandbox that does not: the old way says. */
#endif
  struct stat status;
  if (stat(path, &status) != 0) return 0;
  place->device = (unsigned long long)status.st_dev;
  place->inode = (unsigned long long)status.st_ino;
  place->size = (long long)status.st_size;
  return 1;
}

#endif
