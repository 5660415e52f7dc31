/** The decision pages: their number and length, the files that they explain, and the links of code and documents to them. */
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toAnchor } from '../web/anchor.ts'

const ROOT = join(import.meta.dirname, '..')
const FOLDER = 'docs/decisions'
const MAX_PAGES = 28
const MAX_WORDS = 15_150
const MAX_WORDS_IN_A_SENTENCE = 20

const readPage = (page: string): string => readFileSync(join(ROOT, FOLDER, page), 'utf8')
const countWords = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length

const pages = readdirSync(join(ROOT, FOLDER)).toSorted()
const subjects = pages.filter((page) => page !== 'README.md')

/** Returns the paths in code spans that begin with a folder of the sources. */
const listPaths = (text: string): string[] =>
  [...text.matchAll(/`((?:src|web|bench|scripts|tests|e2e|packaging|golden)\/[^`\s]*)`/g)].map(([, path = '']) => path)

const listMissingPaths = (text: string): string[] => listPaths(text).filter((path) => !existsSync(join(ROOT, path)))

/** Returns the paragraphs and list items of a page as lines, without headings, tables and targets of links. */
const listParagraphs = (text: string): string[] =>
  text
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/^(?:#|\|).*$/gm, '')
    .split(/\n\n+|\n(?=- )/)
    .map((paragraph) =>
      paragraph
        .replace(/^- |\*\*/g, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((paragraph) => paragraph !== '' && !paragraph.startsWith('Explains '))

const listLongSentences = (text: string): string[] =>
  listParagraphs(text)
    .flatMap((paragraph) => paragraph.split(/(?<=[.?!:])\s+(?=[A-Z`[0-9*])/))
    .filter((sentence) => countWords(sentence) > MAX_WORDS_IN_A_SENTENCE)

const targets = new Set(
  pages.flatMap((page) => [
    `${FOLDER}/${page}`,
    ...[...readPage(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => `${FOLDER}/${page}#${toAnchor(heading)}`),
  ]),
)

/** Returns all mentions of decision pages in the files of the repository. */
const listMentions = (): string[] => {
  const found = Bun.spawnSync(['git', 'grep', '--untracked', '-ohE', `${FOLDER}/[a-z-]+\\.md(#[a-z0-9-]+)?`], {
    cwd: ROOT,
  })
  return found.stdout.toString().split('\n').filter(Boolean)
}

describe('docs/decisions', () => {
  test(`has at most ${MAX_PAGES} pages`, () => expect(pages.length).toBeLessThanOrEqual(MAX_PAGES))

  test(`has at most ${MAX_WORDS} words`, () => {
    expect(countWords(pages.map(readPage).join('\n'))).toBeLessThanOrEqual(MAX_WORDS)
  })

  test('lists each page once in its README', () => {
    const listed = [...readPage('README.md').matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, page = '']) => page)
    expect(listed.toSorted()).toEqual(subjects)
  })

  test.each(subjects)('%s names in its second paragraph the files that it explains', (page) => {
    const [, explains = ''] = readPage(page).split('\n\n')
    expect(explains).toStartWith('Explains `')
    expect(listPaths(explains).length).toBeGreaterThan(0)
  })

  test.each(subjects)('the files and folders that %s names exist', (page) => {
    expect(listMissingPaths(readPage(page))).toEqual([])
  })

  test.each(subjects)(`%s has no sentence of more than ${MAX_WORDS_IN_A_SENTENCE} words`, (page) => {
    expect(listLongSentences(readPage(page))).toEqual([])
  })

  test('has each page and section that code and documents name', () => {
    const mentions = listMentions()
    expect(mentions.length).toBeGreaterThan(20)
    expect(mentions.filter((mention) => !targets.has(mention))).toEqual([])
  })
})

test('a path that does not exist is found in a page', () => {
  const text = 'Explains `src/main.ts`, `src/never/there.ts`, `web/`, `docs/never.md` and `SELECT src/x`.'
  expect(listMissingPaths(text)).toEqual(['src/never/there.ts'])
})

test('a long sentence is found in a list, and not in a heading or a table', () => {
  const long = `Takes ${'one word '.repeat(10)}more.`
  expect(listLongSentences(`# ${long}\n\n| ${long} |\n|---|\n\n- Short.\n- Also short. ${long}`)).toEqual([long])
})
