/**
 * The web UI in a real Chromium on a real server: `bun bench/ui.ts [--devices 100000] [--only keys]`. Times are taken inside of the page:
 * from the navigation or the key to the frame that shows the result.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { startPlat } from '../e2e/server.ts'
import { findChromium } from '../scripts/server-binaries.mjs'
import { ensureWeb } from '../scripts/web.mjs'
import { type BarePage, startBrowser } from './bare-page.ts'
import { plain, type Result } from './bench.ts'
import { median, milliseconds, quantile } from './numbers.ts'
import { publish } from './report.ts'
import { ROOT } from './servers.ts'

const { values } = parseArgs({
  options: { devices: { type: 'string', default: '100000' }, only: { type: 'string' } },
})
const devices = Number(values.devices)

const ROUNDS = 5
/** Typed a key at a time, and deleted again. */
const TYPED = 'fra1 db-0 tag:prod'
const KEY_REST_MS = 350
const PATIENCE_MS = 30_000
const LOOK_MS = 50
/** Devices in the big picture, and moves of one drag through it. */
const NODES = 1000
const DRAG_STEPS = 90

/** Runs in the page before the scripts of the page. */
const INSTRUMENTS = `
  window.bench = { tasks: [], firstRows: 0, allRows: 0, keyAt: 0, changedAt: 0, drawnAt: 0, toldAt: 0, strokeAt: 0, frames: [] }
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) bench.tasks.push(duration)
  }).observe({ type: 'longtask', buffered: true })
  const look = () => {
    const grid = document.querySelector('[role=grid]')
    const row = grid?.querySelector('[role=row][aria-rowindex="2"] a')
    if (row && !bench.firstRows) bench.firstRows = performance.now()
    const isWhole = Number(grid?.getAttribute('aria-rowcount')) > ${devices} && grid.getAttribute('aria-busy') !== 'true'
    if (row && isWhole) bench.allRows ||= performance.now()
    if (!bench.allRows) requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
  addEventListener('keydown', () => { bench.keyAt = performance.now(); bench.changedAt = 0 }, true)
  addEventListener('DOMContentLoaded', () => {
    // What is said to screen readers comes later on purpose.
    const isSeen = ({ target }) => !(target.closest ? target : target.parentElement)?.closest('[aria-live]')
    new MutationObserver((changes) => {
      if (changes.some(isSeen)) requestAnimationFrame(() => { bench.changedAt = performance.now() })
    }).observe(document.body, { subtree: true, childList: true, characterData: true })
  })
  const after = (prototype, method, then) => {
    const before = prototype[method]
    prototype[method] = function (...args) {
      const result = before.apply(this, args)
      then()
      return result
    }
  }
  const painted = (name) => () => requestAnimationFrame(() => { bench[name] ||= performance.now() })
  after(CanvasRenderingContext2D.prototype, 'putImageData', painted('drawnAt'))
  let isStroked = false
  after(CanvasRenderingContext2D.prototype, 'drawImage', () => {
    if (!bench.toldAt || isStroked) return
    isStroked = true
    painted('strokeAt')()
  })
  const hear = Worker.prototype.addEventListener
  Worker.prototype.addEventListener = function (type, listener, ...rest) {
    const told = (event) => {
      if (event.data?.type === 'graph') bench.toldAt = performance.now()
      listener.call(this, event)
    }
    return hear.call(this, type, type === 'message' ? told : listener, ...rest)
  }
`

type Bench = {
  readonly tasks: readonly number[]
  readonly firstRows: number
  readonly allRows: number
  readonly keyAt: number
  readonly changedAt: number
  readonly drawnAt: number
  /** When the worker of the topology had told where everything is, and when that was on the screen. */
  readonly toldAt: number
  readonly strokeAt: number
  readonly frames: readonly number[]
}
const read = (page: BarePage): Promise<Bench> => page.evaluate<Bench>('window.bench')

const atMost = (work: string, ms: number, goalMs: number): Result =>
  plain({ work, ours: milliseconds(ms), goal: `<= ${milliseconds(goalMs)}`, isMet: ms <= goalMs, numbers: { ms } })

const informs = (work: string, ms: number): Result =>
  plain({ work, ours: milliseconds(ms), goal: '', isMet: undefined, numbers: { ms } })

