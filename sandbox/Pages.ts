/** Pages of the sandbox: those of the service, and one that shows the API and lets people try it, all of which comes from here. */

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

const style = `
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1d2433; background: #fff }
h2 { margin: 2rem 0 .5rem; font-size: 1.1rem; text-transform: capitalize }
details { border: 1px solid #d5dbe5; border-radius: 6px; margin: .4rem 0; padding: .4rem .8rem }
summary { cursor: pointer } summary b { display: inline-block; width: 3.5rem }
label { display: block; margin: .4rem 0 } input, textarea { font: inherit; width: 100%; box-sizing: border-box; padding: .25rem }
button { font: inherit; padding: .25rem .9rem } pre { overflow: auto; max-height: 24rem; background: #f4f6f9; padding: .6rem }
#account { display: flex; gap: .6rem; align-items: end; flex-wrap: wrap } #account label { flex: 1; margin: 0 }
@media (prefers-color-scheme: dark) {
  body { color: #dfe4ee; background: #161a22 } details { border-color: #39414f } pre { background: #1f2530 }
  input, textarea, button { color: inherit; background: #1f2530; border: 1px solid #4b5566 }
}`

const script = `
const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}
const field = (name, required) => {
  const input = element("input", { name, required })
  return { input, label: element("label", {}, name + (required ? "" : " (optional)"), input) }
}
let token = ""
// One request after the other: the service ends a session whose requests overlap.
let last = Promise.resolve()
const send = (path, options = {}) => {
  last = last.catch(() => {}).then(async () => {
    const answer = await fetch(path, {
      mode: "same-origin",
      redirect: "manual",
      ...options,
      headers: { ...(token === "" ? {} : { "X-CSRF-TOKEN": token }), ...options.headers }
    })
    token = answer.headers.get("X-CSRF-TOKEN") ?? token
    return answer
  })
  return last
}
const account = document.getElementById("account")
account.addEventListener("submit", async (event) => {
  event.preventDefault()
  token = ""
  await send("/", { method: "HEAD" })
  const form = new URLSearchParams({ _csrf: token, username: account.user.value, password: account.password.value })
  const before = token
  await send("/login", { method: "POST", body: form })
  document.getElementById("state").textContent = token === before ? "Refused: user name or password is wrong" : "Logged in"
})
const operationForm = (path, method, { operationId, parameters, requestBody, description }) => {
  const fields = parameters.map((parameter) => ({ parameter, ...field(parameter.name, parameter.required) }))
  const type = Object.keys(requestBody?.content ?? {})[0]
  const body = element("textarea", { rows: 4, placeholder: type === "application/json" ? "{}" : "name=value&name=value" })
  const output = element("pre", { hidden: true })
  const form = element("form", { id: operationId }, ...fields.map(({ label }) => label))
  if (description) form.prepend(element("p", {}, description))
  if (type) form.append(element("label", {}, type, body))
  form.append(element("button", {}, "Send"), output)
  form.addEventListener("submit", async (event) => {
    event.preventDefault()
    const query = new URLSearchParams()
    let address = path
    for (const { input, parameter } of fields) {
      if (parameter.in === "path") address = address.replace("{" + parameter.name + "}", encodeURIComponent(input.value))
      else if (input.value !== "") {
        const values = parameter.schema.type === "array" ? input.value.split(",") : [input.value]
        for (const value of values) query.append(parameter.name, value.trim())
      }
    }
    const url = address + (query.size === 0 ? "" : "?" + query)
    const content = type ? { body: body.value, headers: { "content-type": type } } : {}
    output.hidden = false
    output.textContent = "..."
    try {
      const answer = await send(url, { method, ...content })
      const text = answer.type === "opaqueredirect" ? "a redirect: the session was ended" : await answer.text()
      let shown = text
      try { shown = text.length > 1e6 ? text : JSON.stringify(JSON.parse(text), null, 2) } catch {}
      output.textContent = (answer.status || 302) + " " + method.toUpperCase() + " " + url + "\\n\\n" + shown.slice(0, 1e6)
    } catch (error) {
      output.textContent = String(error)
    }
  })
  return form
}
const show = async () => {
  const api = await (await send("/__sandbox/openapi.json")).json()
  const list = document.getElementById("operations")
  list.append(...api.info.description.split("\\n\\n").map((text) => element("p", {}, text.replaceAll("\\u0060", ""))))
  for (const { name } of api.tags) {
    list.append(element("h2", {}, name))
    for (const [path, item] of Object.entries(api.paths)) {
      for (const [method, operation] of Object.entries(item)) {
        if (!operation.tags.includes(name)) continue
        const title = element("summary", {}, element("b", {}, method.toUpperCase()), element("code", {}, path), " " + (operation.summary ?? ""))
        list.append(element("details", {}, title, operationForm(path, method, operation)))
      }
    }
  }
}
show()`

/** @param account - filled in already: that of a sandbox is no secret */
export const apiPage = (account: { readonly user: string; readonly password: string }): string =>
  page(
    "The API of the sandbox",
    `<link rel="icon" href="data:,"><meta name="viewport" content="width=device-width"><style>${style}</style><p><a href="/__sandbox/openapi.json">OpenAPI document</a> · <a href="/__sandbox/stats">counters</a></p>` +
      `<form id="account"><label>User <input name="user" value="${escapeHtml(account.user)}"></label>` +
      `<label>Password <input name="password" value="${escapeHtml(account.password)}"></label><button>Log in</button></form>` +
      `<p id="state">Not logged in</p><div id="operations"></div><script>${script}</script>`
  )

/** It may load nothing from elsewhere, and send nothing there. */
export const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:; form-action 'self'"
