// Discovery in three address spaces that hold the same addresses.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../testing/discovery.ts'
import { refusal } from '../../testing/estates/inventory.ts'
import { host, snmpFacts } from '../../testing/servers/scripted-scanner.ts'
import { onSqlite } from '../../testing/servers/servers.ts'
import type { FoundHost } from '../scanner/protocol.ts'

const MAC = '00:1b:21:00:00:0c'
const SWITCH = '00:1b:21:00:00:01'
const SPACES = ['default', 'site', 'lab'] as const
type SpaceName = (typeof SPACES)[number]

describe.each(onSqlite())('discovery of address spaces on %s', (dialect) => {
  const d = discoveryApp(dialect, { ENCRYPTION_KEY: 'ab'.repeat(32) })
  let count = 0
  /** Makes a reachable and an unreachable space, and the same network in both and in the default space. */
  const world = async () => {
    const n = ++count
    const subnet = `127.200.${n}.0/24`
    const site = await d.api.spaces.create({ name: `site ${n}`, reachable: true })
    const lab = await d.api.spaces.create({ name: `lab ${n}` })
    const spaces = { default: null, site: site.id, lab: lab.id }
    const made = async (space: SpaceName, block = subnet) =>
      (await d.api.networks.create({ name: `${space} ${n}`, subnet: block, space_id: spaces[space] })).id
    const networks = { default: await made('default'), site: await made('site'), lab: await made('lab') }
    const at = (last: number) => `127.200.${n}.${last}`
    return { n, subnet, spaces, networks, made, at, labName: lab.name }
  }
  const record = (id: string, hosts: readonly { ip: string; mac_address?: string; hostname?: string }[]) => {
    d.advance(1000)
    return d.api.scans.record({ id, hosts: [...hosts] })
  }
  const fieldsOf = async (network_id: string) =>
    (await d.api.inbox.list({ network_id })).flatMap(({ bucket, fields }) =>
      fields.map(({ field, documented, observed }) => [bucket, field, documented, observed]),
    )
  const keysOf = async (network_id: string) => {
    const rows = await d.app.db.read
      .selectFrom('discovered_addresses')
      .innerJoin('discovered_devices', 'discovered_devices.id', 'discovered_addresses.device_id')
      .select(['place', 'discovered_addresses.ip_key', 'discovered_devices.ip_key as first'])
      .where('network_id', '=', network_id)
      .execute()
    return rows.map(({ place, ip_key, first }): [boolean, boolean, string] => [
      place === `${network_id} ${ip_key}`,
      ip_key === first,
      ip_key,
    ])
  }

  test('matches hosts with the documented devices of the space of the network', async () => {
    const { networks, spaces, at } = await world()
    const devices = new Map<SpaceName, string>()
    for (const space of SPACES) {
      const address = { ip: at(3), space_id: spaces[space] }
      devices.set(space, (await d.api.devices.create({ name: space, hostname: space, addresses: [address] })).id)
      await record(networks[space], [{ ip: at(3), mac_address: MAC }])
    }
    const found = await Promise.all(SPACES.map((space) => d.only(networks[space])))
    expect(found.map(({ matched_device_id }) => matched_device_id)).toEqual([...devices.values()])
    expect(new Set(found.map(({ id }) => id)).size).toBe(3)
    // The first address of another space is new there.
    await record(networks.lab, [{ ip: at(4) }])
    const fresh = (await d.api.inbox.list({ network_id: networks.lab, bucket: 'new' })).map(({ ip }) => ip)
    expect(fresh).toEqual([at(4)])
  })

  test('compares and accepts addresses within the space, and promotes into it', async () => {
    const { networks, spaces, at } = await world()
    const router = await d.api.devices.create({
      name: 'router',
      addresses: [
        { ip: at(1), label: 'core', mac_address: SWITCH },
        { ip: at(2) },
        { ip: at(1), space_id: spaces.lab, label: 'lab' },
      ],
    })
    const seen = [
      { ip: at(1), mac_address: MAC },
      { ip: at(2), mac_address: MAC },
    ]
    await record(networks.lab, [...seen, { ip: at(9) }])
    // That it has the second one in the default space says nothing.
    expect(await fieldsOf(networks.lab)).toContainEqual(['changed', 'addresses', at(1), `${at(1)}, ${at(2)}`])
    const [changed] = await d.api.inbox.list({ network_id: networks.lab, bucket: 'changed' })
    expect(changed?.fields.map(({ field }) => field)).not.toContain('mac_address')
    await d.api.inbox.accept({ items: [{ id: changed?.id ?? '', fields: ['addresses'] }] })
    const { addresses } = await d.api.devices.get({ id: router.id })
    expect(addresses.map(({ ip, label, network_id, space_id }) => ({ ip, label, network_id, space_id }))).toEqual([
      { ip: at(1), label: 'core', network_id: null, space_id: undefined },
      { ip: at(2), label: '', network_id: null, space_id: undefined },
      { ip: at(1), label: 'lab', network_id: null, space_id: spaces.lab ?? undefined },
      { ip: at(2), label: '', network_id: networks.lab, space_id: spaces.lab ?? undefined },
    ])
    const left = (await fieldsOf(networks.lab)).filter(([bucket]) => bucket === 'changed').map(([, field]) => field)
    expect(left).not.toContain('addresses')
    const [fresh] = await d.api.inbox.list({ network_id: networks.lab, bucket: 'new' })
    const promoted = await d.api.discovery.promote({ id: fresh?.id ?? '', name: 'made' })
    expect(promoted.addresses).toMatchObject([{ ip: at(9), network_id: networks.lab, space_id: spaces.lab }])
  })

  test('follows links and uses logins within the space', async () => {
    const { n, networks, spaces, made, at } = await world()
    const floor = (last: number) => `127.201.${n}.${last}`
    const server = (ip: string): FoundHost => host(ip, { mac: MAC })
    const switchAt = host(at(1), {
      mac: SWITCH,
      names: [{ name: 'sw', source: 'snmp' }],
      snmp: snmpFacts({ forwarding: [{ mac: MAC, port: 'Gi0/3' }] }),
    })
    const other = await made('site', `127.201.${n}.0/24`)
    for (const [ip, space_id] of [[floor(3), spaces.site] as const, [at(3), null] as const])
      await d.api.devices.create({ name: `server ${ip}`, addresses: [{ ip, space_id }] })
    await d.scan(networks.default, [server(at(3))])
    await d.scan(other, [server(floor(3))])
    await d.scan(networks.site, [switchAt], 'deep')
    const ports = (fields: readonly unknown[][]) => fields.filter(([, field]) => field === 'switch_port')
    expect(ports(await fieldsOf(other))).toEqual([['changed', 'switch_port', '', 'sw Gi0/3']])
    expect(ports(await fieldsOf(networks.default))).toEqual([])
    // The switch is in another space, until its network comes back.
    await d.api.networks.update({ id: networks.site, space_id: spaces.lab })
    const away = ports(await fieldsOf(other))
    await d.api.networks.update({ id: networks.site, space_id: spaces.site })
    expect([away, ports(await fieldsOf(other)).length]).toEqual([[], 1])

    const device = await d.api.devices.create({
      name: 'two spaces',
      addresses: [{ ip: at(7) }, { ip: at(8), space_id: spaces.site }],
    })
    const login = { type: 'ssh_password', username: 'u', password: 'secret', device_id: device.id }
    await d.ask('POST /api/credentials', { name: 'login', ...login })
    const { id, scan } = await d.begin(networks.site, 'deep')
    scan.end('done')
    await d.ended(id)
    expect(scan.plan.ssh.map(({ ip }) => ip)).toEqual([at(8)])
  })

  test('a scan is only started for networks in a reachable space', async () => {
    const { networks, spaces, labName, at } = await world()
    const start = (body: object) => d.ask(`POST /api/discovery/networks/${networks.lab}/scan`, body)
    expect(await start({})).toMatchObject(refusal('network_id'))
    expect(await start({ dry_run: true })).toMatchObject(refusal('network_id'))
    expect(JSON.stringify((await start({})).body)).toContain(`\\"${labName}\\" is not reachable`)
    const rule = { network_id: networks.lab, interval_hours: 1 }
    expect(await d.ask('POST /api/discovery/rules', rule)).toMatchObject(refusal('network_id'))
    const { id } = await d.api.discoveryRules.create({ ...rule, enabled: false })
    const enable = () => d.ask(`PUT /api/discovery/rules/${id}`, { enabled: true })
    expect(await enable()).toMatchObject(refusal('network_id'))
    // Results of another scanner are stored.
    await record(networks.lab, [{ ip: at(5) }])
    expect((await d.only(networks.lab)).status).toBe('up')
    const lab = { id: spaces.lab ?? '' }
    await d.api.spaces.update({ ...lab, reachable: true })
    expect(await enable()).toMatchObject({ status: 200, body: { next_run_at: d.now(), skipped_reason: '' } })
    const estimate = await d.api.scans.start({ id: networks.lab, dry_run: true })
    expect('probes' in estimate && estimate.total_hosts).toBe(254)

    await d.api.spaces.update({ ...lab, reachable: false })
    const [shown] = await d.api.discoveryRules.list({ network_id: networks.lab })
    expect(shown).toMatchObject({ enabled: true, next_run_at: null })
    expect(shown?.skipped_reason).toContain(labName)
    await d.runJob('discovery.start-due')
    expect(await d.api.scans.list({ network_id: networks.lab })).toHaveLength(1)
    await d.api.networks.update({ id: networks.lab, space_id: spaces.site })
    expect(await d.api.discoveryRules.get({ id })).toMatchObject({ next_run_at: d.now(), skipped_reason: '' })
    await d.runJob('discovery.start-due')
    const [started] = await d.api.scans.list({ network_id: networks.lab })
    expect(started?.rule_id).toBe(id)
    ;(await d.scanner.next()).end('done')
    await d.ended(started?.id ?? '')
    // Undoing a deletion makes it again, also where it may not run.
    await d.api.networks.update({ id: networks.lab, space_id: spaces.lab })
    await d.api.discoveryRules.delete({ id })
    const [deletion] = await d.api.history.list({ limit: 1 })
    expect((await d.ask(`POST /api/history/${deletion?.id}/undo`)).status).toBe(200)
    expect(await d.api.discoveryRules.get({ id })).toMatchObject({ enabled: true, next_run_at: null })
  })

  test('moves what is known of a network with it, and ends its scan', async () => {
    const { n, networks, spaces, at } = await world()
    await d.api.networks.delete({ id: networks.lab })
    const known = await d.api.devices.create({ name: 'known', hostname: 'known', addresses: [{ ip: at(3) }] })
    const there = await d.api.devices.create({ name: 'there', addresses: [{ ip: at(4), space_id: spaces.lab }] })
    const hosts = [{ ip: at(3), mac_address: MAC }, { ip: at(4) }]
    await record(networks.default, hosts)
    const list = () => d.api.discovery.list({ network_id: networks.default })
    const before = await list()
    expect(before.map(({ matched_device_id }) => matched_device_id)).toEqual([known.id, null])
    const { id, scan } = await d.begin(networks.default)
    await d.api.networks.update({ id: networks.default, space_id: spaces.lab })
    await expect(scan.found([host(at(66))])).resolves.toBeUndefined()
    expect(await d.ended(id)).toBe('failed')
    expect((await d.api.scans.get({ id })).error_message).toContain('another address space')
    expect(scan.isCancelled()).toBe(true)

    const moved = await list()
    const key = (last: number) => `47fc8${n.toString(16).padStart(2, '0')}${last.toString(16).padStart(2, '0')}`
    const space = await d.app.db.read
      .selectFrom('space_keys')
      .select('space_key')
      .where('space_id', '=', spaces.lab ?? '')
      .executeTakeFirstOrThrow()
    expect(moved.map((one) => one.id)).toEqual(before.map((one) => one.id))
    expect(moved.map(({ matched_device_id }) => matched_device_id)).toEqual([known.id, there.id])
    expect<unknown>((await keysOf(networks.default)).toSorted()).toEqual(
      [3, 4].map((last) => [true, true, `${space.space_key}${key(last)}`]),
    )
    // The next recording finds them, and a new host.
    await record(networks.default, [...hosts, { ip: at(5) }])
    expect((await list()).map((one) => one.id).slice(0, 2)).toEqual(before.map((one) => one.id))
    await d.api.discovery.split({ id: (await merged(networks.default)).id, ips: [at(5)] })

    await d.api.networks.update({ id: networks.default, space_id: null })
    // Both documented addresses came back with it.
    expect((await list()).map(({ matched_device_id }) => matched_device_id)).toEqual([known.id, there.id, null])
    expect<unknown>((await keysOf(networks.default)).toSorted()).toEqual(
      [3, 4, 5].map((last) => [true, true, key(last)]),
    )
  })
  /** Says of the last two discovered devices of a network that they are one. */
  const merged = async (network_id: string) => {
    const [, id = '', other = ''] = (await d.api.discovery.list({ network_id })).map((one) => one.id)
    return d.api.discovery.merge({ id, other_ids: [other] })
  }

  test('ends a recording that the move of its network overtakes', async () => {
    const { networks } = await world()
    const { id } = await d.api.scans.record({ id: networks.site, hosts: [] })
    const scans = d.app.db
    // The lease is found by its holder, as another process would leave it at this moment.
    const left = { status: 'failed', holder: id, until_ms: Number.MAX_SAFE_INTEGER } as const
    await scans.write(({ db }) => db.updateTable('discovery_scans').set(left).where('id', '=', id).execute())
    await d.api.networks.update({ id: networks.site, space_id: null })
    const rows = await scans.read.selectFrom('discovery_scans').select('holder').where('id', '=', id).execute()
    expect(rows).toEqual([{ holder: '' }])
  })

  test('stores a recording in one space while its network is moved', async () => {
    const { networks, at } = await world()
    const other = await d.api.spaces.create({ name: `other ${at(0)}` })
    const hosts = Array.from({ length: 200 }, (_, i) => ({ ip: at(i + 1) }))
    const [recorded] = await Promise.all([
      d.ask(`POST /api/discovery/networks/${networks.site}/results`, { hosts }),
      d.api.networks.update({ id: networks.site, space_id: other.id }),
    ])
    // It was faster, or it says that it was interrupted.
    expect(recorded).toMatchObject(recorded.status === 201 ? { status: 201 } : refusal('scan'))
    const places = (await keysOf(networks.site)).map(([isPlaced, isFirst, key]) =>
      [isPlaced, isFirst, `${key}`.slice(0, 5)].join(' '),
    )
    expect([...new Set(places)].filter((place) => !place.startsWith('true true s'))).toEqual([])
    expect(new Set(places).size).toBeLessThanOrEqual(1)
  })

  test('places leases in the networks of their space', async () => {
    const { networks, spaces, at } = await world()
    const text = `1893456000 ${MAC} ${at(20)} laptop *\n`
    const leases = (space_id?: string | null) =>
      d.ask('POST /api/discovery/leases', { text, ...(space_id !== undefined && { space_id }) })
    expect(await leases('nothing')).toMatchObject(refusal('space_id'))
    expect(await leases(spaces.lab)).toMatchObject({ status: 200, body: { new: 1, unplaced: 0 } })
    expect(await leases('default')).toMatchObject({ status: 200, body: { new: 1, unplaced: 0 } })
    expect(await leases()).toMatchObject({ status: 200, body: { new: 0, updated: 1 } })
    const counts = await Promise.all(SPACES.map((space) => d.api.discovery.list({ network_id: networks[space] })))
    expect(counts.map(({ length }) => length)).toEqual([1, 0, 1])
  })
})
