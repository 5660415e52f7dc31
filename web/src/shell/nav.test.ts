import { describe, expect, test } from 'bun:test'
import { CATALOGUE } from '../../../src/people/roles/catalogue.ts'
import { buildObjectLink, findItem, NAV_ITEMS } from './nav.ts'

const twice = (values: readonly string[]): string[] => values.filter((one, at) => values.indexOf(one) !== at)

describe('the navigation', () => {
  test('has a different key for each page', () => {
    expect(twice(NAV_ITEMS.map(({ key }) => key))).toEqual([])
  })

  test('shows each type of object on one page', () => {
    expect(twice(NAV_ITEMS.flatMap(({ types = [] }) => types))).toEqual([])
  })

  test('asks for permissions of the catalog, also to create objects', () => {
    const asked = NAV_ITEMS.flatMap(({ permission, creates }) =>
      permission === undefined ? [] : [permission, ...(creates ? [permission.replace(':list', ':create')] : [])],
    )
    const known = new Set<string>(CATALOGUE.map(({ name }) => name))
    expect(asked.filter((permission) => !known.has(permission))).toEqual([])
  })

  test.each([
    ['device', { to: '/devices/$id', params: { id: 'one' } }],
    ['port', { to: '/ports/$id', params: { id: 'one' } }],
    ['cable', { to: '/cables', search: { edit: 'one' } }],
    ['feed', { to: '/feeds/$id', params: { id: 'one' } }],
    ['discovered_device', { to: '/discovered-devices', search: { entry: 'one' } }],
    ['dns-zone', { to: '/dns/$id', params: { id: 'one' } }],
    ['dns-provider', { to: '/dns', search: { edit: 'one', tab: 'servers' } }],
    ['dns-record', { to: '/dns', search: { entry: 'one' } }],
    ['discovery-rule', { to: '/rules', search: { edit: 'one' } }],
  ])('links a %s to its page or to the drawer of its list', (type, link) => {
    const item = findItem(type)
    expect(item && (buildObjectLink(item, 'one') as object)).toEqual(link)
  })
})
