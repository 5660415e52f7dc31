import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SearchResult } from '../../../src/answers/search/api.ts'
import { CATALOGUE } from '../../../src/people/roles/catalogue.ts'
import { PAGES } from '../pages.ts'
import {
  buildObjectLink,
  FIRST_ENTRIES,
  findEntry,
  findItem,
  GROUPS,
  isOfSettings,
  NAV_ITEMS,
  SETTINGS,
} from './nav.ts'

const twice = (values: readonly string[]): string[] => values.filter((one, at) => values.indexOf(one) !== at)

describe('the navigation', () => {
  test('has a different key for each page', () => {
    expect(twice(NAV_ITEMS.flatMap(({ key }) => key ?? []))).toEqual([])
  })

  test('names each page, and no page gives another title', () => {
    const files: Readonly<Record<string, string>> = PAGES
    const read = NAV_ITEMS.flatMap(({ to }) => {
      const path = join(import.meta.dir, '..', `${files[to]}.tsx`)
      return existsSync(path) ? [readFileSync(path, 'utf8')] : []
    })
    expect(read.length).toBeGreaterThan(25)
    // The form of a new object is below its list.
    const own = read.flatMap((text) => text.match(/<(PageHead|ListPage)\s+title="[^"]*"(?! parent)/g) ?? [])
    expect(own).toEqual([])
  })

  test('shows each type of object on one page', () => {
    expect(twice(NAV_ITEMS.flatMap(({ types = [] }) => types))).toEqual([])
  })

  test('has a page for each type of object that the search finds', () => {
    expect(SearchResult.shape.type.options.filter((type) => findItem(type) === undefined)).toEqual([])
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
    ['kind', { to: '/kinds/$id', params: { id: 'one' } }],
    ['object', { to: '/objects/$id', params: { id: 'one' } }],
    ['feed', { to: '/feeds/$id', params: { id: 'one' } }],
    ['source', { to: '/sources/$id', params: { id: 'one' } }],
    ['scanner', { to: '/scanners/$id', params: { id: 'one' } }],
    ['discovered_device', { to: '/discovered-devices', search: { entry: 'one' } }],
    ['dns-zone', { to: '/dns/$id', params: { id: 'one' } }],
    ['dns-provider', { to: '/dns', search: { edit: 'one', tab: 'servers' } }],
    ['dns-record', { to: '/dns', search: { entry: 'one' } }],
    ['discovery-rule', { to: '/rules', search: { edit: 'one' } }],
  ])('links a %s to its page or to the drawer of its list', (type, link) => {
    const item = findItem(type)
    expect(item && (buildObjectLink(item, 'one') as object)).toEqual(link)
  })

  test('has 18 entries in the sidebar, in their groups', () => {
    const groups = [{ name: '', entries: FIRST_ENTRIES }, ...GROUPS]
    expect(groups.map(({ name, entries }) => [name, ...entries.map(({ text }) => text)])).toEqual([
      ['', 'Overview', 'Inbox'],
      ['Addresses', 'Networks', 'Pools', 'DNS'],
      ['Equipment', 'Devices', 'Sites and racks', 'Cables', 'Topology'],
      ['Discovery', 'Scans', 'Sources', 'Discovered devices'],
      ['Activity', 'Proposals', 'History', 'Audit log'],
      ['Connect', 'Import', 'Feeds and webhooks', 'AI clients'],
    ])
  })

  test('has the pages of people, programs, the inventory and Plat in the settings', () => {
    expect(SETTINGS.map(({ name, pages }) => [name, ...pages.map(({ text }) => text)])).toEqual([
      ['People', 'Users', 'Groups', 'Roles', 'Scopes', 'Single sign-on', 'Policies'],
      ['Programs', 'API keys', 'OAuth clients', 'Device credentials'],
      ['Inventory', 'Custom fields'],
      ['Plat', 'System'],
    ])
  })

  test.each([
    ['/', 'Overview'],
    ['/conflicts', 'Inbox'],
    ['/vlans', 'Networks'],
    ['/networks/one', 'Networks'],
    ['/device-types', 'Devices'],
    ['/ports/one', 'Devices'],
    ['/racks/one', 'Sites and racks'],
    ['/rules', 'Scans'],
    ['/scanners/one', 'Scans'],
    ['/discovered-devices', 'Discovered devices'],
    ['/history/diff', 'History'],
    ['/webhooks/one', 'Feeds and webhooks'],
    ['/users', undefined],
    ['/nowhere', undefined],
  ])('the entry of %s is %p', (path, entry) => {
    expect(findEntry(path)?.text).toBe(entry)
  })

  test('the settings hold their pages, and the pages of the objects there', () => {
    expect(['/settings', '/users', '/users/one', '/system', '/oauth'].map(isOfSettings)).not.toContain(false)
    expect(['/', '/devices', '/account', '/connect'].map(isOfSettings)).not.toContain(true)
  })

  test('keeps the keys of all pages that had one before the sidebar had entries', () => {
    const keys = Object.fromEntries(NAV_ITEMS.flatMap(({ key, to }) => (key === undefined ? [] : [[key, to]])))
    expect(keys).toMatchObject({
      ...{ o: '/', c: '/datacenters', q: '/vlans', n: '/networks', j: '/spaces', p: '/pools', v: '/reservations' },
      ...{ d: '/devices', R: '/racks', T: '/device-types', C: '/cables', t: '/topology', F: '/custom-fields' },
      ...{ x: '/conflicts', y: '/history', s: '/scans', f: '/discovered-devices', i: '/inbox', r: '/rules' },
      ...{ w: '/webhooks', b: '/feeds', z: '/dns', u: '/users', G: '/groups', l: '/roles', S: '/scopes' },
      ...{ P: '/sso-providers', k: '/keys', e: '/credentials', h: '/oauth', m: '/connect', a: '/audit' },
      ...{ I: '/import', ',': '/settings' },
    })
  })
})
