/**
 * BGZF virtual offsets (SAM specification, section 4.1.1): the byte where a block starts in the file
 * (coffset, here `block`), and an offset in its inflated bytes (uoffset, here `within`).
 */
import type * as Brand from "effect/Brand"

/** `block << 16 | within`. A `bigint`, because as a double it would be inexact in files above 128 GiB. */
export type VirtualOffset = Brand.Branded<bigint, "VirtualOffset">

/** `block` (coffset): byte offset of a block in the file, below 2^48. `within` (uoffset): 0 to 65535. */
export const make = (block: number, within: number): VirtualOffset =>
  ((BigInt(block) << 16n) | BigInt(within)) as VirtualOffset

/** The offset as it stands in an index file. */
export const fromBits = (bits: bigint): VirtualOffset => bits as VirtualOffset

/** Byte offset of the block in the file (coffset). */
export const block = (offset: VirtualOffset): number => Number(offset >> 16n)

/** Offset in the inflated bytes of the block (uoffset). */
export const within = (offset: VirtualOffset): number => Number(offset & 0xffffn)

/** A virtual offset as two numbers, which can be compared in any file. */
export type Pair = readonly [block: number, within: number]

export const pairOf = (offset: VirtualOffset): Pair => [block(offset), within(offset)]

export const isBefore = (a: Pair, b: Pair): boolean => a[0] < b[0] || (a[0] === b[0] && a[1] < b[1])
