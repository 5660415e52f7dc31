/** Calls about discovery, leases, conflicts, DNS, feeds, credentials and webhooks. */
import { z } from 'zod'
import { deepHost, host } from '../../testing/servers/scripted-scanner.ts'
import { until } from '../../testing/until.ts'
import { type Action, call, compare, readJson, refuse, type Step } from './engine-pair.ts'

const stale = { headers: { 'If-Match': '"stale"' } }

const runJob =
  (name: string): Action =>
  ({ app }) =>
    app.plat.runJob(name)

/** Waits until no scan runs. */
const waitForScans: Action = async (world) => {
  await until('the end of all scans', async () => {
    const all = z.array(z.object({ status: z.string() })).parse(await readJson(world, '/api/discovery/scans'))
    return all.every(({ status }) => status === 'completed' || status === 'cancelled') ? true : undefined
  })
}
/** Lets the scanner find hosts until its scan has ended. */
const findHosts: Action = async (world) => {
  const scan = await world.scanner.next()
  await scan.found([deepHost('127.9.0.2', '02:00:00:00:09:02'), host('127.9.0.10'), host('127.9.0.9')])
  scan.end('done')
  await waitForScans(world)
}
/** Waits until the scanner runs, so that a cancel ends it. */
const awaitScanner: Action = async (world) => void (await world.scanner.next())

const hosts = (...names: readonly string[]) =>
  names.map((hostname, n) => ({
    ip: `10.0.200.${n + 1}`,
    mac_address: `02:00:00:00:c8:0${n}`,
    hostname,
    open_ports: [22, 80],
    vendor: 'Intel',
  }))

