// Feeds and DNS zones are of one address space each: the same addresses and names in other spaces do not concern them.
import { beforeAll, describe, expect, test } from 'bun:test'
import { alreadyExists, inventory, refusal } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'
import type { DnsRrset, DnsZone } from '../../dns/zones/schema.ts'
import type { Feed } from '../../exchange/feeds/schema.ts'

/** The default space and two others, with the same subnet and the same addresses. */
const SPACES = [undefined, 'lab', 'shop'] as const

describe.each(onSqlite())('feeds and zones of spaces on %s', (dialect) => {
  const inv = inventory(dialect)
  beforeAll(async () => {
    const { api } = inv
    for (const id of ['lab', 'shop', 'far']) await api.spaces.create({ id, name: `Space ${id}` })
    for (const space_id of SPACES) {
      const own = space_id ?? 'main'
      await api.networks.create({ id: `net-${own}`, name: `Net ${own}`, subnet: '10.0.0.0/24', space_id })
      await api.devices.create({
        ...{ id: `web-${own}`, name: `web ${own}`, hostname: own, domains: ['www.example.org'] },
        addresses: [{ ip: '10.0.0.1', mac_address: '52:54:00:00:00:01', dns_name: `${own}.example.org`, space_id }],
      })
    }
    await api.devices.create({
      ...{ id: 'router', name: 'router', hostname: 'router' },
      addresses: SPACES.map((space_id) => ({ ip: '10.0.0.254', space_id })),
    })
    await api.devices.create({ id: 'bare', name: 'bare', hostname: 'bare' })
  })

  test('your account names spaces as in use, if you may list them', async () => {
    expect((await inv.ask('GET /api/auth/me')).body).toMatchObject({ in_use: ['spaces'] })
  })

  const post = async <T>(path: string, draft: object): Promise<T> => {
    const { status, body } = await inv.ask(`POST ${path}`, draft)
    expect([status, body]).toMatchObject([201, {}])
    return body as T
  }
  const contentOf = async ({ url }: Feed): Promise<string> => (await inv.admin.request('GET', url)).text()

  describe('a feed', () => {
    const TEMPLATE =
      '{% for n in networks %}{{ n.name }};{% endfor %}{% for d in devices %}{{ d.name }} {% for a in d.addresses %}{{ a.ip }} {% endfor %};{% endfor %}'

    test.each(SPACES)('a feed of the space %p has only the addresses of that space', async (space_id) => {
      const own = space_id ?? 'main'
      const hosts = await post<Feed>('/api/feeds', { name: 'hosts', format: 'hosts', space_id })
      expect(hosts.space_id).toBe(space_id)
      expect((await contentOf(hosts)).split('\n').slice(1)).toEqual([
        '10.0.0.254\trouter',
        `10.0.0.1\t${own}.example.org ${own} www.example.org`,
        '',
      ])
      const inNetwork = { format: 'dnsmasq', space_id, network_id: `net-${own}` }
      const { body: preview } = await inv.ask('POST /api/feeds/preview', inNetwork)
      expect((preview as { content: string }).content.split('\n')[1]).toBe(
        `dhcp-host=52:54:00:00:00:01,10.0.0.1,${own}`,
      )
      expect(preview).toMatchObject({
        skipped: [{ device_id: 'router' }],
        skipped_count: 1,
        device_count: 2,
      })
      const template = await post<Feed>('/api/feeds', { name: 't', format: 'template', template: TEMPLATE, space_id })
      // A device without any address is of the default space.
      const bare = space_id === undefined ? 'bare ;' : ''
      expect(await contentOf(template)).toBe(`Net ${own};${bare}router 10.0.0.254 ;web ${own} 10.0.0.1 ;`)
    })

    test('changes its space, and says its default space by saying none', async () => {
      const feed = await post<Feed>('/api/feeds', { name: 'moving', format: 'hosts', space_id: 'default' })
      expect(feed).not.toHaveProperty('space_id')
      const { body: moved } = await inv.ask(`PUT /api/feeds/${feed.id}`, { space_id: 'shop' })
      expect(moved).toEqual({ ...feed, space_id: 'shop' })
      expect(await contentOf(feed)).toContain('shop.example.org')
      expect((await inv.ask('GET /api/feeds?space_id=shop&name=moving')).body).toEqual([moved])
      expect((await inv.ask('GET /api/feeds?space_id=default&name=moving')).body).toEqual([])
      const { body: renamed } = await inv.ask(`PUT /api/feeds/${feed.id}`, { name: 'moving on' })
      expect(renamed).toMatchObject({ space_id: 'shop' })
      expect((await inv.ask(`PUT /api/feeds/${feed.id}`, { space_id: '' })).body).toEqual({
        ...feed,
        name: 'moving on',
      })
      expect(await contentOf(feed)).toContain('main.example.org')
    })

    test.each([
      [{ space_id: 'nowhere' }, 'space_id'],
      [{ space_id: 'lab', network_id: 'net-shop' }, 'network_id'],
      [{ network_id: 'net-lab' }, 'network_id'],
      [{ format: 'zone', zone_id: 'x', space_id: 'lab' }, 'space_id'],
    ])('with %p is refused on %p', async (draft, field) => {
      const hosts = { format: 'hosts', ...draft }
      expect(await inv.ask('POST /api/feeds', { name: 'x', ...hosts })).toMatchObject(refusal(field))
      expect(await inv.ask('POST /api/feeds/preview', hosts)).toMatchObject(refusal(field))
    })

    test('keeps its space from being deleted', async () => {
      await inv.api.spaces.create({ id: 'of-feed', name: 'of feed' })
      const feed = await post<Feed>('/api/feeds', { name: 'last', format: 'hosts', space_id: 'of-feed' })
      expect(await inv.ask('DELETE /api/spaces/of-feed')).toMatchObject({
        status: 409,
        body: { code: 'IN_USE', error: 'The space "of feed" is in use by the feed "last"' },
      })
      await inv.ask(`PUT /api/feeds/${feed.id}`, { space_id: 'default' })
      expect((await inv.ask('DELETE /api/spaces/of-feed')).status).toBe(204)
    })
  })

  describe('a zone', () => {
    const zoneOf = (id: string): Promise<DnsZone> =>
      until(`zone ${id}`, async () => {
        const zone = (await inv.ask(`GET /api/dns/zones/${id}`)).body as DnsZone
        return zone.status === 'pending' ? undefined : zone
      })
    const rrsets = async (id: string): Promise<string[]> => {
      await zoneOf(id)
      const all = (await inv.ask(`GET /api/dns/zones/${id}/rrsets`)).body as DnsRrset[]
      return all.map(({ name, type, values, state }) => `${name} ${type} ${values.join()} ${state}`).sort()
    }
    const content = (own: string) =>
      [`${own} A 10.0.0.1 published`, 'router A 10.0.0.254 published', 'www A 10.0.0.1 published'].sort()
    const reverse = (own: string) => [`1 PTR ${own}.example.org published`, '254 PTR router.example.org published']

    test('has the names of its space, beside zones of the same name in other spaces', async () => {
      for (const space_id of SPACES) {
        const own = space_id ?? 'main'
        const zone = { id: `zone-${own}`, name: 'example.org', is_default: true, space_id }
        expect((await post<DnsZone>('/api/dns/zones', zone)).space_id).toBe(space_id)
        await post('/api/dns/zones', { id: `reverse-${own}`, subnet: '10.0.0.0/24', space_id })
      }
      for (const space_id of SPACES) {
        const own = space_id ?? 'main'
        expect(await rrsets(`zone-${own}`)).toEqual(content(own))
        expect(await rrsets(`reverse-${own}`)).toEqual(reverse(own))
      }
      const again = { name: 'example.org', space_id: 'lab' }
      expect(await inv.ask('POST /api/dns/zones', again)).toMatchObject(alreadyExists)
      const usual = { name: 'example.net', is_default: true, space_id: 'lab' }
      expect(await inv.ask('POST /api/dns/zones', usual)).toMatchObject(alreadyExists)
      expect((await inv.ask('GET /api/dns/zones?space_id=lab')).body).toMatchObject([
        { id: 'reverse-lab' },
        { id: 'zone-lab' },
      ])
    })

    test('follows its devices, and no device of another space', async () => {
      await inv.ask('PUT /api/devices/web-shop', {
        addresses: [{ ip: '10.0.0.2', dns_name: 'shop.example.org', space_id: 'shop' }],
      })
      await until('the new address', async () => (await rrsets('reverse-shop'))[0]?.startsWith('2 ') || undefined)
      expect(await rrsets('zone-shop')).toEqual([
        'router A 10.0.0.254 published',
        'shop A 10.0.0.2 published',
        'www A 10.0.0.2 published',
      ])
      // A whole computation finds nothing that the changes have left out.
      for (const own of ['main', 'lab', 'shop'])
        for (const kind of ['zone', 'reverse'])
          expect((await inv.ask(`POST /api/dns/zones/${kind}-${own}/sync?dry_run=true`)).body).toMatchObject({
            ...{ creates: 0, updates: 0, deletes: 0, conflicts: 0 },
          })
      expect(await rrsets('zone-main')).toEqual(content('main'))
    })

    test('is notified when a network leaves its space, and is held if its filter is that network', async () => {
      await post('/api/dns/zones', { id: 'zone-far', name: 'example.org', is_default: true, space_id: 'far' })
      await post('/api/dns/zones', { id: 'filtered', name: 'b.org', network_id: 'net-lab', space_id: 'lab' })
      expect(await rrsets('zone-far')).toEqual([])
      await inv.ask('PUT /api/networks/net-lab', { space_id: 'far' })
      expect(
        await until('the names', async () => ((await rrsets('zone-far')).length > 0 ? rrsets('zone-far') : undefined)),
      ).toEqual(content('lab'))
      expect(await rrsets('zone-lab')).toEqual([])
      expect(await rrsets('reverse-lab')).toEqual([])
      expect(await rrsets('zone-main')).toEqual(content('main'))
      const held = { status: 'held', status_message: 'the network of its filter is in another address space' }
      expect(await zoneOf('filtered')).toMatchObject(held)
      const { body } = await inv.ask('PUT /api/dns/zones/filtered', { space_id: 'far' })
      expect(body).toMatchObject({ space_id: 'far' })
      expect((await zoneOf('filtered')).status).toBe('in_sync')
    })

    test('changes its space, and its names with it', async () => {
      const zone = await post<DnsZone>('/api/dns/zones', { id: 'moving', name: 'www.example.org', space_id: 'shop' })
      expect(await rrsets('moving')).toEqual(['@ A 10.0.0.2 published'])
      await until('the zone above', async () => (await rrsets('zone-shop')).length === 2 || undefined)
      const { body: moved } = await inv.ask(`PUT /api/dns/zones/${zone.id}`, { space_id: null })
      expect(moved).not.toHaveProperty('space_id')
      await until('the other names', async () => (await rrsets('moving'))[0]?.includes('10.0.0.1 ') || undefined)
      await until('the zone above', async () => (await rrsets('zone-shop')).length === 3 || undefined)
      expect(await rrsets('zone-main')).not.toContain('www A 10.0.0.1 published')
    })

    test.each([
      [{ space_id: 'nowhere' }, 'space_id'],
      [{ space_id: 'lab', network_id: 'net-main' }, 'network_id'],
    ])('with %p is refused on %p', async (draft, field) => {
      expect(await inv.ask('POST /api/dns/zones', { name: 'x.org', ...draft })).toMatchObject(refusal(field))
    })
  })
})
