/** Zones in all states, for the screenshots: with a conflict, own records, a server that is away, and drift. */
import type { RunningPlat } from './server.ts'

/** Nothing listens at the port of the servers. */
export const DNS = { DNS_SERVERS: '127.0.0.0/8' }
const CLOSED_PORT = 1

export const seedDns = async (api: RunningPlat['api']) => {
  const server = await api.dnsProviders.create({
    ...{ name: 'ns1', host: '127.0.0.53', port: CLOSED_PORT, timeout_seconds: 2 },
    ...{ tsig_name: 'plat.key', tsig_secret: btoa('0'.repeat(32)), description: 'BIND, inside' },
  })
  await api.dnsProviders.create({ name: 'lab', host: '127.0.0.54', timeout_seconds: 2 })
  const zone = await api.dnsZones.create({
    ...{ name: 'example.net', description: 'The office', nameservers: ['ns1.example.net', 'ns2.example.net'] },
    ...{ admin_email: 'hostmaster@example.net', is_default: true },
  })
  await api.dnsZones.create({ subnet: '10.0.0.0/16' })
  const watched = await api.dnsZones.create({ name: 'example.org', provider_id: server.id, mode: 'watched' })
  const given = [
    ['mail', '10.0.250.1', 'mail.example.net'],
    ['wiki', '10.0.250.2', 'wiki.example.net'],
    ['twice-1', '10.0.250.3', 'twice.example.net'],
    ['twice-2', '10.0.250.4', 'twice.example.net'],
  ] as const
  const [device] = await Promise.all(
    given.map(([name, ip, dns_name]) =>
      api.devices.create({ name, hostname: dns_name, status: 'active', addresses: [{ ip, dns_name }] }),
    ),
  )
  const records = [
    ['@', 'MX', '10 mail.example.net'],
    ['@', 'TXT', 'v=spf1 mx -all'],
    ['wiki', 'CNAME', 'pages.example.org'],
    ['_sip._tcp', 'SRV', '0 5 5060 sip.example.net'],
    ['ns1', 'A', '192.0.2.53'],
    ['ns2', 'A', '198.51.100.53'],
  ] as const
  for (const [name, type, value] of records) await api.dnsRecords.create({ zone_id: zone.id, name, type, value })
  return { server: server.id, zone: zone.id, watched: watched.id, device: device?.id ?? '' }
}
