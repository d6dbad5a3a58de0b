/*
 * Preloaded into a program, this counts what it does to files below KILL_DIR, and does one thing at operation KILL_AT:
 *
 *   (nothing else)   kills the process before it
 *   KILL_AFTER=1     kills it after it
 *   KILL_TORN=1      kills it when a write has brought half of its bytes
 *   KILL_ERRNO=n     makes it fail; with KILL_LASTING=1 also all later ones (when the disk is full, n = 28, only those
 *                    that need room)
 *
 * KILL_LOG names a file that gets one byte per operation, so that its size is their number. KILL_TRACE names a file that
 * gets each operation that succeeded, in the order in which they took place, with what was written:
 *
 *   number name descriptor offset length flags <tab> path <tab> second path <line feed> length bytes
 *
 * An opening that changes nothing has the number 0. Not seen: closing, operations inside the C library, io_uring
 * (UV_USE_IO_URING=0), and programs that are linked statically.
 *
 * gcc -shared -fPIC -O1 -pthread -o kill-point.so kill-point.c -ldl
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static int done;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void die(void) { syscall(SYS_kill, syscall(SYS_getpid), SIGKILL); }

static int ours(const char *path) {
  const char *dir = getenv("KILL_DIR");
  size_t length = dir ? strlen(dir) : 0;
  return length > 0 && strncmp(path, dir, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/* Where a descriptor leads; "" when that cannot be told, and with " (deleted)" behind a name that is gone. */
static const char *path_of(int fd, char *out) {
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, out, PATH_MAX - 1);
  out[length < 0 ? 0 : length] = 0;
  return out;
}

/* A path as seen from the root, with what programs write before names taken out: "./" at the start. */
static const char *absolute(int folder, const char *path, char *out) {
  char base[PATH_MAX];
  while (path && path[0] == '.' && path[1] == '/') path += 2;
  if (!path || path[0] == '/') {
    snprintf(out, PATH_MAX, "%s", path ? path : "");
    return out;
  }
  if (folder != AT_FDCWD) path_of(folder, base);
  else if (!getcwd(base, sizeof base)) base[0] = 0;
  if ((size_t)snprintf(out, PATH_MAX, "%s/", base) < PATH_MAX) strncat(out, path, PATH_MAX - strlen(out) - 1);
  return out;
}

static void append(const char *file, const void *head, size_t head_size, const struct iovec *data, int count, size_t size) {
  int fd = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  syscall(SYS_write, fd, head, head_size);
  for (int i = 0; i < count && size > 0; i++) {
    size_t part = data[i].iov_len < size ? data[i].iov_len : size;
    syscall(SYS_write, fd, data[i].iov_base, part);
    size -= part;
  }
  syscall(SYS_close, fd);
}

struct operation {
  const char *name;
  int fd;
  long long offset;
  int flags;
  const char *path, *second;
  const struct iovec *data;
  int count;
};

static void tell(int number, const struct operation *op, size_t size) {
  const char *file = getenv("KILL_TRACE");
  if (!file) return;
  char head[2 * PATH_MAX + 128];
  int length = snprintf(head, sizeof head, "%d %s %d %lld %zu %d\t%s\t%s\n", number, op->name, op->fd, op->offset, size,
                        op->flags, op->path ? op->path : "", op->second ? op->second : "");
  append(file, head, (size_t)length, op->data, op->count, size);
}

enum fate { GO_ON, FAIL, DIE_AFTER, DIE_TORN };

static enum fate reached(int number, int needs_room) {
  const char *log = getenv("KILL_LOG"), *at = getenv("KILL_AT"), *error = getenv("KILL_ERRNO");
  if (log) append(log, ".", 1, NULL, 0, 0);
  if (!at) return GO_ON;
  int here = atoi(at) == number, code = error ? atoi(error) : 0;
  if (error && getenv("KILL_LASTING") && number >= atoi(at)) here = code != ENOSPC || needs_room;
  if (!here) return GO_ON;
  if (error) { errno = code; return FAIL; }
  if (getenv("KILL_TORN")) return DIE_TORN;
  if (getenv("KILL_AFTER")) return DIE_AFTER;
  die();
  return GO_ON;
}

#define NEXT(type, name, ...)                  \
  static type (*next)(__VA_ARGS__);            \
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, #name)

