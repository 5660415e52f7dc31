import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { isPath, PAGES, toComponentName } from './pages.ts'
import { RESOURCE_NAMES } from './resource/facts/names.ts'

/** The list of a resource without a file is its declared page. */
const DECLARED: ReadonlySet<string> = new Set(RESOURCE_NAMES.map((name) => `/${name}`))
const findFile = (file: string) => Bun.file(join(import.meta.dirname, `${file}.tsx`))
const pages = await Promise.all(
  Object.entries(PAGES).map(async ([path, file]) => ({ path, file, exists: await findFile(file).exists() })),
)

test('a page without a file is the list of a resource', () => {
  expect(pages.filter(({ path, exists }) => !exists && !DECLARED.has(path))).toEqual([])
})

test.each(pages.filter(({ exists }) => exists))('the page at $path is a component of its file', async ({ file }) => {
  const text = await findFile(file).text()
  expect(text).toContain(`export const ${toComponentName(file)} = `)
})

test('no other path is a page', () => {
  expect(['/nothing', '/constructor', 'constructor', ''].filter(isPath)).toEqual([])
})
