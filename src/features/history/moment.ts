/** Moments: a time, the id of a change, or how long ago. */
import { invalidField } from '../../platform/contract/errors.ts'
import type { StoreScope } from '../ctx.ts'
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

export const textOf = (ms: number): string => new Date(ms).toISOString()

/** @throws AppError VALIDATION_ERROR on `field` */
export const momentOf = async (
  ctx: StoreScope & { readonly now: string },
  field: string,
  text: string,
): Promise<Moment> => {
  const beginsAt = await store.beginsAt(ctx)
  const refuseEarly = (): never => {
    throw invalidField(field, `is before the history begins, at ${textOf(beginsAt)}`)
  }
  if (UUID.test(text)) {
    const change = await store.findChange(ctx, text)
    if (!change) throw invalidField(field, `there is no change with id "${text}", or it is no longer kept`)
    if (change.atMs < beginsAt) refuseEarly()
    return { seq: change.seq, atMs: change.atMs, settledAfter: change.settledAfter }
  }
  const nowMs = Math.max(Date.parse(ctx.now), await store.nowMs(ctx, Date.parse(ctx.now)))
  const atMs = timeOf(field, text, nowMs)
  if (atMs > nowMs) throw invalidField(field, 'is in the future')
  if (atMs < beginsAt) refuseEarly()
  const last = await store.lastUntil(ctx, atMs)
  return { seq: last?.seq ?? 0, atMs, settledAfter: last?.settledAfter ?? 0n }
}

const timeOf = (field: string, text: string, nowMs: number): number => {
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

/** Changes with everything that may change an answer as of a settled moment: nothing, until retention takes it. */
export const isSettled = async (ctx: StoreScope, { settledAfter }: Moment): Promise<boolean> => {
  const underWay = await ctx.store.sql.underWay(ctx.db)
  return !underWay || underWay.oldest >= settledAfter
}
