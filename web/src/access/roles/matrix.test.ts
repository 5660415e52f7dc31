import { describe, expect, test } from 'bun:test'
import { buildMatrixRows, filterMissing, formatMissing, withAll } from './matrix.ts'

const permission = (name: string) => {
  const [resource = '', action = ''] = name.split(':')
  return { name, resource, action, description: '' }
}
const catalogue = ['audit:export', 'audit:list', 'audit:read', 'search:read'].map(permission)

describe('the matrix of permissions', () => {
  test('has a row for each resource, and one place for unusual verbs', () => {
    const [audit, search] = buildMatrixRows(catalogue)
    expect([audit?.resource, audit?.cells.list?.name, audit?.cells.create]).toEqual(['audit', 'audit:list', undefined])
    expect(audit?.others.map(({ name }) => name)).toEqual(['audit:export'])
    expect(search?.all.map(({ name }) => name)).toEqual(['search:read'])
  })

  test('is switched by rows and columns', () => {
    const held = new Set(['a', 'b'])
    expect([...withAll(held, ['b', 'c'], true)]).toEqual(['a', 'b', 'c'])
    expect([...withAll(held, ['b', 'c'], false)]).toEqual(['a'])
  })
})

describe('a missing permission', () => {
  test('is named, or counted if there are many', () => {
    expect(filterMissing(['a', 'b'], (name) => name === 'a')).toEqual(['b'])
    expect(formatMissing([])).toBeUndefined()
    expect(formatMissing(['a', 'b', 'c', 'd'])).toBe('Holds permissions that you lack: a, b, c and 1 more')
  })
})
