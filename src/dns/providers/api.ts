/** The contract of DNS servers that Plat updates: their address and key. Browser-safe. */
import { z } from 'zod'
import {
  draft,
  Filter,
  idOf,
  line,
  Name,
  numberOr,
  Page,
  patch,
  ruledText,
  Timestamp,
  text,
} from '../../contract/fields/fields.ts'
import { matchWhole, type TextRule } from '../../contract/fields/text-rules.ts'
import { operation } from '../../kernel/operation.ts'
import { normalizeName } from '../../net/dns/name.ts'
import { TSIG_ALGORITHMS } from '../../net/dns/tsig.ts'

export const TsigAlgorithm = z.enum(TSIG_ALGORITHMS)
const ProviderType = z.enum(['rfc2136'])

export const DnsProvider = z
  .object({
    id: z.string(),
    name: z.string(),
    type: ProviderType,
    host: z.string(),
    port: z.int(),
    tsig_name: z.string(),
    tsig_algorithm: TsigAlgorithm,
    has_secret: z.boolean().describe('Whether a secret is stored; it is never sent'),
    timeout_seconds: z.int(),
    description: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'DnsProvider', columns: ['id', 'name', 'host', 'port', 'tsig_name', 'has_secret'] })
export type DnsProvider = z.infer<typeof DnsProvider>

const BASE64_PATTERN = '(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?'
const BASE64: TextRule = {
  holds: (text) => new RegExp(matchWhole(BASE64_PATTERN)).test(text),
  pattern: BASE64_PATTERN,
  error: 'must be base64',
}

const Host = line(253)
  .trim()
  .min(1, 'must not be blank')
  .meta({ examples: ['192.0.2.53'] })

const fields = {
  type: z
    .union([z.literal(''), ProviderType])
    .nullable()
    .transform((type) => type || 'rfc2136')
    .describe('rfc2136: dynamic updates, as BIND, Knot DNS and PowerDNS take them'),
  port: numberOr(53, { min: 1, max: 65_535 }),
  tsig_name: text(255)
    .refine((name) => name === '' || normalizeName(name) !== undefined, { error: 'must be a domain name' })
    .transform((name) => (name === '' ? '' : (normalizeName(name) ?? '')))
    .describe('The name of the key that signs requests; without it they are not signed'),
  tsig_algorithm: z
    .union([z.literal(''), TsigAlgorithm])
    .nullable()
    .transform((algorithm) => algorithm || 'hmac-sha256'),
  tsig_secret: ruledText(1024, BASE64).describe('The secret of that key, in base64; never sent back'),
  timeout_seconds: numberOr(5, { min: 1, max: 60 }).describe(
    'Limit of the connection and of each answer: 1-60, 5 where absent',
  ),
  description: text(4096),
}

export const DnsProviderDraft = z.object({ name: Name, host: Host, ...draft(fields) })
export type DnsProviderDraft = z.output<typeof DnsProviderDraft>

export const DnsProviderPatch = z.object({
  id: idOf('dns-providers'),
  ...patch({ name: Name, host: Host, ...fields }),
})
export type DnsProviderPatch = z.output<typeof DnsProviderPatch>

const One = z.object({ id: idOf('dns-providers') })

export const dnsProviders = {
  list: operation({
    name: 'dns-providers.list',
    summary: 'List DNS servers, without their secrets',
    http: 'GET /api/dns/providers',
    access: 'dns:list',
    cli: { command: 'dns provider list' },
    input: () => z.object({ name: Filter.optional().describe('Part of the name, in any case'), ...Page }),
    output: () => z.array(DnsProvider),
  }),
  create: operation({
    name: 'dns-providers.create',
    summary: 'Add a DNS server that takes dynamic updates',
    description:
      'Private addresses and this machine are reached only if DNS_SERVERS or SSRF_ALLOW_PRIVATE_TARGETS allows it. On a command line secrets are visible to all users of the machine: send them with --input -.',
    http: 'POST /api/dns/providers',
    status: 201,
    effect: 'create',
    access: 'dns:create',
    cli: { command: 'dns provider create', args: ['name', 'host'] },
    // A secret that a model has read is no longer secret.
    mcp: 'hidden',
    input: DnsProviderDraft,
    output: DnsProvider,
  }),
  get: operation({
    name: 'dns-providers.get',
    summary: 'Show a DNS server, without its secret',
    http: 'GET /api/dns/providers/{id}',
    access: 'dns:read',
    cli: { command: 'dns provider get' },
    input: One,
    output: DnsProvider,
  }),
  update: operation({
    name: 'dns-providers.update',
    summary: 'Change some fields of a DNS server',
    description: 'A secret that is not given stays as it is; "" clears it.',
    http: 'PUT /api/dns/providers/{id}',
    access: 'dns:update',
    cli: { command: 'dns provider update' },
    // For the same reason as for create.
    mcp: 'hidden',
    input: DnsProviderPatch,
    output: DnsProvider,
  }),
  delete: operation({
    name: 'dns-providers.delete',
    summary: 'Delete a DNS server that no zone uses',
    http: 'DELETE /api/dns/providers/{id}',
    access: 'dns:delete',
    cli: { command: 'dns provider delete' },
    errors: [409],
    input: One,
    output: () => z.void(),
  }),
  test: operation({
    name: 'dns-providers.test',
    summary: 'Send a signed query to a DNS server, and show the serial of a zone',
    http: 'POST /api/dns/providers/{id}/test',
    effect: 'action',
    reachesOut: true,
    hasOwnTransactions: true,
    access: 'dns:test',
    errors: [502],
    cli: { command: 'dns provider test' },
    input: z.object({
      id: idOf('dns-providers'),
      zone: text(255)
        .refine((name) => name === '' || normalizeName(name) !== undefined, { error: 'must be a domain name' })
        .optional()
        .describe('A zone whose serial is asked for; without it only the signature is judged'),
    }),
    output: () =>
      z
        .object({ latency_ms: z.number(), serial: z.int().nullable() })
        .meta({ id: 'DnsProviderTest', columns: ['latency_ms', 'serial'] }),
  }),
}
