// A template sees the networks and datacenters that the caller may list, and otherwise the networks and datacenters of the devices of
// its feed.
import { beforeAll, describe, expect, test } from 'bun:test'
import { type Person, people } from '../../../testing/estates/people.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

const TEMPLATE =
  '{% for n in networks %}{{ n.name }} {{ n.subnet }};{% endfor %}' +
  '{% assign sites = datacenters | sort: "name" %}{% for d in sites %}{{ d.name }};{% endfor %}' +
  '{% for d in devices %}{{ d.name }}@{{ d.datacenter.name }}/{{ d.addresses[0].network.name }};{% endfor %}'
const OWN = { networks: 'used 10.8.1.0/24;', datacenters: 'Here;', devices: 'one@Here/used;' }
const ALL = { ...OWN, networks: `unused 10.8.2.0/24;${OWN.networks}`, datacenters: `Elsewhere;${OWN.datacenters}` }
const textOf = ({ networks, datacenters, devices }: typeof OWN): string => networks + datacenters + devices

describe.each(onSqlite())('a template on %s', (dialect) => {
  const all = people(dialect)
  let feed = ''
  const make = async (path: string, body: object): Promise<Record<string, string>> => {
    const { status, body: made } = await all.admin.ask(`POST /api/${path}`, body)
    expect([path, status]).toEqual([path, 201])
    return made as Record<string, string>
  }
  beforeAll(async () => {
    const { id: datacenter_id } = await make('datacenters', { name: 'Here' })
    await make('datacenters', { name: 'Elsewhere' })
    await make('networks', { name: 'used', subnet: '10.8.1.0/24' })
    await make('networks', { name: 'unused', subnet: '10.8.2.0/24' })
    await make('devices', { name: 'one', datacenter_id, addresses: [{ ip: '10.8.1.1' }] })
    feed = (await make('feeds', { name: 'T', format: 'template', template: TEMPLATE })).id ?? ''
  })

  const contentFor = async ({ key }: Person, headers: Record<string, string> = {}) => {
    const response = await all.app.send(`GET /api/feeds/${feed}/content`, { key, headers })
    return { status: response.status, text: await response.text(), etag: response.headers.get('etag') ?? '' }
  }

  test.each([
    [[], OWN],
    [['networks:list'], { ...OWN, networks: ALL.networks }],
    [['datacenters:list'], { ...OWN, datacenters: ALL.datacenters }],
    [['networks:list', 'datacenters:list'], ALL],
  ])('sees with %j beside the devices: %j', async (permissions, seen) => {
    const person = await all.person({ permissions: ['feeds:read', 'devices:list', ...permissions] })
    expect((await contentFor(person)).text).toBe(textOf(seen))
    const body = { format: 'template', template: TEMPLATE }
    const author = await all.person({ permissions: ['feeds:read', 'feeds:create', 'devices:list', ...permissions] })
    expect((await author.ask('POST /api/feeds/preview', body)).body).toMatchObject({ content: textOf(seen) })
  })

  test('sees by a key of its feed what the owner of the key may list', async () => {
    const owner = await all.person({ permissions: ['feeds:read', 'devices:list'] })
    const { status, body } = await owner.ask('POST /api/keys', { name: 'of the feed', feed_id: feed })
    expect(status).toBe(201)
    expect((await contentFor(all.with(owner, (body as { key: string }).key))).text).toBe(textOf(OWN))
  })

  test('has another ETag for callers who see less', async () => {
    const few = await all.person({ permissions: ['feeds:read', 'devices:list'] })
    const [whole, part] = [await contentFor(all.admin), await contentFor(few)]
    expect(whole.etag).not.toBe(part.etag)
    expect((await contentFor(few, { 'If-None-Match': part.etag })).status).toBe(304)
    expect((await contentFor(few, { 'If-None-Match': whole.etag })).status).toBe(200)
    expect((await contentFor(all.admin, { 'If-None-Match': part.etag })).status).toBe(200)
    await make('networks', { name: 'another', subnet: '10.8.3.0/24' })
    expect((await contentFor(few, { 'If-None-Match': part.etag })).status).toBe(304)
    expect((await contentFor(all.admin)).etag).not.toBe(whole.etag)
  })
})
