import type { JsonObject, WireId, WireIds } from "./WireIds.ts"

/** A gene with the coordinates (1-based, GRCh38) that the generated findings lie in. */
export interface GeneEntry {
  readonly id: WireId
  readonly symbol: string
  readonly chromosome: string
  readonly start: number
  readonly end: number
  readonly transcript: string
  readonly record: JsonObject
}

type Facts = readonly [
  symbol: string,
  name: string,
  ncbi: number,
  omim: number,
  hgnc: number,
  chromosome: string,
  start: number,
  end: number,
  band: string,
  transcript: string,
  codingLength: number,
  exons: number,
  hpo: string
]

const facts: ReadonlyArray<Facts> = [
  [
    "APC",
    "APC regulator of Wnt signaling pathway",
    324,
    611731,
    583,
    "5",
    112707498,
    112846239,
    "5q22.2",
    "NM_000038",
    8532,
    16,
    "HP:0005227"
  ],
  [
    "BRCA1",
    "BRCA1 DNA repair associated",
    672,
    113705,
    1100,
    "17",
    43044295,
    43125364,
    "17q21.31",
    "NM_007294",
    5592,
    23,
    "HP:0003002"
  ],
  [
    "BRCA2",
    "BRCA2 DNA repair associated",
    675,
    600185,
    1101,
    "13",
    32315086,
    32400268,
    "13q13.1",
    "NM_000059",
    10257,
    27,
    "HP:0003002"
  ],
  [
    "CFTR",
    "CF transmembrane conductance regulator",
    1080,
    602421,
    1884,
    "7",
    117287120,
    117715971,
    "7q31.2",
    "NM_000492",
    4443,
    27,
    "HP:0006538"
  ],
  [
    "DMD",
    "dystrophin",
    1756,
    300377,
    2928,
    "X",
    31097677,
    33339609,
    "Xp21.2-p21.1",
    "NM_004006",
    11058,
    79,
    "HP:0003560"
  ],
  ["FBN1", "fibrillin 1", 2200, 134797, 3603, "15", 48408306, 48645788, "15q21.1", "NM_000138", 8616, 66, "HP:0002616"],
  [
    "GJB2",
    "gap junction protein beta 2",
    2706,
    121011,
    4284,
    "13",
    20187470,
    20192938,
    "13q12.11",
    "NM_004004",
    681,
    2,
    "HP:0000407"
  ],
  [
    "HBB",
    "hemoglobin subunit beta",
    3043,
    141900,
    4827,
    "11",
    5225464,
    5229395,
    "11p15.4",
    "NM_000518",
    444,
    3,
    "HP:0001903"
  ],
  [
    "LDLR",
    "low density lipoprotein receptor",
    3949,
    606945,
    6547,
    "19",
    11089362,
    11133820,
    "19p13.2",
    "NM_000527",
    2583,
    18,
    "HP:0003124"
  ],
  [
    "MLH1",
    "mutL homolog 1",
    4292,
    120436,
    7127,
    "3",
    36993350,
    37050918,
    "3p22.2",
    "NM_000249",
    2271,
    19,
    "HP:0006758"
  ],
  [
    "MYH7",
    "myosin heavy chain 7",
    4625,
    160760,
    7577,
    "14",
    23412739,
    23435660,
    "14q11.2",
    "NM_000257",
    5808,
    40,
    "HP:0001639"
  ],
  [
    "PAH",
    "phenylalanine hydroxylase",
    5053,
    612349,
    8582,
    "12",
    102836889,
    102958441,
    "12q23.2",
    "NM_000277",
    1359,
    13,
    "HP:0004923"
  ],
  [
    "PTEN",
    "phosphatase and tensin homolog",
    5728,
    601728,
    9588,
    "10",
    87863113,
    87971930,
    "10q23.31",
    "NM_000314",
    1212,
    9,
    "HP:0000256"
  ],
  [
    "SCN1A",
    "sodium voltage-gated channel alpha subunit 1",
    6323,
    182389,
    10585,
    "2",
    165984641,
    166149214,
    "2q24.3",
    "NM_001165963",
    6030,
    26,
    "HP:0001250"
  ],
  [
    "TP53",
    "tumor protein p53",
    7157,
    191170,
    11998,
    "17",
    7668402,
    7687550,
    "17p13.1",
    "NM_000546",
    1182,
    11,
    "HP:0002664"
  ]
]

/** The gene list. The records have the fields of docs/dev/service.md 13.3, some of them null as in real lists. */
export const makeGenes = (ids: WireIds): ReadonlyArray<GeneEntry> =>
  facts.map(
    ([symbol, name, ncbi, omim, hgnc, chromosome, start, end, band, transcript, codingLength, exons, hpo], i) => {
      const id = ids.gene(i + 1)
      return {
        id,
        symbol,
        chromosome,
        start,
        end,
        transcript,
        record: {
          id,
          ncbiId: ncbi,
          omimId: omim,
          ensemblId: null,
          hgncId: hgnc,
          lrgId: null,
          symbol,
          name,
          transcript,
          transcriptCdsLength: codingLength,
          transcriptExonCount: exons,
          chromosome,
          chromosomeLocation: band,
          hpoTerms: [hpo]
        }
      }
    }
  )
