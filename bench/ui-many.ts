/**
 * The page of devices with more of them than the browser holds: `bun bench/ui-many.ts [--devices 300000]`. The server is real. Times are
 * taken inside of the page, from the navigation or the key to the frame that shows the result.
 */
import { parseArgs } from 'node:util'
import { startPlat } from '../e2e/server.ts'
import { ensureWeb } from '../scripts/web.mjs'
import { type BarePage, startBrowser } from './bare-page.ts'
import { plain, type Result } from './bench.ts'
import { median, milliseconds, quantile } from './numbers.ts'
import { publish } from './report.ts'

const { values } = parseArgs({ options: { devices: { type: 'string', default: '300000' } } })
const devices = Number(values.devices)
const ROUNDS = 5
const PAGE_ROUNDS = 15
const PATIENCE_MS = 60_000
const LOOK_MS = 50

const INSTRUMENTS = `
  window.bench = { firstRows: 0, keyAt: 0, shownAt: 0, wanted: undefined }
  const look = () => {
    const row = document.querySelector('[role=grid] [role=row][aria-rowindex="2"] a')
    if (row && !bench.firstRows) bench.firstRows = performance.now()
    if (bench.wanted && !bench.shownAt && bench.wanted()) bench.shownAt = performance.now()
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
  addEventListener('keydown', () => { bench.keyAt = performance.now(); bench.shownAt = 0 }, true)
`

const until = async <T>(ask: () => Promise<T>, isDone: (value: T) => boolean): Promise<T> => {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const value = await ask().catch(() => undefined)
    if (value !== undefined && isDone(value)) return value
    if (performance.now() > deadline) throw new Error('the page does not become ready')
    await Bun.sleep(LOOK_MS)
  }
}

const timed = async (page: BarePage, key: string, wanted: string): Promise<number> => {
  await page.evaluate(`{ bench.wanted = () => ${wanted}; bench.shownAt = 0; bench.keyAt = 0 }`)
  await page.press(key)
  await until(
    () => page.evaluate<number>('bench.keyAt === 0 ? 0 : bench.shownAt'),
    (at) => at > 0,
  )
  return page.evaluate<number>('bench.shownAt - bench.keyAt')
}

const atMost = (work: string, ms: number, goalMs: number): Result =>
  plain({ work, ours: milliseconds(ms), goal: `<= ${milliseconds(goalMs)}`, isMet: ms <= goalMs, numbers: { ms } })

if (!ensureWeb()) process.exit(1)
process.stderr.write(`importing ${devices.toLocaleString('en-US')} devices ...\n`)
const plat = await startPlat({ devices })
const cookie = await plat.signIn('admin')

/** Pages of 200 devices at places of the whole list, from its nearer end. */
const pages = async (): Promise<Result[]> => {
  const headers = { cookie: `${cookie.name}=${cookie.value}` }
  const results: Result[] = []
  for (const part of [0, 0.25, 0.5]) {
    const times: number[] = []
    for (let round = 0; round < PAGE_ROUNDS; round++) {
      const offset = Math.floor(part * (devices - 200)) + round
      const begun = performance.now()
      await (
        await fetch(`${plat.url}/api/devices?limit=200&offset=${offset}&sort=${round % 2 ? '-name' : 'name'}`, {
          headers,
        })
      ).text()
      times.push(performance.now() - begun)
    }
    results.push(atMost(`a page of 200, ${part * 100} % from the nearer end`, median(times), 50))
  }
  return results
}

const ROW = (index: string) => `document.querySelector('[role=row][aria-rowindex="${index}"] a') !== null`
const SUMMARY = '[...document.querySelectorAll("[class*=summary]")].map((one) => one.textContent).join("")'

const browser = await startBrowser(plat.url, cookie)
try {
  const results = await pages()
  const first: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const page = await browser.open(INSTRUMENTS)
    await page.go('/devices')
    first.push(
      await until(
        () => page.evaluate<number>('bench.firstRows'),
        (at) => at > 0,
      ),
    )
    await page.close()
  }
  results.push(atMost('first rows painted', median(first), 1000))
  const page = await browser.open(INSTRUMENTS)
  await page.go('/devices')
  await until(
    () => page.evaluate<boolean>('document.body.textContent.includes("showing by name")'),
    (isShown) => isShown,
  )
  const ends: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    ends.push(await timed(page, 'End', ROW(String(devices + 1))))
    await timed(page, 'Home', ROW('2'))
  }
  results.push(atMost('End to the last rows, the first time', ends[0] ?? 0, 300))
  await page.evaluate(`document.querySelector('[role=combobox][aria-label=Filter]').focus()`)
  const keys: number[] = []
  for (const key of 'db-00') {
    const before = await page.evaluate<string>(SUMMARY)
    keys.push(await timed(page, key, `${SUMMARY} !== ${JSON.stringify(before)}`).catch(() => Number.NaN))
  }
  const times = keys.filter((ms) => !Number.isNaN(ms))
  results.push(atMost(`key to rows, slowest of ${times.length}`, quantile(times, 1), 300))
  const memory = await page.evaluate<number>('performance.memory.usedJSHeapSize')
  const megabytes = memory / 1024 / 1024
  results.push(
    plain({
      work: 'memory of scripts in the page',
      ours: `${megabytes.toFixed(0)} MB`,
      goal: '<= 150 MB',
      isMet: megabytes <= 150,
      numbers: { megabytes },
    }),
  )
  publish(results)
} finally {
  await browser.stop()
  await plat.stop()
}
process.exit()
