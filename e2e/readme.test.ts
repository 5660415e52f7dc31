/**
 * The README shows the overview as it is: each run takes its picture in both themes and compares it with the committed one.
 * `PLAT_PICTURES=write bun test --timeout 120000 ./e2e/readme.test.ts` replaces them.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { ensureWeb } from '../scripts/web.mjs'
import { takeOneIn } from '../testing/cases.ts'
import { PEOPLE } from './access-seed.ts'
import { type RunningPlat, startPlat } from './server.ts'
import { launch, settle } from './shot-pages.ts'

const START_MS = 120_000
const FOLDER = join(import.meta.dirname, '..', 'docs', 'images')
const SIZE = { width: 1200, height: 720 }
const MOST_BYTES = 120 * 1024
/**
 * The greatest mean difference of all cells, of 255. Texts such as times vary by about 0.3 between runs. A missing or moved part differs
 * more.
 */
const MOST_MEAN = 1

let plat: RunningPlat
let browser: Browser
beforeAll(async () => {
  if (!ensureWeb()) throw new Error('the web UI can not be built')
  ;[plat, browser] = await Promise.all([startPlat({ devices: 2000, env: PEOPLE }), launch()])
  const { api } = plat
  const datacenter = await api.datacenters.create({ name: 'Oslo', location: 'Norway' })
  const network = await api.networks.create({ name: 'oslo-web', subnet: '10.200.1.0/24', datacenter_id: datacenter.id })
  const range = { start_ip: '10.200.1.10', end_ip: '10.200.1.99' }
  const pool = await api.pools.create({ name: 'oslo-web-pool', network_id: network.id, ...range })
  const { id } = await api.devices.create({ name: 'osl-web-1', os: 'Debian 12', tags: ['web'] })
  await api.reservations.allocate({ id: pool.id, device_id: id })
  await api.devices.update({ id, location: 'row 1, rack 3' })
  const old = await api.devices.create({ name: 'osl-old-1' })
  await api.devices.delete({ id: old.id })
}, START_MS)
afterAll(async () => {
  await browser.close()
  await plat.stop()
}, START_MS)

const pictureOf = async (theme: 'light' | 'dark'): Promise<Buffer> => {
  const context = await browser.newContext({
    viewport: SIZE,
    colorScheme: theme,
    reducedMotion: 'reduce',
    baseURL: plat.url,
    locale: 'en-US',
  })
  await context.addCookies([await plat.signIn('admin')])
  const page = await context.newPage()
  await page.goto('/')
  await settle(page)
  await page.getByRole('link', { name: 'osl-web-1' }).first().waitFor()
  const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' })
  await context.close()
  return picture
}

/** Returns the mean difference of two images, 0 to 255, each reduced to 60 by 36 cells. */
const differenceOf = async (one: Buffer, other: Buffer): Promise<number> => {
  const page = await browser.newPage()
  const found = await page.evaluate<number>(`(async () => {
    const cellsOf = async (base64) => {
      const bitmap = await createImageBitmap(new Blob([Uint8Array.fromBase64(base64)], { type: 'image/png' }))
      const context = new OffscreenCanvas(60, 36).getContext('2d')
      context.imageSmoothingQuality = 'high'
      context.drawImage(bitmap, 0, 0, 60, 36)
      return context.getImageData(0, 0, 60, 36).data
    }
    const [a, b] = [await cellsOf('${one.toString('base64')}'), await cellsOf('${other.toString('base64')}')]
    const all = [...a].map((value, i) => Math.abs(value - b[i]))
    return all.reduce((sum, n) => sum + n, 0) / all.length
  })()`)
  await page.close()
  return found
}

test.each(takeOneIn(2, ['light', 'dark'] as const))(
  'the %s picture of the README shows the overview as it is',
  async (theme) => {
    const file = join(FOLDER, `readme-${theme}.png`)
    const picture = await pictureOf(theme)
    if (process.env.PLAT_PICTURES === 'write') writeFileSync(file, picture)
    expect(existsSync(file)).toBe(true)
    const mean = await differenceOf(picture, readFileSync(file))
    expect(mean).toBeLessThan(MOST_MEAN)
    expect(statSync(file).size).toBeLessThan(MOST_BYTES)
  },
  START_MS,
)

test(
  'a picture of another page is a difference',
  async () => {
    const mean = await differenceOf(await pictureOf('light'), await pictureOf('dark'))
    expect(mean).toBeGreaterThan(MOST_MEAN)
  },
  START_MS,
)
