/*
 * Preloaded into a program, this counts its file operations below KILL_DIR and does one thing at operation KILL_AT:
 * kills the process before it (default), after it (KILL_AFTER=1), or makes it fail (KILL_ERRNO=n). KILL_LOG names a
 * file that gets one byte per operation, so that its size is their number.
 *
 * gcc -shared -fPIC -O1 -o kill-point.so kill-point.c -ldl
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static int done;

static int ours(const char *path) {
  const char *dir = getenv("KILL_DIR");
  return dir && path && strncmp(path, dir, strlen(dir)) == 0;
}

static int ours_fd(int fd) {
  char link[40], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return ours(path);
}

/* 0: go on; 1: kill after; -1: fail, errno is set. */
static int step(void) {
  int number = __atomic_add_fetch(&done, 1, __ATOMIC_SEQ_CST);
  const char *log = getenv("KILL_LOG"), *at = getenv("KILL_AT"), *error = getenv("KILL_ERRNO");
  if (log) {
    int fd = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT, 0600);
    syscall(SYS_write, fd, ".", 1);
    syscall(SYS_close, fd);
  }
  if (!at || atoi(at) != number) return 0;
  if (error) { errno = atoi(error); return -1; }
  if (getenv("KILL_AFTER")) return 1;
  syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
  return 0;
}

#define WRAP(type, name, mine, params, args)                    \
  type name params {                                            \
    static type (*next) params;                                 \
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, #name);       \
    if (!(mine)) return next args;                              \
    int what = step();                                          \
    if (what < 0) return -1;                                    \
    type result = next args;                                    \
    if (what > 0) syscall(SYS_kill, syscall(SYS_getpid), SIGKILL); \
    return result;                                              \
  }

WRAP(ssize_t, pwrite, ours_fd(fd), (int fd, const void *data, size_t size, off_t at), (fd, data, size, at))
WRAP(ssize_t, pwrite64, ours_fd(fd), (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at))
WRAP(ssize_t, write, fd > 2 && ours_fd(fd), (int fd, const void *data, size_t size), (fd, data, size))
WRAP(int, fsync, ours_fd(fd), (int fd), (fd))
WRAP(int, fdatasync, ours_fd(fd), (int fd), (fd))
WRAP(int, ftruncate, ours_fd(fd), (int fd, off_t size), (fd, size))
WRAP(int, ftruncate64, ours_fd(fd), (int fd, off64_t size), (fd, size))
WRAP(int, fchmod, ours_fd(fd), (int fd, mode_t mode), (fd, mode))
WRAP(int, rename, ours(to), (const char *from, const char *to), (from, to))
WRAP(int, link, ours(to), (const char *from, const char *to), (from, to))
WRAP(int, unlink, ours(path), (const char *path), (path))

/* Only opening for the purpose of creating changes a folder. */
#define OPEN(name)                                              \
  int name(const char *path, int flags, ...) {                  \
    static int (*next)(const char *, int, ...);                 \
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, #name);       \
    va_list rest;                                               \
    va_start(rest, flags);                                      \
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;   \
    va_end(rest);                                               \
    if (!(flags & O_CREAT) || !ours(path)) return next(path, flags, mode); \
    int what = step();                                          \
    if (what < 0) return -1;                                    \
    int fd = next(path, flags, mode);                           \
    if (what > 0) syscall(SYS_kill, syscall(SYS_getpid), SIGKILL); \
    return fd;                                                  \
  }
OPEN(open)
OPEN(open64)
