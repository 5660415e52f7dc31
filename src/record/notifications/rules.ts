/** The rules between the fields of a channel. */
import type { FieldIssue } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Webhook } from '../webhooks/schema.ts'
import { type ChannelFields, type Filter, RHYTHM_DEFAULTS, RHYTHM_FIELDS } from './fields.ts'
import type { Reports } from './reports.ts'

type Given = { readonly [Field in keyof ChannelFields]?: ChannelFields[Field] | undefined }

/** The formats and reports of a server. */
export type Abilities = {
  readonly reports: Pick<Reports, 'permissions'>
  /** The variables without which no mail is sent. */
  readonly missingForMail: readonly string[]
}

/** Returns the fields as they are stored: a generic webhook has the defaults. */
export const settleRhythm = <T extends ChannelFields>(webhook: T): T =>
  webhook.format === 'generic' ? { ...webhook, ...RHYTHM_DEFAULTS, reports: [] } : webhook

/** Generic webhooks send each event at once. */
const checkGeneric = (given: Given): FieldIssue[] =>
  RHYTHM_FIELDS.flatMap((field) =>
    given[field] === undefined || Bun.deepEquals(given[field], RHYTHM_DEFAULTS[field])
      ? []
      : [{ field, message: 'is not used by the format generic' }],
  )

const checkQuietHours = ({ quiet_from, quiet_to }: ChannelFields): FieldIssue[] => {
  if (quiet_from === '' && quiet_to !== '') return [{ field: 'quiet_from', message: 'is needed with quiet_to' }]
  if (quiet_from !== '' && quiet_to === '') return [{ field: 'quiet_to', message: 'is needed with quiet_from' }]
  return quiet_from !== '' && quiet_from === quiet_to
    ? [{ field: 'quiet_to', message: 'must be another time than quiet_from' }]
    : []
}

type Checked = {
  /** The fields as they will be stored. */
  readonly webhook: Pick<Webhook, 'events' | keyof ChannelFields>
  /** The fields of the request. */
  readonly given: Given
  /** Undefined for a new webhook. */
  readonly before: ChannelFields | undefined
}

const checkReports = (
  { webhook: { reports, digest }, before }: Checked,
  known: Pick<Reports, 'permissions'>,
): FieldIssue[] => {
  if (reports.length > 0 && digest === '') return [{ field: 'reports', message: 'are for digests: set digest too' }]
  const unknown = reports.find((name) => !known.permissions.has(name) && !before?.reports.includes(name))
  return unknown === undefined ? [] : [{ field: 'reports', message: `there is no report "${unknown}"` }]
}

/** A webhook sends events, or a digest with reports. */
export const checkContents = ({ events, reports }: Pick<Webhook, 'events' | 'reports'>): FieldIssue[] =>
  events.length === 0 && reports.length === 0 ? [{ field: 'events', message: 'must name at least one event' }] : []

export const checkChannel = (checked: Checked, { reports, missingForMail }: Abilities): FieldIssue[] => {
  const { webhook, given, before } = checked
  const [missing] = missingForMail
  return [
    ...(webhook.format === 'generic' ? checkGeneric(given) : []),
    ...(webhook.format === 'email' && before?.format !== 'email' && missing !== undefined
      ? [{ field: 'format', message: `email needs ${missing}, which is not set on this server` }]
      : []),
    ...checkQuietHours(webhook),
    ...checkContents(webhook),
    ...checkReports(checked, reports),
  ]
}

const TABLES = { datacenter_ids: 'datacenters', network_ids: 'networks' } as const

/** Returns issues for ids without an object. Stored ids may be of deleted objects. */
export const checkFilter = async (ctx: Ctx, filter: Filter, before: Filter): Promise<FieldIssue[]> => {
  const issues: FieldIssue[] = []
  for (const key of ['datacenter_ids', 'network_ids'] as const) {
    const fresh = (filter[key] ?? []).filter((id) => !before[key]?.includes(id))
    if (fresh.length === 0) continue
    const visible = await ctx.filterVisible(TABLES[key], fresh)
    const rows = await ctx.db.selectFrom(TABLES[key]).select('id').where('id', 'in', fresh).execute()
    const found = new Set(rows.map(({ id }) => id))
    const unknown = fresh.find((id) => !found.has(id) || !visible.has(id))
    if (unknown === undefined) continue
    const noun = key === 'network_ids' ? 'network' : 'datacenter'
    issues.push({ field: `filter.${key}`, message: `there is no ${noun} with id "${unknown}"` })
  }
  return issues
}