const discovery: readonly Step[] = [
  call('discovery.local-networks', {}),
  call('scans.start', { id: 'net-scan', scan_type: 'deep', dry_run: true }),
  call('scans.start', { id: 'net-scan', scan_type: 'deep' }, { save: { scan: 'id' } }),
  findHosts,
  call('scans.get', { id: '@{scan}' }, {}),
  call('scans.start', { id: 'net-scan' }, { save: { 'scan 2': 'id' } }),
  awaitScanner,
  call('scans.cancel', { id: '@{scan 2}' }),
  waitForScans,
  call(
    'scans.record',
    { id: 'net', hosts: hosts('Zebra.example', 'alpha.example', 'a-b.example', 'ab.example', 'web-10.example') },
    { save: { recorded: 'id' } },
  ),
  call('scans.record', {
    id: 'net',
    hosts: [...hosts('zebra.example', 'alpha.example'), { ip: '10.0.1.5', hostname: 'other.example' }],
  }),
  refuse(400, 'scans.record', { id: 'net', hosts: [{ ip: '999.0.0.1' }] }),
  call('scans.diff', { id: '@{recorded}' }),
  call(
    'discovery.list',
    { network_id: 'net' },
    { save: { discovered: '0.id', second: '1.id', third: '2.id', fourth: '3.id', fifth: '4.id' } },
  ),
  call('presence.of-discovered', { id: '@{discovered}' }),
  refuse(400, 'presence.of-discovered', { id: '@{discovered}', from: '2200-01-01T00:00:00Z' }),
  refuse(404, 'presence.of-discovered', { id: 'unknown' }),
  call('presence.of-device', { id: 'sw' }),
  refuse(404, 'presence.of-device', { id: 'unknown' }),
  call('lookup.presence', { ip: '10.0.1.5' }),
  call('presence.joined', {}),
  refuse(400, 'presence.joined', { limit: 0 }),
  refuse(400, 'lookup.presence', { ip: '10.0.1.5', from: '2200-01-01T00:00:00Z' }),
  call('inbox.list', { network_id: 'net' }),
  call('inbox.ignore', { ids: ['@{second}', 'none'] }),
  call('inbox.restore', { ids: ['@{second}'] }),
  call('inbox.accept', { items: [{ id: '@{third}', name: 'Accepted' }, { id: 'none' }] }),
  call('discovery.promote', { id: '@{fourth}', name: 'Promoted', tags: ['new'] }),
  refuse(409, 'discovery.promote', { id: '@{fourth}', name: 'Promoted again' }),
  call('discovery.promote-many', { ids: ['@{fifth}', 'none'], name: '{hostname} {n}' }),
  call(
    'discovery.list',
    { network_id: 'net-scan' },
    { save: { 'scanned 1': '0.id', 'scanned 2': '1.id', 'scanned 3': '2.id' } },
  ),
  call('discovery.merge', { id: '@{scanned 1}', other_ids: ['@{scanned 2}'] }),
  refuse(404, 'discovery.split', { id: 'unknown', ips: ['127.9.0.9'] }),
  call('discovery.split', { id: '@{scanned 1}', ips: ['127.9.0.9'] }),
  call('discovery.delete-many', { ids: ['@{scanned 3}', 'none'] }),
  call(
    'discovery-rules.create',
    { network_id: 'net-scan', enabled: false, interval_hours: 12 },
    { save: { rule: 'id' } },
  ),
  compare('discovery-rules.create', { network_id: 'net-scan', enabled: false }),
  call('discovery-rules.update', { id: '@{rule}', scan_type: 'full', listen: true }),
  refuse(412, 'discovery-rules.update', { id: '@{rule}', scan_type: 'deep' }, stale),
  call('discovery-locks.create', { device_id: 'sw', field: 'os' }),
  call('discovery-locks.create', { device_id: 'sw', field: 'hostname' }),
  call('discovery-locks.delete', { device_id: 'sw', field: 'os' }),
  call('leases.record', {
    format: 'dnsmasq',
    text: '1900000000 52:54:00:aa:bb:01 10.0.7.70 Pc-1 *\n1900000000 52:54:00:aa:bb:02 10.0.7.71 pc_2 *\nrubbish\n',
  }),
  refuse(400, 'leases.record', { text: 'hello' }),
  runJob('utilization.sample'),
  call('devices.create', { id: 'same-1', name: 'Same', addresses: [{ ip: '10.0.1.5' }, { ip: '10.0.2.5' }] }),
  call('networks.create', { id: 'overlap', name: 'overlap', subnet: '10.0.0.0/15' }),
  call('conflicts.detect'),
  call(
    'conflicts.list',
    { type: 'duplicate_ip', status: 'active' },
    { save: { conflict: '0.id', keeper: '0.device_ids.0', 'conflict 2': '1.id' } },
  ),
  call('conflicts.ignore', { id: '@{conflict 2}', notes: 'known' }),
  runJob('discovery.forget-scans'),
  runJob('reservations.expire'),
]

/** Waits until no zone has changes that its lane has not published: lanes run beside the calls. */
const waitForZones: Action = async (world) => {
  const Zones = z.array(z.object({ pending_count: z.number(), last_synced_at: z.string().nullable() }))
  await until('zones without pending changes', async () => {
    const zones = Zones.parse(await readJson(world, '/api/dns/zones'))
    return zones.every(({ pending_count, last_synced_at }) => pending_count === 0 && last_synced_at !== null)
      ? true
      : undefined
  })
}

