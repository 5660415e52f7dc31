// The field `sort` of lists: its texts, and how they are read.
import { describe, expect, test } from 'bun:test'
import { parseSort, sortField } from './sort.ts'

describe('the field sort', () => {
  const accepts = (text: string, ...own: string[]) => sortField(own).safeParse(text).success

  test.each(['name', '-name', 'created_at', '-updated_at', 'custom.watts', '-custom.u_2', `custom.${'a'.repeat(50)}`])(
    'takes %s',
    (text) => {
      expect(accepts(text)).toBe(true)
    },
  )

  test.each([
    '',
    '-',
    '--name',
    'subnet',
    'Name',
    'name ',
    'custom.',
    'custom.A',
    'custom.a.b',
    `custom.${'a'.repeat(51)}`,
    'name,id',
  ])('refuses %p', (text) => {
    expect(accepts(text)).toBe(false)
  })

  test('takes the own fields of a list', () => {
    expect([accepts('subnet', 'subnet'), accepts('-subnet', 'subnet'), accepts('prefix', 'subnet')]).toEqual([
      true,
      true,
      false,
    ])
  })
})

test('a text says the field, whether it is a custom one, and the direction', () => {
  expect([parseSort('name'), parseSort('-created_at'), parseSort('custom.name'), parseSort('-custom.watts')]).toEqual([
    { by: 'name', isCustom: false, isReverse: false },
    { by: 'created_at', isCustom: false, isReverse: true },
    { by: 'name', isCustom: true, isReverse: false },
    { by: 'watts', isCustom: true, isReverse: true },
  ])
})
