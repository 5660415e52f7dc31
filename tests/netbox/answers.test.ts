// Each list of the NetBox API agrees with itself: pages, orders, selected fields and nested forms are parts of the same answers.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { compareNames } from '../../src/net/name-order.ts'
import { DECLARED } from '../../src/netbox/endpoint/declared.ts'
import { REGISTERED } from '../../src/netbox/endpoints/registry.ts'
import type { Door } from '../../testing/netbox/door.ts'
import { openFilled } from '../../testing/netbox/filled.ts'
import { Item, type Lists, pick, readLists, readPage } from '../../testing/netbox/oracle/lists.ts'
import { engines } from '../../testing/servers/servers.ts'

const TIMEOUT_MS = 120_000
const URL_START = 'http://localhost/netbox/api/'

const paths = REGISTERED.map(({ path }) => path)

describe.each(engines())('the answers of the NetBox API on %s', (dialect) => {
  let door: Door
  let lists: Lists
  beforeAll(async () => {
    door = await openFilled(dialect)
    lists = await readLists(door)
  }, TIMEOUT_MS)
  afterAll(() => door.close())

  const read = async (path: string, query: string) => (await readPage(door, path, query)).results

  test('every list has objects, in the order and with the fields that are declared', () => {
    for (const { path, use } of REGISTERED) {
      const names = use(({ fields }) => fields.map(({ name }) => name))
      const items = lists.get(path)
      expect([path, items.length > 0]).toEqual([path, true])
      for (const item of items) expect([path, Object.keys(item)]).toEqual([path, names])
      expect([path, new Set(items.map(({ id }) => id)).size]).toEqual([path, items.length])
    }
  })

  test.each(paths)('%s: an object of the list is the object of its number', async (path) => {
    for (const item of lists.get(path)) expect((await door.get(`${path}/${item.id}/`)).body).toEqual(item)
  })

  test.each(paths)('%s: linked pages have the whole list', async (path) => {
    const all = lists.get(path)
    const found: Item[] = []
    for (let next: string | null = `${URL_START}${path}/?limit=3`; next !== null; ) {
      const page: Awaited<ReturnType<typeof readPage>> = await readPage(door, path, next.slice(next.indexOf('?') + 1))
      expect(page.count).toBe(all.length)
      found.push(...page.results)
      next = page.next
    }
    expect(found).toEqual([...all])
  })

  test.each(paths)('%s: selected fields are a part of the whole answer', async (path) => {
    const brief = REGISTERED.flatMap((one) => (one.path === path ? one.use((endpoint) => endpoint.brief) : []))
    const keep = (item: Item, isKept: (name: string) => boolean) =>
      Object.fromEntries(Object.entries(item).filter(([name]) => isKept(name)))
    const all = lists.get(path)
    const get = async (query: string) => (await door.get(`${path}/?limit=0&${query}`)).body
    for (const [query, isKept] of [
      ['brief=1', (name: string) => brief.includes(name)],
      ['fields=id,display,no_field', (name: string) => ['id', 'display'].includes(name)],
      ['fields=url&omit=url&brief=1', (name: string) => name === 'url'],
      ['omit=id,display_url', (name: string) => !['id', 'display_url'].includes(name)],
      ['exclude=config_context', (name: string) => name !== 'config_context'],
    ] as const)
      expect(pick(await get(query), 'results')).toEqual(all.map((item) => keep(item, isKept)))
  })

  test.each(paths)('%s: an order has all objects, by their values and backwards', async (path) => {
    const all = lists.get(path)
    for (const name of ['id', 'name', 'created', 'last_updated', 'vid'] as const) {
      if (!all.some((item) => name in item)) continue
      const [up, down] = [await read(path, `limit=0&ordering=${name}`), await read(path, `limit=0&ordering=-${name}`)]
      const values = up.map((item) => item[name])
      const sorted = values.toSorted((a, b) =>
        typeof a === 'number' && typeof b === 'number' ? a - b : compareNames(String(a ?? ''), String(b ?? '')),
      )
      expect([name, values]).toEqual([name, sorted])
      expect([name, down.map((item) => item[name])]).toEqual([name, sorted.toReversed()])
      const ids = (items: readonly Item[]) => items.map(({ id }) => id).sort((a, b) => a - b)
      expect(ids(up)).toEqual(ids(all))
      expect(ids(down)).toEqual(ids(all))
    }
  })

  /** Lists the objects in an answer that have a number and an address, with the path to them. */
  const listNested = (value: unknown, at: string): { readonly at: string; readonly object: Item }[] => {
    if (typeof value !== 'object' || value === null) return []
    const parts = Object.entries(value).flatMap(([name, one]) => listNested(one, `${at}.${name}`))
    const object = Item.safeParse(value)
    return object.success && 'url' in value ? [{ at, object: object.data }, ...parts] : parts
  }

  test.each(paths)('%s: a nested object has the values of the object itself', async (path) => {
    for (const item of lists.get(path))
      for (const { at, object } of Object.entries(item).flatMap(([name, value]) => listNested(value, name))) {
        const url = String(object.url)
        const other = Object.keys(DECLARED).find((one) => url === `${URL_START}${one}/${object.id}/`)
        const own = other === undefined ? undefined : lists.find(other, object.id)
        expect([path, at, url, own !== undefined]).toEqual([path, at, url, true])
        for (const [name, value] of Object.entries(object)) {
          // Parts of a nested object may be shorter than in the object.
          if (typeof value === 'object' && value !== null && 'url' in value) continue
          expect([path, item.id, at, name, value]).toEqual([path, item.id, at, name, own?.[name]])
        }
      }
  })
})
