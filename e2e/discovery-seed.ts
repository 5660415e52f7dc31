/**
 * Networks of loopback addresses for the pages of discovery. All of their addresses answer, some have a service, and
 * some differ from their documentation. Real scans find them.
 */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { eventually } from './harness.ts'
import type { RunningPlat } from './server.ts'

/** Ports that no other service uses. The scans of these tests try only them. */
const SSH_PORT = 42_022
const HTTP_PORT = 42_080

/** A hostile title of a page. */
export const HOSTILE = '<img src=x onerror=alert(1)>'

export const DISCOVERY: Readonly<Record<string, string>> = {
  DISCOVERY_PORTS: `${SSH_PORT},${HTTP_PORT}`,
  DISCOVERY_TIMEOUT: '200ms',
  // Slow enough that a scan of 3,839 addresses can be watched, on a slow machine as well.
  DISCOVERY_RATE: '600',
}

const PAGE = `<html><head><title>${HOSTILE}</title></head></html>`
const HTTP = `HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nContent-Type: text/html\r\nContent-Length: ${PAGE.length}\r\nConnection: close\r\n\r\n${PAGE}`

type Host = { readonly ip: string; readonly port: number; readonly speak: (socket: Socket) => void }

const HOSTS: readonly Host[] = [
  { ip: '127.90.0.3', port: SSH_PORT, speak: (socket) => socket.end('SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n') },
  { ip: '127.90.0.4', port: HTTP_PORT, speak: (socket) => socket.once('data', () => socket.end(HTTP)) },
]

/**
 * Hosts with services: a banner that names an operating system, and a hostile page.
 * @returns a function that stops them
 */
export const startHosts = async (): Promise<() => Promise<void>> => {
  const open = new Set<Socket>()
  const servers = await Promise.all(
    HOSTS.map(async ({ ip, port, speak }) => {
      const server = createServer((socket) => {
        open.add(socket)
        socket.on('close', () => open.delete(socket))
        socket.on('error', () => socket.destroy())
        speak(socket)
      })
      server.listen(port, ip)
      await once(server, 'listening')
      return server
    }),
  )
  return async () => {
    for (const socket of open) socket.destroy()
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  }
}

type Api = RunningPlat['api']

/** Waits until no scan of the network is active. */
export const untilScanned = async (api: Api, networkId: string): Promise<void> => {
  const active = async () => {
    const scans = await api.scans.list({ network_id: networkId })
    return scans.filter(({ status }) => status === 'pending' || status === 'running').length
  }
  await eventually(active, 0)
}

export const scanNetwork = async (api: Api, networkId: string, type: 'quick' | 'full' | 'deep'): Promise<string> => {
  const started = await api.scans.start({ id: networkId, scan_type: type })
  if (!('id' in started)) throw new Error('only a dry run has no id')
  await untilScanned(api, networkId)
  return started.id
}

export type SeededDiscovery = {
  readonly network: string
  readonly untouched: string
  /** Large enough to watch its scan. `large` is larger. */
  readonly watched: string
  readonly large: string
  readonly scan: string
  readonly rule: string
  /** The host with a banner that names its system. */
  readonly discovered: string
  /** Documented with another operating system and another status. */
  readonly device: string
}

/** Creates a scanned network, one without scans, and a large one. */
export const seedDiscovery = async ({ api }: RunningPlat): Promise<SeededDiscovery> => {
  const network = await api.networks.create({ name: 'loop lab', subnet: '127.90.0.0/28' })
  const untouched = await api.networks.create({ name: 'loop spare', subnet: '127.91.0.0/28' })
  const watched = await api.networks.create({ name: 'loop watched', subnet: '127.93.0.0/20' })
  const large = await api.networks.create({ name: 'loop large', subnet: '127.92.0.0/16' })
  const documented = (name: string, ip: string, fields: object) =>
    api.devices.create({ name, addresses: [{ ip, network_id: network.id }], ...fields })
  const device = await documented('lab-ssh', '127.90.0.3', { os: 'Windows Server 2022', status: 'planned' })
  await documented('lab-planned', '127.90.0.6', { status: 'planned' })
  await documented('lab-retired', '127.90.0.7', { status: 'decommissioned' })
  await scanNetwork(api, network.id, 'quick')
  const scan = await scanNetwork(api, network.id, 'deep')
  const rule = await api.discoveryRules.create({
    network_id: network.id,
    scan_type: 'deep',
    interval_hours: 24,
    enabled: false,
    exclude_ips: '127.90.0.14',
  })
  const discovered = await api.discovery.list({ network_id: network.id, q: '127.90.0.3' })
  return {
    network: network.id,
    untouched: untouched.id,
    watched: watched.id,
    large: large.id,
    scan,
    rule: rule.id,
    discovered: discovered[0]?.id ?? '',
    device: device.id,
  }
}

