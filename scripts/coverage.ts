/**
 * `npm run coverage`: how many of core's branches the tests take, and the modules with the most that they do not.
 *
 * Counting makes everything several times slower, so a test with a time limit may fail here: whether tests are right is
 * the business of `npm test`, and this only ends 1 when too few branches are taken.
 */
import { spawnSync } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { relative } from "node:path"

const goal = 92

interface Count {
  readonly total: number
  readonly covered: number
}

const report = "coverage/coverage-summary.json"
rmSync(report, { force: true })
// Those of other processes are not counted, and those of the sandbox are about the sandbox.
const tests = [
  "run",
  "--project",
  "modules",
  "--project",
  "sockets",
  "--exclude",
  "sandbox/**",
  "--coverage",
  "--reporter=dot"
]
spawnSync("vitest", tests, { stdio: "inherit" })

const summary: Readonly<Record<string, { readonly branches: Count }>> = JSON.parse(readFileSync(report, "utf8"))
const percent = ({ covered, total }: Count) => (total === 0 ? 100 : (100 * covered) / total)
const { total, ...modules } = summary
const worst = Object.entries(modules)
  .map(([path, { branches }]) => ({ path: relative(".", path), ...branches }))
  .filter((count) => percent(count) < goal)
  .sort((a, b) => b.total - b.covered - (a.total - a.covered))
  .slice(0, 10)

const reached = total === undefined ? 0 : percent(total.branches)
console.log(`Branches of core: ${reached.toFixed(1)} %, at least ${goal} % wanted`)
for (const { covered, path, total } of worst) {
  console.log(`  ${path}: ${covered} of ${total} (${percent({ covered, total }).toFixed(0)} %)`)
}
process.exitCode = reached >= goal ? 0 : 1
