/** Files in the archive: what is asked for, remembered and waited for. */
import { downloadSteps, fetchingSteps, fileSteps, type Key } from "./Key.ts"

export const archiveKeys = {
  restoreArchived: {
    type: "choice",
    group: "Archive",
    steps: fetchingSteps,
    common: true,
    env: "SVC_RESTORE_ARCHIVED",
    choices: ["ask", "all", "force", "no"],
    default: "ask",
    otherSpellings: ["ra"],
    help: "Restore archived files: ask for each, ask once for all, force without asking, or no"
  },
  maxRestores: {
    type: "int",
    group: "Archive",
    steps: fileSteps,
    metavar: "N",
    beyond: true,
    help: "Ask for the restoration of at most N analyses in this run; a restoration may cost money"
  },
  restorationFile: {
    type: "path",
    file: { what: "the restoration file", use: "written" },
    group: "Archive",
    steps: [...fileSteps, "restorations"],
    env: "SVC_RESTORATION_FILE",
    metavar: "FILE",
    default: "awaiting-restoration.json",
    otherSpellings: ["rf"],
    help: "File that remembers pending restorations"
  },
  resumeArchivedDownloads: {
    type: "flag",
    group: "Archive",
    steps: downloadSteps,
    common: true,
    otherSpellings: ["rad", "resume", "continue"],
    help: "Download what has come back from the archive, with the options stored in the restoration file"
  },
  wait: {
    type: "duration",
    group: "Archive",
    steps: fetchingSteps,
    common: true,
    metavar: "TIME",
    beyond: true,
    help: "Wait this long for restorations, such as 12h"
  },
  poll: {
    type: "duration",
    group: "Archive",
    steps: fetchingSteps,
    metavar: "TIME",
    default: "1m",
    beyond: true,
    help: "How often to look while waiting"
  },
  pendingOk: {
    type: "flag",
    group: "Archive",
    steps: fetchingSteps,
    beyond: true,
    help: "Exit with 0 instead of 75 when only restorations are pending"
  }
} as const satisfies Record<string, Key>
