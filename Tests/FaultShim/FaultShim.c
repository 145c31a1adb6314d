// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "FaultShim.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
/* Their own definitions stand at the same place. */
#define IS_SANITIZED 1
#endif
#endif

#if defined(__linux__) && defined(__GLIBC__) && !defined(IS_SANITIZED)

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

#define LAST_FILE 4096
#define LOG_SIZE ((size_t)1 << 32)

typedef struct {
  char is_watched, is_recorded, is_folder, is_durable, is_server;
  uint64_t file;
} descriptor_state;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[1024];
static size_t folder_length;
static descriptor_state descriptors[LAST_FILE];

static int plan_kind = -1, plan_error, plan_is_sticky;
static long plan_number, calls[FAULT_KINDS], failures;

static unsigned char *record_bytes;
static size_t record_size;
static int is_recording, forgets_flushes;
/* How many operations are left until the power fails; negative for ever. */
static long power_left = -1;
static int is_without_power;
static long operations;
static uint64_t last_file;
static int64_t clock_offset;
static int64_t flush_time;

/* The files that have a number, by what the system knows them as. */
static struct { uint64_t inode, file; } known_files[LAST_FILE];
static int known_count;

int fault_is_supported(void) { return 1; }

/* MARK: Control */

void fault_watch(const char *path) {
  pthread_mutex_lock(&lock);
  strncpy(folder, path, sizeof folder - 1);
  folder_length = strlen(folder);
  memset(descriptors, 0, sizeof descriptors);
  known_count = 0;
  pthread_mutex_unlock(&lock);
}

void fault_plan(int kind, long number, int error, int is_sticky) {
  pthread_mutex_lock(&lock);
  memset(calls, 0, sizeof calls);
  failures = 0;
  plan_number = number;
  plan_error = error;
  plan_is_sticky = is_sticky;
  plan_kind = kind;
  pthread_mutex_unlock(&lock);
}

/* The caller holds the lock. */
static void count_operation(void) {
  if (!is_recording) return;
  operations++;
  if (power_left > 0 && --power_left == 0) is_without_power = 1;
}

void fault_power_off_after(long number) {
  pthread_mutex_lock(&lock);
  power_left = number;
  pthread_mutex_unlock(&lock);
}

int fault_is_without_power(void) { return is_without_power; }
long fault_operations(void) { return operations; }

void fault_clear(void) {
  pthread_mutex_lock(&lock);
  plan_kind = -1;
  power_left = -1;
  is_without_power = 0;
  pthread_mutex_unlock(&lock);
}

long fault_calls(int kind) { return calls[kind]; }
long fault_failures(void) { return failures; }

void fault_count(void) {
  pthread_mutex_lock(&lock);
  memset(calls, 0, sizeof calls);
  pthread_mutex_unlock(&lock);
}

void fault_set_clock_offset(int64_t seconds) {
  __atomic_store_n(&clock_offset, seconds, __ATOMIC_RELAXED);
}

void fault_set_flush_time(int64_t microseconds) {
  __atomic_store_n(&flush_time, microseconds, __ATOMIC_RELAXED);
}

/* Counts a call; what it fails with, 0 when it does not. */
static int failure_of(int kind) {
  int error = 0;
  pthread_mutex_lock(&lock);
  calls[kind]++;
  if (kind == plan_kind
      && (calls[kind] == plan_number || (plan_is_sticky && calls[kind] > plan_number))) {
    failures++;
    error = plan_error;
  }
  if (is_without_power && kind != FAULT_ALLOCATE) error = EIO;
  if (error == 0 && kind == FAULT_SEND) count_operation();
  pthread_mutex_unlock(&lock);
  return error;
}

static int fails(int kind) {
  int error = failure_of(kind);
  if (error == 0) return 0;
  errno = error < 0 ? EIO : error;
  return 1;
}

static int is_inside(const char *path) {
  return folder_length > 0 && path && strncmp(path, folder, folder_length) == 0;
}

