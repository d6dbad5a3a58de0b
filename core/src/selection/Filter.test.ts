import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { growsEvenly } from "../../../test/CpuTime.ts"
import { parseExactly } from "../contract/ExactNumber.ts"
import { compareNatural, operators } from "../text/Condition.ts"
import { filterFields, matches, parse } from "./Filter.ts"
import { newestFirst } from "./Selection.ts"

const record = {
  id: "1010",
  status: "DONE",
  sampleId: null,
  sampleOrigin: "XENOGRAFT",
  sequencingBatchId: 10,
  jobName: "run A9",
  firstAnnotated: "2026-11-03T10:00:00.250Z",
  lastAnnotated: "soon",
  analysisApproval: { userName: "a = b", userId: "007", approvalTime: "2026-11-03T01:00:00+02:00" }
}

const passes = (source: string) => matches(Result.getOrThrow(parse(source, filterFields)), record)
const message = (source: string) => {
  const parsed = parse(source, filterFields)
  return Result.isFailure(parsed) ? parsed.failure.message : "parsed"
}

describe("Filter", () => {
  it("spaces around the operator do not count", () => {
    for (const source of ["status=DONE", "status = DONE", "  status  =DONE ", "status= DONE"])
      assert.isTrue(passes(source))
    assert.isFalse(passes("jobName=RUN A9"))
  })

  it("numbers compare as numbers, also where the service has them as text or with more digits than a number holds", () => {
    assert.isTrue(passes("sequencingBatchId > 9"))
    assert.isTrue(passes("sequencingBatchId = 10.0"))
    assert.isTrue(passes("sequencingBatchId <= 10"))
    assert.isFalse(passes("sequencingBatchId < 9"))
    assert.isTrue(passes("sequencingBatchId > -1.5"))
    assert.isTrue(passes("analysisApproval.userId = 7"))
    assert.isFalse(passes("analysisApproval.userId != 07"))
    const wide = { sequencingBatchId: parseExactly("9007199254740993", "integers") }
    const fits = (source: string) => matches(Result.getOrThrow(parse(source, filterFields)), wide)
    assert.isTrue(fits("sequencingBatchId = 9007199254740993"))
    assert.isTrue(fits("sequencingBatchId > 9007199254740992"))
  })

  it("ids are text: equal by every character, leading zeros too", () => {
    assert.isTrue(passes("id = 1010"))
    assert.isFalse(passes("id = 01010"))
    assert.isTrue(passes("id != 01010"))
  })

  it("in an order ids compare as numbers, without their leading zeros", () => {
    assert.isTrue(passes("id > 999"))
    assert.isTrue(passes("id < 9007199254740993"))
    for (const operator of [">=", "<="]) assert.isTrue(passes(`id ${operator} 01010`), operator)
    for (const operator of [">", "<"]) assert.isFalse(passes(`id ${operator} 01010`), operator)
  })

  it("the other operators, nested fields, values with operators in them", () => {
    assert.isTrue(passes("status ~= ON"))
    assert.isTrue(passes("status ^= DO"))
    assert.isFalse(passes("status ^= ON"))
    assert.isTrue(passes("jobName < run A10"))
    assert.isTrue(passes("analysisApproval.userName = a = b"))
  })

  it("times compare as instants, whatever their form", () => {
    assert.isFalse(passes("firstAnnotated > 2030-12-31"))
    assert.isTrue(passes("firstAnnotated = 2026-11-03T11:00:00.250+01:00"))
    assert.isTrue(passes("firstAnnotated > 2026-11-03T10:00:00Z"))
    assert.isFalse(passes("firstAnnotated <= 2026-11-03T10:00"))
    assert.isTrue(passes("firstAnnotated < 2026-11-03 10:00:01"))
    assert.isTrue(passes("firstAnnotated > 2026-11-03T12:30:00+05:00"))
  })

  it("a date alone is all of that day in UTC, and so are month and year", () => {
    for (const day of ["2026-11-03", "2026-11", "2026"]) {
      for (const operator of ["=", "<=", ">="]) assert.isTrue(passes(`firstAnnotated ${operator} ${day}`), operator)
      for (const operator of ["!=", "<", ">"]) assert.isFalse(passes(`firstAnnotated ${operator} ${day}`), operator)
    }
    assert.isTrue(passes("firstAnnotated > 2026-11-02"))
    assert.isTrue(passes("firstAnnotated < 2026-11-04"))
    assert.isTrue(passes("analysisApproval.approvalTime = 2026-11-02"))
  })

  it("~= and ^= look at times and numbers as the service wrote them", () => {
    assert.isTrue(passes("firstAnnotated ^= 2026-11-03T10"))
    assert.isTrue(passes("sequencingBatchId ~= 0"))
    assert.isTrue(passes("lastAnnotated ^= so"))
  })

  it("a field that is none of its type passes only !=", () => {
    for (const operator of ["=", "!=", "<", "<=", ">", ">="]) {
      assert.strictEqual(passes(`lastAnnotated ${operator} 2026-11-03`), operator === "!=", operator)
    }
  })

  it("says the right form of a value that is none of the type of its field", () => {
    assert.strictEqual(
      message("firstAnnotated > 31.12.2030"),
      'Filter "firstAnnotated > 31.12.2030": firstAnnotated is a time, which 31.12.2030 is not: write it as 2030-12-31 (all of that day, in UTC) or 2030-12-31T14:30:00Z'
    )
    for (const value of ["2026-02-30", "yesterday", "1763726400000"]) {
      assert.include(message(`lastAnnotated <= ${value}`), `lastAnnotated is a time, which ${value} is not: write`)
      assert.match(message(`analysisApproval.approvalTime = ${value}`), /analysisApproval\.approvalTime is a time/)
    }
    assert.match(
      message("sequencingBatchId = ten"),
      /sequencingBatchId is a number, which ten is not: write it as 12 or -1\.5/
    )
    assert.match(message("analysisApproval.userId > 0x10"), /userId is a number/)
  })

  it("says the near word of an enumeration, and takes words that are like none", () => {
    assert.strictEqual(
      message("status = Done"),
      'Filter "status = Done": status has no Done; did you mean DONE? Letter case counts'
    )
    assert.match(message("status != DON"), /status has no DON; did you mean DONE\?/)
    assert.match(message("analysisType = sanger_mut_surveyer"), /did you mean SANGER_MUT_SURVEYOR\?/)
    assert.match(message("analysisApproval.status = approved"), /did you mean APPROVED\?/)
    assert.match(message("status > DONE"), /status is one of PENDING, DONE, FAILED: use = or !=/)
    assert.isTrue(passes("sampleOrigin = XENOGRAFT"))
    assert.isTrue(passes("status ~= one") === false && message("status ~= one") === "parsed")
  })

  it("a missing field passes only !=", () => {
    for (const operator of operators) assert.strictEqual(passes(`sampleId ${operator} S1`), operator === "!=", operator)
  })

  it("says what is wrong, and names the near field or all of them", () => {
    assert.strictEqual(message("statu = DONE"), 'Filter "statu = DONE": unknown field statu; did you mean status?')
    assert.match(message("sampleid = S1"), /did you mean sampleId\?/)
    assert.match(message("approval = x"), /unknown field approval; known are analysisApproval\.analysisId, .*, status$/)
    assert.match(message("status"), /expected "NAME op VALUE" with one of != >= <= ~= \^= = > </)
    assert.match(message("= DONE"), /expected "NAME op VALUE"/)
    assert.match(message("status ="), /no value after =/)
    assert.match(message("status == DONE"), /equality is written with a single =/)
    assert.match(message("constructor = x"), /unknown field/)
  })

  it("D11 a megabyte of hostile text takes no time", () => {
    growsEvenly(1_000_000, (size) => {
      for (const part of [" ", "a", "=", "a.", "!", "^=", "\t"])
        assert.notStrictEqual(message(part.repeat(size / part.length)), "")
    })
  })

  it.effect.prop("every parsed filter is what was written", [Schema.Literals(operators), Schema.String], ([op, raw]) =>
    Effect.sync(() => {
      const value = raw.trim()
      const parsed = parse(`jobName ${op} ${raw}`, filterFields)
      if (value === "" || (op === "=" && value.startsWith("="))) return assert.isTrue(Result.isFailure(parsed))
      const filter = Result.getOrThrow(parsed)
      // `jobName > =5` is read as `jobName >= 5`: only spaces before the operator are free.
      assert.deepStrictEqual(filter.path, ["jobName"])
      assert.isTrue(`${op}${value}`.startsWith(filter.operator))
      assert.isTrue(matches(filter, { jobName: filter.value }) || ["!=", ">", "<"].includes(filter.operator))
    })
  )
})

describe("filterFields", () => {
  it("are those of the contract with the types that it declares, nested ones by dot", () => {
    const types = Object.fromEntries([...filterFields].map(([field, { _tag }]) => [field, _tag]))
    assert.deepInclude(types, {
      id: "Text",
      personLimsId: "Text",
      status: "Enumeration",
      sequencingBatchId: "Number",
      firstAnnotated: "Time",
      lastAnnotated: "Time",
      "analysisApproval.status": "Enumeration",
      "analysisApproval.approvalTime": "Time"
    })
    assert.notProperty(types, "analysisApproval")
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
      { id: "5", personLimsId: "" },
      { id: "6", personLimsId: "" },
      { id: "9007199254740993", personLimsId: "L3" },
      { id: "9007199254740992", personLimsId: "L3" }
    ]
    assert.deepStrictEqual(
      newestFirst(analyses).map(([newest]) => newest.id),
      ["10", "A10", "7", "8", "5", "6", "9007199254740993"]
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