const dns: readonly Step[] = [
  call(
    'dns-providers.create',
    { name: 'Ns', host: '127.0.0.1', port: 1, timeout_seconds: 1 },
    { save: { provider: 'id' } },
  ),
  call(
    'dns-providers.create',
    { name: 'äns', host: '192.0.2.53', tsig_name: 'k', tsig_secret: 'c2VjcmV0' },
    { save: { 'provider 2': 'id' } },
  ),
  compare('dns-providers.create', { name: 'NS', host: '127.0.0.1' }),
  refuse(400, 'dns-providers.create', { name: 'bad', host: '' }),
  call('dns-providers.update', { id: '@{provider 2}', description: 'Second' }),
  refuse(412, 'dns-providers.update', { id: '@{provider 2}', description: 'x' }, stale),
  refuse(502, 'dns-providers.test', { id: '@{provider}', zone: 'example.com' }),
  call('dns-zones.create', {
    id: 'zone',
    name: 'Example.com',
    nameservers: ['ns1.example.com'],
    admin_email: 'a@example.com',
  }),
  call('dns-zones.create', { id: 'zone-rev', subnet: '10.0.0.0/16' }),
  refuse(409, 'dns-zones.create', { name: 'EXAMPLE.com' }),
  refuse(400, 'dns-zones.create', { name: 'bad..name' }),
  call('dns-zones.update', { id: 'zone', ttl: 600, is_default: true }),
  refuse(412, 'dns-zones.update', { id: 'zone', ttl: 601 }, stale),
  call('dns-zones.rrsets', { id: 'zone' }),
  call('dns-zones.rrsets', { id: 'zone-rev' }),
  ...['b', 'A', 'a-b', '_sip._tcp', 'a10', 'a2'].map((name) =>
    call('dns-records.create', { zone_id: 'zone', name, type: 'TXT', value: `Text of ${name}` }),
  ),
  call('dns-records.create', { id: 'record', zone_id: 'zone', name: 'mail', type: 'MX', value: '10 mx.example.com.' }),
  refuse(400, 'dns-records.create', { zone_id: 'zone', name: 'bad', type: 'A', value: 'x' }),
  refuse(409, 'dns-records.create', { zone_id: 'zone', name: 'MAIL', type: 'MX', value: '10 mx.example.com.' }),
  call('dns-records.update', { id: 'record', ttl: 60 }),
  refuse(412, 'dns-records.update', { id: 'record', ttl: 61 }, stale),
]

const sources: readonly Step[] = [
  call('sources.create', { name: 'Docker', kind: 'docker' }, { save: { source: 'id' } }),
  call(
    'sources.create',
    {
      ...{
        name: 'äpfel',
        kind: 'docker',
        url: 'https://192.0.2.53:2376',
        interval_minutes: 0,
        description: 'Unreachable',
      },
      ...{ include: ['web*'], exclude: ['tag:old'], places: [{ match: 'DC*', datacenter_id: 'dc-1' }], tags: ['seen'] },
    },
    { save: { 'source 2': 'id' } },
  ),
  refuse(409, 'sources.create', { name: 'DOCKER', kind: 'docker' }),
  refuse(400, 'sources.create', { name: 'bad', kind: 'docker', url: 'http://127.0.0.1:2375' }),
  refuse(400, 'sources.create', { name: 'bad', kind: 'docker', options: { unknown: true } }),
  refuse(400, 'sources.create', { name: 'bad', kind: 'docker', datacenter_id: 'nowhere' }),
  call('sources.kinds'),
  call('sources.update', { id: '@{source 2}', tags: [], datacenter_id: 'dc-1' }),
  refuse(412, 'sources.update', { id: '@{source 2}', description: 'x' }, stale),
  refuse(400, 'sources.run', { id: '@{source}' }),
  call('sources.runs', { id: '@{source}' }),
  call('sources.objects', { source_id: '@{source}' }),
  call('sources.apply', { id: '@{source}' }),
  refuse(400, 'sources.apply', { id: '@{source}', objects: [{ resource: 'devices', key: 'none' }] }),
  refuse(400, 'sources.link', { id: '@{source}', objects: [{ resource: 'devices', key: 'none', object_id: null }] }),
]

const FORMATS = ['prometheus', 'ansible', 'hosts', 'ssh-config', 'dnsmasq', 'isc-dhcp', 'kea']
const feeds: readonly Step[] = [
  ...FORMATS.map((format) =>
    call('feeds.create', {
      id: `feed-${format}`,
      name: `Feed ${format}`,
      format,
      ...(/dhcp|kea|dnsmasq/.test(format) && { network_id: 'net' }),
    }),
  ),
  call('feeds.create', { id: 'feed-zone', name: 'feed zone', format: 'zone', zone_id: 'zone' }),
  call('feeds.create', {
    id: 'feed-template',
    name: '_feed',
    format: 'template',
    template: '{% for device in devices %}{{ device.name }}\n{% endfor %}',
  }),
  compare('feeds.create', { name: 'FEED HOSTS', format: 'hosts' }),
  refuse(400, 'feeds.create', { name: 'bad', format: 'template', template: '{% for' }),
  call('feeds.preview', { format: 'hosts', tags: ['ä'] }),
  call('feeds.update', { id: 'feed-hosts', description: 'For /etc/hosts' }),
  refuse(412, 'feeds.update', { id: 'feed-hosts', description: 'x' }, stale),
  ...[...FORMATS, 'zone', 'template'].map((format) => call('feeds.content', { id: `feed-${format}` })),
]

