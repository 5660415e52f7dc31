/** The dashboard contract: totals, the fullest pools, items that need attention. Browser-safe. */
import { z } from 'zod'
import { Timestamp } from '../../contract/fields/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { AuditChange, AuditObject } from '../../record/audit/api.ts'
import { ReportCount } from '../reports/api.ts'

const Fill = z.object({
  id: z.string(),
  name: z.string(),
  utilization: z.number().describe('Percent, two decimals'),
  days_to_full: z
    .int()
    .nullable()
    .describe('The date, by the growth of the last 90 days; null without growth or enough days'),
})
export type Fill = z.infer<typeof Fill>

const FullPool = Fill.omit({ days_to_full: true }).extend({ available_ips: z.int() })

const TroubledWebhook = z.object({
  id: z.string(),
  name: z.string(),
  disabled_reason: z.string().describe('Why Plat has disabled it; empty otherwise'),
  failed: z.int().describe('Deliveries of the last 24 hours that have finally failed'),
})

const EndingKey = z.object({ id: z.string(), name: z.string(), expires_at: Timestamp })

/** In the order of answers: what is critical, then warnings, then information. */
export const ATTENTION_KINDS = [
  'conflict.duplicate_ip',
  'conflict.overlapping_subnet',
  'network.full',
  'pool.full',
  'webhook.disabled',
  'webhook.failing',
  'dns.attention',
  'scan.failed',
  'inbox.gone',
  'inbox.changed',
  'inbox.conflict',
  'inbox.new',
  'key.ending',
  'credentials.sleeping',
  'scan.running',
] as const

const AttentionObject = z.object({
  type: z.string(),
  id: z.string(),
  name: z.string(),
  note: z.string().describe('Its state in words; the time of a key or of credentials'),
})
export type AttentionObject = z.infer<typeof AttentionObject>

export const Attention = z
  .object({
    kind: z.enum(ATTENTION_KINDS),
    severity: z.enum(['critical', 'warning', 'info']),
    count: z.int(),
    objects: z.array(AttentionObject).describe('The first 3'),
  })
  .meta({ id: 'Attention' })
export type Attention = z.infer<typeof Attention>

const Change = AuditChange.extend({
  object: AuditObject.nullable().describe('By its name; null if no name is known, or the caller may not read it'),
})

export const Dashboard = z
  .object({
    devices: z.int().nullable(),
    networks: z.int().nullable(),
    pools: z.int().nullable(),
    datacenters: z.int().nullable(),
    racks: z.int().nullable(),
    attention: z.array(Attention).describe('What needs attention, worst first; of parts that you may list'),
    fullest_networks: z
      .array(Fill.extend({ subnet: z.string() }))
      .nullable()
      .describe('Including the networks inside them'),
    fullest_pools: z.array(Fill).nullable(),
    full_pools: z
      .object({ count: z.int(), pools: z.array(FullPool).describe('The first of them') })
      .nullable()
      .describe('More than 90 percent full'),
    conflicts: z.object({ duplicate_ip: z.int(), overlapping_subnet: z.int() }).nullable().describe('The active ones'),
    inbox: z
      .object({ new: z.int(), changed: z.int(), gone: z.int(), conflict: z.int() })
      .nullable()
      .describe('Discovered devices that wait for a decision'),
    running_scans: z.int().nullable(),
    scanners: z
      .object({ online: z.int(), offline: z.int() })
      .nullable()
      .describe('Enrolled scanners in other networks'),
    sources: z
      .object({
        failed: z.int(),
        held: z.int().describe('Too many objects are gone'),
        waiting: z.int().describe('With changes that a person applies'),
      })
      .nullable()
      .describe('Enabled sources that need attention'),
    webhooks: z
      .array(TroubledWebhook)
      .nullable()
      .describe('Webhooks that Plat has disabled, and those with failed deliveries'),
    ending_keys: z.array(EndingKey).describe('Keys of the caller that have expired or expire within 14 days'),
    credentials_sleep_at: Timestamp.optional().describe(
      'If it is within 14 days: when the API keys and OAuth grants of the caller are refused until the next sign-in by single sign-on',
    ),
    reports: z.array(ReportCount).nullable().describe('Those that you may see, with the number of their findings'),
    changes: z.array(Change).nullable().describe('The newest'),
  })
  .meta({ id: 'Dashboard' })
export type Dashboard = z.infer<typeof Dashboard>

export const dashboard = {
  show: operation({
    name: 'dashboard.show',
    summary: 'Show totals, the fullest networks and pools, items that need attention and recent changes',
    description: 'In one answer. Parts that the caller may not list are null.',
    http: 'GET /api/dashboard',
    access: 'dashboard:read',
    scope: 'filterEach',
    cli: { command: 'dashboard' },
    input: () => z.object({}),
    output: Dashboard,
  }),
}
