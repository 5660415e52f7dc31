/** Moments: a time, the id of a change, or how long ago. */
import { invalidField } from '../../contract/errors.ts'
import type { StoreScope } from '../../kernel/ctx.ts'
import * as store from './store.ts'

/** The estate right after the change with the number `seq`; 0 before all of them. */
export type Moment = {
  readonly seq: number
  readonly atMs: number
  /** The number of the transaction below which all must have ended, so that the moment is settled. */
  readonly settledAfter: bigint
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const DURATION = /^(\d{1,9})([smhd])$/
/** RFC 3339 5.6 with an offset. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const formatTime = (ms: number): string => new Date(ms).toISOString()

type MomentScope = StoreScope & { readonly now: string }

/** Returns the change that a moment names; undefined for a time or a duration. @throws AppError VALIDATION_ERROR on `field` */
const findNamedChange = async (
  ctx: MomentScope,
  field: string,
  text: string,
): Promise<store.StoredChange | undefined> => {
  if (!UUID.test(text)) return undefined
  const change = await store.findChange(ctx, text)
  if (!change) throw invalidField(field, `there is no change with id "${text}", or it is no longer kept`)
  return change
}

/** Returns the time by the clock of the primary, because changes have their time from it. */
const resolveNowMs = async ({ store: from, now }: MomentScope): Promise<number> =>
  Math.max(Date.parse(now), await store.readNowMs({ db: from.quick, store: from }, Date.parse(now)))

/** Returns the time of a moment that only filters: of any time. @throws AppError VALIDATION_ERROR on `field` */
export const parseFilterTime = async (ctx: MomentScope, field: string, text: string): Promise<number> =>
  (await findNamedChange(ctx, field, text))?.atMs ?? parseTime(field, text, await resolveNowMs(ctx))

/** @throws AppError VALIDATION_ERROR on `field`, also for a moment that cannot be shown */
export const parseMoment = async (ctx: MomentScope, field: string, text: string): Promise<Moment> => {
  const beginsAt = await store.readBeginning(ctx)
  const change = await findNamedChange(ctx, field, text)
  const nowMs = await resolveNowMs(ctx)
  const atMs = change?.atMs ?? parseTime(field, text, nowMs)
  if (!change && atMs > nowMs) throw invalidField(field, 'is in the future')
  if (atMs < beginsAt) throw invalidField(field, `is before the history begins, at ${formatTime(beginsAt)}`)
  const last = change ?? (await store.findLastUntil(ctx, atMs))
  return { seq: last?.seq ?? 0, atMs, settledAfter: last?.settledAfter ?? 0n }
}

const parseTime = (field: string, text: string, nowMs: number): number => {
  const [, count, unit = ''] = DURATION.exec(text) ?? []
  if (count !== undefined) return nowMs - Number(count) * (UNITS_MS[unit] ?? 0)
  const ms = TIME.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms))
    throw invalidField(
      field,
      'must be an RFC 3339 time with an offset, the id of a change, or a duration like 30m or 7d',
    )
  return ms
}

/** True if no further change can appear at the moment or before it. */
export const isSettled = async (ctx: StoreScope, { settledAfter }: Moment): Promise<boolean> => {
  const underWay = await ctx.store.sql.underWay(ctx.db)
  return !underWay || underWay.oldest >= settledAfter
}