type Discovered = Awaited<ReturnType<Api['discovery']['get']>>
type Item = Awaited<ReturnType<Api['inbox']['list']>>[number]

const AT = '2026-01-02T03:04:05.000Z'

/** Data that loopback lacks: MACs, SNMP, neighbors, conflicting names. All of its text is untrusted. */
export const strange = (networkId: string): Discovered => ({
  id: 'strange',
  ip: '127.90.0.2',
  mac_address: '00:1b:21:00:00:01',
  random_mac: false,
  lease_expires_at: null,
  hostname: HOSTILE,
  network_id: networkId,
  status: 'up',
  confidence: 70,
  reasons: ['answered ARP (60 %)', 'answered ping (50 %)', 'the names disagree: a (ptr), b (mdns) (-20)'],
  os_guess: `Linux ${HOSTILE}`,
  os_confidence: 91,
  vendor: 'Intel Corporate',
  open_ports: [22, 443],
  services: [
    {
      port: 443,
      protocol: 'tcp',
      service: 'https',
      product: HOSTILE,
      version: '1',
      banner: `HTTP/1.1 200 OK\r\nServer: ${HOSTILE}`,
      details: { title: HOSTILE, issuer: 'CN=lab', not_after: AT },
    },
  ],
  addresses: [
    { ip: '127.90.0.2', status: 'up', first_seen: AT, last_seen: AT },
    { ip: '127.90.0.9', status: 'down', first_seen: AT, last_seen: AT },
  ],
  identity: { kind: 'mac', value: '00:1b:21:00:00:01' },
  rtt_ms: 0.42,
  matched_device_id: null,
  promoted_to_device_id: null,
  promoted_at: null,
  last_scan_id: '',
  first_seen: AT,
  last_seen: AT,
  created_at: AT,
  updated_at: AT,
  identities: ['mac:00:1b:21:00:00:01', 'ssh:SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8'],
  evidence: [
    { ip: '127.90.0.2', source: 'arp', weight: 0.6, detail: 'answered ARP' },
    { ip: '127.90.0.2', source: 'icmp', weight: 0.5, detail: 'answered ping' },
  ],
  os_votes: [
    { os: `Linux ${HOSTILE}`, weight: 90, because: 'SNMP sysDescr' },
    { os: 'Linux', weight: 15, because: 'TTL 64' },
  ],
  names: [
    { name: 'a.example.com', source: 'ptr' },
    { name: HOSTILE, source: 'mdns' },
  ],
  ssh_host_key: 'SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8',
  tls_certificate: '',
  snmp: {
    name: 'core-1',
    description: HOSTILE,
    location: 'Row 4',
    object_id: '1.3.6.1.4.1.8072.3.2.10',
    system: null,
    engine_id: '80001f8880',
    uptime_seconds: 123_456,
    interfaces: [{ index: 1, name: 'eth0', mac: '00:1b:21:00:00:01', addresses: ['127.90.0.2'] }],
    neighbours: [{ local_port: 'eth0', remote_name: 'sw-1', remote_port: 'Gi1/0/7', remote_address: '127.90.0.8' }],
  },
})

/** Inbox items of the buckets that a scan of loopback never fills. */
export const strangeItems = (networkId: string, deviceId: string): readonly Item[] => {
  const { services, ...rest } = strange(networkId)
  const discovered = { ...rest, services: services.map(({ banner: _, details: __, ...one }) => one) }
  const item = (id: string, bucket: Item['bucket'], fields: Item['fields']): Item => ({
    id,
    bucket,
    network_id: networkId,
    ip: '127.90.0.2',
    hostname: HOSTILE,
    device_id: deviceId,
    device_name: `${bucket} ${HOSTILE}`,
    ignored: false,
    since: AT,
    fields,
    discovered: { ...discovered, id },
  })
  const field = (name: Item['fields'][number]['field'], documented: string, observed: string, target?: string) => ({
    field: name,
    documented,
    observed,
    because: 'LLDP of sw-1, port Gi1/0/7',
    target_id: target ?? null,
  })
  return [
    item('wired', 'changed', [
      field('hostname', 'old', HOSTILE),
      field('switch_port', '', 'sw-1 Gi1/0/7'),
      field('connected_to', '', 'sw-1', deviceId),
    ]),
    item('absent', 'gone', [field('status', 'active', 'decommissioned')]),
    item('torn', 'conflict', [
      field('mac_address', '00:1b:21:00:00:02', '00:1b:21:00:00:01', 'strange'),
      field('ssh_host_key', 'SHA256:before', 'SHA256:after'),
    ]),
  ]
}
