import { describe, expect, test } from 'bun:test'
import { add, buildColumn, buildTable, copyLines, isSame, NOTHING, sumText } from './form.ts'
import { isSamePlace, placeIn } from './location.ts'
import { formatProgress, formatTime } from './meter.ts'

const things = buildTable(
  'things',
  [buildColumn('things', 'id', 'TEXT'), buildColumn('things', 'data', 'BLOB')],
  ['id'],
)

describe('rows in the form of a copy', () => {
  test('are written so that COPY reads the same values', () => {
    const rows = [
      ['a\tb\nc\rd\\e', '00ff'],
      ['\\N', null],
    ]
    expect(copyLines(things, rows)).toBe('a\\tb\\nc\\rd\\\\e\t\\\\x00ff\n\\\\N\t\\N\n')
  })

  test('have one sum in whatever order and pages they come', () => {
    const one = add(add(NOTHING, [['a', null]]), [['b', '00']])
    const other = add(NOTHING, [
      ['b', '00'],
      ['a', null],
    ])
    expect(isSame(one, other)).toBe(true)
  })

  test.each([
    [[['ab', null]], [['a', 'b']]],
    [[['a', null]], [['a', '']]],
    [
      [
        ['a', '00'],
        ['b', '01'],
      ],
      [
        ['a', '01'],
        ['b', '00'],
      ],
    ],
  ])('%j and %j have different ones', (a, b) => {
    expect(sumText(add(NOTHING, a))).not.toBe(sumText(add(NOTHING, b)))
  })

  test('refuse types without a conversion', () => {
    expect(() => buildColumn('things', 'at', 'timestamp with time zone')).toThrow(
      'things.at is of the type timestamp with time zone, which this version cannot copy',
    )
  })

  test('only tables with a primary key have rows in the form of a copy', () => {
    expect(() => buildTable('things', things.columns, [])).toThrow('things has no primary key')
  })
})

describe('a place', () => {
  test.each([
    ['postgres://plat@db/plat', { kind: 'postgres', url: 'postgres://plat@db/plat' }],
    ['postgresql://plat@db/plat', { kind: 'postgres', url: 'postgresql://plat@db/plat' }],
    ['sqlite:/var/lib/plat', { kind: 'folder', dataDir: '/var/lib/plat' }],
    ['/var/lib/plat/plat.db', { kind: 'folder', dataDir: '/var/lib/plat' }],
    ['/var/lib/plat/', { kind: 'folder', dataDir: '/var/lib/plat' }],
  ])('%s is understood', (text, place) => {
    expect(placeIn(text, 'to')).toEqual(place as ReturnType<typeof placeIn>)
  })

  test.each(['mysql://plat:secret@db/plat', '/var/lib/other.db', ''])(
    '"%s" is refused without its password',
    (text) => {
      expect(() => placeIn(text, 'to')).toThrow(/^--to((?!secret).)*$/)
    },
  )

  test('is the same by whatever name', () => {
    expect(isSamePlace(placeIn('/tmp', 'to'), placeIn('sqlite:/tmp/../tmp/plat.db', 'from'))).toBe(true)
  })
})

describe('progress', () => {
  const at = { stage: 'copying devices', done: 1500, total: 3000, since: 500 }

  test('reports rows, rate and remaining time', () => {
    expect(formatProgress({ ...at, inMs: 2000 })).toBe(
      'copying devices: 1,500 of 3,000 rows (50 %), 500 rows/s, 3 s left',
    )
  })

  test('reports no rate before the first rows', () => {
    expect(formatProgress({ ...at, inMs: 10 })).toBe('copying devices: 1,500 of 3,000 rows (50 %)')
  })

  test.each([
    [400, '1 s'],
    [75_000, '1 min 15 s'],
    [7_260_000, '2 h 1 min'],
  ])('%i ms are %s', (ms, text) => {
    expect(formatTime(ms)).toBe(text)
  })
})
