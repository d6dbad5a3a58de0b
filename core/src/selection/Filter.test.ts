import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { cpuMillis } from "../../../test/CpuTime.ts"
import { matches, operators, parse } from "./Filter.ts"
import { filterFields } from "./FilterFields.ts"
import { newestFirst } from "./Latest.ts"
import { compareNatural } from "./NaturalOrder.ts"

const known = [
  "id",
  "status",
  "sampleId",
  "sequencingBatchId",
  "approved",
  "firstAnnotated",
  "analysisApproval.userName"
]

const record = {
  id: "1010",
  status: "DONE",
  sampleId: null,
  sequencingBatchId: 10,
  approved: true,
  firstAnnotated: "2024-11-03T10:00:00Z",
  analysisApproval: { userName: "a = b" }
}

const passes = (source: string) => matches(Result.getOrThrow(parse(source, known)), record)
const message = (source: string) => {
  const parsed = parse(source, known)
  return Result.isFailure(parsed) ? parsed.failure.message : "parsed"
}

describe("Filter", () => {
  it("spaces around the operator do not count", () => {
    for (const source of ["status=DONE", "status = DONE", "  status  =DONE ", "status= DONE"])
      assert.isTrue(passes(source))
    assert.isFalse(passes("status=done"))
  })

  it("numbers compare as numbers, ids kept as text too", () => {
    assert.isTrue(passes("sequencingBatchId > 9"))
    assert.isTrue(passes("sequencingBatchId = 10.0"))
    assert.isTrue(passes("sequencingBatchId <= 10"))
    assert.isFalse(passes("sequencingBatchId < 9"))
    assert.isTrue(passes("id > 999"))
    assert.isTrue(passes("id < 9007199254740993"))
    assert.isTrue(passes("id >= 01010"))
    assert.isTrue(passes("sequencingBatchId > -1.5"))
  })

  it("text is equal exactly: leading zeros of an id count", () => {
    assert.isTrue(passes("id = 1010"))
    assert.isFalse(passes("id = 01010"))
    assert.isTrue(passes("id != 01010"))
  })

  it("the other operators, nested fields, values with operators in them", () => {
    assert.isTrue(passes("status ~= ON"))
    assert.isTrue(passes("status ^= DO"))
    assert.isFalse(passes("status ^= ON"))
    assert.isTrue(passes("firstAnnotated >= 2024-11"))
    assert.isFalse(passes("firstAnnotated < 2024-11-03"))
    assert.isTrue(passes("analysisApproval.userName = a = b"))
    assert.isTrue(passes("approved = true"))
  })

  it("a missing field passes only !=", () => {
    for (const operator of operators) assert.strictEqual(passes(`sampleId ${operator} S1`), operator === "!=", operator)
  })

  it("says what is wrong, and names the known fields", () => {
    assert.strictEqual(
      message("sampleid = S1"),
      'Filter "sampleid = S1": unknown field sampleid; known are analysisApproval.userName, approved, firstAnnotated, id, sampleId, sequencingBatchId, status'
    )
    assert.match(message("status"), /expected "field op value" with one of != >= <= ~= \^= = > </)
    assert.match(message("= DONE"), /expected "field op value"/)
    assert.match(message("status ="), /no value after =/)
    assert.match(message("status == DONE"), /equality is written with a single =/)
    assert.match(message("constructor = x"), /unknown field/)
  })

  it("D11 a megabyte of hostile text takes no time", () => {
    const taken = cpuMillis(() => {
      for (const part of [" ", "a", "=", "a.", "!", "^=", "\t"])
        assert.notStrictEqual(message(part.repeat(1_000_000 / part.length)), "")
    })
    assert.isBelow(taken / 7, 50)
  })

  it.effect.prop("every parsed filter is what was written", [Schema.Literals(operators), Schema.String], ([op, raw]) =>
    Effect.sync(() => {
      const value = raw.trim()
      const parsed = parse(`status ${op} ${raw}`, known)
      if (value === "" || (op === "=" && value.startsWith("="))) return assert.isTrue(Result.isFailure(parsed))
      const filter = Result.getOrThrow(parsed)
      // `status > =5` is read as `status >= 5`: only spaces before the operator are free.
      assert.deepStrictEqual(filter.path, ["status"])
      assert.isTrue(`${op}${value}`.startsWith(filter.operator))
      assert.isTrue(matches(filter, { status: filter.value }) || ["!=", ">", "<"].includes(filter.operator))
    })
  )
})

describe("filterFields", () => {
  it("are those of the contract, nested ones by dot", () => {
    for (const field of ["id", "status", "personLimsId", "analysisApproval.status"]) assert.include(filterFields, field)
    assert.notInclude(filterFields, "analysisApproval")
    assert.isTrue(Result.isSuccess(parse("jobName ~= exome", filterFields)))
  })
})

describe("Latest", () => {
  it("keeps the highest id of each person, numeric or natural, and all without a person", () => {
    const analyses = [
      { id: "9", personLimsId: "L1" },
      { id: "10", personLimsId: "L1" },
      { id: "A9", personLimsId: "L2" },
      { id: "A10", personLimsId: "L2" },
      { id: "A2", personLimsId: "L2" },
      { id: "7", personLimsId: null },
      { id: "8" },
      { id: "9007199254740993", personLimsId: "L3" },
      { id: "9007199254740992", personLimsId: "L3" }
    ]
    assert.deepStrictEqual(
      newestFirst(analyses).map(([newest]) => newest.id),
      ["10", "A10", "7", "8", "9007199254740993"]
    )
  })
})

describe("Natural", () => {
  const words = ["", "0", "00", "1", "9", "10", "A", "A1", "A01", "A10", "a1", "a1b2", "a1b10", "é"]
  it.effect.prop(
    "is a total order",
    [Schema.Literals(words), Schema.Literals(words), Schema.Literals(words)],
    ([a, b, c]) =>
      Effect.sync(() => {
        assert.strictEqual(Math.sign(compareNatural(a, b)), -Math.sign(compareNatural(b, a)) + 0)
        assert.strictEqual(compareNatural(a, b) === 0, a === b)
        if (compareNatural(a, b) <= 0 && compareNatural(b, c) <= 0) assert.isAtMost(compareNatural(a, c), 0)
      })
  )
})
