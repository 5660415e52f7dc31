import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toAnchor } from '../../anchor.ts'
import { PAGES } from '../pages.ts'
import { findSection } from './sections.ts'

const DOCS = join(import.meta.dir, '../../../docs')

const listAnchors = (page: string): string[] =>
  [...readFileSync(join(DOCS, `${page}.md`), 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    toAnchor(heading),
  )

test.each(Object.keys(PAGES))('the page %s has a section of the documentation that exists', (path) => {
  const [, page = '', anchor = ''] = /^\/help\/([\w-]+)(?:#([\w-]+))?$/.exec(findSection(path)) ?? []
  expect(page).not.toBe('')
  if (anchor !== '') expect(listAnchors(page)).toContain(anchor)
})

test('a page that does not exist has the beginning of the documentation', () =>
  expect(findSection('/nowhere')).toBe('/help/'))