static int ends_with(const char *path, const char *end) {
  size_t length = strlen(path), count = strlen(end);
  return length >= count && strcmp(path + length - count, end) == 0;
}

/* Whether what is written to a file matters after a crash: the tables of locks do not. */
static int is_kept(const char *path) {
  return is_inside(path) && !ends_with(path, "-shm") && !ends_with(path, "-lock");
}

static descriptor_state state_of(int descriptor) {
  descriptor_state none = {0};
  return descriptor >= 0 && descriptor < LAST_FILE ? descriptors[descriptor] : none;
}

/* MARK: Recording */

void fault_record_begin(void) {
  pthread_mutex_lock(&lock);
  if (!record_bytes) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    record_bytes =
      (unsigned char *)syscall(SYS_mmap, NULL, LOG_SIZE, PROT_READ | PROT_WRITE, flags, -1, 0);
  }
  record_size = 0;
  known_count = 0;
  forgets_flushes = 0;
  operations = 0;
  is_recording = 1;
  pthread_mutex_unlock(&lock);
}

void fault_record_forget_flushes(void) { forgets_flushes = 1; }
void fault_record_end(void) { is_recording = 0; }

const unsigned char *fault_record_bytes(size_t *size) {
  *size = record_size;
  return record_bytes;
}

/* The caller holds the lock. */
static void add(
  uint32_t kind, int is_durable, uint64_t file, uint64_t offset, const void *bytes, size_t size
) {
  if (!is_recording || is_without_power) return;
  if (forgets_flushes && (kind == RECORD_SYNC || kind == RECORD_SYNC_FOLDER)) return;
  if (record_size + sizeof(fault_record) + size + 16 > LOG_SIZE) abort();
  if (forgets_flushes && kind == RECORD_WRITE) is_durable = 0;
  fault_record record = {kind, is_durable, file, offset, size};
  memcpy(record_bytes + record_size, &record, sizeof record);
  record_size += sizeof record;
  if (size) memcpy(record_bytes + record_size, bytes, size);
  record_size += (size + 7) & ~(size_t)7;
  if (kind != RECORD_MARK) count_operation();
}

static void note(
  uint32_t kind, int is_durable, uint64_t file, uint64_t offset, const void *bytes, size_t size
) {
  pthread_mutex_lock(&lock);
  add(kind, is_durable, file, offset, bytes, size);
  pthread_mutex_unlock(&lock);
}

static void note_path(uint32_t kind, const char *path) {
  if (is_kept(path)) note(kind, 0, 0, 0, path, strlen(path));
}

void fault_record_mark(uint64_t mark) { note(RECORD_MARK, 0, 0, mark, NULL, 0); }

/* MARK: Opening */

/* The number of a file, which is noted when it has none yet. The caller holds the lock. */
static uint64_t number_of(const char *path, uint64_t inode, int was_there) {
  int index = 0;
  while (index < known_count && known_files[index].inode != inode) index++;
  int is_new = index == known_count;
  if (is_new && known_count < LAST_FILE - 1) known_count++;
  if (is_new || !was_there) {
    known_files[index].inode = inode;
    known_files[index].file = ++last_file;
    add(RECORD_CREATE, was_there, last_file, 0, path, strlen(path));
  }
  return known_files[index].file;
}

static void did_open(int descriptor, const char *path, int flags, int was_there) {
  if (descriptor < 0 || descriptor >= LAST_FILE) return;
  struct stat status;
  pthread_mutex_lock(&lock);
  descriptor_state state = {0};
  if (is_inside(path) && syscall(SYS_fstat, descriptor, &status) == 0) {
    state.is_watched = 1;
    state.is_folder = S_ISDIR(status.st_mode) != 0;
    state.is_recorded = is_kept(path) && !state.is_folder;
    state.is_durable = (flags & O_DSYNC) != 0;
    if (state.is_recorded) {
      state.file = number_of(path, status.st_ino, was_there);
      if (was_there && (flags & O_TRUNC)) add(RECORD_TRUNCATE, 0, state.file, 0, NULL, 0);
    }
  }
  descriptors[descriptor] = state;
  pthread_mutex_unlock(&lock);
}

