/** Composes the events that wait for a channel into one delivery, in one transaction. */
import type { Ctx } from '../../kernel/ctx.ts'
import { DIGEST, SUMMARY } from '../events/catalogue.ts'
import * as deliveries from '../webhooks/delivery-store.ts'
import type { Webhook } from '../webhooks/schema.ts'
import { cleanText } from './clean-text.ts'
import { getHourBefore, toIso } from './due.ts'
import * as entries from './entry-store.ts'
import { renderMessage } from './formats.ts'
import { buildTitle, getHighestSeverity, MAX_LINE, MAX_LINES, type Message, type MessageLine } from './message.ts'
import type { ReportExtract } from './reports.ts'

/** The events of an object. The message has the last one. */
type Group = { seq: number; count: number }

/** @returns the groups in the order of their first events */
const groupByObject = (waiting: readonly entries.Waiting[]): Map<string, Group> => {
  const groups = new Map<string, Group>()
  for (const { seq, resource_id } of waiting) {
    const group = groups.get(resource_id)
    if (group) Object.assign(group, { seq, count: group.count + 1 })
    else groups.set(resource_id, { seq, count: 1 })
  }
  return groups
}

const buildAddress = (publicUrl: string | undefined, path: string): string =>
  publicUrl === undefined || path === '' ? '' : `${publicUrl}${path}`

const formatReport = ({ title, count, findings }: ReportExtract): string => {
  const first = findings.map(({ name, message }) => `${name}: ${message}`).join('; ')
  return cleanText(`${title}: ${count}${first && ` (${first})`}`, MAX_LINE)
}

export type Composing = {
  readonly webhook: Webhook
  /** The whole URL. */
  readonly url: string
  readonly publicUrl: string | undefined
  readonly nowMs: number
  /** The reports of a digest, as they are now. */
  readonly reports: readonly ReportExtract[]
  /** True for a message that takes held objects too. */
  readonly isForced: boolean
}

const readLines = async (
  ctx: Ctx,
  groups: ReadonlyMap<string, Group>,
  { publicUrl, reports }: Pick<Composing, 'publicUrl' | 'reports'>,
): Promise<Pick<Message, 'lines' | 'more'>> => {
  const ofReports: MessageLine[] = reports.map((report) => ({
    text: formatReport(report),
    link: buildAddress(publicUrl, `/reports/${report.name}`),
  }))
  const shown = [...groups.values()].slice(0, Math.max(0, MAX_LINES - ofReports.length))
  const texts = await entries.findTexts(
    ctx,
    shown.map(({ seq }) => seq),
  )
  const ofObjects = shown.map(({ seq, count }): MessageLine => {
    const { line, link } = texts.get(seq) ?? { line: '', link: '' }
    return { text: count > 1 ? `${line} (x${count})` : line, link: buildAddress(publicUrl, link) }
  })
  const lines = [...ofReports, ...ofObjects].slice(0, MAX_LINES)
  return { lines, more: ofReports.length + groups.size - lines.length }
}

const getEvent = (digest: string, events: readonly string[]): string => {
  if (digest !== '') return DIGEST
  const [only = SUMMARY] = events
  return events.length === 1 ? only : SUMMARY
}

/** @returns the id of the delivery; undefined if nothing waits */
export const compose = async (ctx: Ctx, composing: Composing): Promise<string | undefined> => {
  const { webhook, url, publicUrl, nowMs, reports, isForced } = composing
  const { id: webhookId, format, digest } = webhook
  if (format === 'generic') return undefined
  const hour = getHourBefore(nowMs)
  const waiting = await entries.findWaiting(ctx, { webhookId, heldSince: isForced ? undefined : hour })
  if (waiting.length === 0 && reports.length === 0) return undefined
  const groups = groupByObject(waiting)
  const events = [...new Set(waiting.map(({ event }) => event))]
  const { lines, more } = await readLines(ctx, groups, composing)
  const [only] = lines
  const at = toIso(nowMs)
  const message: Message = {
    ...{ lines, more, at, severity: getHighestSeverity(events) },
    title: buildTitle({ events, eventCount: waiting.length, objectCount: groups.size, digest }),
    link: (lines.length === 1 ? only?.link : '') || (publicUrl ?? ''),
  }
  const delivery: deliveries.NewDelivery = {
    id: Bun.randomUUIDv7(),
    webhook_id: webhookId,
    event: getEvent(digest, events),
    // The messages of a channel are sent in their order.
    resource_id: webhookId,
    body: renderMessage(format, message, url),
    change_id: '',
    attempts_left: 1 + webhook.retry_count,
    due_ms: 0,
    created_at: ctx.now,
  }
  await deliveries.insertAll(ctx, [delivery])
  await entries.removeEntries(
    ctx,
    waiting.map(({ seq }) => seq),
  )
  // A digest is seldom enough, so it holds no object.
  const objects = digest === '' ? [...groups.keys()].filter((object) => object !== '') : []
  await entries.recordTold(ctx, { webhookId, objects, at, before: hour })
  await ctx.emit('webhook-delivery.queued')
  return delivery.id
}
