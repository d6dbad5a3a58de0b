/** The large file of `npm run demo`: an invented BAM of some 60 MB with its index, made in about a second. */
import { closeSync, openSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { crc32, deflateRawSync, gunzipSync, inflateRawSync } from "node:zlib"
import * as BgzfWriter from "../core/src/genome/bgzf/BgzfWriter.ts"
import { Codec } from "../core/src/genome/bgzf/Codec.ts"
import { encodeBamHeader } from "../core/src/genome/formats/BamHeader.ts"
import * as BamRecord from "../core/src/genome/formats/BamRecord.ts"
import { binOf } from "../core/src/genome/index/Bins.ts"
import * as IndexBuilder from "../core/src/genome/index/IndexBuilder.ts"

const references = [
  { name: "chr7", length: 159_345_973 },
  { name: "chr13", length: 114_364_328 },
  { name: "chr17", length: 83_257_441 }
]
const readLength = 151
/** Bases between the starts of two reads. */
const distance = 1_500

/** Some reads to repeat: only name, position and bin differ from record to record. */
const templates = Array.from({ length: 64 }, (_, n) =>
  BamRecord.encodeRecord({
    name: "demo:0000000",
    flags: 0,
    refId: 0,
    position: 0,
    mapq: 60,
    cigar: [[readLength, "M"]],
    mateRefId: -1,
    matePosition: -1,
    templateLength: 0,
    bases: Array.from({ length: readLength }, (_, at) => "ACGT".charAt(Math.imul(at + 1, 2654435761 + n) >>> 30)).join(
      ""
    ),
    qualities: Array.from({ length: readLength }, (_, at) => 37 - (Math.imul(at + n, 40503) & 7)),
    tags: []
  })
)

/** Writes `NAME.bam` and `NAME.bam.bai` into a folder. */
export const writeLargeSample = (folder: string, name: string): void => {
  const file = openSync(join(folder, `${name}.bam`), "w")
  const codec = Codec.here({
    inflateRaw: (bytes: Uint8Array) => inflateRawSync(bytes),
    gunzip: (bytes: Uint8Array) => gunzipSync(bytes),
    deflateRaw: (bytes: Uint8Array, level: number) => deflateRawSync(bytes, { level }),
    crc32: (bytes: Uint8Array, before?: number) => crc32(bytes, before)
  })
  const writer = BgzfWriter.make(codec, 0, (block) => writeSync(file, block))
  const index = IndexBuilder.make(14, 5)
  const names = references.map(({ length, name }) => `@SQ\tSN:${name}\tLN:${length}\n`).join("")
  const header = `@HD\tVN:1.6\tSO:coordinate\n${names}@RG\tID:1\tSM:${name}\n`
  writer.write(encodeBamHeader(new TextEncoder().encode(header), references))
  writer.flush()
  let count = 0
  references.forEach(({ length }, refId) => {
    for (let position = 0; position + readLength < length; position += distance) {
      const record = templates[count % templates.length] ?? new Uint8Array()
      const view = new DataView(record.buffer)
      view.setInt32(4, refId, true)
      view.setInt32(8, position, true)
      view.setUint16(14, binOf(position, position + readLength, 14, 5), true)
      record.set(new TextEncoder().encode(String(count).padStart(7, "0")), 36 + "demo:".length)
      writer.reserve(record.length)
      index.add(refId, position, position + readLength, true, writer.block(), writer.within())
      writer.write(record)
      count += 1
    }
  })
  writer.flush()
  index.close(writer.block(), 0)
  writer.finish()
  closeSync(file)
  writeFileSync(join(folder, `${name}.bam.bai`), index.bai(references.length))
}
