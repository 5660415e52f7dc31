/**
 * `bun e2e/shots.ts`: every page in both themes, on a desk and on a phone, as pictures in dist/shots, and all of them on one
 * sheet. Not a test: somebody looks at it.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { findChromium } from '../scripts/server-binaries.mjs'
import { ensureWeb } from '../scripts/web.mjs'
import { startPlat } from './server.ts'

const OUT = join(import.meta.dirname, '..', 'dist', 'shots')
const THEMES = ['light', 'dark'] as const
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]
const DEVICES = 2000
/** Columns of the sheet. */
const ACROSS = 4

const settle = async (page: Page): Promise<void> => {
  await page.locator('h1, h2').first().waitFor()
  await page.waitForLoadState('networkidle')
}

if (!ensureWeb()) process.exit(1)
rmSync(OUT, { recursive: true, force: true })
mkdirSync(OUT, { recursive: true })
const plat = await startPlat({ devices: DEVICES })
const browser = await chromium.launch({
  executablePath: findChromium() ?? 'chromium',
  args: ['--disable-gpu', '--no-sandbox', '--force-color-profile=srgb', '--disable-lcd-text'],
})
const [[device], [network], [pool]] = await Promise.all([
  plat.api.devices.list({ limit: 1 }),
  plat.api.networks.list({ limit: 1, name: 'row' }),
  plat.api.pools.all({ limit: 1, name: 'servers' }),
])
const pages: readonly (readonly [string, string])[] = [
  ['overview', '/'],
  ['devices', '/devices?q=tag:production+-status:planned'],
  ['devices-none', '/devices?q=nothing-like-this'],
  ['device-new', '/devices?new=1'],
  ['device', `/devices/${device?.id}`],
  ['device-addresses', `/devices/${device?.id}?tab=addresses`],
  ['device-relationships', `/devices/${device?.id}?tab=relationships`],
  ['device-history', `/devices/${device?.id}?tab=history`],
  ['networks', '/networks'],
  ['networks-flat', '/networks?view=flat'],
  ['network', `/networks/${network?.id}`],
  ['pools', '/pools'],
  ['pool', `/pools/${pool?.id}`],
  ['reservations', '/reservations'],
  ['datacenters', '/datacenters'],
  ['account', '/account'],
  ['not-found', '/nowhere'],
]

const files: string[] = []
for (const theme of THEMES)
  for (const viewport of SIZES) {
    const context = await browser.newContext({
      viewport,
      colorScheme: theme,
      reducedMotion: 'reduce',
      baseURL: plat.url,
    })
    const page = await context.newPage()
    const shoot = async (name: string, path: string) => {
      await page.goto(path)
      await settle(page)
      const file = `${name}-${theme}-${viewport.width}.png`
      await page.screenshot({ path: join(OUT, file), animations: 'disabled', caret: 'hide' })
      files.push(file)
    }
    await shoot('login', '/login')
    await context.addCookies([await plat.signIn('admin')])
    for (const [name, path] of pages) await shoot(name, path)
    await context.close()
  }

const figures = files.map((file) => `<figure><img src="${file}" alt=""><figcaption>${file}</figcaption></figure>`)
const style = `body{font:12px sans-serif;display:grid;grid-template-columns:repeat(${ACROSS},1fr);gap:16px;margin:16px}figure{margin:0}img{width:100%;border:1px solid gray}`
writeFileSync(
  join(OUT, 'index.html'),
  `<!doctype html><meta charset="utf-8"><style>${style}</style>${figures.join('\n')}`,
)
const sheet = await browser.newPage({ viewport: { width: 1800, height: 900 } })
await sheet.goto(`file://${join(OUT, 'index.html')}`)
await sheet.screenshot({ path: join(OUT, 'sheet.png'), fullPage: true })
await browser.close()
await plat.stop()
console.log(`${files.length} pictures in ${OUT}`)
process.exit(0)
