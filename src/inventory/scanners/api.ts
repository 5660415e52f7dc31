/** The contract of scanners: programs in other networks that scan there for Plat. Browser-safe. */
import { z } from 'zod'
import { Filter, idOf, Timestamp } from '../../contract/fields/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { crud } from '../../resource/crud.ts'
import { scannerFacts } from './resource.ts'

export const ScannerStatus = z.enum(['pending', 'online', 'offline', 'revoked'])
export type ScannerStatus = z.infer<typeof ScannerStatus>

const Capabilities = z
  .object({
    icmp: z.boolean().describe('It can ping'),
    arp: z.boolean().describe('It can send ARP requests'),
    neighbours: z.boolean().describe('It can read the neighbor table of its machine'),
    listen: z.boolean().describe('It can listen by a socket of its own'),
  })
  .meta({ id: 'ScannerCapabilities' })

const base = crud(scannerFacts, {
  schemas: {
    status: { answer: ScannerStatus.describe('`pending` until it enrols') },
    hostname: { answer: z.string().describe('Of its machine') },
    version: { answer: z.string().describe('Of its program') },
    protocol: { answer: z.int().nullable().describe('Of its messages') },
    is_outdated: { answer: z.boolean().describe('Its version differs from the version of the server') },
    capabilities: { answer: Capabilities },
    links: { answer: z.array(z.string()).describe('The networks of its interfaces, as CIDRs') },
    slots: { answer: z.int().nullable().describe('Scans that it runs at the same time') },
    ip_address: { answer: z.string().describe('The address that its requests come from') },
    running_scans: { answer: z.int().describe('Scans that it runs, of those that you may list') },
    spooled_reports: { answer: z.int().describe('Reports that it has not been able to send yet') },
    last_seen_at: { answer: Timestamp.nullable().describe('To the minute') },
    enrolled_at: { answer: Timestamp.nullable() },
  },
  filters: {
    status: ScannerStatus.optional(),
    label: Filter.optional().describe('Scanners whose name or one of whose tags is this text'),
  },
})
export const Scanner = base.Item
export type Scanner = z.infer<typeof Scanner>
export const { Draft: ScannerDraft } = base

const enrolment = {
  enrolment_token: z.string().describe('Works once, for 24 hours; shown only this once'),
  enrolment_expires_at: Timestamp,
}

const NewScanner = Scanner.extend(enrolment).meta({
  id: 'NewScanner',
  columns: ['id', 'name', 'enrolment_token', 'enrolment_expires_at'],
})
const Enrolment = z
  .object(enrolment)
  .meta({ id: 'ScannerEnrolment', columns: ['enrolment_token', 'enrolment_expires_at'] })
export type Enrolment = z.infer<typeof Enrolment>

const One = z.object({ id: idOf('scanners') })

export const scanners = {
  ...base.operations,
  create: operation({
    name: 'scanners.create',
    summary: scannerFacts.summaries.create,
    description: 'Start `plat scanner run` with the token on the machine that is to scan.',
    http: 'POST /api/scanners',
    status: 201,
    effect: 'create',
    access: 'scanners:create',
    hasHistory: true,
    proposes: false,
    answersSecret: true,
    cli: { args: scannerFacts.args },
    mcp: 'hidden',
    input: base.Draft,
    output: NewScanner,
  }),
  enrol: operation({
    name: 'scanners.enrol',
    summary: 'Make another token by which a scanner enrols',
    description: 'Earlier unused tokens are void. The credential of the scanner works until the new token is used.',
    http: 'POST /api/scanners/{id}/enrolment',
    status: 201,
    effect: 'action',
    access: 'scanners:update',
    mcp: 'hidden',
    input: One,
    output: Enrolment,
  }),
  revoke: operation({
    name: 'scanners.revoke',
    summary: 'End the access of a scanner at once; its running scans fail, and what they found stays',
    description: 'It can be enrolled again. Revoking it twice is no error.',
    http: 'POST /api/scanners/{id}/revoke',
    effect: 'action',
    access: 'scanners:update',
    input: One,
    output: Scanner,
  }),
}
