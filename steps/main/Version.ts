/** The version of the product and where to read on; package.json is their only place. */
import product from "../../package.json" with { type: "json" }

export const version: string = product.version

export const documentation: string = `Documentation: ${product.homepage.replace(/#.*/, "")}`