const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KB`

const opened = async (page: BarePage, path: string, ready: (bench: Bench) => boolean): Promise<Bench> => {
  await page.go(path)
  const until = performance.now() + PATIENCE_MS
  while (performance.now() < until) {
    const bench: Bench | undefined = await read(page).catch(() => undefined)
    if (bench && ready(bench)) return bench
    await Bun.sleep(LOOK_MS)
  }
  throw new Error(`${path} does not become ready`)
}

const rowsOf = (page: BarePage): Promise<Bench> => opened(page, '/devices', ({ allRows }) => allRows > 0)

if (!ensureWeb()) process.exit(1)
process.stderr.write(`importing ${devices.toLocaleString('en-US')} devices ...\n`)
const plat = await startPlat({ devices })
const cookie = await plat.signIn('admin')

/** Requests and bytes of the first visit, counted by a browser with request events. */
const counted = async (): Promise<Result[]> => {
  const browser = await chromium.launch({
    executablePath: findChromium() ?? 'chromium',
    args: ['--disable-gpu', '--no-sandbox'],
  })
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: plat.url })
  await context.addCookies([cookie])
  const page = await context.newPage()
  const files = new Set<string>()
  let requests = 0
  page.on('request', (request) => {
    requests++
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/static/')) files.add(pathname.slice('/static/'.length))
  })
  await page.goto('/devices')
  await page.waitForLoadState('networkidle')
  await browser.close()
  const size = (ending: string): number =>
    [...files]
      .filter((name) => name.endsWith(ending) && !name.includes('.worker'))
      .reduce((sum, name) => sum + statSync(`${join(ROOT, 'dist/web', name)}.gz`).size, 0)
  const small = (work: string, bytes: number, goal: number): Result =>
    plain({ work, ours: kilobytes(bytes), goal: `<= ${goal} KB`, isMet: bytes <= goal * 1024, numbers: { bytes } })
  return [
    small('first load: JavaScript, gzip', size('.js'), 220),
    small('  CSS, gzip', size('.css'), 15),
    plain({ work: '  requests', ours: String(requests), goal: '<= 12', isMet: requests <= 12, numbers: { requests } }),
  ]
}

const browser = await startBrowser(plat.url, cookie)

const firstVisits = async (): Promise<Result[]> => {
  const visits: Bench[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const page = await browser.open(INSTRUMENTS)
    visits.push(await rowsOf(page))
    await page.close()
  }
  const longest = median(visits.map(({ tasks }) => Math.max(0, ...tasks)))
  return [
    atMost(`devices, ${devices}: first rows painted`, median(visits.map(({ firstRows }) => firstRows)), 1500),
    informs('  all of them there', median(visits.map(({ allRows }) => allRows))),
    atMost('  longest task of the main thread', longest, 100),
  ]
}

const repeats = async (page: BarePage): Promise<Result[]> => {
  const again: Bench[] = []
  for (let round = 0; round < ROUNDS; round++) again.push(await rowsOf(page))
  return [
    atMost('devices again: rows painted', median(again.map(({ firstRows }) => firstRows)), 600),
    informs('  all of them there', median(again.map(({ allRows }) => allRows))),
  ]
}

const keys = async (page: BarePage): Promise<Result> => {
  await page.evaluate(`document.querySelector('[role=combobox][aria-label=Filter]').focus()`)
  await Bun.sleep(KEY_REST_MS)
  const times: number[] = []
  const press = async (key: string) => {
    await page.press(key)
    await Bun.sleep(KEY_REST_MS)
    const { keyAt, changedAt } = await read(page)
    if (changedAt > 0) times.push(changedAt - keyAt)
  }
  for (const key of TYPED) await press(key)
  for (const _ of TYPED) await press('Backspace')
  if (times.length < TYPED.length) throw new Error('the filter does not answer to its keys')
  return atMost(`key to paint in the filter, p95 of ${times.length}`, quantile(times, 0.95), 60)
}

const heatmap = async (page: BarePage, path: string): Promise<Result> => {
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

/** The topology around a switch with many devices, with as many nodes as the page draws. */
const topology = async (page: BarePage, hub: string): Promise<Result[]> => {
  const times: number[] = []
  const path = `/topology?focus=${hub}&view=connections&hops=1&most=${NODES}`
  for (let round = 0; round < ROUNDS; round++) {
    const { toldAt, strokeAt } = await opened(page, path, (bench) => bench.strokeAt > 0)
    times.push(strokeAt - toldAt)
  }
  const text = await page.evaluate<string>('document.body.textContent')
  if (!text.includes(`${NODES.toLocaleString('en-US')} devices`))
    throw new Error(`the picture has not ${NODES} devices`)
  // The forces have found their places.
  await Bun.sleep(6000)
  await page.evaluate(`{
    let last = 0
    const frame = (at) => {
      if (last > 0) bench.frames.push(at - last)
      last = at
      requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  }`)
  await page.drag({ x: 400, y: 300 }, { x: 900, y: 600 }, DRAG_STEPS)
  const { frames } = await read(page)
  return [
    atMost(`topology, ${NODES} devices: first frame, after their places`, median(times), 100),
    atMost(`  pan, p95 of ${frames.length} frames`, quantile([...frames], 0.95), 34),
  ]
}

try {
  const { id: network_id } = await plat.api.networks.create({ name: 'wide', subnet: '172.16.0.0/16' })
  const pool = await plat.api.pools.create({
    network_id,
    name: 'wide',
    start_ip: '172.16.0.0',
    end_ip: '172.16.255.255',
  })
  const hub = await plat.api.devices.create({ name: 'hub' })
  const others = await plat.api.devices.list({ limit: NODES + 200 })
  for (const { id } of others.filter(({ id }) => id !== hub.id))
    await plat.api.relationships.create({ device_id: hub.id, child_id: id, type: 'connected_to' })
  let page: Promise<BarePage> | undefined
  /** A page with a warm cache that has all devices. */
  const warm = (): Promise<BarePage> => {
    page ??= browser.open(INSTRUMENTS).then(async (opened) => {
      await rowsOf(opened)
      return opened
    })
    return page
  }
  const parts: Record<string, () => Promise<Result[]>> = {
    requests: counted,
    first: firstVisits,
    again: async () => repeats(await warm()),
    keys: async () => [await keys(await warm())],
    heatmap: async () => [await heatmap(await warm(), `/pools/${pool.id}`)],
    topology: async () => topology(await warm(), hub.id),
  }
  const results: Result[] = []
  for (const [name, part] of Object.entries(parts))
    if (values.only === undefined || values.only === name) results.push(...(await part()))
  publish(results)
} finally {
  await browser.stop()
  await plat.stop()
}
process.exit()
