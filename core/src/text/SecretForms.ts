/** Secrets that are known by their form: by the name before them, or as the query of a signed link. */

/** What stands in the place of a secret. */
export const hidden = "***"

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
export const namesSecret = (key: string): boolean => promising.test(key)

const isSealed = (query: string) => signedQuery.test(query) || sealedValue.test(query)

/** Whether a link is recognised without having been seen before: its query signs it. */
export const hasKnownForm = (link: string): boolean => {
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
