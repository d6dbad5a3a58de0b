/**
 * The last line of defence before a text leaves the process: secrets that got into it in spite of `Redacted` are
 * replaced by `***`. Every pattern is linear in the length of the text.
 */
import { Redacted } from "effect"

export interface Scrubber {
  /** From now on this value is hidden wherever it turns up, also encoded. */
  readonly protect: (secret: Redacted.Redacted | null) => void
  readonly scrub: (text: string) => string
  /** The text of a value that stands under a name: nothing of it when the name promises a secret. */
  readonly scrubNamed: (name: string, text: string) => string
}

const hidden = "***"

// Shorter ones would blank half of every message; they are still hidden by name.
const shortestProtected = 4

const address = /\bhttps?:\/\/[^\s"'<>]+/gi
const credentialsInAddress = /:\/\/[^\s/?#"'<>]*@/g
const signedQuery = /(?:amz|goog|\bsig|signature|token|credential|password|expires|policy|key-pair-id)[^=&]{0,40}=/i

// Name, separator, value: name=value, name%3Dvalue, "name":"value", name: 'value'; also inside longer names, such as
// X-Amz-Signature, x_amz_signature, X%2DAmz%2DSignature.
const name =
  "(?:amz|goog|signature|token|password|passwd|secret|credential|csrf|session(?:id)?|authorization|cookie|\\bsig|\\bpwd)"
const separator = `(?:=|%3d|["']?\\s{0,4}:\\s{0,4}(?=["']))`
const assigned = new RegExp(`(${name}[\\w%.-]{0,40}${separator})("[^"]{0,4096}"?|'[^']{0,4096}'?|[^\\s&;,"'<>]+)`, "gi")
const promising = new RegExp(name, "i")
const headers =
  /\b((?:set-)?cookie|(?:proxy-)?authorization|x-csrf-token|x-amz-[a-z-]{1,40})(\s{0,4}:\s{0,4})[^\r\n]+/gi

const withoutSignedQuery = (url: string) => {
  const query = url.indexOf("?")
  return query >= 0 && signedQuery.test(url.slice(query)) ? `${url.slice(0, query)}?${hidden}` : url
}

/** The forms in which a secret may appear: as it is, in a URL, in a form, in JSON, and in a Basic header. */
const formsOf = (secret: string): ReadonlyArray<string> => {
  const encoded = encodeURIComponent(secret.toWellFormed())
  const base64 = Buffer.from(secret).toString("base64")
  const forms = [secret, encoded, encoded.replaceAll("%20", "+"), JSON.stringify(secret).slice(1, -1), base64]
  return [...new Set(forms)].filter((form) => form.length >= shortestProtected)
}

export const makeScrubber = (): Scrubber => {
  const forms = new Set<string>()
  const scrub = (text: string) => {
    let clean = text
    // Longest first: a secret may contain another one.
    for (const form of [...forms].sort((a, b) => b.length - a.length)) clean = clean.replaceAll(form, hidden)
    return clean
      .replace(address, withoutSignedQuery)
      .replace(credentialsInAddress, `://${hidden}@`)
      .replace(headers, `$1$2${hidden}`)
      .replace(assigned, (_, head: string, value: string) => {
        const quote = /^["']/.exec(value)?.[0] ?? ""
        return `${head}${quote}${hidden}${quote}`
      })
  }
  return {
    protect: (secret) => {
      for (const form of secret === null ? [] : formsOf(Redacted.value(secret))) forms.add(form)
    },
    scrub,
    scrubNamed: (name, text) => (promising.test(name) ? hidden : scrub(text))
  }
}
