import { describe, expect, test } from 'bun:test'
import { buildInput, createEmptyValues, readValues } from './form-values.ts'

const resource = {
  fields: [
    { name: 'name', label: 'Name' },
    { name: 'vlan_id', label: 'VLAN', kind: 'number' },
    { name: 'tags', label: 'Tags', kind: 'tags' },
    { name: 'expires_at', label: 'Ends', kind: 'moment' },
  ],
} as const

describe('the request of a form', () => {
  test('has all fields of a new object', () => {
    const values = { ...createEmptyValues(resource, { name: ' core ' }), vlan_id: '7', tags: 'a, ,b' }
    expect(buildInput(resource, values)).toEqual({ name: 'core', vlan_id: 7, tags: ['a', 'b'], expires_at: '' })
  })

  test('has the changed fields of an existing one', () => {
    const before = readValues(resource, { name: 'core', vlan_id: 7, tags: ['a'], expires_at: null })
    expect(buildInput(resource, { ...before, vlan_id: '' }, before)).toEqual({ vlan_id: null })
    expect(buildInput(resource, before, before)).toEqual({})
  })

  test.each([[['a, b', 'c']], [['say "hi"', '"', ',']], [['plain', 'with space', 'x"y']], [[]]])(
    'keeps the items %j of a list',
    (tags) => {
      const before = readValues(resource, { tags })
      expect(buildInput(resource, before)).toMatchObject({ tags })
    },
  )

  test.each([
    [' prod, , web ,', ['prod', 'web']],
    ['"a, b', ['"a', 'b']],
    ['"a" b, c', ['"a" b', 'c']],
    ['"", "a"', ['a']],
  ])('reads the list %j as it is typed', (tags, items) => {
    expect(buildInput(resource, { ...createEmptyValues(resource), tags })).toMatchObject({ tags: items })
  })

  test('has the shown time', () => {
    const before = readValues(resource, { expires_at: '2026-07-01T10:30:00.000Z' })
    expect(buildInput(resource, before)).toMatchObject({ expires_at: '2026-07-01T10:30:00.000Z' })
  })
})
