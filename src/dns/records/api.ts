/** The contract of the own records of DNS zones. Browser-safe. */
import { z } from 'zod'
import { draft, Filter, idOf, line, NewId, Page, patch, Timestamp, text } from '../../contract/fields/fields.ts'
import { operation } from '../../kernel/operation.ts'

export const RECORD_TYPES = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'SRV', 'NS', 'CAA', 'PTR', 'SSHFP'] as const
export const RecordType = z.enum(RECORD_TYPES)
export type RecordType = z.infer<typeof RecordType>

export const DnsRecord = z
  .object({
    id: z.string(),
    zone_id: z.string(),
    name: z.string().describe('Relative to the zone; @ is the zone itself'),
    fqdn: z.string(),
    type: RecordType,
    ttl: z.int().nullable().describe('null: the TTL of the zone'),
    value: z.string(),
    description: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'DnsRecord', columns: ['id', 'zone_id', 'name', 'type', 'ttl', 'value'] })
export type DnsRecord = z.infer<typeof DnsRecord>

const Name = line(255).min(1, 'must not be empty').describe('@, relative, or full if it ends with the name of the zone')
const Value = line(16_384).describe(
  'In presentation format with full names: "10 mail.example.net"; of TXT the bare text, up to 4,096 bytes',
)

const fields = {
  ttl: z.int().min(1).max(604_800).nullable().describe('null: the TTL of the zone'),
  description: text(4096),
}

export const DnsRecordDraft = z.object({
  id: NewId.optional(),
  zone_id: idOf('dns-zones'),
  name: Name,
  type: RecordType,
  value: Value,
  ...draft(fields),
})
export type DnsRecordDraft = z.output<typeof DnsRecordDraft>

export const DnsRecordPatch = z.object({
  id: idOf('dns-records'),
  zone_id: idOf('dns-zones').nullish().describe("Can't change; accepted if it is the record's own"),
  ...patch({ name: Name, type: RecordType, value: Value, ...fields }),
})
export type DnsRecordPatch = z.output<typeof DnsRecordPatch>

const One = z.object({ id: idOf('dns-records') })

export const dnsRecords = {
  list: operation({
    name: 'dns-records.list',
    summary: 'List the own records of DNS zones',
    http: 'GET /api/dns/records',
    access: 'dns:list',
    cli: { command: 'dns record list' },
    input: () =>
      z.object({
        zone_id: idOf('dns-zones').optional(),
        type: RecordType.optional(),
        name: Filter.optional().describe('Part of the name'),
        ...Page,
      }),
    output: () => z.array(DnsRecord),
  }),
  create: operation({
    name: 'dns-records.create',
    summary: 'Add a record to a DNS zone; it replaces those of devices with its name and type',
    http: 'POST /api/dns/records',
    status: 201,
    effect: 'create',
    alsoAnswers: { 200: 'same' },
    access: 'dns:create',
    proposes: true,
    inQuery: ['dry_run'],
    cli: { command: 'dns record create', args: ['zone_id', 'name', 'type', 'value'] },
    input: () => DnsRecordDraft.extend({ dry_run: z.boolean().optional().describe('Adds nothing, and answers 200') }),
    output: DnsRecord,
  }),
  get: operation({
    name: 'dns-records.get',
    summary: 'Show an own record of a DNS zone',
    http: 'GET /api/dns/records/{id}',
    access: 'dns:read',
    cli: { command: 'dns record get' },
    input: One,
    output: DnsRecord,
  }),
  update: operation({
    name: 'dns-records.update',
    summary: 'Change some fields of an own record',
    http: 'PUT /api/dns/records/{id}',
    access: 'dns:update',
    proposes: true,
    cli: { command: 'dns record update' },
    input: DnsRecordPatch,
    output: DnsRecord,
  }),
  delete: operation({
    name: 'dns-records.delete',
    summary: 'Delete an own record; the zone then holds again what devices give',
    http: 'DELETE /api/dns/records/{id}',
    access: 'dns:delete',
    proposes: true,
    cli: { command: 'dns record delete' },
    input: One,
    output: () => z.void(),
  }),
}
