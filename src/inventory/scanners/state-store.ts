/**
 * The state of scanners, for their requests: tokens, the fields that scanners report, and the time of the last request. Functions that write
 * expect the context of a transaction.
 */
import type { Ctx, DbScope, StoreScope } from '../../kernel/ctx.ts'
import type { Scanner } from './api.ts'
import { rules } from './rules.ts'
import {
  type Answering,
  clearBeat,
  type EnrolledScanner,
  type EnrollingScanner,
  findAllEnrolled,
  findAnswering,
  findEnrolled,
  findEnrolling,
  findUnseen,
  type StoredState,
  setBeats,
  setSeen,
  setState,
} from './state-row-store.ts'

type Said = Pick<Scanner, 'version' | 'hostname' | 'capabilities' | 'ip_address' | 'spooled_reports'> & {
  readonly protocol: number
  readonly links: readonly string[]
  readonly slots: number
}
/** The fields of a scanner that it reports itself, and the address of its requests. */
export type SaidFacts = Partial<Said>

const formatMinute = (now: string): string => `${now.slice(0, 16)}:00.000Z`

/** Returns the columns of reported fields. */
const toColumns = ({ capabilities, links, ...said }: SaidFacts) => ({
  ...said,
  ...(capabilities && { capabilities: JSON.stringify(capabilities) }),
  ...(links && { links: JSON.stringify(links) }),
})

/** Returns the scanner with the token of this hash. */
export const findByToken = async (scope: StoreScope, hash: string): Promise<EnrolledScanner | undefined> =>
  hash === '' ? undefined : findEnrolled(scope, hash)

/** Returns the scanner with the unused enrolment token of this hash. */
export const findByEnrolment = async (scope: StoreScope, hash: string): Promise<EnrollingScanner | undefined> =>
  hash === '' ? undefined : findEnrolling(scope, hash)

type Redeemed = {
  readonly enrolment_hash: string
  readonly token_hash: string
  /** Base64url. */
  readonly public_key: string
  readonly facts: SaidFacts
  readonly ip_address: string
}

/** Enrols a scanner. Returns false if the enrolment token is used or void by now. */
export const redeem = async (
  ctx: Ctx,
  id: string,
  { enrolment_hash, token_hash, public_key, facts, ip_address }: Redeemed,
): Promise<boolean> => {
  const minute = formatMinute(ctx.now)
  const isRedeemed = await setState(
    ctx,
    id,
    {
      ...toColumns({ ...facts, ip_address }),
      ...{ enrolment_hash: '', enrolment_expires_at: null, token_hash, public_key },
      ...{ revoked_at: null, enrolled_at: ctx.now, last_seen_at: minute, noted_at: minute },
    },
    { enrolment_hash },
  )
  if (!isRedeemed) return false
  await setBeats(ctx, [id])
  await ctx.emit('scanner.enrolled', { id })
  await turn(ctx, { id, isOnline: true })
  return true
}

/** Stores whether a scanner is online, and emits an event if that has changed. */
export const turn = async (
  ctx: Ctx,
  { id, isOnline }: { readonly id: string; readonly isOnline: boolean },
): Promise<void> => {
  const is_online = Number(isOnline)
  if (!(await setState(ctx, id, { is_online }, { is_online: 1 - is_online }))) return
  const scanner = await rules.getOrThrow(ctx, id)
  await (isOnline ? ctx.emit('scanner.online', scanner) : ctx.emit('scanner.offline', scanner))
}

/** Returns true if a reported field is new, and none was written in this minute. */
export const hasNews = ({ state }: EnrolledScanner, facts: SaidFacts, now: string): boolean => {
  if (state.noted_at !== null && state.noted_at >= formatMinute(now)) return false
  return Object.entries(toColumns(facts)).some(
    // The state has these columns.
    ([column, value]) => value !== undefined && value !== state[column as keyof StoredState],
  )
}

/** Stores reported fields. Call it if `hasNews`. */
export const noteFacts = async (ctx: Ctx, id: string, facts: SaidFacts): Promise<void> => {
  await setState(ctx, id, { ...toColumns(facts), noted_at: formatMinute(ctx.now) })
}

/** Stores that requests of scanners have come, or are open. Writes the time in their lists once a minute. */
export const beat = async (ctx: Ctx, ids: readonly string[]): Promise<void> => {
  await setBeats(ctx, ids)
  const minute = formatMinute(ctx.now)
  const unseen = await findUnseen(ctx, ids, minute)
  if (unseen.length > 0) await setSeen(ctx, unseen, minute)
}

/** Stores that a scanner has said goodbye. It is offline until its next request. */
export const sayGoodbye = async (ctx: Ctx, id: string): Promise<void> => {
  await clearBeat(ctx, id)
  await turn(ctx, { id, isOnline: false })
}

/** Returns the enrolled scanners, by name. A revoked one is not enrolled. */
export const listEnrolled = (scope: DbScope): Promise<readonly (Answering & { readonly tags: readonly string[] })[]> =>
  findAllEnrolled(scope)

/** Returns the enrolled scanners with this name or tag, by name. A revoked one is not enrolled. */
export const listAnswering = (ctx: Ctx, label: string): Promise<readonly Answering[]> =>
  label === '' ? Promise.resolve([]) : findAnswering(ctx.unscoped, label)
