/**
 * Idempotency keys: a retry gets the answer of the first attempt for 24 hours. The transaction of that attempt stores the answer with its
 * changes.
 */
import { sql } from 'kysely'
import { AppError, invalidField } from '../../contract/errors.ts'
import { KEY_HEADER } from '../../contract/idempotency-key.ts'
import type { KernelCtx } from '../context.ts'
import { Answered } from '../prepared-handler.ts'
import type { Attempt } from './attempt.ts'

export type IdempotencyTables = {
  idempotency_keys: {
    owner: string
    operation: string
    key: string
    request_hash: string
    /** JSON; '' for an answer that is not kept. */
    answer: string
    created_at: string
    /** The change of the attempt, '' without one. Null in a row of a program that does not know the column. */
    change_id: string | null
  }
}

declare module '../../database/tables.ts' {
  interface OwnTables extends IdempotencyTables {}
}

const MAX_AGE_MS = 24 * 60 * 60 * 1000
/** The longest answer that is kept, in bytes of its JSON. */
export const MAX_ANSWER_BYTES = 256 * 1024
/** The largest number of expired keys that one attempt deletes. */
const MAX_EXPIRED = 100

type Scope = Pick<KernelCtx<IdempotencyTables>, 'caller' | 'db' | 'now' | 'store'>

// Every extension of our tables includes this one, which Kysely cannot infer through a type parameter.
const toScope = <Tables>(ctx: KernelCtx<Tables>) => ctx as unknown as Scope

/** A key with limits does not get the answer to a call that it may not make. */
const getOwner = ({ caller: { userId = '', credentialId, isNarrow } }: Scope): string =>
  isNarrow ? `${userId} ${credentialId}` : userId

/** The first attempt of a request. */
type Earlier = { readonly answer: string; readonly changeId: string }

const formatTime = (ms: number): string => new Date(ms).toISOString()

const readNowMs = async ({ db, store, now }: Scope): Promise<number> => {
  const { rows } = await sql<{ at: number | string }>`SELECT ${store.sql.nowMs(Date.parse(now))} AS at`.execute(db)
  return Number(rows[0]?.at)
}

type Found = { readonly nowMs: number; readonly earlier: Earlier | undefined }

/** @throws AppError VALIDATION_ERROR if the key was used for another request */
const findEarlier = async (scope: Scope, { operation, key, hashes }: Attempt): Promise<Found> => {
  const query = scope.db
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'answer', 'change_id', 'created_at'])
    .where('owner', '=', getOwner(scope))
    .where('operation', '=', operation)
    .where('key', '=', key)
  const [nowMs, known] = await Promise.all([readNowMs(scope), query.executeTakeFirst()])
  if (!known || known.created_at < formatTime(nowMs - MAX_AGE_MS)) return { nowMs, earlier: undefined }
  if (!hashes.includes(known.request_hash))
    throw invalidField(KEY_HEADER, 'was used for another request; use a new key')
  return { nowMs, earlier: { answer: known.answer, changeId: known.change_id ?? '' } }
}

/** @throws AppError ALREADY_EXISTS for an answer that was not kept */
const parseAnswer = ({ answer, changeId }: Earlier, { isSecret }: Attempt): unknown => {
  if (answer !== '') return JSON.parse(answer)
  const effect = changeId === '' ? 'and changed nothing' : `by the change ${changeId}`
  const why = isSecret ? 'has a secret' : `is longer than ${MAX_ANSWER_BYTES / 1024} KiB`
  const reason = `its answer ${why}, and is not kept`
  const details = changeId === '' ? [] : [{ field: 'change_id', message: changeId }]
  throw new AppError('ALREADY_EXISTS', `The request with this ${KEY_HEADER} was done ${effect}: ${reason}`, { details })
}

const deleteExpired = async ({ db, store }: Scope, nowMs: number): Promise<void> => {
  const expired = db
    .selectFrom('idempotency_keys')
    .select(['owner', 'operation', 'key'])
    .where('created_at', '<', formatTime(nowMs - MAX_AGE_MS))
    .limit(MAX_EXPIRED)
  await db
    .deleteFrom('idempotency_keys')
    // Another attempt may be deleting some, and commit much later.
    .where(({ eb, refTuple }) =>
      eb(
        refTuple('owner', 'operation', 'key'),
        'in',
        store.sql.lockFreeRows(expired).$asTuple('owner', 'operation', 'key'),
      ),
    )
    .execute()
}

const storeAnswer = async (
  scope: Scope,
  attempt: Attempt,
  made: { answer: string; change_id: string; nowMs: number },
) => {
  const { operation, key, hashes } = attempt
  const { answer, change_id, nowMs } = made
  const [request_hash = ''] = hashes
  const row = { request_hash, answer, change_id, created_at: formatTime(nowMs) }
  await deleteExpired(scope, nowMs)
  await scope.db
    .insertInto('idempotency_keys')
    .values({ owner: getOwner(scope), operation, key, ...row })
    .onConflict((conflict) => conflict.columns(['owner', 'operation', 'key']).doUpdateSet(row))
    .execute()
}

type Once<T> = {
  readonly work: () => Promise<T>
  /** Checks a retry, in place of the work. */
  readonly checkRepeat?: () => Promise<unknown>
}

/**
 * Runs the work of a transaction once per caller, operation and key.
 * @throws AppError VALIDATION_ERROR for another request, ALREADY_EXISTS for an answer that was not kept, and the
 * errors of `checkRepeat`
 */
export const withIdempotencyKey = async <Tables, T>(
  ctx: KernelCtx<Tables>,
  attempt: Attempt,
  { work, checkRepeat }: Once<T>,
): Promise<T> => {
  const scope = toScope(ctx)
  const { operation, key, isLong } = attempt
  await ctx.lock(isLong ? 'longIdempotency' : 'idempotency', [`${getOwner(scope)} ${operation} ${key}`])
  const { nowMs, earlier } = await findEarlier(scope, attempt)
  if (!earlier) {
    const value = await work()
    const change_id = await ctx.commitChange()
    const json = JSON.stringify(value)
    const answer = attempt.isSecret || Buffer.byteLength(json) > MAX_ANSWER_BYTES ? '' : json
    await storeAnswer(scope, attempt, { answer, change_id, nowMs })
    return value
  }
  await checkRepeat?.()
  if (earlier.changeId !== '') attempt.onRepeat?.(earlier.changeId)
  // The stored value was a T.
  return parseAnswer(earlier, attempt) as T
}

/** Prepares a write, unless an earlier attempt has done it, after which the preparation may fail or find nothing to do. */
export const prepareOnce = async <Tables, Step>(
  ctx: KernelCtx<Tables>,
  attempt: Attempt | undefined,
  prepare: () => Promise<Step>,
): Promise<Step | Answered<unknown>> => {
  if (!attempt) return prepare()
  const findAnswer = async () => {
    const { earlier } = await findEarlier(toScope(ctx), attempt)
    return earlier && new Answered(parseAnswer(earlier, attempt))
  }
  const known = await findAnswer()
  if (known) return known
  try {
    return await prepare()
  } catch (error) {
    // The earlier attempt may have been committed since.
    const made = await findAnswer()
    if (made) return made
    throw error
  }
}
