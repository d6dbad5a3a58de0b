/** The version of the product; package.json is its only place. */
import product from "../../package.json" with { type: "json" }

export const version: string = product.version
