import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, References, Result } from "effect"
import { temporary } from "../test/GatewayGround.ts"
import { readGenes } from "./Genes.ts"
import { genesIn } from "./page/Place.ts"

const read = Effect.fnUntraced(function* (content: string | Uint8Array) {
  const path = join(yield* temporary, "genes")
  writeFileSync(path, content)
  return yield* readGenes(path).pipe(
    Effect.map(({ plain }) => Buffer.from(plain).toString()),
    Effect.mapError((error) => `${error._tag}: ${error.message.replaceAll(path, "F")}`),
    Effect.result,
    Effect.provideService(References.MinimumLogLevel, "None")
  )
})

const gff3 = (...lines: ReadonlyArray<readonly [type: string, start: number, end: number, attributes: string]>) =>
  `##gff-version 3\n${lines.map(([type, start, end, attributes]) => `chr17\tlab\t${type}\t${start}\t${end}\t.\t-\t.\t${attributes}\n`).join("")}`

describe("--genes", () => {
  it.effect(
    "keeps names and places of genes: of a BED, of the GFF3 of GENCODE, Ensembl and RefSeq, of gzip in several parts",
    () =>
      Effect.gen(function* () {
        const bed = "\ufefftrack name=x\r\nchr17\t43044294\t43125364\tBRCA1\r\n\r\n#x\nchr17 7 7 A B\n"
        const kept = "chr17\t43044294\t43125364\tBRCA1\nchr17\t7\t8\tA\n"
        assert.deepStrictEqual(yield* read(bed), Result.succeed(kept))
        const parts = Buffer.concat([gzipSync(bed.slice(0, 40)), gzipSync(bed.slice(40))])
        assert.deepStrictEqual(yield* read(parts), Result.succeed(kept))
        const annotation = gff3(
          ["gene", 1, 9, "ID=ENSG1.2;gene_id=ENSG1.2;gene_name=BRCA1;level=2"],
          ["exon", 1, 5, "Parent=ENSG1.2;gene_name=BRCA1"],
          ["ncRNA_gene", 20, 29, "ID=gene:ENSG2;biotype=lncRNA;gene_id=ENSG2"],
          ["pseudogene", 30, 39, "ID=gene-P1;Dbxref=x;Name=P%3B1;gene=P1"]
        )
        const genes = "chr17\t0\t9\tBRCA1\nchr17\t19\t29\tENSG2\nchr17\t29\t39\tP;1\n"
        assert.deepStrictEqual(yield* read(`${annotation}##FASTA\n>chr17\nACGT\n`), Result.succeed(genes))
      })
  )

  it.effect("takes lines of one gene that overlap for one place, and keeps places that lie apart", () =>
    Effect.gen(function* () {
      const text = yield* read("1\t10\t20\tA\n1\t15\t30\tA\n1\t40\t50\tA\n2\t10\t20\tA\n1\t10\t20\ta\n")
      assert.deepStrictEqual(text, Result.succeed("1\t10\t30\tA\n1\t40\t50\tA\n2\t10\t20\tA\n1\t10\t20\ta\n"))
      // The page finds them by any spelling of the name.
      assert.deepStrictEqual(
        genesIn(Result.getOrThrow(text))
          .get("a")
          ?.map(({ end, name, start }) => [name, start, end]),
        [
          ["1", 11, 30],
          ["1", 41, 50],
          ["2", 11, 20],
          ["1", 11, 20]
        ]
      )
    })
  )

  it.effect("refuses what is no file of genes, with what is wrong with it", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 200_001 }, (_, at) => `1\t${at * 9}\t${at * 9 + 5}\tG${at}\n`).join("")
      for (const [content, told] of [
        ["", "it names no gene"],
        [gff3(["exon", 1, 2, "ID=a"]), "it names no gene"],
        ["Hello\n", "line 1: its second and third column are no start and end"],
        ["chr1\t1\t2\n", "line 1: it has no name of a gene in its fourth column"],
        [`${gff3()}chr1\tlab\tgene\tx\t2\t.\t.\t.\tID=a\n`, "line 2: its fourth and fifth column are no start and end"],
        [gff3(["gene", 1, 2, 'gene_name "A";']), "line 2: its ninth column is not NAME=VALUE, as in GFF3"],
        [`chr1\t1\t2\t${"A".repeat(201)}\n`, "line 1: it has a name that is too long"],
        ["A".repeat(2 ** 21), "it has a line of more than a million letters"],
        [Buffer.from([0xff, 0xfe, 0x41, 0]), "it is not UTF-8 text"],
        [gzipSync(many).subarray(0, 1000), "it is cut or damaged"],
        [many, "line 200001: it is one of more than 200000 genes: leave exons and targets out"]
      ] as const) {
        const failure = Result.getOrThrow(Result.flip(yield* read(content)))
        assert.include(failure, `SvcUsageError: Invalid gene file: F: ${told}`)
      }
    })
  )
})
