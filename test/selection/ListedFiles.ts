/** Files as a listing of the service has them. */
import type { ListedFile } from "../../core/src/selection/WantedFiles.ts"

/** A file of 100 bytes; one that is archived has no link. */
export const listedFile = (fileName: string | null, some: Partial<ListedFile> = {}): ListedFile => ({
  fileName,
  size: 100,
  archived: false,
  estimatedRestoreTime: null,
  hasLink: some.archived !== true,
  ...some
})
