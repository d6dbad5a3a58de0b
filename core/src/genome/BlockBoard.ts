/** A board where a slice puts up the blocks that it will come to, so that another thread can inflate them ahead. */
import { Context, Effect, type Scope } from "effect"

/**
 * The board of one slice. It only saves time: whoever finds a block neither taken up nor sound inflates it here, so a
 * thread that lags or dies changes nothing, and damage is found and told by one and the same code.
 */
export interface BlockBoard {
  /** Puts up the block `[at, at + size)` of `bytes`, which lies at `offset` of the file and is copied; false when there is no room. */
  readonly offer: (offset: number, bytes: Uint8Array, at: number, size: number) => boolean
  /**
   * The content of the block at `offset`, valid until the next call; `null` when the caller has to inflate it. Blocks in front of
   * it are taken off the board: blocks are asked for in file order.
   */
  readonly take: (offset: number) => Uint8Array | null
}

/** A board without anybody behind it. */
export const nobody: BlockBoard = { offer: () => false, take: () => null }

/** Who inflates ahead. By default nobody does. */
export interface BlockThread {
  readonly board: Effect.Effect<BlockBoard, never, Scope.Scope>
}

export const BlockThread: Context.Reference<BlockThread> = Context.Reference<BlockThread>(
  "svc-steps/core/genome/BlockBoard/BlockThread",
  { defaultValue: () => ({ board: Effect.succeed(nobody) }) }
)
