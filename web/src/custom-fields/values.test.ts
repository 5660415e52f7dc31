import { describe, expect, test } from 'bun:test'
import { TableEngine, type TableSpec } from '../table/engine.ts'
import { formatCustom, parseCustomInput } from './known-text.ts'
import { type Definition, toTexts, type WithCustom, withCustomFields } from './values.ts'

const field = (name: string, type: Definition['type'], more: Partial<Definition> = {}): Definition => ({
  name,
  label: name,
  type,
  multiple: false,
  choices: [],
  reference_to: null,
  searchable: false,
  ...more,
})

const DEFINITIONS = [
  field('owner', 'text', { searchable: true }),
  field('watts', 'integer'),
  field('warranty', 'date'),
  field('leased', 'boolean'),
  field('roles', 'choice', { multiple: true, choices: ['core', 'edge'] }),
  field('site', 'reference', { reference_to: 'datacenters' }),
  field('tag', 'text'),
  field('peer', 'ip', { multiple: true }),
  field('loopback', 'ip'),
]

const NAMES = new Map([['dc-1', 'Oslo']])

type Row = WithCustom & { readonly name: string }

const OWN: TableSpec<Row> = {
  id: ({ id }) => id,
  text: ({ name }) => name,
  sorts: { name: ({ name }) => name },
  fields: { tag: ({ name }, value) => name === value },
  facets: {},
}

const ROWS: readonly Row[] = [
  {
    id: '1',
    name: 'a',
    custom: { loopback: '10.0.0.9', owner: 'NetEng', watts: 4, warranty: '2026-12-31', leased: true, tag: 'x' },
  },
  {
    id: '2',
    name: 'b',
    custom: {
      loopback: '2001:db8::1',
      peer: ['10.0.0.1', 'fe80::1'],
      owner: 'storage',
      watts: 40,
      warranty: '2027-06-30',
      roles: ['core', 'edge'],
    },
  },
  {
    id: '3',
    name: 'c',
    custom: { loopback: '10.0.0.10', peer: ['10.0.0.10'], watts: -5, leased: false, site: 'dc-1' },
  },
  { id: '4', name: 'd' },
]

const engine = new TableEngine(ROWS, withCustomFields(OWN, DEFINITIONS, NAMES))
const found = (q: string, sort = 'name', isDescending = false): string =>
  [...engine.query({ q, sort, isDescending })].map((index) => engine.row(index).name).join('')

describe('a filter', () => {
  test.each([
    ['owner:net', 'a'],
    ['custom.owner:NETENG', 'a'],
    ['owner:*', 'ab'],
    ['-owner:*', 'cd'],
    ['watts:4', 'a'],
    ['watts:40', 'b'],
    ['watts:400', ''],
    ['peer:10.0.0.1', 'b'],
    ['peer:FE80:0:0::1', 'b'],
    ['peer:10.0.', 'bc'],
    ['10.0.0.10', 'c'],
    ['watts.min:4', 'ab'],
    ['watts.max:4', 'ac'],
    ['watts.min:0 watts.max:10', 'a'],
    ['custom.watts.min:10', 'b'],
    ['watts.min:x', ''],
    ['warranty:2026', 'a'],
    ['warranty.min:2027', 'b'],
    ['warranty.max:2026', 'a'],
    ['leased:yes', 'a'],
    ['leased:false', 'c'],
    ['roles:edge', 'b'],
    ['site:osl', 'c'],
    ['site:dc-1', 'c'],
    // The list has a filter of this name.
    ['tag:x', ''],
    ['custom.tag:x', 'a'],
    ['storage', 'b'],
    ['core', ''],
  ])('%s finds "%s"', (q, names) => {
    expect(found(q)).toBe(names)
  })
})

test('rows without a value come last in both directions', () => {
  expect(found('', 'custom.watts')).toBe('cabd')
  expect(found('', 'custom.watts', true)).toBe('bacd')
  expect(found('', 'custom.site')).toBe('cabd')
})

test('values are completed by the texts that are shown', () => {
  const facets = engine.facets()
  expect(facets.leased).toEqual([
    ['No', 1],
    ['Yes', 1],
  ])
  expect(facets.roles).toEqual([
    ['core', 1],
    ['edge', 1],
  ])
  expect(facets['custom.site']).toEqual([['Oslo', 1]])
  expect(Object.keys(facets)).not.toContain('tag')
})

test('a reference to an object that is not known is shown by its id', () => {
  const [, , , , , site] = DEFINITIONS
  expect(site && toTexts(site, 'dc-2', NAMES)).toEqual(['dc-2'])
})

describe('the values of a form', () => {
  test('are sent as they are typed, of a new object all', () => {
    expect(parseCustomInput(JSON.stringify({ owner: 'x', watts: '12', roles: ['core'], tier: '' }))).toEqual({
      owner: 'x',
      watts: '12',
      roles: ['core'],
      tier: '',
    })
    expect(parseCustomInput('')).toBeUndefined()
  })

  test('are sent of a change where they are others', () => {
    const before = formatCustom({ owner: 'x', watts: 12, leased: true, roles: ['core', 'edge'] })
    const now = { owner: '', watts: '12', leased: 'true', roles: ['core'], tier: '' }
    expect(parseCustomInput(JSON.stringify(now), before)).toEqual({ owner: '', roles: ['core'] })
    expect(parseCustomInput(before, before)).toBeUndefined()
    expect(parseCustomInput('', before)).toBeUndefined()
  })
})
