// Feeds: their rules, filters, content, previews, and the API keys that open them.
import { beforeAll, describe, expect, test } from 'bun:test'
import { ask, forbidden, inventory, missing, refusal } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import type { Feed } from './schema.ts'

describe.each(onSqlite())('feeds on %s', (dialect) => {
  const inv = inventory(dialect)
  let networkId = ''
  let datacenterId = ''
  beforeAll(async () => {
    const { api } = inv
    datacenterId = (await api.datacenters.create({ name: 'Köln 1' })).id
    networkId = (
      await api.networks.create({ name: 'Web "A"', subnet: '10.0.1.0/24', vlan_id: 7, datacenter_id: datacenterId })
    ).id
    await api.networks.create({ name: 'All', subnet: '10.0.0.0/16' })
    await api.devices.create({
      id: 'd1',
      name: 'web 1',
      hostname: 'Web-1.example.net',
      domains: ['shop.example.net', '*.wild.example.net', 'WEB-1'],
      os: 'Debian 12',
      username: 'root',
      datacenter_id: datacenterId,
      tags: ['web', 'a "b"\nc'],
      addresses: [
        { ip: '10.0.1.1', mac_address: '52:54:00:00:00:01' },
        { ip: '2001:db8::1', label: 'Primary', mac_address: '52:54:00:00:00:01' },
        { ip: '10.0.2.1', label: 'bmc', dns_name: 'bmc-1.example.net', port: 9290, mac_address: '52:54:00:00:00:02' },
      ],
    })
    await api.devices.create({
      id: 'd2',
      name: 'web 2',
      tags: ['web'],
      addresses: [{ ip: '10.0.1.1' }, { ip: '10.0.1.9' }],
    })
    await api.devices.create({
      id: 'd3',
      name: 'x',
      status: 'planned',
      hostname: 'planned',
      addresses: [{ ip: '10.0.9.9' }],
    })
    await api.devices.create({ id: 'd4', name: 'zz_no-address', status: 'maintenance' })
  })

  const made = async (draft: Partial<Feed> & Pick<Feed, 'format'>): Promise<Feed> => {
    const { status, body } = await inv.ask('POST /api/feeds', { name: `feed ${Math.random()}`, ...draft })
    expect([status, body]).toMatchObject([201, {}])
    return body as Feed
  }
  const content = async (draft: Partial<Feed> & Pick<Feed, 'format'>): Promise<string> => {
    const response = await inv.admin.request('GET', (await made(draft)).url)
    expect(response.status).toBe(200)
    return response.text()
  }

  describe('a feed', () => {
    test('is made, changed, listed and deleted', async () => {
      const feed = await made({ id: 'mine', name: 'Mine', format: 'prometheus', port: 9100 })
      expect(feed).toEqual({
        ...{ id: 'mine', name: 'Mine', description: '', format: 'prometheus', tags: [], datacenter_id: null },
        ...{ network_id: null, statuses: ['active', 'maintenance'], address_label: '', family: '', port: 9100 },
        ...{ zone_id: null, template: '', media_type: 'application/json', url: '/api/feeds/mine/content' },
        ...{ created_at: inv.now(), updated_at: inv.now() },
      })
      expect((await inv.ask('GET /api/feeds/mine')).body).toEqual(feed)
      inv.advance(1000)
      const { body: after } = await inv.ask('PUT /api/feeds/mine', {
        format: 'hosts',
        port: null,
        statuses: ['planned'],
      })
      const changed = {
        ...feed,
        format: 'hosts',
        port: null,
        statuses: ['planned'],
        media_type: 'text/plain',
        updated_at: inv.now(),
      }
      expect(after).toEqual(changed as never)
      expect((await inv.ask('GET /api/feeds?name=MIN&format=hosts')).body).toEqual([changed] as never)
      expect((await inv.ask('GET /api/feeds?name=MIN&format=kea')).body).toEqual([] as never)
      expect((await inv.ask('DELETE /api/feeds/mine')).status).toBe(204)
      expect(await inv.ask('GET /api/feeds/mine')).toMatchObject(missing)
      expect(await inv.ask('GET /api/feeds/mine/content')).toMatchObject(missing)
    })

    test('has an id once', async () => {
      await made({ id: 'once', format: 'hosts' })
      expect(await inv.ask('POST /api/feeds', { id: 'once', name: 'x', format: 'hosts' })).toMatchObject({
        status: 409,
        body: { code: 'ALREADY_EXISTS' },
      })
    })

    test.each([
      [{ format: 'hosts', port: 1 }, 'port'],
      [{ format: 'hosts', template: 'x' }, 'template'],
      [{ format: 'hosts', zone_id: 'x' }, 'zone_id'],
      [{ format: 'hosts', media_type: 'application/json' }, 'media_type'],
      [{ format: 'template' }, 'template'],
      [{ format: 'template', template: '{% if %}' }, 'template'],
      [{ format: 'template', template: 'x', media_type: 'text/html' }, 'media_type'],
      [{ format: 'template', template: 'x', port: 9 }, 'port'],
      [{ format: 'other' }, 'format'],
      [{ format: 'hosts', network_id: 'none' }, 'network_id'],
      [{ format: 'hosts', datacenter_id: 'none' }, 'datacenter_id'],
      [{ format: 'hosts', statuses: ['x'] }, 'statuses[0]'],
      [{ format: 'hosts', family: 'ipv5' }, 'family'],
      [{ format: 'prometheus', port: 70_000 }, 'port'],
    ])('%p is refused on %p', async (draft, field) => {
      expect(await inv.ask('POST /api/feeds', { name: 'x', ...draft })).toMatchObject(refusal(field))
      expect(await inv.ask('POST /api/feeds/preview', draft)).toMatchObject(refusal(field))
    })

    test('keeps a reference to a deleted network, and is empty then', async () => {
      const { id } = await inv.api.networks.create({ name: 'gone', subnet: '10.0.1.0/25' })
      const feed = await made({ format: 'hosts', network_id: id })
      expect(await (await inv.admin.request('GET', feed.url)).text()).toContain('10.0.1.1')
      await inv.api.networks.delete({ id })
      expect(await (await inv.admin.request('GET', feed.url)).text()).toBe(`# Plat feed ${feed.id}\n`)
      expect(await inv.ask(`PUT /api/feeds/${feed.id}`, { name: 'still there' })).toMatchObject({
        status: 200,
        body: { network_id: id },
      })
      expect(await inv.ask(`PUT /api/feeds/${feed.id}`, { network_id: 'other' })).toMatchObject(refusal('network_id'))
    })
  })

  describe('the format', () => {
    test('prometheus has a target for each address with a port', async () => {
      const targets = JSON.parse(await content({ format: 'prometheus' })) as object[]
      expect(targets).toEqual([
        {
          targets: ['10.0.2.1:9290'],
          labels: {
            ...{
              __meta_plat_device_id: 'd1',
              __meta_plat_device_name: 'web 1',
              __meta_plat_hostname: 'Web-1.example.net',
            },
            ...{ __meta_plat_status: 'active', __meta_plat_os: 'Debian 12', __meta_plat_datacenter_id: datacenterId },
            ...{ __meta_plat_datacenter_name: 'Köln 1', __meta_plat_tags: ',web,a "b"\nc,' },
            __meta_plat_domains: ',shop.example.net,*.wild.example.net,WEB-1,',
            ...{ __meta_plat_address: '10.0.2.1', __meta_plat_port: '9290', __meta_plat_address_label: 'bmc' },
            ...{
              __meta_plat_address_type: 'ipv4',
              __meta_plat_network_id: expect.any(String),
              __meta_plat_network_name: 'All',
            },
            __meta_plat_network_subnet: '10.0.0.0/16',
          },
        },
      ])
      const all = await content({ format: 'prometheus', port: 9100 })
      const found = (JSON.parse(all) as { targets: string[] }[]).flatMap((one) => one.targets)
      expect(found).toEqual(['10.0.1.1:9100', '[2001:db8::1]:9100', '10.0.2.1:9290', '10.0.1.1:9100', '10.0.1.9:9100'])
      expect(all).toMatch(/^\[\{.*\},\n\{/)
      expect(JSON.parse(await content({ format: 'prometheus', tags: ['none'] }))).toEqual([])
    })

    test('ansible has host variables and groups', async () => {
      await inv.api.devices.create({ id: 'd5', name: 'web 2', tags: ['WEB'], status: 'active' })
      const inventoryOf = async () => JSON.parse(await content({ format: 'ansible' })) as Record<string, never>
      const all = await inventoryOf()
      await inv.api.devices.delete({ id: 'd5' })
      const { _meta, all: root, ...groups } = all as unknown as { _meta: { hostvars: object }; all: object }
      expect(Object.keys(_meta.hostvars)).toEqual(['web 1', 'web 2', 'web 2_d5', 'zz_no-address'])
      expect(_meta.hostvars).toMatchObject({
        'web 1': {
          ...{ ansible_host: '10.0.1.1', ansible_user: 'root', plat_id: 'd1', plat_name: 'web 1' },
          ...{
            plat_hostname: 'Web-1.example.net',
            plat_status: 'active',
            plat_os: 'Debian 12',
            plat_datacenter: 'Köln 1',
          },
          ...{ plat_tags: ['web', 'a "b"\nc'], plat_networks: ['Web "A"', 'All'] },
        },
      })
      const { addresses } = await inv.api.devices.get({ id: 'd1' })
      expect((_meta.hostvars as { 'web 1': { plat_addresses: object } })['web 1'].plat_addresses).toEqual(
        addresses as never,
      )
      expect(Object.keys((_meta.hostvars as { 'zz_no-address': object })['zz_no-address'])).not.toContain(
        'ansible_host',
      )
      expect(groups).toEqual({
        datacenter_k_ln_1: { hosts: ['web 1'] },
        network_all: { hosts: ['web 1'] },
        network_web_a: { hosts: ['web 1', 'web 2'] },
        os_debian_12: { hosts: ['web 1'] },
        status_active: { hosts: ['web 1', 'web 2', 'web 2_d5'] },
        status_maintenance: { hosts: ['zz_no-address'] },
        tag_a_b_c: { hosts: ['web 1'] },
        tag_web: { hosts: ['web 1', 'web 2', 'web 2_d5'] },
      } as never)
      expect(root).toEqual({ children: Object.keys(groups) })
    })

    test('hosts has each address once, with its names', async () => {
      expect((await content({ format: 'hosts' })).split('\n').slice(1)).toEqual([
        '10.0.1.1\tWeb-1.example.net Web-1 shop.example.net',
        '2001:db8::1\tWeb-1.example.net Web-1 shop.example.net',
        '10.0.2.1\tbmc-1.example.net bmc-1',
        '',
      ])
    })

    test('ssh-config has a block for each device with a name', async () => {
      await inv.api.devices.create({
        ...{ id: 'd6', name: 'jump-1', hostname: '', username: 'a b' },
        addresses: [{ ip: '10.0.3.1' }, { ip: '10.0.3.2', label: 'ssh', port: 2222 }],
      })
      const text = await content({ format: 'ssh-config', statuses: ['active'] })
      await inv.api.devices.delete({ id: 'd6' })
      expect(text.split('\n').slice(1)).toEqual([
        ...['Host jump-1', '  HostName 10.0.3.2', '  Port 2222'],
        ...['Host Web-1.example.net Web-1', '  HostName 10.0.1.1', '  User root', ''],
      ])
    })

    test('dnsmasq, isc-dhcp and kea have the addresses with a MAC', async () => {
      expect((await content({ format: 'dnsmasq' })).split('\n').slice(1)).toEqual([
        'dhcp-host=52:54:00:00:00:01,10.0.1.1,Web-1',
        'dhcp-host=52:54:00:00:00:01,[2001:db8::1],Web-1',
        'dhcp-host=52:54:00:00:00:02,10.0.2.1,bmc-1',
        '',
      ])
      expect((await content({ format: 'isc-dhcp' })).split('\n').slice(1)).toEqual([
        'host web-1-10-0-1-1 { hardware ethernet 52:54:00:00:00:01; fixed-address 10.0.1.1; option host-name "Web-1"; }',
        'host web-1-2001-db8--1 { hardware ethernet 52:54:00:00:00:01; fixed-address6 2001:db8::1; option host-name "Web-1"; }',
        'host web-1-10-0-2-1 { hardware ethernet 52:54:00:00:00:02; fixed-address 10.0.2.1; option host-name "bmc-1"; }',
        '',
      ])
      expect(await content({ format: 'kea' })).toBe(
        '[\n{"hw-address":"52:54:00:00:00:01","ip-address":"10.0.1.1","hostname":"Web-1.example.net"},\n' +
          '{"hw-address":"52:54:00:00:00:02","ip-address":"10.0.2.1","hostname":"bmc-1.example.net"}\n]\n',
      )
      expect(JSON.parse(await content({ format: 'kea', family: 'ipv6' }))).toEqual([
        { 'hw-address': '52:54:00:00:00:01', 'ip-addresses': ['2001:db8::1'], hostname: 'Web-1.example.net' },
      ])
      expect(await content({ format: 'kea', tags: ['none'] })).toBe('[]\n')
    })

    test('template renders devices, their networks and names', async () => {
      const template =
        '{% for d in devices %}{{ d.name }}|{{ d.main.ip }}|{{ d.datacenter.name }}|' +
        '{% for a in d.addresses %}{{ a.ip }}={{ a.names | join: "," }}@{{ a.network.name }};{% endfor %}\n{% endfor %}' +
        '{{ networks.size }} {{ datacenters.size }} {{ feed.name }}'
      const text = await content({ name: 'T', format: 'template', template, media_type: 'text/csv', tags: ['web'] })
      expect(text.split('\n')).toEqual([
        'web 1|10.0.1.1|Köln 1|10.0.1.1=Web-1.example.net,shop.example.net,*.wild.example.net,WEB-1@Web "A";' +
          '2001:db8::1=Web-1.example.net,shop.example.net,*.wild.example.net,WEB-1@;10.0.2.1=bmc-1.example.net@All;',
        'web 2|10.0.1.1||10.0.1.1=@Web "A";10.0.1.9=@Web "A";',
        '2 1 T',
      ])
    })
  })

  describe('the filter', () => {
    const ips = async (filter: Partial<Feed>) =>
      (JSON.parse(await content({ format: 'prometheus', port: 1, ...filter })) as { targets: string[] }[]).map(
        ({ targets }) => targets[0],
      )
    test.each([
      ['tags', () => ({ tags: ['web', 'a "b"\nc'] }), ['10.0.1.1:1', '[2001:db8::1]:1', '10.0.2.1:9290']],
      ['datacenter_id', () => ({ datacenter_id: datacenterId }), ['10.0.1.1:1', '[2001:db8::1]:1', '10.0.2.1:9290']],
      ['network_id', () => ({ network_id: networkId }), ['10.0.1.1:1', '10.0.1.1:1', '10.0.1.9:1']],
      ['statuses', () => ({ statuses: ['planned' as const] }), ['10.0.9.9:1']],
      ['address_label', () => ({ address_label: 'BMC' }), ['10.0.2.1:9290']],
      ['family', () => ({ family: 'ipv6' as const }), ['[2001:db8::1]:1']],
    ])('by %s', async (_, filter, expected) => expect(await ips(filter())).toEqual(expected))

    test('takes a device without an address, unless addresses are filtered', async () => {
      const names = async (filter: Partial<Feed>) => {
        const { _meta } = JSON.parse(await content({ format: 'ansible', ...filter })) as { _meta: { hostvars: object } }
        return Object.keys(_meta.hostvars)
      }
      expect(await names({})).toContain('zz_no-address')
      expect(await names({ family: 'ipv4' })).not.toContain('zz_no-address')
    })

    test('the filter selects main addresses among the remaining ones', async () => {
      const { _meta } = JSON.parse(await content({ format: 'ansible', address_label: 'bmc' })) as {
        _meta: { hostvars: Record<string, { ansible_host: string }> }
      }
      expect(_meta.hostvars['web 1']?.ansible_host).toBe('10.0.2.1')
    })
  })

  describe('a preview', () => {
    test('shows the content, and the parts that are left out with their reasons', async () => {
      const { status, body } = await inv.ask('POST /api/feeds/preview', { format: 'hosts', tags: ['web'] })
      expect([status, body]).toMatchObject([
        200,
        { is_cut: false, media_type: 'text/plain', device_count: 2, skipped_count: 2 },
      ])
      expect(body).toMatchObject({
        skipped: [
          { device_id: 'd2', device_name: 'web 2', reason: '10.0.1.1 has no name' },
          { device_id: 'd2', device_name: 'web 2', reason: '10.0.1.9 has no name' },
        ],
      })
      expect((body as unknown as { content: string }).content).toContain('10.0.2.1\tbmc-1.example.net bmc-1\n')
    })

    test('of kea names addresses without a MAC, and further addresses of one', async () => {
      await inv.api.devices.create({
        ...{ id: 'd7', name: 'a-two', tags: ['two'] },
        addresses: ['10.0.4.1', '10.0.4.2'].map((ip) => ({ ip, mac_address: '52:54:00:00:00:09' })),
      })
      const { body } = await inv.ask('POST /api/feeds/preview', { format: 'kea', tags: ['two'] })
      await inv.api.devices.delete({ id: 'd7' })
      expect(body).toMatchObject({
        skipped: [{ reason: '10.0.4.2 is a further address of 52:54:00:00:00:09, of which Kea takes one' }],
      })
    })

    test('of a failing template names the line', async () => {
      const { body } = await inv.ask('POST /api/feeds/preview', { format: 'template', template: 'a\n{{ 1 | nope }}' })
      expect(body).toMatchObject({ details: [{ field: 'template', message: expect.stringMatching(/^line 2: /) }] })
    })

    test('is not recorded, and needs the rights of the content', async () => {
      const before = (await inv.api.audit.list({})).length
      await inv.ask('POST /api/feeds/preview', { format: 'hosts' })
      expect((await inv.api.audit.list({})).length).toBe(before)
      const without = await inv.app.as(['feeds:create', 'feeds:read'])
      expect(await ask(without, 'POST /api/feeds/preview', { format: 'hosts' })).toMatchObject(forbidden)
      const having = await inv.app.as(['feeds:create', 'feeds:read', 'devices:list'])
      expect(await ask(having, 'POST /api/feeds/preview', { format: 'hosts' })).toMatchObject({ status: 200 })
    })
  })

  describe('the content', () => {
    test('the content has its type, its file name and an ETag that only changes with it', async () => {
      const feed = await made({ id: 'kept', format: 'hosts', tags: ['web'] })
      const first = await inv.admin.request('GET', feed.url)
      expect(first.headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect(first.headers.get('content-disposition')).toBe('inline; filename="kept.txt"')
      const etag = first.headers.get('etag') ?? ''
      const headers = { 'If-None-Match': etag }
      expect((await inv.admin.request('GET', feed.url, undefined, headers)).status).toBe(304)
      // A change of another device leaves it as it is.
      await inv.api.devices.update({ id: 'd4', os: 'other' })
      expect((await inv.admin.request('GET', feed.url, undefined, headers)).status).toBe(304)
      await inv.api.devices.update({ id: 'd1', hostname: 'renamed' })
      const after = await inv.admin.request('GET', feed.url, undefined, headers)
      expect([after.status, await after.text()]).toEqual([200, expect.stringContaining('renamed')])
      await inv.api.devices.update({ id: 'd1', hostname: 'Web-1.example.net' })
      const head = await inv.admin.request('HEAD', feed.url)
      expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([200, '', etag])
    })

    test('the content is compressed for clients that accept it', async () => {
      const feed = await made({ format: 'ansible' })
      const gzip = await inv.admin.request('GET', feed.url, undefined, { 'Accept-Encoding': 'gzip' })
      expect(gzip.headers.get('content-encoding')).toBe('gzip')
      const text = new TextDecoder().decode(Bun.gunzipSync(await gzip.arrayBuffer()))
      expect(text).toBe(await (await inv.admin.request('GET', feed.url)).text())
    })

    test('needs feeds:read and devices:list', async () => {
      const { url } = await made({ format: 'hosts' })
      for (const [permissions, status] of [
        [['feeds:read'], 403],
        [['devices:list'], 403],
        [['feeds:read', 'devices:list'], 200],
      ] as const)
        expect((await (await inv.app.as(permissions)).request('GET', url)).status).toBe(status)
    })
  })

  describe('an API key of a feed', () => {
    let key = ''
    let feed: Feed
    beforeAll(async () => {
      feed = await made({ id: 'keyed', format: 'hosts' })
      key = (await inv.api.keys.create({ name: 'of a feed', feed_id: feed.id })).key
    })
    const get = (path: string, headers: Record<string, string> = {}) =>
      inv.app.fetch(new Request(`http://localhost${path}`, { headers }))
    const basic = (secret: string) => ({ Authorization: `Basic ${btoa(`any:${secret}`)}` })
    const bearer = (secret: string) => ({ Authorization: `Bearer ${secret}` })

    test('opens its feed as a Bearer token, as a password, and in the URL', async () => {
      expect((await get(feed.url, bearer(key))).status).toBe(200)
      expect((await get(feed.url, basic(key))).status).toBe(200)
      expect((await get(`${feed.url}?token=${key}`)).status).toBe(200)
    })

    test('opens nothing else', async () => {
      const other = await made({ format: 'hosts' })
      for (const path of ['/api/devices', '/api/feeds', `/api/feeds/${feed.id}`, '/api/auth/me', '/metrics', other.url])
        expect([path, (await get(path, bearer(key))).status]).toEqual([path, 403])
      const post = new Request('http://localhost/mcp', { method: 'POST', headers: bearer(key), body: '{}' })
      expect((await inv.app.fetch(post)).status).toBe(403)
      expect((await get('/api/devices?token=x', basic(key))).status).toBe(401)
      expect((await get(`/api/devices?token=${key}`)).status).toBe(400 + 1)
      expect((await get('/healthz', bearer(key))).status).toBe(200)
    })

    test('is the only key that a password or a URL may hold', async () => {
      const whole = inv.admin.key
      for (const response of [await get(feed.url, basic(whole)), await get(`${feed.url}?token=${whole}`)]) {
        expect(response.status).toBe(401)
        expect(response.headers.get('www-authenticate')).toBe('Bearer, Basic realm="feed"')
      }
      expect((await get(feed.url)).headers.get('www-authenticate')).toBe('Bearer, Basic realm="feed"')
      expect((await get(`${feed.url}?token=${encodeURIComponent('a b')}`)).status).toBe(401)
      expect((await get(feed.url, { Authorization: 'Basic !' })).status).toBe(401)
      expect((await get(feed.url, { Authorization: 'Digest x' })).status).toBe(401)
    })

    test('wins in the header over the URL', async () => {
      expect((await get(`${feed.url}?token=${key}`, bearer('plat_wrong'))).status).toBe(401)
    })

    test('has the permissions of its owner at that moment', async () => {
      const owner = await inv.app.as(['feeds:read', 'devices:list'])
      const { key: own } = await owner.api.keys.create({ name: 'own', feed_id: feed.id })
      expect((await get(feed.url, bearer(own))).status).toBe(200)
      await inv.api.users.update({ id: owner.userId, roles: [] })
      expect((await get(feed.url, bearer(own))).status).toBe(403)
    })

    test('is listed by its feed, and deleted with it', async () => {
      const gone = await made({ id: 'gone', format: 'hosts' })
      const { id, key: own } = await inv.api.keys.create({ name: 'goes', feed_id: gone.id })
      expect((await inv.api.keys.list({ feed_id: gone.id })).map((one) => [one.id, one.feed_id])).toEqual([
        [id, 'gone'],
      ])
      await inv.api.feeds.delete({ id: gone.id })
      expect((await get(gone.url, bearer(own))).status).toBe(401)
      expect(await inv.ask(`GET /api/keys/${id}`)).toMatchObject(missing)
    })

    test('needs a feed that exists', async () => {
      expect(await inv.ask('POST /api/keys', { name: 'x', feed_id: 'none' })).toMatchObject(refusal('feed_id'))
    })

    test('stands in no audit entry of a refused request', async () => {
      await get(`${feed.url}?token=plat_secret-in-the-url`)
      expect(JSON.stringify(await inv.api.audit.list({}))).not.toContain('secret-in-the-url')
    })
  })
})