static int open_at(int parent, const char *path, int flags, mode_t mode) {
  if (!is_inside(path)) {
    int other = (int)syscall(SYS_openat, parent, path, flags, mode);
    if (other >= 0 && other < LAST_FILE && folder_length > 0) did_open(other, "", 0, 1);
    return other;
  }
  if (fails(FAULT_OPEN)) return -1;
  int was_there = syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0;
  int descriptor = (int)syscall(SYS_openat, parent, path, flags, mode);
  did_open(descriptor, path, flags, was_there);
  return descriptor;
}

static mode_t mode_of(int flags, va_list rest) {
  return flags & (O_CREAT | __O_TMPFILE) ? (mode_t)va_arg(rest, int) : 0;
}

#define DEFINE_OPEN(name)                                   \
  int name(const char *path, int flags, ...) {              \
    va_list rest;                                           \
    va_start(rest, flags);                                  \
    mode_t mode = mode_of(flags, rest);                     \
    va_end(rest);                                           \
    return open_at(AT_FDCWD, path, flags, mode);            \
  }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)

#define DEFINE_OPENAT(name)                                 \
  int name(int parent, const char *path, int flags, ...) {  \
    va_list rest;                                           \
    va_start(rest, flags);                                  \
    mode_t mode = mode_of(flags, rest);                     \
    va_end(rest);                                           \
    return open_at(parent, path, flags, mode);              \
  }
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)

int creat(const char *path, mode_t mode) {
  return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int close(int descriptor) {
  if (descriptor >= 0 && descriptor < LAST_FILE) {
    memset(&descriptors[descriptor], 0, sizeof(descriptor_state));
  }
  return (int)syscall(SYS_close, descriptor);
}

/* MARK: Reading and writing */

static ssize_t read_at(int descriptor, void *bytes, size_t count, off_t offset) {
  if (state_of(descriptor).is_watched && fails(FAULT_READ)) return -1;
  return syscall(SYS_pread64, descriptor, bytes, count, offset);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
  return read_at(descriptor, bytes, count, offset);
}
ssize_t pread64(int descriptor, void *bytes, size_t count, __off64_t offset) {
  return read_at(descriptor, bytes, count, offset);
}
ssize_t read(int descriptor, void *bytes, size_t count) {
  if (state_of(descriptor).is_watched && fails(FAULT_READ)) return -1;
  return syscall(SYS_read, descriptor, bytes, count);
}

/* Calls the system, and records what it took. `offset` is negative for the place where the file is. */
static ssize_t write_at(int descriptor, const void *bytes, size_t count, off_t offset) {
  descriptor_state state = state_of(descriptor);
  if (!state.is_watched) {
    return offset < 0 ? syscall(SYS_write, descriptor, bytes, count)
                      : syscall(SYS_pwrite64, descriptor, bytes, count, offset);
  }
  int error = failure_of(FAULT_WRITE);
  if (error > 0) {
    errno = error;
    return -1;
  }
  if (error < 0) count = count / 2;
  off_t place = offset < 0 ? (off_t)syscall(SYS_lseek, descriptor, 0, SEEK_CUR) : offset;
  ssize_t written = offset < 0 ? syscall(SYS_write, descriptor, bytes, count)
                               : syscall(SYS_pwrite64, descriptor, bytes, count, offset);
  if (written > 0 && state.is_recorded) {
    note(RECORD_WRITE, state.is_durable, state.file, (uint64_t)place, bytes, (size_t)written);
  }
  return written;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return write_at(descriptor, bytes, count, offset);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t count, __off64_t offset) {
  return write_at(descriptor, bytes, count, offset);
}
ssize_t write(int descriptor, const void *bytes, size_t count) {
  return write_at(descriptor, bytes, count, -1);
}

/* One write for each part, as the system might do it. */
static ssize_t write_parts(int descriptor, const struct iovec *parts, int count, off_t offset) {
  ssize_t all = 0;
  for (int index = 0; index < count; index++) {
    ssize_t written = write_at(
      descriptor, parts[index].iov_base, parts[index].iov_len, offset < 0 ? -1 : offset + all);
    if (written < 0) return all > 0 ? all : -1;
    all += written;
    if ((size_t)written < parts[index].iov_len) break;
  }
  return all;
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  if (!state_of(descriptor).is_watched) return syscall(SYS_writev, descriptor, parts, count);
  return write_parts(descriptor, parts, count, -1);
}
ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
  return write_parts(descriptor, parts, count, offset);
}

