/** The reader of the API, against a server that answers as a NetBox does, and as it should not. */
import { afterEach, expect, test } from 'bun:test'
import { dumpdata, type RestObject, restLists } from '../../../../testing/netbox/forms.ts'
import { convertNetbox, convertObjects } from '../netbox.ts'
import { replayPages, storePages } from './page-file.ts'
import { buildAuthorization, countPage, type FetchPage, readNetboxApi } from './read-api.ts'

let server: ReturnType<typeof Bun.serve> | undefined
afterEach(async () => {
  await server?.stop(true)
  server = undefined
})

type Answer = (route: string, query: URLSearchParams) => Response | undefined

/** Starts a NetBox with the small estate; `answer` may answer otherwise. */
const netbox = (answer: Answer = () => undefined, pageSize = 1000) => {
  const lists: Record<string, RestObject[]> = restLists('4.6')
  const requests: string[] = []
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      const url = new URL(request.url)
      const route = url.pathname.replace(/^\/api\/|\/$/g, '')
      requests.push(`${route}${url.search}`)
      const other = answer(route, url.searchParams)
      if (other) return other
      const list = lists[route]
      if (!list && route !== 'ipam/prefixes') return new Response('{"detail":"Not found."}', { status: 404 })
      const offset = Number(url.searchParams.get('offset'))
      const limit = Math.min(pageSize, Number(url.searchParams.get('limit')))
      const all = list ?? []
      // The wrong host and scheme, as behind a proxy.
      const next = `http://internal:8001/api/${route}/?offset=0`
      return Response.json({ count: all.length, next, previous: null, results: all.slice(offset, offset + limit) })
    },
  })
  const base = `http://127.0.0.1:${server.port}`
  const fetchPage: FetchPage = async (path) => {
    const response = await fetch(base + path)
    return { status: response.status, body: await response.bytes() }
  }
  return { fetchPage, requests }
}

test.each([1000, 3, 1])('pages of %d objects give the same document as a dump', async (pageSize) => {
  const { fetchPage } = netbox(undefined, pageSize)
  const expected = await convertNetbox(new TextEncoder().encode(dumpdata('4.6')), { now: new Date(0) })
  expect(convertObjects(await readNetboxApi(fetchPage)).documents).toEqual(expected.documents)
})

test('asks by number, in the order of ids, and for no context of devices', async () => {
  const { fetchPage, requests } = netbox(undefined, 2)
  await readNetboxApi(fetchPage)
  expect(requests.filter((request) => request.startsWith('dcim/devices'))).toEqual([
    'dcim/devices?limit=1000&offset=0&ordering=id&exclude=config_context',
    'dcim/devices?limit=1000&offset=2&ordering=id&exclude=config_context',
    'dcim/devices?limit=1000&offset=4&ordering=id&exclude=config_context',
  ])
  expect(requests.some((request) => request.startsWith('users/tokens'))).toBe(false)
})

test('objects that stand on two pages are read once', async () => {
  const sites = [
    { id: 1, name: 'A' },
    { id: 2, name: 'B' },
    { id: 2, name: 'B' },
  ]
  const { fetchPage } = netbox((route, query) => {
    if (route !== 'dcim/sites') return undefined
    const offset = Number(query.get('offset'))
    return Response.json({ count: 3, results: sites.slice(offset, offset + 2) })
  })
  expect(convertObjects(await readNetboxApi(fetchPage)).documents.datacenters).toHaveLength(7)
})

const sitesAnswer =
  (make: () => Response): Answer =>
  (route) =>
    route === 'dcim/sites' ? make() : undefined

test.each([
  [401, 'VALIDATION_ERROR', 'token: may not read dcim/sites: the NetBox answered with status 401'],
  [403, 'VALIDATION_ERROR', 'token: may not read dcim/sites: the NetBox answered with status 403'],
  [404, 'PROVIDER_UNREACHABLE', 'dcim/sites of the NetBox answered with status 404'],
  [500, 'PROVIDER_UNREACHABLE', 'dcim/sites of the NetBox answered with status 500'],
])('status %d is an error', async (status, code, message) => {
  const { fetchPage } = netbox(sitesAnswer(() => new Response('{}', { status })))
  await expect(readNetboxApi(fetchPage)).rejects.toMatchObject({ code, message })
})

test.each([
  ['text', 'did not answer with JSON', () => new Response('<html>')],
  ['bytes that are not UTF-8', 'did not answer with JSON', () => new Response(new Uint8Array([0x22, 0xff, 0x22]))],
  ['another value', 'did not answer with a list', () => Response.json({ sites: [] })],
  ['too few objects', 'ended after 0 of 7 objects', () => Response.json({ count: 7, results: [] })],
])('an answer with %s is an error', async (_, message, make) => {
  const { fetchPage } = netbox(sitesAnswer(make))
  await expect(readNetboxApi(fetchPage)).rejects.toMatchObject({
    code: 'PROVIDER_UNREACHABLE',
    message: `dcim/sites of the NetBox ${message}`,
  })
})

