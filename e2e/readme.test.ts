/**
 * The README shows pages of the demo as they are: golden/pictures.txt has the hash of the accessibility tree of each, and a
 * page that says something else needs a new picture. `npm run pictures` takes them, and writes the hashes.
 */
import { beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { eventually, world } from './harness.ts'

const isWriting = process.env.PLAT_PICTURES === 'write'
const ROOT = join(import.meta.dirname, '..')
const HASHES = join(ROOT, 'golden', 'pictures.txt')
const SIZE = { width: 1200, height: 720 }
const MOST_BYTES = 120 * 1024
const THEMES = ['light', 'dark'] as const

const PICTURES = [
  ['networks', '/networks'],
  ['rack', '/racks/demo-rack-fra-a01'],
  ['inbox', '/inbox'],
] as const

const it = world({ devices: 0 })

beforeAll(async () => {
  await it.plat.api.demo.load({})
  await eventually(async () => Object.values(await it.plat.api.inbox.summary({})).some((n) => (n ?? 0) > 0), true)
})

/** Returns the accessibility tree without the parts that differ each time: times and generated ids. */
const readTree = async (page: Page): Promise<string> =>
  (await page.locator('body').ariaSnapshot())
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]+\b/g, 'ID')
    .replaceAll(/\b(\d{4}-)?\d\d-\d\d \d\d:\d\d(:\d\d)?\b|\b\d\d:\d\d(:\d\d)?\b/g, 'TIME')
    .replaceAll(/just now|\d+ (second|minute|hour|day)s? ago/g, 'AGO')

const readHashes = (): Map<string, string> =>
  new Map(
    readFileSync(HASHES, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line): [string, string] => {
        const [name = '', hash = ''] = line.split(' ')
        return [name, hash]
      }),
  )

const writeHash = (name: string, hash: string): void => {
  const lines = [...readHashes().set(name, hash)].map((line) => `${line.join(' ')}\n`)
  writeFileSync(HASHES, lines.sort().join(''))
}

/** A third of the size of a PNG, without blurred letters. */
const toWebp = async (page: Page, png: Buffer): Promise<Buffer> => {
  const blank = await page.context().newPage()
  const base64 = await blank.evaluate<string>(`(async () => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.fromBase64('${png.toString('base64')}')]))
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
    canvas.getContext('2d').drawImage(bitmap, 0, 0)
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.85 })
    return new Uint8Array(await blob.arrayBuffer()).toBase64()
  })()`)
  await blank.close()
  return Buffer.from(base64, 'base64')
}

const toFile = (name: string, theme: string): string => join(ROOT, 'docs', 'images', `readme-${name}-${theme}.webp`)

test.each(PICTURES)('the picture of the README named %s shows the page as it is', (name, path) =>
  it.visit(
    async ({ page, openWhole }) => {
      await openWhole(path)
      const hash = createHash('sha256')
        .update(await readTree(page))
        .digest('hex')
        .slice(0, 16)
      if (isWriting) {
        writeHash(name, hash)
        for (const theme of THEMES) {
          await page.emulateMedia({ colorScheme: theme })
          const png = await page.screenshot({ animations: 'disabled', caret: 'hide' })
          writeFileSync(toFile(name, theme), await toWebp(page, png))
        }
      }
      // Another one: npm run pictures.
      expect([name, readHashes().get(name)]).toEqual([name, hash])
      for (const theme of THEMES) expect(statSync(toFile(name, theme)).size).toBeLessThan(MOST_BYTES)
    },
    { as: 'admin', ...SIZE },
  ),
)

test('the README shows these pictures and no others', () => {
  const shown = [...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/docs\/images\/readme-([\w-]+)\.webp/g)]
  const wanted = PICTURES.flatMap(([name]) => THEMES.map((theme) => `${name}-${theme}`))
  expect(shown.map(([, name]) => name).sort()).toEqual(wanted.sort())
  expect([...readHashes().keys()].sort()).toEqual(PICTURES.map(([name]) => name).sort())
})
