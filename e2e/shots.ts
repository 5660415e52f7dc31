/**
 * `bun e2e/shots.ts [NAME ...]`: every page (or the pages with names that begin so) in both themes, on a desk and on a phone, as
 * pictures in dist/shots, a sheet for each page and one of all. Not a test: people review the pictures.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { ensureWeb } from '../scripts/web.mjs'
import type { RunningPlat } from './server.ts'
import { launch, type Shot, settle, shotPages, startEstate } from './shot-pages.ts'

const OUT = join(import.meta.dirname, '..', 'dist', 'shots')
const THEMES = ['light', 'dark'] as const
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]
const DEVICES = 2000
/** Columns of the contact sheet. */
const ACROSS = 8

const fileOf = (name: string, theme: string, width: number): string => `${name}-${theme}-${width}.png`

type Wrong = { readonly file: string; readonly what: string }

/** Checks that need no reader. */
const judge = async (page: Page): Promise<string[]> => {
  const isWider = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
  return isWider ? ['is wider than its window'] : []
}

const shootAll = async (browser: Browser, plat: RunningPlat, pages: readonly Shot[]): Promise<readonly Wrong[]> => {
  const wrong: Wrong[] = []
  for (const theme of THEMES)
    for (const viewport of SIZES) {
      const context = await browser.newContext({
        viewport,
        colorScheme: theme,
        reducedMotion: 'reduce',
        baseURL: plat.url,
      })
      const page = await context.newPage()
      const shoot = async ([name, path]: Shot) => {
        await page.goto(path)
        await settle(page)
        const file = fileOf(name, theme, viewport.width)
        for (const what of await judge(page)) wrong.push({ file, what })
        await page.screenshot({ path: join(OUT, file), animations: 'disabled', caret: 'hide' })
      }
      await shoot(['login', '/login'])
      await context.addCookies([await plat.signIn('admin')])
      for (const shot of pages) await shoot(shot)
      await context.close()
    }
  return wrong
}

const sheetOf = async (browser: Browser, name: string, files: readonly string[], columns: string): Promise<void> => {
  const figures = files.map((file) => `<figure><img src="${file}" alt=""><figcaption>${file}</figcaption></figure>`)
  const style = `body{font:12px sans-serif;display:grid;grid-template-columns:${columns};gap:12px;margin:12px;background:gray}figure{margin:0}img{width:100%}`
  const html = join(OUT, `${name}.html`)
  writeFileSync(html, `<!doctype html><meta charset="utf-8"><style>${style}</style>${figures.join('\n')}`)
  const sheet = await browser.newPage({ viewport: { width: 2000, height: 900 } })
  await sheet.goto(`file://${html}`)
  await sheet.screenshot({ path: join(OUT, `${name}.png`), fullPage: true })
  await sheet.close()
}

if (!ensureWeb()) process.exit(1)
rmSync(OUT, { recursive: true, force: true })
mkdirSync(OUT, { recursive: true })
const plat = await startEstate(DEVICES)
const browser = await launch()
const chosen = process.argv.slice(2)
const all = await shotPages(plat)
const pages = chosen.length === 0 ? all : all.filter(([name]) => chosen.some((one) => name.startsWith(one)))
const wrong = await shootAll(browser, plat, pages)
const files: string[] = []
for (const name of ['login', ...pages.map(([one]) => one)]) {
  const four = SIZES.flatMap(({ width }) => THEMES.map((theme) => fileOf(name, theme, width)))
  files.push(...four)
  await sheetOf(browser, `sheet-${name}`, four, '1440fr 1440fr 390fr 390fr')
}
await sheetOf(browser, 'sheet', files, `repeat(${ACROSS}, 1fr)`)
await browser.close()
await plat.stop()
for (const { file, what } of wrong) console.error(`${file} ${what}`)
console.log(`${files.length} pictures in ${OUT}`)
process.exit(wrong.length === 0 ? 0 : 1)
