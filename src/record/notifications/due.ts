/** Decides when the next message of a channel is due. */
import type { DbScope } from '../../kernel/ctx.ts'
import type { Webhook } from '../webhooks/schema.ts'
import * as entries from './entry-store.ts'
import { findDigestTimes, findQuietEnd } from './schedule.ts'

const HOUR_MS = 60 * 60 * 1000

export type Channel = Pick<
  Webhook,
  | 'id'
  | 'group_seconds'
  | 'max_per_hour'
  | 'quiet_from'
  | 'quiet_to'
  | 'timezone'
  | 'digest'
  | 'digest_at'
  | 'reports'
  | 'updated_at'
>

export const toIso = (ms: number): string => new Date(ms).toISOString()

/** Returns the moment of an hour before: what was told until then no longer counts. */
export const getHourBefore = (nowMs: number): string => toIso(nowMs - HOUR_MS)

/** True if a digest with reports is due, although no event waits. */
const isReportDue = async (scope: DbScope, { id, updated_at }: Channel, last: number): Promise<boolean> => {
  const before = await entries.findLastMessage(scope, id)
  return last > Math.max(Date.parse(updated_at), before === '' ? 0 : Date.parse(before))
}

/** True if the time has come by the clock only: nothing is read. @param oldest the oldest waiting event, held or not */
export const mayBeDue = (channel: Channel, oldest: string | undefined, nowMs: number): boolean => {
  if (findQuietEnd(nowMs, channel) !== undefined) return false
  if (channel.digest !== '') {
    if (channel.reports.length > 0) return true
    return oldest !== undefined && Date.parse(oldest) <= findDigestTimes(nowMs, channel).last
  }
  return oldest !== undefined && Date.parse(oldest) + channel.group_seconds * 1000 <= nowMs
}

/** True if a message is to be composed now. */
export const isDue = async (scope: DbScope, channel: Channel, nowMs: number): Promise<boolean> => {
  const { id, max_per_hour, digest, reports } = channel
  const heldSince = getHourBefore(nowMs)
  const oldest = await entries.findOldest(scope, { webhookId: id, heldSince })
  if (!mayBeDue(channel, oldest, nowMs)) return false
  if (digest !== '') {
    const { last } = findDigestTimes(nowMs, channel)
    const hasEvents = oldest !== undefined && Date.parse(oldest) <= last
    if (!hasEvents && !(reports.length > 0 && (await isReportDue(scope, channel, last)))) return false
  }
  const times = await entries.findMessageTimes(scope, id, { since: heldSince, most: max_per_hour })
  return times.length < max_per_hour
}

/** Returns the earliest moment at which the waiting events go by grouping and held objects. */
const findGroupEnd = async (
  scope: DbScope,
  { id, group_seconds }: Channel,
  nowMs: number,
): Promise<number | undefined> => {
  const heldSince = getHourBefore(nowMs)
  const oldest = await entries.findOldest(scope, { webhookId: id, heldSince })
  const held = await entries.findHeldObjects(scope, id, heldSince)
  const groupMs = group_seconds * 1000
  const ends = [
    ...(oldest === undefined ? [] : [Date.parse(oldest) + groupMs]),
    ...held.map((one) => Math.max(Date.parse(one.oldest) + groupMs, Date.parse(one.toldAt) + HOUR_MS)),
  ]
  return ends.length === 0 ? undefined : Math.min(...ends)
}

/** Returns the time of the next digest; the present one if it is late. */
const findDigest = async (scope: DbScope, channel: Channel, nowMs: number): Promise<number | undefined> => {
  const { last, next } = findDigestTimes(nowMs, channel)
  const oldest = await entries.findOldest(scope, { webhookId: channel.id, heldSince: undefined })
  const hasReports = channel.reports.length > 0
  if (oldest === undefined && !hasReports) return undefined
  if (oldest !== undefined && Date.parse(oldest) <= last) return last
  return hasReports && (await isReportDue(scope, channel, last)) ? last : next
}

/** Returns when the next message goes; null if nothing waits. */
export const findNextMessage = async (scope: DbScope, channel: Channel, nowMs: number): Promise<string | null> => {
  const ready = await (channel.digest === '' ? findGroupEnd(scope, channel, nowMs) : findDigest(scope, channel, nowMs))
  if (ready === undefined) return null
  const { id, max_per_hour } = channel
  const times = await entries.findMessageTimes(scope, id, { since: getHourBefore(nowMs), most: max_per_hour })
  const first = times.length < max_per_hour ? undefined : times.at(-1)
  const permitted = first === undefined ? ready : Math.max(ready, Date.parse(first) + HOUR_MS)
  return toIso(findQuietEnd(permitted, channel) ?? permitted)
}
