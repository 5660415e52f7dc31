/** What discovery takes: the bodies of its operations. Browser-safe. */
import { z } from 'zod'
import { isHostname } from '../../net/dns-name.ts'
import { parseExcludes } from '../../net/range.ts'
import { draft, idOf, Name, patch, reference, ruledText, Tags, text } from '../../platform/fields.ts'
import { InboxField, ScanType } from './schema.ts'

/** Most items of one call. */
export const MAX_ITEMS = 1000

const isExcludeList = (value: string): boolean => parseExcludes(value).invalid.length === 0
const excludeIps = ruledText(
  4096,
  isExcludeList,
  'must be a comma-separated list of addresses, ranges (10.0.0.1-10.0.0.9) and CIDRs',
).describe('Never probed: addresses, ranges like 10.0.0.1-10.0.0.9 and CIDRs, comma-separated')

export const many = <T extends z.ZodType>(item: T) => z.array(item).min(1).max(MAX_ITEMS)

export const ScanRequest = z.object({
  id: idOf('networks').describe('The network'),
  scan_type: ScanType.default('quick'),
  exclude_ips: excludeIps.prefault(null),
  dry_run: z.boolean().default(false).describe('Says what it would do, and does nothing'),
})
export type ScanRequest = z.output<typeof ScanRequest>

const promoted = {
  hostname: ruledText(253, isHostname, 'must be a host name of RFC 1123 labels').optional(),
  description: text(4096).optional(),
  make_model: text(255).optional().describe('The vendor, where absent'),
  os: text(255).optional().describe('The guess, where absent'),
  datacenter_id: reference('datacenters').optional(),
  location: text(255).optional(),
  tags: Tags.optional(),
}

export const Promotion = z.object({ id: idOf('discovery'), name: Name, ...promoted })
export type Promotion = z.output<typeof Promotion>

/** What a name template may hold in braces. */
export const TEMPLATE_WORDS = ['hostname', 'ip', 'mac', 'vendor', 'n'] as const

const isTemplate = (value: string): boolean =>
  [...value.matchAll(/\{([^{}]*)\}/g)].every(([, word]) => TEMPLATE_WORDS.some((known) => known === word))

const { hostname: _, ...promotedTogether } = promoted
export const PromotionOfMany = z.object({
  ids: many(idOf('discovery')),
  name: Name.refine(isTemplate, { error: `knows ${TEMPLATE_WORDS.map((word) => `{${word}}`).join(', ')}` })
    .default('{hostname}')
    .describe('Template: {hostname} (the address where there is none), {ip}, {mac}, {vendor}, {n}: 1, 2, 3 ...'),
  ...promotedTogether,
})
export type PromotionOfMany = z.output<typeof PromotionOfMany>

const ruleFields = {
  scan_type: z
    .enum([...ScanType.options, ''])
    .nullable()
    .transform((type) => type || 'quick'),
  interval_hours: z
    .int()
    .min(1)
    .max(8760)
    .nullable()
    .transform((hours) => hours ?? 24),
  enabled: z
    .boolean()
    .nullable()
    .transform((enabled) => enabled ?? true),
  exclude_ips: excludeIps,
}

export const RuleDraft = z.object({ network_id: idOf('networks').min(1), ...draft(ruleFields) })
export type RuleDraft = z.output<typeof RuleDraft>

export const RulePatch = z.object({
  id: idOf('discovery-rules'),
  ...patch({ network_id: idOf('networks').min(1), ...ruleFields }),
})
export type RulePatch = z.output<typeof RulePatch>

export const InboxChoice = z.object({
  id: idOf('discovery').describe('The discovered device of the item'),
  fields: z.array(InboxField).optional().describe('Only these; all without it'),
  name: Name.optional().describe('Name of the device that is made of a new one; its host name or address without it'),
})