/* One operation at a time, so that the trace has the true order. */
#define COUNTED(type, op, needs_room, size, call)                     \
  do {                                                                \
    pthread_mutex_lock(&turn);                                        \
    int number = ++done;                                              \
    enum fate fate = reached(number, needs_room);                     \
    if (fate == FAIL) {                                               \
      int code = errno;                                               \
      pthread_mutex_unlock(&turn);                                    \
      errno = code;                                                   \
      return -1;                                                      \
    }                                                                 \
    type result = (call);                                             \
    int code = errno;                                                 \
    if (fate != GO_ON) die();                                         \
    if (result >= 0) {                                                \
      if ((op)->fd < 0) (op)->fd = (int)result;                       \
      tell(number, op, size);                                         \
    }                                                                 \
    pthread_mutex_unlock(&turn);                                      \
    errno = code;                                                     \
    return result;                                                    \
  } while (0)

/* Opening ---------------------------------------------------------------------------------------------------------- */

#define CHANGES(flags) ((flags) & (O_CREAT | O_TRUNC))

#define OPENED(next_call)                                                                  \
  char path[PATH_MAX];                                                                     \
  absolute(folder, given, path);                                                           \
  if (!ours(path)) return next_call;                                                       \
  struct operation op = {"open", -1, 0, flags, path, NULL, NULL, 0};                       \
  if (CHANGES(flags)) COUNTED(int, &op, flags & O_CREAT, 0, next_call);                    \
  pthread_mutex_lock(&turn);                                                               \
  int fd = next_call, code = errno;                                                        \
  op.fd = fd;                                                                              \
  if (fd >= 0) tell(0, &op, 0);                                                            \
  pthread_mutex_unlock(&turn);                                                             \
  errno = code;                                                                            \
  return fd;

