/**
 * The web UI in a real Chromium on a real server: `bun bench/ui.ts [--devices 100000]`. Times are taken inside of the page:
 * from the navigation or the key to the frame that shows what was asked for.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { startPlat } from '../e2e/server.ts'
import { findChromium } from '../scripts/server-binaries.mjs'
import { ensureWeb } from '../scripts/web.mjs'
import { plain, type Result } from './bench.ts'
import { median, milliseconds, quantile } from './numbers.ts'
import { tableOf } from './report.ts'
import { ROOT } from './servers.ts'

const { values } = parseArgs({ options: { devices: { type: 'string', default: '100000' } } })
const devices = Number(values.devices)

const ROUNDS = 5
/** What is typed, a key at a time, and taken back again. */
const TYPED = 'fra1 db-0 tag:prod'
const KEY_REST_MS = 350
const PATIENCE_MS = 30_000
const FLAGS = ['--disable-gpu', '--no-sandbox']

/** Runs in the page, before anything of its own does. */
const INSTRUMENTS = `
  window.bench = { tasks: [], firstRows: 0, allRows: 0, keyAt: 0, changedAt: 0, drawnAt: 0 }
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) bench.tasks.push(duration)
  }).observe({ type: 'longtask', buffered: true })
  const look = () => {
    const grid = document.querySelector('[role=grid]')
    const row = grid?.querySelector('[role=row][aria-rowindex="2"] a')
    if (row && !bench.firstRows) bench.firstRows = performance.now()
    if (row && Number(grid.getAttribute('aria-rowcount')) > ${devices}) bench.allRows ||= performance.now()
    if (!bench.allRows) requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
  addEventListener('keydown', () => { bench.keyAt = performance.now(); bench.changedAt = 0 }, true)
  addEventListener('DOMContentLoaded', () => {
    new MutationObserver(() => requestAnimationFrame(() => { bench.changedAt = performance.now() }))
      .observe(document.body, { subtree: true, childList: true, characterData: true })
  })
  const put = CanvasRenderingContext2D.prototype.putImageData
  CanvasRenderingContext2D.prototype.putImageData = function (...args) {
    put.apply(this, args)
    requestAnimationFrame(() => { bench.drawnAt = performance.now() })
  }
`

type Bench = {
  readonly tasks: readonly number[]
  readonly firstRows: number
  readonly allRows: number
  readonly keyAt: number
  readonly changedAt: number
  readonly drawnAt: number
}
const read = (page: Page): Promise<Bench> => page.evaluate<Bench>('bench')

const atMost = (work: string, ms: number, goalMs: number): Result =>
  plain({ work, ours: milliseconds(ms), goal: `<= ${milliseconds(goalMs)}`, isMet: ms <= goalMs, numbers: { ms } })

const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KB`

const opened = async (page: Page, path: string, ready: (bench: Bench) => boolean): Promise<Bench> => {
  await page.goto(path)
  const until = performance.now() + PATIENCE_MS
  while (performance.now() < until) {
    const bench = await read(page)
    if (ready(bench)) return bench
    await Bun.sleep(50)
  }
  throw new Error(`${path} does not become ready`)
}

const rowsOf = (page: Page): Promise<Bench> => opened(page, '/devices', ({ allRows }) => allRows > 0)

/** The compressed size of the files of a kind that the page has loaded. */
const loaded = async (page: Page, ending: string): Promise<number> => {
  const names = await page.evaluate<string[]>(
    "performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)",
  )
  const files = new Set(names.filter((name) => name.startsWith('/static/') && name.endsWith(ending)))
  return [...files].reduce(
    (sum, name) => sum + statSync(`${join(ROOT, 'dist/web', name.slice('/static/'.length))}.gz`).size,
    0,
  )
}

const firstVisits = async (visit: () => Promise<BrowserContext>): Promise<Result[]> => {
  const visits: Bench[] = []
  let requests = 0
  let sizes = { js: 0, css: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    const context = await visit()
    const page = await context.newPage()
    let count = 0
    page.on('request', () => count++)
    visits.push(await rowsOf(page))
    requests = count
    sizes = { js: await loaded(page, '.js'), css: await loaded(page, '.css') }
    await context.close()
  }
  const longest = median(visits.map(({ tasks }) => Math.max(0, ...tasks)))
  return [
    plain({
      work: 'first load: JavaScript, gzip',
      ours: kilobytes(sizes.js),
      goal: '<= 220 KB',
      isMet: sizes.js <= 220 * 1024,
      numbers: { bytes: sizes.js },
    }),
    plain({
      work: '  CSS, gzip',
      ours: kilobytes(sizes.css),
      goal: '<= 15 KB',
      isMet: sizes.css <= 15 * 1024,
      numbers: { bytes: sizes.css },
    }),
    plain({ work: '  requests', ours: String(requests), goal: '<= 12', isMet: requests <= 12, numbers: { requests } }),
    atMost(`devices, ${devices}: first rows painted`, median(visits.map(({ firstRows }) => firstRows)), 1500),
    plain({
      work: '  all of them there',
      ours: milliseconds(median(visits.map(({ allRows }) => allRows))),
      goal: '',
      isMet: undefined,
      numbers: {},
    }),
    atMost('  longest task of the main thread', longest, 100),
  ]
}

const keys = async (page: Page): Promise<Result> => {
  await page.getByRole('combobox', { name: 'Filter' }).focus()
  const times: number[] = []
  const press = async (key: string) => {
    await page.keyboard.press(key)
    await Bun.sleep(KEY_REST_MS)
    const { keyAt, changedAt } = await read(page)
    if (changedAt > 0) times.push(changedAt - keyAt)
  }
  for (const key of TYPED) await press(key === ' ' ? 'Space' : key)
  for (const _ of TYPED) await press('Backspace')
  return atMost(`key to paint in the filter, p95 of ${times.length}`, quantile(times, 0.95), 60)
}

const heatmap = async (page: Page, path: string): Promise<Result> => {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const { drawnAt } = await opened(page, path, (bench) => bench.drawnAt > 0)
    const arrived = await page.evaluate<number>(
      "performance.getEntriesByType('resource').find(({ name }) => name.endsWith('/heatmap')).responseEnd",
    )
    times.push(drawnAt - arrived)
  }
  return atMost('the map of a /16 painted, after its data', median(times), 100)
}

if (!ensureWeb()) process.exit(1)
process.stderr.write(`importing ${devices.toLocaleString('en-US')} devices ...\n`)
const plat = await startPlat({ devices })
const { id: network_id } = await plat.api.networks.create({ name: 'wide', subnet: '172.16.0.0/16' })
const pool = await plat.api.pools.create({ network_id, name: 'wide', start_ip: '172.16.0.0', end_ip: '172.16.255.255' })
const browser = await chromium.launch({ executablePath: findChromium() ?? 'chromium', args: FLAGS })
const visit = async (): Promise<BrowserContext> => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: plat.url })
  await context.addInitScript({ content: INSTRUMENTS })
  await context.addCookies([await plat.signIn('admin')])
  return context
}
try {
  const results = await firstVisits(visit)
  const context = await visit()
  const page = await context.newPage()
  await rowsOf(page)
  const again: number[] = []
  for (let round = 0; round < ROUNDS; round++) again.push((await rowsOf(page)).allRows)
  results.push(atMost('devices again: all rows', median(again), 600))
  results.push(await keys(page))
  results.push(await heatmap(page, `/pools/${pool.id}`))
  console.log(tableOf(results))
} finally {
  await browser.close()
  await plat.stop()
}
process.exit()
