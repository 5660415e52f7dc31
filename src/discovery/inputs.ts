/** Inputs of the discovery operations. Browser-safe. */
import { z } from 'zod'
import { IpAddress } from '../contract/fields/address-field.ts'
import { draft, idOf, Name, patch, reference, ruledText, Tags, text } from '../contract/fields/fields.ts'
import { ADDRESS_LIST, FINGERPRINT, HOST_NAME, MAC, NOT_BLANK, type TextRule } from '../contract/fields/text-rules.ts'
import { parseExcludes } from '../net/range.ts'
import { customInput } from '../resource/custom/fields.ts'
import { InboxField, ScanType } from './schema.ts'

/** Most items of one call. */
export const MAX_ITEMS = 1000

const EXCLUDE_LIST: TextRule = {
  holds: (value) => parseExcludes(value).invalid.length === 0,
  pattern: ADDRESS_LIST,
  error: 'must be a comma-separated list of addresses, ranges (10.0.0.1-10.0.0.9) and CIDRs',
}
const excludeIps = ruledText(4096, EXCLUDE_LIST).describe(
  'Not probed: addresses, ranges like 10.0.0.1-10.0.0.9, CIDRs, comma-separated',
)

export const createItemsSchema = <T extends z.ZodType>(item: T) => z.array(item).min(1).max(MAX_ITEMS)

export const ScanRequest = z.object({
  id: idOf('networks').describe('The network'),
  scan_type: ScanType.default('quick'),
  exclude_ips: excludeIps.prefault(null),
  dry_run: z.boolean().default(false).describe('Starts nothing'),
})
export type ScanRequest = z.output<typeof ScanRequest>

const promoted = {
  hostname: ruledText(253, HOST_NAME).optional(),
  description: text(4096).optional(),
  make_model: text(255).optional().describe('What the device says by SNMP, where absent'),
  os: text(255).optional().describe('The guess, where absent'),
  datacenter_id: reference('datacenters').optional(),
  location: text(255).optional(),
  tags: Tags.optional(),
  custom: customInput('devices').optional(),
  address_custom: customInput('addresses').optional().describe('Values of custom fields of each of its addresses'),
}

/** A missing network is INVALID_INPUT, and no matter of one field: only the document requires it. */
export const Clearing = z
  .object({
    network_id: idOf('networks')
      .meta({ exact: { minLength: 1 } })
      .optional(),
  })
  .meta({ exact: { required: ['network_id'] } })

export const Promotion = z.object({ id: idOf('discovery'), name: Name, ...promoted })
export type Promotion = z.output<typeof Promotion>

/** Placeholders of a name template. */
export const TEMPLATE_WORDS = ['hostname', 'ip', 'mac', 'vendor', 'n'] as const

const isTemplate = (value: string): boolean =>
  [...value.matchAll(/\{([^{}]*)\}/g)].every(([, word]) => TEMPLATE_WORDS.some((known) => known === word))

/** No braces around anything else, and one character that is not white space. */
const TEMPLATE_PATTERN = `^(?![\\s\\S]*\\{(?!(?:${TEMPLATE_WORDS.join('|')})\\})[^{}]*\\})[\\s\\S]*${NOT_BLANK}`

const { hostname: _, ...promotedTogether } = promoted
export const PromotionOfMany = z.object({
  ids: createItemsSchema(idOf('discovery')),
  name: Name.refine(isTemplate, { error: `knows ${TEMPLATE_WORDS.map((word) => `{${word}}`).join(', ')}` })
    .meta({ exact: { pattern: TEMPLATE_PATTERN } })
    .default('{hostname}')
    .describe('Template: {hostname} (the address if it is empty), {ip}, {mac}, {vendor}, {n}: 1, 2, 3 ...'),
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
  listen: z
    .boolean()
    .nullable()
    .transform((listen) => listen ?? false)
    .describe('While the rule is enabled, the server or the scanners of the network also listen on its link'),
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

const port = z.int().min(1).max(65_535)
const label = text(255)

/** A host as reported by an external scan. */
export const RecordedHost = z
  .object({
    ip: IpAddress,
    mac_address: ruledText(17, MAC).default(''),
    vendor: label.default(''),
    hostname: ruledText(253, HOST_NAME).default(''),
    os: label.default(''),
    os_confidence: z.int().min(0).max(100).default(50),
    rtt_ms: z.number().min(0).max(60_000).nullable().default(null),
    open_ports: z.array(port).max(1000).default([]),
    services: z
      .array(
        z.object({
          port,
          protocol: z.enum(['tcp', 'udp']).default('tcp'),
          service: text(64).default(''),
          product: label.default(''),
          version: label.default(''),
          banner: text(2048).default(''),
        }),
      )
      .max(200)
      .default([]),
    ssh_host_key: ruledText(128, FINGERPRINT).default(''),
  })
  .meta({ id: 'RecordedHost' })
export type RecordedHost = z.output<typeof RecordedHost>

/** Most hosts of one recorded scan: validating them blocks the event loop for a tenth of a second. */
export const MAX_RECORDED = 10_000
export const MAX_RECORD_BYTES = 8 * 1024 * 1024

export const ScanRecord = z.object({
  id: idOf('networks').describe('The network'),
  scan_type: ScanType.default('quick'),
  exclude_ips: excludeIps.prefault(null).describe('Excluded addresses: devices there are not marked as gone'),
  hosts: z
    .array(RecordedHost)
    .max(MAX_RECORDED)
    .describe('Every host that answered; other devices of the network are down'),
})
export type ScanRecord = z.output<typeof ScanRecord>
