/*
 * Preloaded into a program, this makes one kind of call fail for files below FAIL_DIR, with the error number FAIL_ERRNO:
 * FAIL_CALL=rename for renaming and linking, FAIL_CALL=fsync for syncing, FAIL_CALL=fchmod for a change of mode,
 * FAIL_CALL=write for writing more than FAIL_ROOM bytes into the files of the folder: what fits is written, as disks do,
 * FAIL_CALL=close for closing, which closes all the same.
 *
 * gcc -shared -fPIC -O1 -o failing-calls.so failing-calls.c -ldl
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static long (*system_call)(long, ...);

static void find(void) {
  if (!system_call) *(void **)&system_call = dlsym(RTLD_NEXT, "syscall");
}

/* Whether a call of this kind fails for the path; then errno is set. */
static int fails(const char *call, const char *path) {
  const char *wanted = getenv("FAIL_CALL"), *folder = getenv("FAIL_DIR"), *error = getenv("FAIL_ERRNO");
  if (!wanted || !folder || !error || strcmp(wanted, call) != 0 || strncmp(path, folder, strlen(folder)) != 0) return 0;
  errno = atoi(error);
  return 1;
}

int rename(const char *from, const char *to) {
  find();
  return fails("rename", to) ? -1 : (int)system_call(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

int link(const char *from, const char *to) {
  find();
  return fails("rename", to) ? -1 : (int)system_call(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* The path behind a descriptor. */
static void path_of(int fd, char *path, size_t size) {
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  long length = system_call(SYS_readlinkat, AT_FDCWD, link, path, size - 1);
  path[length < 0 ? 0 : length] = 0;
}

int fsync(int fd) {
  find();
  char path[PATH_MAX];
  path_of(fd, path, sizeof path);
  return fails("fsync", path) ? -1 : (int)system_call(SYS_fsync, fd);
}

int fchmod(int fd, mode_t mode) {
  find();
  char path[PATH_MAX];
  path_of(fd, path, sizeof path);
  return fails("fchmod", path) ? -1 : (int)system_call(SYS_fchmod, fd, mode);
}

/* Bytes of all files in the folder. */
static long used(const char *folder) {
  long sum = 0;
  struct dirent *entry;
  struct stat stats;
  DIR *files = opendir(folder);
  while (files && (entry = readdir(files)))
    if (fstatat(dirfd(files), entry->d_name, &stats, 0) == 0 && S_ISREG(stats.st_mode)) sum += stats.st_size;
  if (files) closedir(files);
  return sum;
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset) {
  find();
  char path[PATH_MAX];
  struct stat stats;
  path_of(fd, path, sizeof path);
  if (fails("write", path) && fstat(fd, &stats) == 0) {
    int error = errno;
    long room = atol(getenv("FAIL_ROOM")) - used(getenv("FAIL_DIR")) + stats.st_size - offset;
    errno = error;
    if (room <= 0) return -1;
    if (length > (size_t)room) length = room;
  }
  return system_call(SYS_pwrite64, fd, bytes, length, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return pwrite64(fd, bytes, length, offset); }

/* Node closes by the bare system call. */
long syscall(long number, ...) {
  find();
  va_list rest;
  va_start(rest, number);
  long a[6];
  for (int i = 0; i < 6; i++) a[i] = va_arg(rest, long);
  va_end(rest);
  char path[PATH_MAX] = "";
  if (number == SYS_close) path_of((int)a[0], path, sizeof path);
  long result = system_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  return number == SYS_close && fails("close", path) ? -1 : result;
}
