/** docs/glossary.md has a row for each noun of the API, and no term that neither the code nor a document uses. */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contracts, routes } from '../src/app/contracts.ts'
import { getNoun } from '../src/kernel/operation.ts'
import { listProseFiles } from '../testing/rules/prose-files.ts'

const ROOT = join(import.meta.dirname, '..')
const GLOSSARY = 'docs/glossary.md'
const EXEMPT = new Set([GLOSSARY, 'tests/glossary.test.ts'])

type Row = {
  readonly term: string
  /** The nouns of the API that the term stands for, in backticks beside it. */
  readonly nouns: readonly string[]
  readonly meaning: string
  readonly refused: readonly string[]
}

const parseWords = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word)

const parseRows = (page: string): Row[] =>
  [...page.matchAll(/^\| (?!Term|---)(.*?) \| (.*?) \| (.*?) \|$/gm)].map(
    ([, term = '', meaning = '', refused = '']) => ({
      term: term.replace(/`[^`]*`/g, '').trim(),
      nouns: parseWords(term),
      meaning: meaning.trim(),
      refused: parseWords(refused),
    }),
  )

/** Matches a term in prose, and joined as in identifiers and file names: `change record`, `ChangeRecord`, `change-record`. */
const buildPattern = (term: string): RegExp => {
  const words = term.split(' ').map((word) => word.replace(/[^\w]/g, '.'))
  return new RegExp(`(?<![a-z])${words.join('[ \\n_-]?')}(?:e?s)?(?![a-z])`, 'i')
}

const findUnused = (terms: readonly string[], texts: Iterable<string>): string[] => {
  let left = terms.map((term) => ({ term, pattern: buildPattern(term) }))
  for (const text of texts) {
    if (left.length === 0) break
    left = left.filter(({ pattern }) => !pattern.test(text))
  }
  return left.map(({ term }) => term)
}

const findMissingNouns = (rows: readonly Row[], nouns: Iterable<string>): string[] => {
  const known = new Set(rows.flatMap((row) => row.nouns))
  return [...nouns].filter((noun) => !known.has(noun))
}

const rows = parseRows(readFileSync(join(ROOT, GLOSSARY), 'utf8'))

function* readTexts(): Generator<string> {
  for (const path of listProseFiles()) if (!EXEMPT.has(path)) yield readFileSync(join(ROOT, path), 'utf8')
}

describe('docs/glossary.md', () => {
  test('every term has a meaning and the words that are not used for it', () => {
    expect(rows.length).toBeGreaterThan(100)
    const incomplete = rows.filter(({ term, meaning, refused }) => !term || !meaning || refused.length === 0)
    expect(incomplete.map(({ term }) => term)).toEqual([])
  })

  test('every line of the table is read as a row', () => {
    const lines = readFileSync(join(ROOT, GLOSSARY), 'utf8').match(/^\|(?! Term|---).*$/gm) ?? []
    expect(rows.length).toBe(lines.length)
  })

  test('the table has every term once, in the order of the alphabet', () => {
    const terms = rows.map(({ term }) => term.toLowerCase())
    expect(terms).toEqual([...new Set(terms)].toSorted())
  })

  test('no term is refused for itself', () => {
    expect(rows.filter(({ term, refused }) => refused.includes(term)).map(({ term }) => term)).toEqual([])
  })

  test('every noun of the API has a row', () => {
    const operations = Object.values(contracts).flatMap((set) => Object.values(set))
    const nouns = new Set([...operations, ...routes].map(getNoun))
    expect(nouns.size).toBeGreaterThan(40)
    expect(findMissingNouns(rows, nouns)).toEqual([])
  })

  test('the code or a document uses every term', () => {
    const terms = rows.map(({ term }) => term)
    expect(findUnused(terms, readTexts())).toEqual([])
  })
})

describe('a check of the glossary', () => {
  test('a term that no text uses is found', () => {
    const texts = ['A scan of a network.', 'const changeRecord = 1', "import './scope-filter.ts'"]
    expect(findUnused(['scan', 'change record', 'scope filter', 'flux capacitor'], texts)).toEqual(['flux capacitor'])
  })

  test('a part of a longer word does not use a term', () => {
    expect(findUnused(['port'], ['The import of a report.'])).toEqual(['port'])
  })

  test('a noun without a row is found', () => {
    expect(findMissingNouns(parseRows('| device `devices` | A machine | `box` |'), ['devices', 'pools'])).toEqual([
      'pools',
    ])
  })
})
