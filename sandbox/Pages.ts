export const escapeHtml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

/** A page of the service; what it says is already HTML. */
export const page = (title: string, content: string) =>
  `<!DOCTYPE html><html lang="en"><head><meta charset="UTF-8"><title>${escapeHtml(title)}</title></head><body><h1>${escapeHtml(title)}</h1>${content}</body></html>`

export const htmlPage = (title: string, text: string) => page(title, `<p>${escapeHtml(text)}</p>`)

/** The page at the base address: a login form for browsers. */
export const loginPage = (token: string, note: string) =>
  page(
    "Sandbox of the variant analysis service",
    `<p>${escapeHtml(note)}</p><form method="post" action="/login"><input type="hidden" name="_csrf" value="${escapeHtml(token)}">` +
      '<p><label>User <input name="username"></label></p><p><label>Password <input name="password" type="password"></label></p>' +
      "<p><button>Log in</button></p></form>"
  )

/** The body of a forced logout: about 50 kB of HTML that shows nothing. */
export const emptyApplication = page(
  "",
  `<div id="app"></div>${'<script type="text/plain">/* application bundle */</script>\n'.repeat(870)}`
)

/** An error document of the link host (the form of S3). */
export const errorXml = (fields: Readonly<Record<string, string>>) => {
  const content = Object.entries(fields).map(([name, value]) => `<${name}>${escapeHtml(value)}</${name}>`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${content.join("")}</Error>`
}
