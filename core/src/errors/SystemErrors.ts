/** Failures of the operating system: their names, and what they mean to a person. */
import type * as PlatformError from "effect/PlatformError"
import * as Predicate from "effect/Predicate"

/**
 * Errors of Linux that Node calls `Unknown system error -122`: a disk quota was such a one, so that no rule for a full disk was
 * applied to it. Here are those that mean something to us; numbers are those of asm-generic/errno.h, which x64 and arm64 share.
 */
const unnamed: Readonly<Record<string, string>> = {
  37: "ENOLCK",
  74: "EBADMSG",
  116: "ESTALE",
  117: "EUCLEAN",
  122: "EDQUOT",
  123: "ENOMEDIUM",
  126: "ENOKEY",
  127: "EKEYEXPIRED",
  128: "EKEYREVOKED",
  129: "EKEYREJECTED",
  133: "EHWPOISON"
}

/** The system's name of what Node calls `code`. */
export const errnoNamed = (code: string): string => {
  const number = /^Unknown system error -(\d+)$/.exec(code)?.[1]
  return number === undefined ? code : (unnamed[number] ?? code)
}

/** The system's name of an error of Node or of `FileSystem`; `otherwise` when it has none. */
export const errnoOf = (error: unknown, otherwise = "EIO"): string => {
  const cause = Predicate.isTagged(error, "PlatformError") ? (error as PlatformError.PlatformError).reason.cause : error
  return Predicate.hasProperty(cause, "code") && cause.code !== undefined ? errnoNamed(String(cause.code)) : otherwise
}

/** Our name for `ENOSPC` of a file system that has room for bytes, but for no further file. */
export const noInodes = "ENOINODES"

/** Errors of a disk that has no room for this user; what came so far is kept. */
export const fullDisk: ReadonlyArray<string> = ["ENOSPC", "EDQUOT", noInodes]

/** Errors of a process or a system that has too many files open; others are closed soon. */
export const noDescriptors: ReadonlyArray<string> = ["EMFILE", "ENFILE"]

/** Storage of objects that is mounted as a folder can neither rename nor write in the middle of a file. */
const unable = "the file system there cannot do that: choose a folder of another one"

const meanings: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  [noInodes]: "the disk has room, but can hold no more files (its inodes are used up): remove some",
  EDQUOT: "the disk quota is used up",
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  EIO: "the disk reports an input/output error",
  EREMOTEIO: "the disk reports an input/output error",
  EUCLEAN: "the file system is damaged",
  EBADMSG: "the file system is damaged",
  ESTALE: "the file server no longer knows it (a stale file handle)",
  EHOSTDOWN: "the file server does not answer",
  ETIMEDOUT: "the file server does not answer",
  ENOLCK: "the file server grants no more locks",
  ENOKEY: "the folder is encrypted and its key is not there",
  EKEYEXPIRED: "the login for this file system has expired",
  EKEYREVOKED: "the login for this file system was revoked",
  EKEYREJECTED: "the login for this file system was rejected",
  ENOMEDIUM: "the disk is not there any more",
  ENODEV: "the disk is not there any more",
  EHWPOISON: "the memory of this machine has failed there",
  EBADF: "nothing is open there",
  EMFILE: "too many open files",
  ENFILE: "too many open files in the system",
  ENOSYS: unable,
  ENOTSUP: unable,
  EOPNOTSUPP: unable,
  ENAMETOOLONG: "the name is too long",
  EFBIG: "the file is larger than allowed here",
  EISDIR: "it is a folder",
  ENOTDIR: "its folder is not a folder",
  ELOOP: "it is a symbolic link",
  ENOENT: "it does not exist"
}

/** What the system's name of a failure means to a person; a name that is not known is shown as it is. */
export const meaningOf = (errno: string): string => meanings[errno] ?? errno
