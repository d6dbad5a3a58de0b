/**
 * Replaces secrets by `***` in every sentence that leaves the process, alone or inside a document: a service may repeat a
 * password, a cookie or a link in an error.
 *
 * Passwords, cookies and tokens are known by their value; links, and what follows a name such as `token=`, by their form.
 * Every pattern takes time linear in the length of the text, however many links there are.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Redacted from "effect/Redacted"
import { printable } from "./Printable.ts"

// Secrets that are known by their form: by the name before them, or as the query of a signed link.

/** What stands in the place of a secret. */
const hidden = "***"

// Also percent-encoded, and with the slashes escaped as JSON may have them.
const address = /\bhttps?(?::|%3a)(?:\\?\/|%2f){2}[^\s"'<>\\]*(?:\\\/[^\s"'<>\\]*)*/gi
const credentialsInAddress = /:\/\/[^\s/?#"'<>]*@/g
const signedQuery = /(?:amz|goog|\bsig|signature|token|credential|password|expires|policy|key-pair-id)[^=&]{0,40}=/i
// A value without words in it: letters and digits mixed, as a hash, a key or a ciphertext has them.
const sealedValue = /=(?=[^&=]{0,200}\d)(?=[^&=]{0,200}[a-z])[\w%+/.~-]{20,}/i

// Name, separator, value: name=value, name%3Dvalue, "name":"value", name: 'value'; also inside longer names, such as
// X-Amz-Signature, x_amz_signature, X%2DAmz%2DSignature.
const name =
  "(?:amz|goog|signature|token|password|passwd|secret|credential|csrf|session(?:id)?|authorization|cookie|\\bsig|\\bpwd)"
const separator = `(?:=|%3d|["']?\\s{0,4}:\\s{0,4}(?=["']))`
const assigned = new RegExp(`(${name}[\\w%.-]{0,40}${separator})("[^"]{0,4096}"?|'[^']{0,4096}'?|[^\\s&;,"'<>]+)`, "gi")
const promising = new RegExp(name, "i")
const headers =
  /\b((?:set-)?cookie|(?:proxy-)?authorization|x-csrf-token|x-amz-[a-z-]{1,40})(\s{0,4}:\s{0,4})[^\r\n]+/gi

/** Whether a value under this name is a secret. */
const namesSecret = (key: string): boolean => promising.test(key)

const isSealed = (query: string) => signedQuery.test(query) || sealedValue.test(query)

/** Whether a link is recognised without having been seen before: its query signs it. */
const hasKnownForm = (link: string): boolean => {
  const query = link.indexOf("?")
  return query >= 0 && isSealed(link.slice(query))
}

/** Without escapes; as it stands where they are broken. */
const plain = (found: string): string => {
  const unescaped = found.replaceAll("\\/", "/")
  if (!/^https?%3a/i.test(unescaped)) return unescaped
  return unescaped.replace(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
}

/** The text without secrets that are known by their form; addresses of `isSecret` origins lose their path as well. */
export const hideForms = (text: string, isSecret: (origin: string) => boolean = () => false): string =>
  hideNamed(cutAddresses(text, isSecret))

/** Addresses without the query that signs them, and those of `isSecret` origins without path and query. */
const cutAddresses = (text: string, isSecret: (origin: string) => boolean): string =>
  text
    .replace(address, (found) => {
      const url = plain(found)
      const [origin = ""] = /^https?:\/\/[^/?#]*/i.exec(url) ?? []
      if (url.length > origin.length + 1 && isSecret(origin.toLowerCase())) return `${origin}/${hidden}`
      const query = url.indexOf("?")
      return query >= 0 && isSealed(url.slice(query)) ? `${url.slice(0, query)}?${hidden}` : found
    })
    .replace(credentialsInAddress, `://${hidden}@`)

/** Headers and assignments without their values. */
const hideNamed = (text: string): string =>
  text.replace(headers, `$1$2${hidden}`).replace(assigned, (_, head: string, value: string) => {
    const quote = /^["']/.exec(value)?.[0] ?? ""
    return `${head}${quote}${hidden}${quote}`
  })

export interface Scrubber {
  /**
   * A password. It is hidden everywhere in prose, also encoded. One of less than four characters is hidden only as a word of
   * its own: inside of words it would blank half of every sentence.
   */
  readonly protect: (password: Redacted.Redacted | null) => void
  /**
   * A cookie or token. It stays known when it is replaced, until 300 newer ones have come. One of less than eight characters is
   * hidden only as a word of its own, one of less than four not at all: `1` or `en` is a preference and no session.
   */
  readonly protectPassing: (value: string) => void
  /** A link to a file. Its host is remembered, unless the link is known by its form. */
  readonly protectLink: (link: Redacted.Redacted) => void
  /** Sentences, lines of the log, questions: for people, not for programs. */
  readonly prose: (text: string) => string
  /** The text of a value that stands under a name: nothing of it when the name promises a secret. */
  readonly named: (name: string, text: string) => string
  /**
   * A document for programs, in which only errors (but for their tags) and the prose of the service ({@link proseKeys}) are
   * altered: ids, names, paths, numbers and times stay what they are, even where a password looks like one.
   */
  readonly document: <A>(value: A) => A
}

/** The keys of our documents under which sentences stand, and dates as the service wrote them. */
const proseKeys: ReadonlySet<string> = new Set([
  "message",
  "command",
  "detail",
  "details",
  "says",
  "advice",
  "warnings",
  "requestedAt",
  "estimate",
  "estimatedRestoreTime",
  "restoreEstimation"
])

const shortestInside = 4
const shortestPassing = 8
/** How many of the newest cookies and tokens are remembered; passwords are few, and all are. */
const mostPassing = 300
const mostHosts = 300

/** The forms in which a secret may appear: as it is, in a URL, in a form, in JSON, in HTML, in a header, in a message of ours. */
const formsOf = (secret: string): ReadonlyArray<string> => {
  const encoded = encodeURIComponent(secret.toWellFormed())
  // A form also encodes some characters that stand in a URL as they are.
  const inForm = new URLSearchParams([["", secret.toWellFormed()]]).toString().slice(1)
  const lower = (text: string) => text.replace(/%[0-9A-F]{2}/g, (found) => found.toLowerCase())
  const inHtml = secret.replace(/[&<>"']/g, (character) => `&${entities[character]};`)
  const inJson = JSON.stringify(secret).slice(1, -1)
  const base64 = [Base64.encode(secret), Base64Url.encode(secret)]
  const texts = [secret, encoded, lower(encoded), inForm, lower(inForm), inHtml, inJson]
  return [...new Set([...texts, printable(secret), ...base64])].filter((form) => form.length >= shortestInside)
}

const entities: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "#39" }

/** Between the characters of words, names, paths and numbers; a sentence may end after it. */
const asWord = (secret: string): RegExp => {
  const literal = secret.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
  return new RegExp(`(?<![\\p{L}\\p{N}_./\\\\-])${literal}(?![\\p{L}\\p{N}_/\\\\-]|\\.[\\p{L}\\p{N}])`, "gu")
}

/** Remembers the newest `most` keys. */
const remember = <A>(known: Map<string, A>, key: string, most: number, value: () => A): void => {
  if (known.has(key)) return
  known.set(key, value())
  const oldest = known.keys().next()
  if (known.size > most && oldest.done !== true) known.delete(oldest.value)
}

interface Known {
  /** Hidden wherever they are. */
  readonly forms: ReadonlyArray<string>
  readonly word: RegExp | null
}

const knownOf = (secret: string, shortest: number): Known =>
  secret.length >= shortest ? { forms: formsOf(secret), word: null } : { forms: [], word: asWord(secret) }

const isPlainObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value))

const isTime = (text: string) => /^\d{4}-\d\d-\d\dT[\d:.]{5,20}(?:Z|[+-]\d\d:?\d\d)?$/.test(text)

/** One that knows no secrets yet. */
export const makeScrubber = (): Scrubber => {
  const passwords = new Map<string, Known>()
  const passing = new Map<string, Known>()
  const hosts = new Map<string, true>()
  // Longest first, for a secret may contain another one. Made again when a secret came.
  let all: { readonly forms: ReadonlyArray<string>; readonly words: ReadonlyArray<RegExp> } | null = null
  const knownForms = () => {
    if (all !== null) return all
    const found = [...passwords.values(), ...passing.values()]
    const forms = found.flatMap(({ forms }) => forms).sort((a, b) => b.length - a.length)
    all = { forms, words: found.flatMap(({ word }) => word ?? []) }
    return all
  }
  const isOurs = (origin: string) => hosts.has(origin)
  const prose = (text: string) => {
    let clean = text
    const { forms, words } = knownForms()
    for (const form of forms) if (clean.includes(form)) clean = clean.replaceAll(form, hidden)
    for (const word of words) clean = clean.replace(word, hidden)
    return hideForms(clean, isOurs)
  }
  const walk = (value: unknown, free: boolean, inError = false): unknown => {
    if (typeof value === "string") return free && !isTime(value) ? prose(value) : value
    if (Array.isArray(value)) return value.map((item) => walk(item, free, inError))
    if (!isPlainObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        // The fields of an error repeat what the service said; its tag is ours.
        const isProse = proseKeys.has(key) || (inError && key !== "tag")
        return [key, walk(inner, isProse, inError || key === "error")]
      })
    )
  }
  return {
    protect: (password) => {
      const secret = password === null ? "" : Redacted.value(password)
      if (secret === "" || passwords.has(secret)) return
      passwords.set(secret, knownOf(secret, shortestInside))
      all = null
    },
    protectPassing: (value) => {
      if (value.length < shortestInside || passing.has(value)) return
      remember(passing, value, mostPassing, () => knownOf(value, shortestPassing))
      all = null
    },
    protectLink: (link) => {
      const text = Redacted.value(link)
      if (!hasKnownForm(text) && URL.canParse(text)) remember(hosts, new URL(text).origin, mostHosts, () => true)
    },
    prose,
    named: (name, text) => (namesSecret(name) ? hidden : prose(text)),
    document: <A>(value: A) => walk(value, false) as A
  }
}

/** The scrubber of this process: sessions register their secrets with it, and all texts that are written pass through it. */
export const Scrubber: Context.Reference<Scrubber> = Context.Reference<Scrubber>("svc-steps/core/text/Scrubber", {
  defaultValue: makeScrubber
})

/** Tells the scrubber of this process links that the service, or a file, gave. */
export const protectLinks = (links: ReadonlyArray<Redacted.Redacted>): Effect.Effect<void> =>
  Effect.map(Scrubber, (scrubber) => {
    for (const link of links) scrubber.protectLink(link)
  })