const credentials: readonly Step[] = [
  call(
    'credentials.create',
    { name: 'Snmp', type: 'snmp_v2c', community: 'public', network_id: 'net' },
    { save: { credential: 'id' } },
  ),
  call(
    'credentials.create',
    { name: 'ssh', type: 'ssh_password', username: 'root', password: 'x', device_id: 'sw' },
    { save: { 'credential 2': 'id' } },
  ),
  call('credentials.create', { name: 'SNMP', type: 'snmp_v2c', community: 'public' }),
  refuse(400, 'credentials.create', { name: 'v3', type: 'snmp_v3' }),
  call('credentials.update', { id: '@{credential}', description: 'Read only' }),
  refuse(412, 'credentials.update', { id: '@{credential}', description: 'x' }, stale),
  call('secrets.rotate'),
]

/** A channel whose messages wait for its digest, so that nothing works beside the calls. */
const channel: readonly Step[] = [
  call(
    'webhooks.create',
    {
      ...{
        name: 'channel',
        url: 'https://ntfy.example/topic',
        format: 'ntfy',
        digest: 'weekly',
        timezone: 'Asia/Tokyo',
      },
      ...{ events: ['datacenter.created'], filter: { tags: ['told'], network_ids: [] } },
    },
    { save: { channel: 'id' } },
  ),
  refuse(400, 'webhooks.create', {
    name: 'x',
    url: 'https://ntfy.example/',
    format: 'ntfy',
    events: ['device.created'],
  }),
  refuse(400, 'webhooks.update', { id: '@{channel}', format: 'generic', group_seconds: 60 }),
  refuse(400, 'webhooks.update', { id: '@{channel}', filter: { network_ids: ['unknown'] } }),
  call('webhooks.update', { id: '@{channel}', filter: null, events: ['device.created'] }),
  call('devices.create', { name: 'told' }, { save: { told: 'id' } }),
  call('webhooks.waiting', { id: '@{channel}' }),
  call('webhooks.flush', { id: '@{channel}' }),
  call('webhooks.flush', { id: '@{channel}' }),
  call('devices.delete', { id: '@{told}' }),
  call('webhooks.delete', { id: '@{channel}' }),
]

const webhooks: readonly Step[] = [
  call('webhooks.ping', { id: '@{webhook}' }, { save: { ping: 'delivery.id' } }),
  call('webhooks.deliveries', { id: '@{webhook}', limit: 1 }, { save: { delivery: '0.id' } }),
  call('webhooks.delivery', { id: '@{webhook}', delivery_id: '@{ping}' }),
  call('webhooks.redeliver', { id: '@{webhook}', delivery_id: '@{ping}' }),
  refuse(404, 'webhooks.delivery', { id: '@{webhook 2}', delivery_id: '@{ping}' }),
  ...channel,
]

/** Returns the calls with a wait for the zones after each. */
const afterLanes = (steps: readonly Step[]): Step[] => steps.flatMap((step) => [step, waitForZones])

/** Waits until nothing works beside the calls: no lane of a zone and no delivery of a webhook. */
export const waitForBackground: Action = async (world) => {
  await waitForZones(world)
  await until('the end of all deliveries', async () => {
    const open = world.app.db.read
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('status', 'in', ['pending', 'retrying'])
    return (await open.executeTakeFirst()) === undefined ? true : undefined
  })
}

export const serviceCalls: readonly Step[] = [
  ...discovery,
  ...afterLanes(dns),
  ...sources,
  ...feeds,
  ...credentials,
  ...webhooks,
]
