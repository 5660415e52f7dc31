/**
 * `bun e2e/guide.ts`: the pictures of the guide (docs/web.md) and of sources, in docs/images. Run it again when the UI looks different; the
 * estate in them is made up, and the same every time.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { ensureWeb } from '../scripts/web.mjs'
import { launch, settle, shotPages, startEstate } from './shot-pages.ts'

const OUT = join(import.meta.dirname, '..', 'docs', 'images')
const DEVICES = 2000
const SIZE = { width: 1200, height: 720 }
/** A reader of the guide loads all of them. */
const MOST_BYTES = 120 * 1024

type Picture = {
  readonly name: string
  /** One of the pages of e2e/shot-pages.ts. */
  readonly page: string
  readonly theme?: 'light' | 'dark'
  /** Runs before the screenshot. */
  readonly before?: (page: Page) => Promise<void>
}

const press = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('button', { name }).click()
  await page.getByRole('menu').waitFor()
}

const select = async (page: Page): Promise<void> => {
  await page.getByLabel('Select all that match').click()
  await page.getByRole('toolbar', { name: 'Selected devices' }).waitFor()
}

const find = async (page: Page): Promise<void> => {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or jump to' }).fill('10.0.1')
  await page.getByRole('option', { selected: true }).waitFor()
  await page.waitForLoadState('networkidle')
}

const paste = async (page: Page): Promise<void> => {
  const csv =
    'Name,IP Address,Labels,Site\nweb-1,10.97.0.5,prod;web,Ashburn 2\nweb-2,10.97.0.600,prod,Ashburn 2\nweb-3,10.97.0.7,prod,Utrecht\n'
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(csv)})`)
  await page.getByLabel('Rows', { exact: true }).focus()
  await page.keyboard.press('Control+v')
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByRole('button', { name: 'Import 1 of 3' }).waitFor()
}

const PICTURES: readonly Picture[] = [
  { name: 'overview', page: 'overview' },
  { name: 'devices', page: 'devices', before: select },
  { name: 'palette', page: 'overview', theme: 'dark', before: find },
  { name: 'device-new', page: 'device-new' },
  { name: 'networks', page: 'networks' },
  { name: 'network-addresses', page: 'network-addresses' },
  { name: 'pool', page: 'pool' },
  { name: 'copy-as-command', page: 'pools', before: (page) => press(page, 'Copy as a command') },
  { name: 'topology', page: 'topology-focus', theme: 'dark' },
  { name: 'import', page: 'import', before: paste },
  { name: 'role', page: 'role' },
  { name: 'audit', page: 'audit-entry' },
  { name: 'source-new', page: 'source-new' },
  { name: 'source-changes', page: 'source' },
]

/** A third of the size of a PNG, without blurred letters. The browser converts it on an empty page. */
const webp = async (browser: Browser, png: Buffer): Promise<Buffer> => {
  const page = await browser.newPage()
  const base64 = await page.evaluate<string>(`(async () => {
    const answer = await fetch('data:image/png;base64,${png.toString('base64')}')
    const bitmap = await createImageBitmap(await answer.blob())
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
    canvas.getContext('2d').drawImage(bitmap, 0, 0)
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.85 })
    return new Uint8Array(await blob.arrayBuffer()).toBase64()
  })()`)
  await page.close()
  return Buffer.from(base64, 'base64')
}

/** The pictures that the command line names; without any all of them. */
const wantedNames = process.argv.slice(2)
const pictures = PICTURES.filter(({ name }) => wantedNames.length === 0 || wantedNames.includes(name))
if (!ensureWeb()) process.exit(1)
mkdirSync(OUT, { recursive: true })
const plat = await startEstate(DEVICES)
const browser = await launch()
const paths = new Map(await shotPages(plat))
const tooLarge: string[] = []
for (const { name, page: wanted, theme = 'light', before } of pictures) {
  const context = await browser.newContext({
    viewport: SIZE,
    colorScheme: theme,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    baseURL: plat.url,
    locale: 'en-US',
  })
  await context.addCookies([await plat.signIn('admin')])
  const page = await context.newPage()
  const path = paths.get(wanted)
  if (path === undefined) throw new Error(`there is no page ${wanted}`)
  await page.goto(path)
  await settle(page)
  await before?.(page)
  const picture = await webp(browser, await page.screenshot({ animations: 'disabled', caret: 'hide' }))
  writeFileSync(join(OUT, `${name}.webp`), picture)
  if (picture.length > MOST_BYTES) tooLarge.push(`${name}: ${Math.round(picture.length / 1024)} KiB`)
  await context.close()
}
await browser.close()
await plat.stop()
if (tooLarge.length > 0) console.error(`Too large: ${tooLarge.join(', ')}`)
console.log(`${pictures.length} pictures in ${OUT}`)
process.exit(tooLarge.length === 0 ? 0 : 1)
