import { assert, describe, it } from "@effect/vitest"
import { pageStyle, palettes } from "./PageAssets.ts"

/** Relative luminance as WCAG defines it. */
const luminance = (color: string) => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const contrast = (one: string, other: string) => {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

describe("the style of a page", () => {
  for (const [name, palette] of Object.entries(palettes)) {
    it(`${name}: text has a contrast of 4.5, signs and bars of 2.5 at least, on both grounds`, () => {
      for (const ground of [palette.ground, palette.plane]) {
        for (const text of ["text", "muted", "good", "warn", "bad"] as const) {
          assert.isAtLeast(contrast(palette[text], ground), 4.5, text)
        }
        for (const sign of ["fill", "open", "accent"] as const) {
          assert.isAtLeast(contrast(palette[sign], ground), 2.5, sign)
        }
      }
    })
  }

  it("loads nothing", () => assert.notMatch(pageStyle, /url\(|@import|https?:/))
})