#define OPEN(name)                                             \
  int name(const char *given, int flags, ...) {                \
    NEXT(int, name, const char *, int, ...);                   \
    int folder = AT_FDCWD;                                     \
    va_list rest;                                              \
    va_start(rest, flags);                                     \
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;  \
    va_end(rest);                                              \
    OPENED(next(given, flags, mode))                           \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                           \
  int name(int folder, const char *given, int flags, ...) {    \
    NEXT(int, name, int, const char *, int, ...);              \
    va_list rest;                                              \
    va_start(rest, flags);                                     \
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;  \
    va_end(rest);                                              \
    OPENED(next(folder, given, flags, mode))                   \
  }
OPENAT(openat)
OPENAT(openat64)

/* Writing ---------------------------------------------------------------------------------------------------------- */

static long long place(int fd) {
  struct stat stats;
  if ((fcntl(fd, F_GETFL) & O_APPEND) && fstat(fd, &stats) == 0) return stats.st_size;
  return lseek(fd, 0, SEEK_CUR);
}

/* Half of the first piece, to be torn in the middle of it. */
static size_t half(const struct iovec *data) { return data->iov_len / 2; }

#define WRITTEN(at, whole, torn)                                                            \
  char path[PATH_MAX];                                                                      \
  if (fd < 3 || !ours(path_of(fd, path))) return whole;                                     \
  struct operation op = {"write", fd, at, 0, path, NULL, data, count};                      \
  COUNTED(ssize_t, &op, 1, (size_t)result, fate == DIE_TORN ? (torn) : (whole));

#define ONE(bytes, size) struct iovec one = {(void *)(bytes), size}; const struct iovec *data = &one; int count = 1

ssize_t write(int fd, const void *bytes, size_t size) {
  NEXT(ssize_t, write, int, const void *, size_t);
  ONE(bytes, size);
  WRITTEN(place(fd), next(fd, bytes, size), next(fd, bytes, half(data)))
}

#define PWRITE(name, offset_type)                                                           \
  ssize_t name(int fd, const void *bytes, size_t size, offset_type at) {                    \
    NEXT(ssize_t, name, int, const void *, size_t, offset_type);                            \
    ONE(bytes, size);                                                                       \
    WRITTEN(at, next(fd, bytes, size, at), next(fd, bytes, half(data), at))                 \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t writev(int fd, const struct iovec *data, int count) {
  NEXT(ssize_t, writev, int, const struct iovec *, int);
  WRITTEN(place(fd), next(fd, data, count), syscall(SYS_write, fd, data->iov_base, half(data)))
}

#define PWRITEV(name, offset_type)                                                          \
  ssize_t name(int fd, const struct iovec *data, int count, offset_type at) {               \
    NEXT(ssize_t, name, int, const struct iovec *, int, offset_type);                       \
    WRITTEN(at, next(fd, data, count, at), syscall(SYS_pwrite64, fd, data->iov_base, half(data), at)) \
  }
PWRITEV(pwritev, off_t)
PWRITEV(pwritev64, off64_t)

/* By descriptor, by name, by two names ------------------------------------------------------------------------------- */

#define BY_FD(name, shown, at, mode, params, types, args)                                   \
  int name params {                                                                         \
    NEXT(int, name, types);                                                                 \
    char path[PATH_MAX];                                                                    \
    if (fd < 3 || !ours(path_of(fd, path))) return next args;                               \
    struct operation op = {shown, fd, at, mode, path, NULL, NULL, 0};                       \
    COUNTED(int, &op, 0, 0, next args);                                                     \
  }
#define TYPES(...) __VA_ARGS__
BY_FD(fsync, "sync", 0, 0, (int fd), int, (fd))
BY_FD(fdatasync, "sync", 0, 0, (int fd), int, (fd))
BY_FD(ftruncate, "truncate", size, 0, (int fd, off_t size), TYPES(int, off_t), (fd, size))
BY_FD(ftruncate64, "truncate", size, 0, (int fd, off64_t size), TYPES(int, off64_t), (fd, size))
BY_FD(fchmod, "mode", 0, (int)mode, (int fd, mode_t mode), TYPES(int, mode_t), (fd, mode))

#define BY_NAME(name, shown, folder, mode, room, params, types, args)                       \
  int name params {                                                                         \
    NEXT(int, name, types);                                                                 \
    char path[PATH_MAX];                                                                    \
    if (!ours(absolute(folder, given, path))) return next args;                             \
    struct operation op = {shown, 0, 0, (int)(mode), path, NULL, NULL, 0};                  \
    COUNTED(int, &op, room, 0, next args);                                                  \
  }
BY_NAME(unlink, "unlink", AT_FDCWD, 0, 0, (const char *given), const char *, (given))
BY_NAME(unlinkat, "unlink", folder, flags, 0, (int folder, const char *given, int flags), TYPES(int, const char *, int), (folder, given, flags))
BY_NAME(rmdir, "rmdir", AT_FDCWD, 0, 0, (const char *given), const char *, (given))
BY_NAME(mkdir, "mkdir", AT_FDCWD, mode, 1, (const char *given, mode_t mode), TYPES(const char *, mode_t), (given, mode))
BY_NAME(mkdirat, "mkdir", folder, mode, 1, (int folder, const char *given, mode_t mode), TYPES(int, const char *, mode_t), (folder, given, mode))
BY_NAME(chmod, "chmod", AT_FDCWD, mode, 0, (const char *given, mode_t mode), TYPES(const char *, mode_t), (given, mode))
BY_NAME(symlink, "symlink", AT_FDCWD, 0, 1, (const char *to, const char *given), TYPES(const char *, const char *), (to, given))

#define BY_TWO(name, shown, first, other, room, params, types, args)                        \
  int name params {                                                                         \
    NEXT(int, name, types);                                                                 \
    char from_path[PATH_MAX], to_path[PATH_MAX];                                            \
    absolute(first, from, from_path);                                                       \
    if (!ours(absolute(other, to, to_path)) && !ours(from_path)) return next args;          \
    struct operation op = {shown, 0, 0, 0, from_path, to_path, NULL, 0};                    \
    COUNTED(int, &op, room, 0, next args);                                                  \
  }
BY_TWO(rename, "rename", AT_FDCWD, AT_FDCWD, 0, (const char *from, const char *to), TYPES(const char *, const char *), (from, to))
BY_TWO(renameat, "rename", a, b, 0, (int a, const char *from, int b, const char *to), TYPES(int, const char *, int, const char *), (a, from, b, to))
BY_TWO(renameat2, "rename", a, b, 0, (int a, const char *from, int b, const char *to, unsigned flags), TYPES(int, const char *, int, const char *, unsigned), (a, from, b, to, flags))
BY_TWO(link, "link", AT_FDCWD, AT_FDCWD, 1, (const char *from, const char *to), TYPES(const char *, const char *), (from, to))
BY_TWO(linkat, "link", a, b, 1, (int a, const char *from, int b, const char *to, int flags), TYPES(int, const char *, int, const char *, int), (a, from, b, to, flags))
