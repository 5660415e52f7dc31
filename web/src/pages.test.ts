import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { isPath, PAGES, toComponentName } from './pages.ts'

test.each(Object.entries(PAGES))('the page at %s is a component of its file', async (_, file) => {
  const text = await Bun.file(join(import.meta.dirname, `${file}.tsx`)).text()
  expect(text).toContain(`export const ${toComponentName(file)} = `)
})

test('no other path is a page', () => {
  expect(['/nothing', '/constructor', 'constructor', ''].filter(isPath)).toEqual([])
})
