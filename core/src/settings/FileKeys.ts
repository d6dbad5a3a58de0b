/** Where files go, what is checked of them, and what is done in place of a download. */
import { downloadSteps, fetchingSteps, fileSteps, type Key, selectionSteps } from "./Key.ts"

export const fileKeys = {
  destination: {
    type: "path",
    group: "Files",
    steps: [...fileSteps, "doctor"],
    common: true,
    short: "d",
    env: "SVC_DESTINATION",
    metavar: "DIR",
    default: ".",
    otherSpellings: ["o", "output-dir", "out-dir", "output", "out", "dir"],
    help: "Folder to download into; it must exist"
  },
  overwrite: {
    type: "flag",
    group: "Files",
    steps: fileSteps,
    common: true,
    env: "SVC_OVERWRITE",
    otherSpellings: ["o", "force", "clobber"],
    help: "Replace existing files; without it they are kept, and one of another size than listed is an error"
  },
  layout: {
    type: "choice",
    group: "Files",
    steps: fileSteps,
    choices: ["flat", "analysis"],
    default: "flat",
    beyond: true,
    help: "flat: all files in one folder; analysis: one folder per analysis"
  },
  check: {
    type: "choice",
    group: "Files",
    steps: fileSteps,
    choices: ["structure", "full"],
    default: "structure",
    beyond: true,
    help: "How whole files are checked. structure: head, end and index; full: every block and record too, during the download"
  },
  checksums: {
    type: "choice",
    group: "Files",
    steps: fileSteps,
    choices: ["md5", "sha256"],
    beyond: true,
    help: "Put a checksum beside each file: FILE.md5 for md5sum -c, or FILE.sha256 for sha256sum -c"
  },
  requireAll: {
    type: "flag",
    group: "Files",
    steps: fetchingSteps,
    beyond: true,
    otherSpellings: ["strict"],
    help: "Fail (66) when a file that was asked for does not come: archived and not restored, or a type that an analysis does not have"
  },
  list: {
    type: "flag",
    group: "Files",
    steps: fetchingSteps,
    common: true,
    otherSpellings: ["L"],
    help: "List files and sizes, download nothing"
  },
  plan: {
    type: "flag",
    group: "Files",
    steps: selectionSteps,
    common: true,
    beyond: true,
    otherSpellings: ["n", "dry-run", "simulate"],
    help: "Only show what would happen: paths, sizes, disk space, collisions, restorations"
  },
  links: {
    type: "flag",
    group: "Files",
    steps: downloadSteps,
    beyond: true,
    otherSpellings: ["list-urls", "U"],
    help: "Print the download links instead of the files. They are as good as a password while they last"
  },
  writeLinks: {
    type: "path",
    file: { what: "the links file", use: "written" },
    group: "Files",
    steps: downloadSteps,
    metavar: "FILE",
    beyond: true,
    otherSpellings: ["linksFile"],
    help: "Write the download links instead of the files, as JSON into this private file"
  },
  fromLinks: {
    type: "path",
    file: { what: "the links file", use: "read" },
    group: "Files",
    steps: downloadSteps,
    metavar: "FILE",
    beyond: true,
    otherSpellings: ["linksFile"],
    help: "Download by the links in this file, with no login"
  },
  format: {
    type: "choice",
    group: "Files",
    steps: fileSteps,
    choices: ["text", "json"],
    default: "text",
    beyond: true,
    help: "Form of what is printed in place of files: text for people, or one JSON document"
  }
} as const satisfies Record<string, Key>
