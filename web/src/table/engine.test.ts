import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { TableEngine, type TableSpec } from './engine.ts'

type Row = { readonly id: string; readonly name: string; readonly size: number; readonly tags: readonly string[] }

const spec: TableSpec<Row> = {
  id: (row) => row.id,
  text: (row) => `${row.name}\n${row.tags.join('\n')}`,
  sorts: { name: (row) => row.name, size: (row) => row.size },
  fields: { tag: (row, value) => row.tags.some((tag) => tag.startsWith(value)) },
  facets: { tag: (row) => row.tags },
}

const rows: readonly Row[] = [
  { id: '1', name: 'web-b', size: 9, tags: ['prod', 'edge'] },
  { id: '2', name: 'web-a', size: 10, tags: ['prod'] },
  { id: '3', name: 'DB-c', size: 1, tags: [] },
]
const engine = () => new TableEngine(rows, spec)
const names = (from: TableEngine<Row>, q: string, sort = 'name', isDescending = false) =>
  [...from.query({ q, sort, isDescending })].map((index) => from.row(index).name)

describe('a query', () => {
  test('sorts names by code point and numbers by value', () => {
    expect(names(engine(), '')).toEqual(['DB-c', 'web-a', 'web-b'])
    expect(names(engine(), '', 'size')).toEqual(['DB-c', 'web-b', 'web-a'])
    expect(names(engine(), '', 'size', true)).toEqual(['web-a', 'web-b', 'DB-c'])
  })

  test('wants every term to hold', () => {
    expect(names(engine(), 'web tag:prod')).toEqual(['web-a', 'web-b'])
    expect(names(engine(), 'web -tag:edge')).toEqual(['web-a'])
    expect(names(engine(), 'db')).toEqual(['DB-c'])
  })

  test('takes a word before a colon for text unless it is a field of the list', () => {
    expect(names(engine(), 'constructor:x')).toEqual([])
    expect(names(engine(), '__proto__:x')).toEqual([])
  })

  test('finds a MAC in any notation, and a name that contains it as it is typed', () => {
    const own = new TableEngine<Row>(
      [
        { id: '1', name: 'a', size: 1, tags: ['52:54:00:aa:bb:cc'] },
        { id: '2', name: 'sep525400AABBCC', size: 1, tags: [] },
        { id: '3', name: 'c', size: 1, tags: ['52:54:00:aa:bb:cd'] },
      ],
      spec,
    )
    // Each character that is typed narrows the rows.
    for (const q of ['5254', '525400aabbc', '525400AABBC']) names(own, q)
    expect(names(own, '525400AABBCC')).toEqual(['a', 'sep525400AABBCC'])
    expect(names(own, '52-54-00-AA-BB-CC')).toEqual(['a'])
    expect(names(own, '-5254.00aa.bbcc')).toEqual(['c', 'sep525400AABBCC'])
  })

  test('is the same whatever was asked before it', () => {
    const word = fc.constantFrom(
      'w',
      'we',
      'web',
      'web-a',
      '-web',
      '-w',
      'tag:p',
      'tag:prod',
      '-tag:e',
      '-tag:edge',
      'x',
    )
    const text = fc.array(word, { maxLength: 3 }).map((words) => words.join(' '))
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 6 }), (texts) => {
        const used = engine()
        for (const q of texts) expect(names(used, q)).toEqual(names(engine(), q))
      }),
    )
  })
})

describe('a change', () => {
  test('puts a row in the place of the old one', () => {
    const changed = engine()
    names(changed, 'web')
    changed.put([{ id: '1', name: 'app', size: 0, tags: [] }])
    expect(names(changed, '')).toEqual(['DB-c', 'app', 'web-a'])
    expect(changed.total).toBe(3)
  })

  test('adds a row that is new', () => {
    const changed = engine()
    changed.put([{ id: '4', name: 'new', size: 0, tags: [] }])
    expect(names(changed, 'new')).toEqual(['new'])
    expect(changed.withIds(new Set(['4', '5'])).map(({ name }) => name)).toEqual(['new'])
  })

  test('drops rows', () => {
    const changed = engine()
    changed.drop(new Set(['1', '3']))
    expect([names(changed, ''), changed.total]).toEqual([['web-a'], 1])
  })
})

test('facets are counted, the most frequent first', () => {
  expect(engine().facets()).toEqual({
    tag: [
      ['prod', 2],
      ['edge', 1],
    ],
  })
})
