import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { formatTerm, listCompletions, parseFilter, removeTerm } from './filter.ts'

const FIELDS = ['tag', 'os', 'ip']
const parsed = (text: string) =>
  parseFilter(text, FIELDS).map(({ isNegated, field, value }) => `${isNegated ? '-' : ''}${field}=${value}`)

describe('a filter', () => {
  test.each([
    ['', []],
    ['   ', []],
    ['web fra1', ['=web', '=fra1']],
    ['tag:Prod', ['tag=prod']],
    ['-tag:edge !lab', ['-tag=edge', '-=lab']],
    ['os:"Debian 12"', ['os=debian 12']],
    ['"row 1"', ['=row 1']],
    ['tag:', []],
    ['-', ['=-']],
    ['fe80::1', ['=fe80::1']],
    ['ip:fe80::', ['ip=fe80::']],
    ['00:1b:44', ['=00:1b:44']],
    ['constructor:x', ['=constructor:x']],
    ['os:"Debian 1', ['os=debian 1']],
  ])('%p', (text, expected) => expect(parsed(text)).toEqual(expected))

  test('never fails, and its terms stand where they say', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const { start, end } of parseFilter(text, FIELDS)) expect(text.slice(start, end).trim()).not.toBe('')
      }),
    )
  })

  test('loses one term and keeps the others', () => {
    const [, second] = parseFilter('web  tag:prod -lab', FIELDS)
    expect(second && removeTerm('web  tag:prod -lab', second)).toBe('web -lab')
  })

  test('reads what it writes', () => {
    expect(parsed(formatTerm('os', 'Debian 12'))).toEqual(['os=debian 12'])
  })
})

describe('completions', () => {
  const facets = {
    tag: [
      ['prod', 10],
      ['production db', 2],
    ],
  } as const

  test('of a field by its beginning', () => {
    expect(listCompletions('web -t', FIELDS, facets)).toEqual([{ text: 'web -tag:', label: '-tag:', note: '' }])
  })

  test('of a value, in quotes where it has blanks', () => {
    expect(listCompletions('tag:prod', FIELDS, facets).map(({ text }) => text)).toEqual(['tag:"production db" '])
    expect(listCompletions('tag:', FIELDS, facets).map(({ text }) => text)).toEqual([
      'tag:prod ',
      'tag:"production db" ',
    ])
  })

  test('are all fields where nothing is typed', () => {
    expect(listCompletions('', FIELDS, facets).map(({ label }) => label)).toEqual(['tag:', 'os:', 'ip:'])
  })
})
