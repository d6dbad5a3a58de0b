/** The optional script of a page: it sorts rows by a column and filters them. The page is complete without it. */

/** The content of the one `<script>` element; it makes nothing out of text, and loads nothing. */
export const pageScript = `
(() => {
  const table = document.getElementById("table")
  const tools = document.getElementById("tools")
  const body = table.tBodies[0]
  const rows = [...body.rows]
  if (rows.length < 2) return
  const valueOf = (row, column) => {
    const cell = row.cells[column]
    return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v)
  }
  const compare = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true }))
  const heads = [...table.tHead.rows[0].cells]
  heads.forEach((head, column) => {
    const button = document.createElement("button")
    button.type = "button"
    button.textContent = head.textContent
    head.replaceChildren(button)
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending"
      for (const other of heads) other.removeAttribute("aria-sort")
      head.setAttribute("aria-sort", down ? "descending" : "ascending")
      const keyed = rows.map((row) => [valueOf(row, column), row])
      keyed.sort(([a], [b]) => (down ? compare(b, a) : compare(a, b)))
      body.append(...keyed.map(([, row]) => row))
    })
  })
  const statuses = [...new Set(rows.map((row) => row.cells[0].textContent))]
  const search = document.createElement("input")
  search.type = "search"
  search.placeholder = "Name, analysis, checksum, error"
  search.setAttribute("aria-label", "Show only files with this text")
  const select = document.createElement("select")
  select.setAttribute("aria-label", "Show only files with this status")
  for (const status of ["Every status", ...statuses]) select.append(new Option(status, status === "Every status" ? "" : status))
  const count = document.createElement("output")
  count.className = "sub"
  const show = () => {
    const text = search.value.trim().toLowerCase()
    let shown = 0
    for (const row of rows) {
      const fits = (select.value === "" || row.cells[0].textContent === select.value) && row.textContent.toLowerCase().includes(text)
      row.hidden = !fits
      if (fits) shown++
    }
    count.textContent = shown === rows.length ? "" : shown + " of " + rows.length
  }
  search.addEventListener("input", show)
  select.addEventListener("change", show)
  tools.append(search, select, count)
})()
`