static int flush(int descriptor, long call) {
  descriptor_state state = state_of(descriptor);
  int64_t time = state.is_watched ? __atomic_load_n(&flush_time, __ATOMIC_RELAXED) : 0;
  if (time > 0) usleep((useconds_t)time);
  if (state.is_watched && fails(FAULT_SYNC)) return -1;
  /* What a simulated disk keeps is in the record: the real one need not be waited for. */
  int result = state.is_watched ? 0 : (int)syscall(call, descriptor);
  if (result == 0 && state.is_recorded) note(RECORD_SYNC, 0, state.file, 0, NULL, 0);
  if (result == 0 && state.is_folder) note(RECORD_SYNC_FOLDER, 0, 0, 0, NULL, 0);
  return result;
}

int fsync(int descriptor) { return flush(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return flush(descriptor, SYS_fdatasync); }

static int truncate_to(int descriptor, off_t size) {
  descriptor_state state = state_of(descriptor);
  if (state.is_watched && fails(FAULT_TRUNCATE)) return -1;
  int result = (int)syscall(SYS_ftruncate, descriptor, size);
  if (result == 0 && state.is_recorded) {
    note(RECORD_TRUNCATE, 0, state.file, (uint64_t)size, NULL, 0);
  }
  return result;
}
int ftruncate(int descriptor, off_t size) { return truncate_to(descriptor, size); }
int ftruncate64(int descriptor, __off64_t size) { return truncate_to(descriptor, size); }

int truncate(const char *path, off_t size) {
  if (is_inside(path) && fails(FAULT_TRUNCATE)) return -1;
  int result = (int)syscall(SYS_truncate, path, size);
  struct stat status;
  if (result == 0 && is_kept(path)
      && syscall(SYS_newfstatat, AT_FDCWD, path, &status, 0) == 0) {
    pthread_mutex_lock(&lock);
    uint64_t file = number_of(path, status.st_ino, 1);
    add(RECORD_TRUNCATE, 0, file, (uint64_t)size, NULL, 0);
    pthread_mutex_unlock(&lock);
  }
  return result;
}
int truncate64(const char *path, __off64_t size) { return truncate(path, size); }

/* MARK: Names */

int rename(const char *from, const char *to) {
  if (is_inside(from) || is_inside(to)) {
    if (fails(FAULT_RENAME)) return -1;
  }
  int result = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
  if (result == 0 && (is_kept(from) || is_kept(to))) {
    char both[2 * sizeof folder + 512];
    size_t first = strlen(from) + 1, second = strlen(to);
    if (first + second >= sizeof both) abort();
    memcpy(both, from, first);
    memcpy(both + first, to, second);
    note(RECORD_RENAME, 0, 0, 0, both, first + second);
  }
  return result;
}

static int remove_name(const char *path, int flags) {
  if (is_inside(path) && fails(FAULT_UNLINK)) return -1;
  int result = (int)syscall(SYS_unlinkat, AT_FDCWD, path, flags);
  if (result == 0) note_path(RECORD_REMOVE, path);
  return result;
}
int unlink(const char *path) { return remove_name(path, 0); }
int rmdir(const char *path) { return remove_name(path, AT_REMOVEDIR); }

int mkdir(const char *path, mode_t mode) {
  if (is_inside(path) && fails(FAULT_RENAME)) return -1;
  int result = (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
  if (result == 0) note_path(RECORD_MAKE_FOLDER, path);
  return result;
}

int stat(const char *path, struct stat *status) {
  if (is_inside(path) && fails(FAULT_LOOK)) return -1;
  return (int)syscall(SYS_newfstatat, AT_FDCWD, path, status, 0);
}
int stat64(const char *path, struct stat64 *status) { return stat(path, (struct stat *)status); }
int lstat(const char *path, struct stat *status) {
  if (is_inside(path) && fails(FAULT_LOOK)) return -1;
  return (int)syscall(SYS_newfstatat, AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}
int lstat64(const char *path, struct stat64 *status) { return lstat(path, (struct stat *)status); }
int fstat(int descriptor, struct stat *status) {
  if (state_of(descriptor).is_watched && fails(FAULT_LOOK)) return -1;
  return (int)syscall(SYS_fstat, descriptor, status);
}
int fstat64(int descriptor, struct stat64 *status) {
  return fstat(descriptor, (struct stat *)status);
}
int __fxstat(int version, int descriptor, struct stat *status) {
  return fstat(descriptor, status);
}

/* MARK: Maps and locks */

static void *map(
  void *address, size_t size, int protection, int flags, int descriptor, off_t offset
) {
  if (state_of(descriptor).is_watched && fails(FAULT_MAP)) return MAP_FAILED;
  return (void *)syscall(SYS_mmap, address, size, protection, flags, descriptor, offset);
}
void *mmap(
  void *address, size_t size, int protection, int flags, int descriptor, off_t offset
) {
  return map(address, size, protection, flags, descriptor, offset);
}
void *mmap64(
  void *address, size_t size, int protection, int flags, int descriptor, __off64_t offset
) {
  return map(address, size, protection, flags, descriptor, offset);
}

static int control(int descriptor, int command, void *argument) {
  int is_lock = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK;
  if (is_lock && state_of(descriptor).is_watched && ((struct flock *)argument)->l_type != F_UNLCK
      && fails(FAULT_LOCK)) {
    return -1;
  }
  return (int)syscall(SYS_fcntl, descriptor, command, argument);
}

#define DEFINE_CONTROL(name)                      \
  int name(int descriptor, int command, ...) {    \
    va_list rest;                                 \
    va_start(rest, command);                      \
    void *argument = va_arg(rest, void *);        \
    va_end(rest);                                 \
    return control(descriptor, command, argument);\
  }
DEFINE_CONTROL(fcntl)
DEFINE_CONTROL(fcntl64)

int flock(int descriptor, int operation) {
  if (state_of(descriptor).is_watched && fails(FAULT_LOCK)) return -1;
  return (int)syscall(SYS_flock, descriptor, operation);
}

/* MARK: Sockets of servers */

static int is_of_server(const struct sockaddr *address) {
  return address && address->sa_family == AF_UNIX
    && strstr(((const struct sockaddr_un *)address)->sun_path, ".s.PGSQL.") != NULL;
}

int connect(int descriptor, const struct sockaddr *address, socklen_t size) {
  int is_server = is_of_server(address);
  if (is_server && fails(FAULT_CONNECT)) return -1;
  int result = (int)syscall(SYS_connect, descriptor, address, size);
  if (is_server && result == 0 && descriptor < LAST_FILE) descriptors[descriptor].is_server = 1;
  return result;
}

ssize_t send(int descriptor, const void *bytes, size_t count, int flags) {
  if (state_of(descriptor).is_server && fails(FAULT_SEND)) return -1;
  return syscall(SYS_sendto, descriptor, bytes, count, flags, NULL, 0);
}

ssize_t recv(int descriptor, void *bytes, size_t count, int flags) {
  if (state_of(descriptor).is_server) {
    int error = failure_of(FAULT_RECEIVE);
    if (error < 0) return 0;
    if (error > 0) {
      errno = error;
      return -1;
    }
  }
  return syscall(SYS_recvfrom, descriptor, bytes, count, flags, NULL, NULL);
}
ssize_t __recv_chk(int descriptor, void *bytes, size_t count, size_t room, int flags) {
  if (count > room) abort();
  return recv(descriptor, bytes, count, flags);
}

int poll(struct pollfd *entries, nfds_t count, int timeout) {
  for (nfds_t index = 0; index < count; index++) {
    if (state_of(entries[index].fd).is_server && fails(FAULT_POLL)) return -1;
  }
  return (int)syscall(SYS_poll, entries, count, timeout);
}
int __poll_chk(struct pollfd *entries, nfds_t count, int timeout, size_t room) {
  if (count * sizeof *entries > room) abort();
  return poll(entries, count, timeout);
}

/* MARK: Memory of the stores' libraries */

static struct { uintptr_t start, end; } libraries[8];
static int library_count = -1;

static int note_library(struct dl_phdr_info *library, size_t size, void *unused) {
  const char *name = library->dlpi_name ? library->dlpi_name : "";
  if (!strstr(name, "libsqlite3") && !strstr(name, "liblmdb") && !strstr(name, "libpq.")) return 0;
  for (int index = 0; index < library->dlpi_phnum && library_count < 8; index++) {
    const ElfW(Phdr) *part = &library->dlpi_phdr[index];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    libraries[library_count].start = library->dlpi_addr + part->p_vaddr;
    libraries[library_count].end = library->dlpi_addr + part->p_vaddr + part->p_memsz;
    library_count++;
  }
  return 0;
}

__attribute__((constructor)) static void find_libraries(void) {
  library_count = 0;
  dl_iterate_phdr(note_library, NULL);
}

static int is_of_library(void *caller) {
  for (int index = 0; index < library_count; index++) {
    uintptr_t place = (uintptr_t)caller;
    if (place >= libraries[index].start && place < libraries[index].end) return 1;
  }
  return 0;
}

#define REFUSES_MEMORY (is_of_library(__builtin_return_address(0)) && fails(FAULT_ALLOCATE))

void *malloc(size_t size) { return REFUSES_MEMORY ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) {
  return REFUSES_MEMORY ? NULL : __libc_calloc(count, size);
}
void *realloc(void *memory, size_t size) {
  return REFUSES_MEMORY ? NULL : __libc_realloc(memory, size);
}

/* MARK: The time of day */

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && clock == CLOCK_REALTIME) {
    time->tv_sec += __atomic_load_n(&clock_offset, __ATOMIC_RELAXED);
  }
  return result;
}

int gettimeofday(struct timeval *time, void *zone) {
  struct timespec now;
  int result = clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return result;
}

time_t time(time_t *place) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (place) *place = now.tv_sec;
  return now.tv_sec;
}

#else

int fault_is_supported(void) { return 0; }
void fault_watch(const char *folder) {}
void fault_plan(int kind, long number, int error, int is_sticky) {}
void fault_clear(void) {}
long fault_calls(int kind) { return 0; }
long fault_failures(void) { return 0; }
void fault_count(void) {}
void fault_record_begin(void) {}
void fault_record_forget_flushes(void) {}
void fault_record_end(void) {}
void fault_power_off_after(long number) {}
int fault_is_without_power(void) { return 0; }
long fault_operations(void) { return 0; }
void fault_record_mark(uint64_t mark) {}
const unsigned char *fault_record_bytes(size_t *size) {
  *size = 0;
  return 0;
}
void fault_set_clock_offset(int64_t seconds) {}
void fault_set_flush_time(int64_t microseconds) {}

#endif
