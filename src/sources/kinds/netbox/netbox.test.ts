/** NetBox as a source: the same rows as an import, and routes that must answer. */
import { expect, test } from 'bun:test'
import type { OutboundRequest } from '../../../base/security/outbound.ts'
import { FetchLog } from '../../fetch/fetch-log.ts'
import { fetchSnapshot } from '../../fetch/run-job.ts'
import type { Json } from '../source-kind.ts'
import { netbox } from './kind.ts'

type Answer = { readonly path: string; readonly json: unknown }
type Case = { readonly secrets: Readonly<Record<string, string>>; readonly answers: readonly Answer[] }

const recorded: Case = await Bun.file(`${import.meta.dirname}/answers/netbox-4.7/answers.json`).json()

/** Fetches from recorded answers. @param change replaces the status and the body of a path */
const fetchCase = async (change: Readonly<Record<string, { status: number; json: unknown }>> = {}, base = '') => {
  const asked: string[] = []
  const log = new FetchLog({})
  const send = async (request: OutboundRequest) => {
    const { pathname, search } = new URL(request.url)
    const path = `${pathname}${search}`.slice(base.replace(/\/api$/, '').length)
    asked.push(path)
    const answer = recorded.answers.find((one) => one.path === path)
    const { status, json } = change[path] ?? { status: answer ? 200 : 404, json: answer?.json ?? {} }
    const body = new TextEncoder().encode(JSON.stringify(json))
    return { status, body, isCut: false, headers: new Headers({ 'content-type': 'application/json' }) }
  }
  const job = { url: `http://netbox.test${base}`, options: {}, secrets: recorded.secrets, nowMs: 0 }
  const snapshot = await fetchSnapshot(netbox, job, { send, log, timeoutMs: 60_000 })
  return { snapshot, asked, product: log.facts().product }
}

const convert = async (snapshot: Json, ref = 'netbox') =>
  await netbox.convert(snapshot, { options: {}, ref, now: new Date(0) })

test('devices have the refs of an import, and places and MAC addresses by which they are found', async () => {
  const { snapshot, product } = await fetchCase()
  const { documents, about } = await convert(snapshot)
  const keys = documents.devices?.map(({ refs }) => refs) ?? []
  expect(keys).toContainEqual({ netbox: 'dcim.device.1' })
  expect(about.get('devices dcim.device.1')).toMatchObject({ type: 'device' })
  expect([...about.values()].flatMap(({ macs = [] }) => macs).length).toBeGreaterThan(0)
  expect(product).toBe('NetBox 4.7.3')
})

test('relationships and ports name their devices by the refs', async () => {
  const { documents } = await convert((await fetchCase()).snapshot)
  const named = [
    ...(documents.ports ?? []).map(({ device }) => device),
    ...(documents.relationships ?? []).flatMap(({ parent, child }) => [parent, child]),
  ]
  expect(named.length).toBeGreaterThan(0)
  expect(named.filter((one) => !JSON.stringify(one).startsWith('{"ref":"netbox:'))).toEqual([])
})

test('the kinds and custom fields of its packs are rows, with the ids by which other rows name the kinds', async () => {
  const { documents } = await convert((await fetchCase()).snapshot)
  expect(documents.kinds?.find(({ id }) => id === 'tenants')).toMatchObject({ refs: { netbox: 'tenants' } })
  expect(documents['custom-fields']).toContainEqual(
    expect.objectContaining({ resource: 'devices', name: 'tenant', refs: { netbox: 'devices/tenant' } }),
  )
})

test('under another ref each row keeps the refs of an import, so that rows find each other', async () => {
  const { documents } = await convert((await fetchCase()).snapshot, 'netbox-2')
  expect(documents.devices?.[0]?.refs).toEqual({
    netbox: expect.stringMatching(/^dcim\.device\./),
    'netbox-2': expect.stringMatching(/^dcim\.device\./),
  })
})

test('a route that the NetBox lists must answer', async () => {
  const path = '/api/dcim/racks/?limit=1000&offset=0&ordering=id'
  await expect(fetchCase({ [path]: { status: 404, json: {} } })).rejects.toMatchObject({ code: 'wrong_url' })
})

test('routes of newer releases that the NetBox does not list are not asked', async () => {
  const dcim = recorded.answers.find(({ path }) => path === '/api/dcim/')?.json
  const older = Object.fromEntries(Object.entries(dcim ?? {}).filter(([name]) => name !== 'mac-addresses'))
  const { snapshot, asked } = await fetchCase({ '/api/dcim/': { status: 200, json: older } })
  expect(asked.filter((path) => path.includes('mac-addresses'))).toEqual([])
  expect((await convert(snapshot)).documents.devices?.length).toBeGreaterThan(0)
})

test('an API without sites is that of another program', async () => {
  await expect(fetchCase({ '/api/dcim/': { status: 200, json: {} } })).rejects.toMatchObject({ code: 'wrong_url' })
})

test('the error of an account that may not read a route names it', async () => {
  const path = '/api/dcim/racks/?limit=1000&offset=0&ordering=id'
  await expect(fetchCase({ [path]: { status: 403, json: { detail: 'no' } } })).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining('racks'),
  })
})

test.each(['/netbox', '/netbox/api'])('a NetBox at the path %s is read', async (base) => {
  const { asked } = await fetchCase({}, base)
  expect(asked[0]).toBe('/api/status/')
})

test('a snapshot whose last pages are missing is refused', async () => {
  const { snapshot } = await fetchCase()
  const { pages } = snapshot as { pages: Json[] } // The shape that `fetch` makes.
  await expect(convert({ pages: pages.slice(0, 10) })).rejects.toThrow('the last ones are missing')
})
