/** The contract of the routes that scanners call. Browser-safe. */
import { z } from 'zod'
import { rawRoute } from '../../kernel/operation.ts'
import { formatCidr, parseCidr } from '../../net/cidr.ts'
import { WIRE_LIMITS } from '../../scanner/wire.ts'
import { cutText } from './cut-text.ts'

const MAX_HOLDING = 64
const MAX_NETWORKS = 1000
const MAX_ID = 64

/** A text of a scanner about itself, which is for people. */
const said = (most: number) => z.string().overwrite((text) => cutText(text, most))

const Id = z
  .string()
  .min(1)
  .max(MAX_ID)
  .meta({ exact: { examples: ['01980f2e-5d43-7c1a-9f0e-3b6a8c2d4e5f'] } })

const Capabilities = z.object({
  icmp: z.boolean().default(false),
  arp: z.boolean().default(false),
  neighbours: z.boolean().default(false),
  listen: z.boolean().default(false).describe('It can listen by an AF_PACKET socket'),
})

const Link = z
  .string()
  .max(64)
  .refine((text) => parseCidr(text) !== undefined, 'must be a network such as 10.0.0.0/24')
  .overwrite((text) => {
    const cidr = parseCidr(text)
    return cidr ? formatCidr(cidr) : text
  })

const facts = {
  protocol: z.int().describe('The number of the messages that it speaks'),
  version: said(64),
  hostname: said(255),
  capabilities: Capabilities,
  links: z.array(Link).max(WIRE_LIMITS.links).describe('The networks of its interfaces'),
  slots: z.int().min(1).max(WIRE_LIMITS.slots).describe('Scans that it runs at once'),
}

export const EnrolBody = z.object({
  ...facts,
  public_key: z.string().max(64).describe('Base64url of the 32 bytes of an X25519 key'),
})

export const PollBody = z.object({
  protocol: facts.protocol,
  version: facts.version,
  hostname: facts.hostname.exactOptional(),
  capabilities: facts.capabilities.exactOptional(),
  links: facts.links.exactOptional(),
  slots: facts.slots.exactOptional(),
  spooled_reports: z.int().min(0).exactOptional().describe('Reports that wait to be sent'),
  holding: z
    .array(z.object({ scan_id: Id, lease: Id }))
    .max(MAX_HOLDING)
    .describe('The scans that it has on its hands'),
  listen_tag: z.string().max(MAX_ID).optional().describe('That of the last answer'),
  wait_seconds: z
    .number()
    .min(0)
    .max(WIRE_LIMITS.waitSeconds)
    .default(WIRE_LIMITS.waitSeconds)
    .describe('0 only asks: no scan is given, and none is taken back'),
})
export type PollBody = z.output<typeof PollBody>

/** The messages are read in a second step, within their bounds. */
const Message = z.record(z.string(), z.unknown())

export const ReportsBody = z.object({
  lease: Id,
  seq: z.int().min(1).describe('1 for the first request of a lease, and one more for each further one'),
  reports: z.array(Message).max(WIRE_LIMITS.reports),
})
export type ReportsBody = z.output<typeof ReportsBody>

export const SightingsBody = z.object({
  sightings: z.array(z.object({ network_id: Id, hosts: z.array(Message).max(WIRE_LIMITS.hosts) })).max(MAX_NETWORKS),
})
export type SightingsBody = z.output<typeof SightingsBody>

export const ByeBody = z.object({})

const EnrolOutput = z.object({
  id: z.string(),
  name: z.string(),
  token: z.string().describe('The Bearer token of all other requests; it is shown once'),
  server_version: z.string(),
})

const PollOutput = z.object({
  start: z.array(
    z.object({
      scan_id: z.string(),
      lease: z.string(),
      network_id: z.string(),
      network_name: z.string(),
      plan: z.record(z.string(), z.unknown()).describe('What is to be scanned, and how; without logins'),
      sealed: z
        .object({ epk: z.string(), iv: z.string(), body: z.string() })
        .nullable()
        .describe('The logins of a deep scan, encrypted for the public key of the scanner'),
    }),
  ),
  cancel: z.array(z.string()).describe('Scans that were cancelled'),
  drop: z.array(z.string()).describe('Scans that it no longer has'),
  listen: z.array(z.object({ network_id: z.string(), subnet: z.string(), excludes: z.array(z.string()) })),
  listen_tag: z.string(),
  server_version: z.string(),
})

/** The routes identify their callers in their own way: by the token of a scanner, which opens nothing else. */
const common = { access: 'authenticated', bearerOnly: true } as const

export const scannerRoutes = {
  enrol: rawRoute({
    ...common,
    name: 'scanners.redeem',
    summary: 'Exchange the enrolment token of a scanner for its token',
    description:
      'With the enrolment token, which works once, as the Bearer token. INVALID_CREDENTIALS: it is unknown, used or void. EXPIRED_KEY: it has expired. A request that is refused for its body does not use it up.',
    http: 'POST /api/scanner/enrol',
    status: 201,
    isSensitive: true,
    audit: { action: 'update', resource: 'scanner' },
    input: EnrolBody,
    output: EnrolOutput,
  }),
  poll: rawRoute({
    ...common,
    name: 'scanners.poll',
    summary: 'Ask what a scanner is to do; waits until there is something',
    description:
      'Answers at once if there is something to start, to cancel, to drop or to listen to, else after wait_seconds. A second one ends the first. A scan that the scanner was given and does not name in `holding` is taken back, and given again from its checkpoint.',
    http: 'POST /api/scanner/poll',
    isLong: true,
    input: PollBody,
    output: PollOutput,
  }),
  reports: rawRoute({
    ...common,
    name: 'scanners.reports',
    summary: 'Store what a scanner reports of a scan',
    description:
      'At most 50 reports and 2,000 hosts. A number that was stored already is acknowledged again and does nothing; a number beyond the next one is 400. A scan that the scanner does not have, or no longer, is 404.',
    http: 'POST /api/scanner/scans/{id}/reports',
    input: ReportsBody,
    output: z.object({ ack: z.int().describe('The last number that is stored'), cancel: z.boolean() }),
  }),
  sightings: rawRoute({
    ...common,
    name: 'scanners.sightings',
    summary: 'Store which hosts a scanner has heard',
    description: 'At most 2,000 hosts. Those outside of the networks that it listens to are dropped.',
    http: 'POST /api/scanner/sightings',
    input: SightingsBody,
    output: z.object({ accepted: z.int(), dropped: z.int() }).describe('Numbers of hosts'),
  }),
  bye: rawRoute({
    ...common,
    name: 'scanners.bye',
    summary: 'Say that a scanner stops; it is offline at once',
    http: 'POST /api/scanner/bye',
    status: 204,
    input: ByeBody,
  }),
}