test('an answer that never ends is an error', async () => {
  const results = Array.from({ length: 20_000 }, (_, i) => ({ id: i }))
  const page = new TextEncoder().encode(JSON.stringify({ count: 1e9, results }))
  const { fetchPage } = netbox()
  const endless: FetchPage = async (path) =>
    path.startsWith('/api/dcim/sites/') ? { status: 200, body: page } : fetchPage(path)
  await expect(readNetboxApi(endless)).rejects.toMatchObject({
    code: 'PROVIDER_UNREACHABLE',
    message: 'dcim/sites of the NetBox has more objects than are read',
  })
})

test('a token of version 2 is a bearer token', () => {
  expect([buildAuthorization('abc'), buildAuthorization('nbt_key.abc')]).toEqual(['Token abc', 'Bearer nbt_key.abc'])
})

test.each([1000, 3])('pages of %d objects that were stored first give the same source', async (pageSize) => {
  const { fetchPage, requests } = netbox(undefined, pageSize)
  const pieces: Uint8Array[] = []
  const write = async (piece: Uint8Array) => {
    pieces.push(piece)
  }
  const length = await storePages(fetchPage, { write })
  const asked = [...requests]
  const bytes = new Uint8Array(Buffer.concat(pieces))
  expect(length).toBe(bytes.length)
  const direct = await readNetboxApi(fetchPage)
  expect(await readNetboxApi(replayPages(bytes))).toEqual(direct)
  expect(asked).toEqual(requests.slice(asked.length))
})

test.each([
  ['{"count":3,"next":null,"results":[{},{"a":[{}]}]}', { count: 3, found: 2 }],
  [' {"results":[],"count":0} ', { count: 0, found: 0 }],
])('the objects of the page %s are counted', async (page, counts) => {
  expect(await countPage('dcim/sites', new TextEncoder().encode(page))).toEqual(counts)
})

test.each(['', '[]', '{}', '{"count":1}', '{"results":[]}', '{"count":1,"results":[{}', `{"a":${'['.repeat(10_000)}`])(
  'the page %s is refused',
  async (page) => {
    await expect(countPage('dcim/sites', new TextEncoder().encode(page))).rejects.toMatchObject({
      code: 'PROVIDER_UNREACHABLE',
    })
  },
)

const page = (results: readonly object[]) => Response.json({ count: results.length, results })

test('objects of the types of a plugin are read by the slugs of the types', async () => {
  const types = [
    { id: 1, name: 'scope', slug: 'scope' },
    { id: 2, name: 'bad', slug: '../users/tokens' },
  ]
  const { fetchPage, requests } = netbox((route) => {
    if (route === 'plugins/custom-objects/custom-object-types') return page(types)
    if (route === 'plugins/custom-objects/custom-object-type-fields') return page([])
    return route === 'plugins/custom-objects/scope' ? page([{ id: 4 }]) : undefined
  })
  const { documents } = convertObjects(await readNetboxApi(fetchPage))
  expect(documents.objects?.filter(({ kind }) => kind === 'scope')).toMatchObject([{ name: 'Scope #4' }])
  expect(requests.filter((request) => request.startsWith('plugins/')).map((request) => request.split('?')[0])).toEqual([
    ...['plugins/custom-objects/custom-object-types', 'plugins/custom-objects/custom-object-type-fields'],
    'plugins/custom-objects/scope',
  ])
})

test.each([
  ['4.7.3', 0],
  ['4.8.0', 1],
  ['5.0.0-beta1', 1],
])('a NetBox %s is read with %d warnings', async (version, warnings) => {
  const { fetchPage } = netbox((route) =>
    route === 'status' ? Response.json({ 'netbox-version': version, plugins: {} }) : undefined,
  )
  const { report, documents } = convertObjects(await readNetboxApi(fetchPage))
  expect(report.warnings).toHaveLength(warnings)
  expect(documents.devices).not.toEqual([])
})

test('the stored pages of a plugin are read again in their order', async () => {
  const { fetchPage } = netbox((route) => {
    if (route === 'plugins/custom-objects/custom-object-types') return page([{ id: 1, name: 'scope', slug: 'scope' }])
    if (route === 'plugins/custom-objects/custom-object-type-fields') return page([])
    return route === 'plugins/custom-objects/scope' ? page([{ id: 4 }, { id: 5 }]) : undefined
  })
  const pieces: Uint8Array[] = []
  await storePages(fetchPage, { write: async (piece) => void pieces.push(piece) })
  const stored = convertObjects(await readNetboxApi(replayPages(Buffer.concat(pieces))))
  expect(stored.documents).toEqual(convertObjects(await readNetboxApi(fetchPage)).documents)
})
