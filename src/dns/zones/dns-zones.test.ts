// Zones without a server, own records and DNS servers: their rules, and the RRsets that follow from devices.
import { beforeAll, describe, expect, test } from 'bun:test'
import { alreadyExists, ask, inventory, missing, refusal } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'
import type { DnsRrset, DnsZone } from './schema.ts'

describe.each(engines())('zones on %s', (dialect) => {
  const inv = inventory(dialect, { DNS_SERVERS: '192.0.2.53', ENCRYPTION_KEY: 'ab'.repeat(32) })

  const make = async (draft: object): Promise<DnsZone> => {
    const { status, body } = await inv.ask('POST /api/dns/zones', draft)
    expect([status, body]).toMatchObject([201, {}])
    return body as DnsZone
  }
  const zoneOf = async (id: string) => (await inv.ask(`GET /api/dns/zones/${id}`)).body as DnsZone
  const settled = (id: string): Promise<DnsZone> =>
    until(`zone ${id}`, async () => {
      const zone = await zoneOf(id)
      return zone.status === 'pending' ? undefined : zone
    })
  const rrsets = async (id: string): Promise<string[]> => {
    await settled(id)
    const all = (await inv.ask(`GET /api/dns/zones/${id}/rrsets`)).body as DnsRrset[]
    return all.map(({ name, type, values, state }) => `${name} ${type} ${values.join(',')} ${state}`)
  }

  describe('a DNS server', () => {
    test('is made, changed, listed and deleted, and its secret is never sent', async () => {
      const { status, body } = await inv.ask('POST /api/dns/providers', {
        ...{ name: 'ns1', host: '192.0.2.53', tsig_name: 'Plat.Key.', tsig_secret: 'c2VjcmV0' },
      })
      const made = {
        ...{ name: 'ns1', type: 'rfc2136', host: '192.0.2.53', port: 53, tsig_name: 'plat.key' },
        ...{ tsig_algorithm: 'hmac-sha256', has_secret: true, timeout_seconds: 5, description: '' },
        ...{ created_at: inv.now(), updated_at: inv.now() },
      }
      const { id } = body as { id: string }
      expect([status, body]).toEqual([201, { id, ...made }])
      const { body: after } = await inv.ask(`PUT /api/dns/providers/${id}`, { port: 5353, timeout_seconds: 1 })
      expect(after).toMatchObject({ port: 5353, has_secret: true })
      expect((await inv.ask('GET /api/dns/providers?name=NS')).body).toMatchObject([{ id }])
      expect((await inv.ask(`DELETE /api/dns/providers/${id}`)).status).toBe(204)
      expect(await inv.ask(`GET /api/dns/providers/${id}`)).toMatchObject(missing)
    })

    test.each([
      [{ tsig_name: 'key' }, 'tsig_secret'],
      [{ tsig_name: 'a..b', tsig_secret: 'c2VjcmV0' }, 'tsig_name'],
      [{ tsig_secret: 'not base64!' }, 'tsig_secret'],
      [{ host: '127.0.0.1' }, 'host'],
      [{ host: '10.0.0.1' }, 'host'],
      [{ host: 'a b' }, 'host'],
      [{ port: 0 }, 'port'],
      [{ timeout_seconds: 61 }, 'timeout_seconds'],
      [{ tsig_algorithm: 'hmac-md5' }, 'tsig_algorithm'],
      [{ type: 'route53' }, 'type'],
    ])('with %p is refused on %p', async (draft, field) => {
      expect(await inv.ask('POST /api/dns/providers', { name: 'x', host: '192.0.2.53', ...draft })).toMatchObject(
        refusal(field),
      )
    })

    test('that a zone uses is not deleted', async () => {
      const { body } = await inv.ask('POST /api/dns/providers', { name: 'used', host: '192.0.2.53' })
      const { id } = body as { id: string }
      const zone = await make({ name: 'used.example', provider_id: id })
      const answer = await inv.ask(`DELETE /api/dns/providers/${id}`)
      expect(answer).toMatchObject({
        status: 409,
        body: { code: 'IN_USE', error: 'The zone used.example uses this DNS server' },
      })
      expect((await inv.ask(`DELETE /api/dns/zones/${zone.id}`)).status).toBe(204)
      expect((await inv.ask(`DELETE /api/dns/providers/${id}`)).status).toBe(204)
    })
  })

  describe('a zone', () => {
    test('has its defaults, and is changed and deleted', async () => {
      const zone = await make({ id: 'mine', name: 'Mine.Example.' })
      expect(zone).toEqual({
        ...{ id: 'mine', name: 'mine.example', subnet: null, kind: 'forward', provider_id: null, mode: 'managed' },
        ...{ ttl: 3600, tags: [], datacenter_id: null, network_id: null, statuses: ['active', 'maintenance'] },
        ...{ is_default: false, nameservers: [], admin_email: '', negative_ttl: 300, max_delete_percent: 30 },
        ...{ check_interval_seconds: 300, repair: false, description: '', status: 'pending', status_message: '' },
        ...{ serial: 0, server_serial: null, rrset_count: 0, pending_count: 1, conflict_count: 0, blocked_count: 0 },
        ...{
          drift_count: 0,
          last_synced_at: null,
          last_checked_at: null,
          created_at: inv.now(),
          updated_at: inv.now(),
        },
      })
      const synced = await settled('mine')
      expect(synced).toMatchObject({ status: 'in_sync', serial: Math.floor(Date.parse(inv.now()) / 1000) })
      expect((await inv.ask('PUT /api/dns/zones/mine', { ttl: 60, name: 'mine.example' })).body).toMatchObject({
        ttl: 60,
      })
      expect((await inv.ask('GET /api/dns/zones?name=MINE&kind=forward')).body).toMatchObject([{ id: 'mine' }])
      expect((await inv.ask('DELETE /api/dns/zones/mine')).status).toBe(204)
      expect(await inv.ask('GET /api/dns/zones/mine')).toMatchObject(missing)
      expect(await inv.ask('GET /api/dns/zones/mine/rrsets')).toMatchObject(missing)
    })

    test.each([
      [{}, 'name'],
      [{ name: 'a..b' }, 'name'],
      [{ subnet: '10.0.0.0/12' }, 'subnet'],
      [{ name: 'x.example', mode: 'watched' }, 'mode'],
      [{ name: 'x.example', provider_id: 'none' }, 'provider_id'],
      [{ name: 'x.example', network_id: 'none' }, 'network_id'],
      [{ name: 'x.example', datacenter_id: 'none' }, 'datacenter_id'],
      [{ name: 'x.example', ttl: 0 }, 'ttl'],
      [{ name: 'x.example', check_interval_seconds: 29 }, 'check_interval_seconds'],
      [{ name: 'x.example', max_delete_percent: 101 }, 'max_delete_percent'],
      [{ name: 'x.example', statuses: ['x'] }, 'statuses[0]'],
      [{ name: 'x.example', admin_email: 'x' }, 'admin_email'],
      [{ name: 'x.example', nameservers: ['a b'] }, 'nameservers[0]'],
    ])('with %p is refused on %p', async (draft, field) => {
      expect(await inv.ask('POST /api/dns/zones', draft)).toMatchObject(refusal(field))
    })

    test('a name with other letters than ASCII is refused with its ASCII form, also of a name server and of an own record', async () => {
      expect(await inv.ask('POST /api/dns/zones', { name: 'bücher.example' })).toMatchObject({
        body: { error: 'name: must be a domain name in ASCII: write xn--bcher-kva.example' },
      })
      expect(
        await inv.ask('POST /api/dns/zones', { name: 'x.example', nameservers: ['ns.bücher.example'] }),
      ).toMatchObject({
        body: { error: 'nameservers[0]: must be a host name in ASCII: write ns.xn--bcher-kva.example' },
      })
      const zone = await inv.api.dnsZones.create({ name: 'ascii.example' })
      const record = { zone_id: zone.id, name: 'bücher', type: 'A', value: '192.0.2.1' }
      expect(await inv.ask('POST /api/dns/records', record)).toMatchObject({
        body: { error: 'name: must be a name in the zone ascii.example in ASCII: write xn--bcher-kva' },
      })
    })

    test('keeps its name and its subnet', async () => {
      const { id } = await make({ subnet: '10.99.0.0/16' })
      expect(await inv.ask(`PUT /api/dns/zones/${id}`, { name: 'other.example' })).toMatchObject(refusal('name'))
      expect(await inv.ask(`PUT /api/dns/zones/${id}`, { subnet: '10.98.0.0/16' })).toMatchObject(refusal('subnet'))
      expect((await inv.ask(`PUT /api/dns/zones/${id}`, { subnet: '10.99.0.0/16' })).status).toBe(200)
      await inv.ask(`DELETE /api/dns/zones/${id}`)
    })

    test('is there once for a server, and is the default once', async () => {
      const { id } = await make({ name: 'once.example', is_default: true })
      expect(await inv.ask('POST /api/dns/zones', { name: 'once.example' })).toMatchObject(alreadyExists)
      expect(await inv.ask('POST /api/dns/zones', { name: 'twice.example', is_default: true })).toMatchObject(
        alreadyExists,
      )
      expect(await inv.ask('POST /api/dns/zones', { id, name: 'twice.example' })).toMatchObject(alreadyExists)
      await inv.ask(`DELETE /api/dns/zones/${id}`)
    })

    test('without a server is not compared, and not settled', async () => {
      const { id } = await make({ name: 'file.example' })
      expect(await inv.ask(`POST /api/dns/zones/${id}/check`)).toMatchObject(refusal('provider_id'))
      expect(await inv.ask(`POST /api/dns/zones/${id}/resolve`, { direction: 'push' })).toMatchObject(
        refusal('entries'),
      )
      expect((await inv.ask(`GET /api/dns/zones/${id}/drift`)).body).toMatchObject({ zone_id: id, checked_at: null })
      await inv.ask(`DELETE /api/dns/zones/${id}`)
    })
  })

  describe('with devices', () => {
    let [forward, reverse] = ['', '']
    beforeAll(async () => {
      forward = (
        await make({
          name: 'example.org',
          is_default: true,
          nameservers: ['ns.example.org'],
          admin_email: 'a.b@example.org',
        })
      ).id
      reverse = (await make({ subnet: '10.0.0.0/24' })).id
    })

    test('a device that is made, renamed, moved, retired and deleted is followed', async () => {
      const { id } = await inv.api.devices.create({ name: 'web', hostname: 'web', addresses: [{ ip: '10.0.0.1' }] })
      expect(await rrsets(forward)).toEqual(['web A 10.0.0.1 published'])
      expect(await rrsets(reverse)).toEqual(['1 PTR web.example.org published'])
      await inv.api.devices.update({ id, hostname: 'www' })
      expect(await rrsets(forward)).toEqual(['www A 10.0.0.1 published'])
      expect(await rrsets(reverse)).toEqual(['1 PTR www.example.org published'])
      await inv.api.devices.update({ id, addresses: [{ ip: '10.0.0.2' }, { ip: '2001:db8::1' }] })
      expect(await rrsets(forward)).toEqual(['www A 10.0.0.2 published', 'www AAAA 2001:db8::1 published'])
      expect(await rrsets(reverse)).toEqual(['2 PTR www.example.org published'])
      await inv.api.devices.update({ id, status: 'decommissioned' })
      expect(await rrsets(forward)).toEqual([])
      await inv.api.devices.update({ id, status: 'active', domains: ['shop.example.org'] })
      expect(await rrsets(forward)).toEqual([
        ...['shop A 10.0.0.2 published', 'shop AAAA 2001:db8::1 published'],
        ...['www A 10.0.0.2 published', 'www AAAA 2001:db8::1 published'],
      ])
      await inv.api.devices.delete({ id })
      expect([await rrsets(forward), await rrsets(reverse)]).toEqual([[], []])
    })

    test('a conflict leaves the RRset as it was, and ends', async () => {
      const [one, two] = [
        await inv.api.devices.create({ name: 'one', hostname: 'same', addresses: [{ ip: '10.0.0.1' }] }),
        await (async () => {
          await settled(forward)
          return inv.api.devices.create({ name: 'two', hostname: 'same', addresses: [{ ip: '10.0.0.2' }] })
        })(),
      ]
      expect(await rrsets(forward)).toEqual(['same A 10.0.0.1 conflict'])
      const { body } = await inv.ask(`GET /api/dns/zones/${forward}/rrsets?state=conflict`)
      expect(body).toMatchObject([{ device_ids: [one.id, two.id].sort(), wanted: ['10.0.0.1'] }])
      expect(await zoneOf(forward)).toMatchObject({ status: 'in_sync', conflict_count: 1 })
      await inv.api.devices.delete({ id: one.id })
      expect(await rrsets(forward)).toEqual(['same A 10.0.0.2 published'])
      await inv.api.devices.delete({ id: two.id })
      expect(await rrsets(forward)).toEqual([])
    })

    test('the file has the published records, and its serial only rises with them', async () => {
      const { body: feed } = await inv.ask('POST /api/feeds', {
        id: 'zonefile',
        name: 'f',
        format: 'zone',
        zone_id: forward,
      })
      expect(feed).toMatchObject({ zone_id: forward, media_type: 'text/plain' })
      const file = async () => (await inv.admin.request('GET', '/api/feeds/zonefile/content')).text()
      const before = await settled(forward)
      const { id } = await inv.api.devices.create({ name: 'w', hostname: 'w', addresses: [{ ip: '10.0.0.1' }] })
      await inv.ask('POST /api/dns/records', { zone_id: forward, name: '@', type: 'MX', value: '10 mail.example.net' })
      const { serial } = await settled(forward)
      expect(serial).toBeGreaterThan(before.serial)
      expect(await file()).toBe(
        [
          '; Plat feed zonefile',
          '$ORIGIN example.org.',
          '$TTL 3600',
          `@\t3600\tIN\tSOA\tns.example.org. a\\.b.example.org. ${serial} 7200 3600 1209600 300`,
          '@\t3600\tIN\tNS\tns.example.org.',
          '@\t3600\tIN\tMX\t10 mail.example.net.',
          'w\t3600\tIN\tA\t10.0.0.1',
          '',
        ].join('\n'),
      )
      await inv.api.devices.update({ id, os: 'Debian', tags: ['x'] })
      expect((await settled(forward)).serial).toBe(serial)
      await inv.ask(`PUT /api/dns/zones/${forward}`, { negative_ttl: 60 })
      expect((await settled(forward)).serial).toBe(serial + 1)
      await inv.api.devices.delete({ id })
      const other = await make({ name: 'nofile.example' })
      await inv.ask('PUT /api/feeds/zonefile', { zone_id: other.id })
      expect(await ask(inv.admin, 'GET /api/feeds/zonefile/content')).toMatchObject(
        refusal('nameservers', 'admin_email'),
      )
      expect(await inv.ask('POST /api/feeds/preview', { format: 'zone' })).toMatchObject(refusal('zone_id'))
      expect(await inv.ask('POST /api/feeds/preview', { format: 'zone', zone_id: forward, tags: ['x'] })).toMatchObject(
        refusal('tags'),
      )
      await inv.ask(`DELETE /api/dns/zones/${other.id}`)
      expect(await inv.ask('GET /api/feeds/zonefile')).toMatchObject(missing)
    })

    test('a zone is held when its network is deleted, and loses nothing', async () => {
      const network = await inv.api.networks.create({ name: 'n', subnet: '10.7.0.0/24' })
      const { id } = await make({ name: 'filtered.example', network_id: network.id })
      const device = await inv.api.devices.create({
        name: 'f',
        addresses: [
          { ip: '10.7.0.1', dns_name: 'a.filtered.example' },
          { ip: '10.8.0.1', dns_name: 'b.filtered.example' },
        ],
      })
      expect(await rrsets(id)).toEqual(['a A 10.7.0.1 published'])
      const inner = await inv.api.networks.create({ name: 'i', subnet: '10.7.0.0/25' })
      expect(await rrsets(id)).toEqual([])
      await inv.api.networks.delete({ id: inner.id })
      expect(await rrsets(id)).toEqual(['a A 10.7.0.1 published'])
      await inv.api.networks.delete({ id: network.id })
      expect(await settled(id)).toMatchObject({
        status: 'held',
        status_message: 'the network of its filter no longer exists',
      })
      expect(await rrsets(id)).toEqual(['a A 10.7.0.1 published'])
      await inv.ask(`PUT /api/dns/zones/${id}`, { network_id: null })
      expect(await rrsets(id)).toEqual(['a A 10.7.0.1 published', 'b A 10.8.0.1 published'])
      await inv.ask(`DELETE /api/dns/zones/${id}`)
      await inv.api.devices.delete({ id: device.id })
    })

    test('a change that would take more than 30 % of a zone is held until it is forced, or less', async () => {
      const { id } = await make({ name: 'many.example' })
      const devices = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          inv.api.devices.create({ name: `m${n}`, hostname: `m${n}.many.example`, addresses: [{ ip: `10.9.0.${n}` }] }),
        ),
      )
      expect(await rrsets(id)).toHaveLength(10)
      const remove = async (...some: number[]) => {
        for (const n of some) await inv.api.devices.update({ id: devices[n]?.id ?? '', hostname: '' })
      }
      await inv.ask(`PUT /api/dns/zones/${id}`, { max_delete_percent: 0 })
      await settled(id)
      await remove(0)
      expect(
        await until('held', async () => ((await zoneOf(id)).status === 'held' ? zoneOf(id) : undefined)),
      ).toMatchObject({
        status_message: '1 of 10 RRsets would go, more than 0 %; sync with force to send them',
      })
      expect((await inv.ask(`GET /api/dns/zones/${id}/rrsets?state=held`)).body).toMatchObject([
        { name: 'm0', wanted: [] },
      ])
      const plan = await inv.ask(`POST /api/dns/zones/${id}/sync?dry_run=true`)
      expect(plan.body).toMatchObject({
        deletes: 1,
        creates: 0,
        entries: [{ name: 'm0', action: 'delete', after: [] }],
      })
      expect((await inv.ask(`POST /api/dns/zones/${id}/sync`)).body).toMatchObject({ status: 'held' })
      expect((await inv.ask(`POST /api/dns/zones/${id}/sync`, { force: true })).body).toMatchObject({
        status: 'in_sync',
      })
      expect(await rrsets(id)).toHaveLength(9)
      await inv.ask(`DELETE /api/dns/zones/${id}`)
    })

    test('names of a new longer zone move there, and back', async () => {
      const device = await inv.api.devices.create({
        name: 'l',
        hostname: 'l.lab.example.org',
        addresses: [{ ip: '10.0.0.1' }],
      })
      expect(await rrsets(forward)).toContain('l.lab A 10.0.0.1 published')
      const { id } = await make({ name: 'lab.example.org' })
      expect(await rrsets(id)).toEqual(['l A 10.0.0.1 published'])
      expect(await rrsets(forward)).not.toContain('l.lab A 10.0.0.1 published')
      await inv.ask(`DELETE /api/dns/zones/${id}`)
      expect(await rrsets(forward)).toContain('l.lab A 10.0.0.1 published')
      await inv.api.devices.delete({ id: device.id })
    })
  })

  describe('own records', () => {
    let zone = ''
    beforeAll(async () => {
      zone = (await make({ name: 'own.example' })).id
    })
    const create = (draft: object) => inv.ask('POST /api/dns/records', { zone_id: zone, ...draft })

    test('are made with canonical values, changed, listed and deleted', async () => {
      const { status, body } = await create({
        id: 'r1',
        name: 'WWW.own.example.',
        type: 'MX',
        value: '010 Mail.Example.net.',
      })
      const made = {
        ...{ id: 'r1', zone_id: zone, name: 'www', fqdn: 'www.own.example', type: 'MX', ttl: null },
        ...{ value: '10 mail.example.net', description: '', created_at: inv.now(), updated_at: inv.now() },
      }
      expect([status, body]).toEqual([201, made])
      expect((await inv.ask('GET /api/dns/records/r1')).body).toEqual(made as never)
      expect((await inv.ask('PUT /api/dns/records/r1', { ttl: 60, name: '@' })).body).toMatchObject({
        name: '@',
        ttl: 60,
      })
      expect((await inv.ask(`GET /api/dns/records?zone_id=${zone}&type=MX`)).body).toMatchObject([{ id: 'r1' }])
      expect(await inv.ask('PUT /api/dns/records/r1', { zone_id: 'other' })).toMatchObject(refusal('zone_id'))
      expect((await inv.ask('PUT /api/dns/records/r1', { zone_id: zone })).status).toBe(200)
      expect(await rrsets(zone)).toEqual(['@ MX 10 mail.example.net published'])
      expect((await inv.ask('DELETE /api/dns/records/r1')).status).toBe(204)
      expect(await rrsets(zone)).toEqual([])
    })

    test.each([
      [{ name: 'a', type: 'A', value: 'x' }, 'value'],
      [{ name: 'a', type: 'TXT', value: 'é'.repeat(2049) }, 'value'],
      [{ name: 'a.example.net.', type: 'A', value: '192.0.2.1' }, 'name'],
      [{ name: 'a..b', type: 'A', value: '192.0.2.1' }, 'name'],
      [{ name: '@', type: 'CNAME', value: 'a.example.net' }, 'name'],
      [{ name: '@', type: 'NS', value: 'a.example.net' }, 'name'],
      [{ name: 'a', type: 'SOA', value: 'x' }, 'type'],
      [{ name: 'a', type: 'A', value: '192.0.2.1', ttl: 0 }, 'ttl'],
      [{ name: 'a', type: 'A', value: '192.0.2.1', zone_id: 'none' }, 'zone_id'],
    ])('with %p are refused on %p', async (draft, field) => {
      expect(await create(draft)).toMatchObject(refusal(field))
    })

    test('an own record exists once, and a CNAME excludes the other records of its name', async () => {
      await create({ id: 'one', name: 'c', type: 'A', value: '192.0.2.1' })
      expect(await create({ name: 'c', type: 'A', value: '192.0.2.1' })).toMatchObject(alreadyExists)
      expect(await create({ id: 'one', name: 'd', type: 'A', value: '192.0.2.1' })).toMatchObject(alreadyExists)
      expect(await create({ name: 'c', type: 'CNAME', value: 'a.example.net' })).toMatchObject(refusal('name'))
      expect(await inv.ask('PUT /api/dns/records/one', { type: 'CNAME', value: 'a.example.net' })).toMatchObject({
        status: 200,
      })
      expect(await create({ name: 'c', type: 'A', value: '192.0.2.1' })).toMatchObject(refusal('name'))
    })
  })
})
