/** Draws the chart of the README: latencies of results.json on a logarithmic scale of milliseconds. */
import type { AllKept } from './results.ts'

/** Label, suite, work and number of a bar. A work is named by its beginning, because some end with a size. */
type Bar = readonly [text: string, suite: string, work: string, number: string]

const BARS: readonly Bar[] = [
  ['All devices again, unchanged (304)', 'inventory', 'the same with If-None-Match: 304', 'ms'],
  ['Next free address of a /64, p95', 'inventory', 'next-ip, a /64 with 50,000 used', 'p95_ms'],
  ['Next free address of a full /16, p95', 'inventory', 'next-ip, a /16 with one address free', 'p95_ms'],
  ['Search for a name, p95', 'inventory', 'device search, a name', 'p95_ms'],
  ['Lookup of an address, p95', 'lookup', 'lookup of an address of a device', 'p95_ms'],
  ['Utilization of every network', 'inventory', 'utilization of all', 'ms'],
  ['1,000 allocations at once, all done', 'inventory', 'allocate, 1000 callers at once on one pool', 'ms'],
  ['Start with all data, until it answers', 'inventory', 'start to /healthz', 'ms'],
  ['All 100,000 devices, whole', 'inventory', 'GET all devices', 'ours_ms'],
]

const WIDTH = 720
const LEFT = 272
const RIGHT = 72
const ROW = 24
const TOP = 44
const BOTTOM = 34
/** The ends of the scale, in ms. */
const [LEAST, MOST] = [0.01, 1000]

const STYLE = `text{font:13px system-ui,sans-serif;fill:#1f2328}.quiet{fill:#59636e;font-size:11px}.bar{fill:#0969da}.grid{stroke:#d1d9e0}@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.quiet{fill:#9198a1}.bar{fill:#4493f8}.grid{stroke:#3d444d}}`

const xOf = (ms: number): number =>
  LEFT + ((WIDTH - LEFT - RIGHT) * Math.log10(Math.max(ms, LEAST) / LEAST)) / Math.log10(MOST / LEAST)

const rounded = (n: number): string => n.toFixed(1).replace(/\.0$/, '')

const written = (ms: number): string => `${ms < 10 ? Number(ms.toPrecision(2)) : Math.round(ms)} ms`

/** Returns a figure of the results. @throws Error if they do not have it: each bar is a measurement */
const figureOf = (all: AllKept, [, suite, work, number]: Bar): number => {
  const value = all[suite]?.results.find((one) => one.work.startsWith(work))?.numbers[number]
  if (value === undefined) throw new Error(`results.json has no "${number}" of "${work}" in the suite ${suite}`)
  return value
}

/** Returns the SVG. Its colors follow the color scheme of the browser. */
export const chartOf = (all: AllKept): string => {
  const height = TOP + BARS.length * ROW + BOTTOM
  const bottom = TOP + BARS.length * ROW
  const ticks = [0.01, 0.1, 1, 10, 100, 1000].map((ms) => {
    const x = rounded(xOf(ms))
    return `<path class="grid" d="M${x} ${TOP}V${bottom}"/><text class="quiet" x="${x}" y="${bottom + 16}" text-anchor="middle">${ms} ms</text>`
  })
  const bars = BARS.map((bar, row) => {
    const ms = figureOf(all, bar)
    const [y, end] = [TOP + row * ROW, xOf(ms)]
    const label = `<text x="${LEFT - 8}" y="${y + 16}" text-anchor="end">${bar[0]}</text>`
    const value = `<text x="${rounded(end + 6)}" y="${y + 16}">${written(ms)}</text>`
    return `${label}<rect class="bar" x="${LEFT}" y="${y + 5}" width="${rounded(end - LEFT)}" height="14" rx="2"/>${value}`
  })
  const { machine, day } = all.inventory ?? {}
  const where = machine ? `${machine.processor}, ${machine.cores} cores; ${day}` : ''
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Measured times with 100,000 devices">
<style>${STYLE}</style>
<text x="8" y="18" font-weight="600">100,000 devices on SQLite, over HTTP</text>
<text class="quiet" x="8" y="34">Shorter is better; each line of the grid is ten times the one before. ${where}</text>
${[...ticks, ...bars].join('\n')}
</svg>
`
}
