/**
 * Reads the messages of scanners, which are untrusted: texts and lists are cut to their bounds before they are validated, missing fields get
 * defaults, unknown ones are dropped, and a wrong type is an error that names the field.
 */
import { z } from 'zod'
import { invalidField } from '../../contract/errors.ts'
import { parse } from '../../contract/validate.ts'
import { normalizeIp } from '../../net/ip.ts'
import { parseMac } from '../../net/mac.ts'
import { type FoundHost, STAGES } from '../../scanner/protocol.ts'
import { type Sighting, WIRE_LIMITS } from '../../scanner/wire.ts'
import type { ReportsBody, SightingsBody } from './api.ts'
import { cutText } from './cut-text.ts'

/** The bound of all other texts: that of stored texts of a host. */
const TEXT = 512
const NOTE = 500
const BANNER = 2048
const DETAIL = 1024
const DETAILS = 32
const NAMES = 32
const EVIDENCE = 32
const SERVICES = 256
const OPEN_PORTS = 4096
/** ARP and forwarding tables. */
const TABLE = 20_000
const INTERFACES = 4096
const ADDRESSES = 256
const NEIGHBOURS = 4096
const CHECKPOINT_BYTES = 64 * 1024
const HOUR_MS = 3_600_000

const text = (most = TEXT) =>
  z
    .string()
    .transform((value) => cutText(value, most))
    .default('')

/** Items beyond the bound are not looked at. */
const list = <Item extends z.ZodType>(item: Item, most: number) =>
  z.preprocess((value) => (Array.isArray(value) ? value.slice(0, most) : value), z.array(item)).default([])

const between = (least: number, most: number) => z.number().transform((value) => Math.min(most, Math.max(least, value)))

const whole = (most: number) =>
  z
    .number()
    .transform((value) => Math.min(most, Math.max(0, Math.round(value))))
    .default(0)

const mac = text().transform((value) => parseMac(value) ?? '')
const port = z.int().min(1).max(65_535)

const Details = z
  .preprocess(
    (value) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).slice(0, DETAILS))
        : value,
    z.record(z.string(), z.string()),
  )
  .transform((values) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [cutText(name, TEXT), cutText(value, DETAIL)])),
  )
  .default({})

const Service = z.object({
  port,
  protocol: z.enum(['tcp', 'udp']),
  service: text(),
  product: text(),
  version: text(),
  banner: text(BANNER),
  details: Details,
})

const Interface = z.object({
  index: whole(Number.MAX_SAFE_INTEGER),
  name: text(),
  description: text().exactOptional(),
  mac,
  addresses: list(text(), ADDRESSES),
})

const Neighbour = z.object({
  protocol: z.literal('cdp').exactOptional(),
  localPort: text(),
  remoteName: text(),
  remotePort: text(),
  remotePortDescription: text().exactOptional(),
  remotePortIsName: z.boolean().exactOptional(),
  remoteChassis: text(),
  remoteAddress: text(),
})

const System = z.object({ vendor: text(), system: text(), version: text(), model: text(), serial: text() })

const Snmp = z.object({
  credentialId: text(),
  engineId: text(),
  name: text(),
  description: text(DETAIL),
  objectId: text(),
  system: System.exactOptional(),
  location: text(),
  uptimeSeconds: whole(Number.MAX_SAFE_INTEGER),
  interfaces: list(Interface, INTERFACES),
  arp: list(z.object({ ip: text(), mac: text() }), TABLE),
  lldp: list(Neighbour, NEIGHBOURS),
  forwarding: list(z.object({ mac: text(), port: text() }), TABLE),
})

const Ip = z.string().transform((value, issues) => {
  const ip = normalizeIp(value)
  if (ip !== undefined) return ip
  issues.addIssue({ code: 'custom', message: 'must be an IP address' })
  return z.NEVER
})

const Host = z.object({
  ip: Ip,
  mac,
  macSource: z.enum(['arp', 'neighbour', 'snmp', 'mdns', 'netbios', 'dhcp', '']).default(''),
  vendor: text(),
  rttMs: between(0, HOUR_MS).nullable().default(null),
  ttl: between(0, 255).nullable().default(null),
  evidence: list(
    z.object({
      source: z.enum([
        ...(['arp', 'icmp', 'tcp-open', 'tcp-refused', 'udp', 'snmp'] as const),
        ...(['mdns', 'netbios', 'ssh', 'lldp', 'dhcp'] as const),
      ]),
      weight: between(0, 1),
      detail: text(),
    }),
    EVIDENCE,
  ),
  names: list(
    z.object({ name: text(), source: z.enum(['snmp', 'mdns', 'netbios', 'ptr', 'tls', 'ssh', 'dhcp']) }),
    NAMES,
  ),
  openPorts: list(port, OPEN_PORTS),
  services: list(Service, SERVICES),
  os: text(),
  osConfidence: between(0, 100).default(0),
  osVotes: list(z.object({ os: text(), weight: between(0, 100), because: text() }), EVIDENCE),
  sshHostKey: text(),
  tlsCertificate: text(),
  snmp: Snmp.nullable().default(null),
}) satisfies z.ZodType<FoundHost>

const Flag = z.boolean().default(false)
const Count = whole(Number.MAX_SAFE_INTEGER)

/** A checkpoint that is too large is left out, so that the one before stays. */
const Saved = z
  .looseObject({ version: z.literal(1) })
  .transform((value) => (JSON.stringify(value).length > CHECKPOINT_BYTES ? undefined : value))
  .optional()

const Report = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('ready'),
    privilege: z.object({ icmp: Flag, arp: Flag, neighbours: Flag, advice: text(NOTE) }),
  }),
  z.object({
    type: z.literal('batch'),
    progress: z
      .object({ stage: z.enum(STAGES), scanned: Count, total: Count, found: Count, probesPerSecond: Count })
      .optional(),
    hosts: z.array(Host).default([]),
    checkpoint: Saved,
  }),
  z.object({ type: z.literal('note'), text: text(NOTE) }),
  z.object({ type: z.literal('done') }),
  z.object({ type: z.literal('cancelled') }),
  z.object({ type: z.literal('failed'), message: text(NOTE) }),
])
/** A `FromScanner`, of which a batch may lack progress and checkpoint. */
export type Report = z.output<typeof Report>

const Reports = z.object({ reports: z.array(Report) })
const Sightings = z.object({ sightings: z.array(z.object({ network_id: z.string(), hosts: z.array(Host) })) })

/** @throws AppError VALIDATION_ERROR for more hosts than a request may have, before anything is made of them */
const refuseManyHosts = (field: string, items: readonly { readonly hosts?: unknown }[]): void => {
  const count = items.reduce((sum, { hosts }) => sum + (Array.isArray(hosts) ? hosts.length : 0), 0)
  if (count > WIRE_LIMITS.hosts) throw invalidField(field, `has ${count} hosts, and may have ${WIRE_LIMITS.hosts}`)
}

/** @throws AppError VALIDATION_ERROR */
export const readReports = (reports: ReportsBody['reports']): Report[] => {
  refuseManyHosts('reports', reports)
  return parse(Reports, { reports }).reports
}

/** @throws AppError VALIDATION_ERROR */
export const readSightings = (sightings: SightingsBody['sightings']): Sighting[] => {
  refuseManyHosts('sightings', sightings)
  return parse(Sightings, { sightings }).sightings
}
