/** Idempotency keys: a retry gets the answer of the first attempt, which its transaction stores for 24 hours. */
import { invalidField } from '../../contract/errors.ts'
import type { KernelCtx } from '../context.ts'

export type IdempotencyTables = {
  idempotency_keys: {
    owner: string
    operation: string
    key: string
    request_hash: string
    answer: string
    created_at: string
  }
}

declare module '../../database/tables.ts' {
  interface OwnTables extends IdempotencyTables {}
}

const MAX_AGE_MS = 24 * 60 * 60 * 1000

export type Attempt = { readonly operation: string; readonly key: string | undefined; readonly input: unknown }

const hashInput = (input: unknown) => new Bun.CryptoHasher('sha256').update(JSON.stringify(input)).digest('hex')

/** Runs `work` once per caller, operation and key. @throws AppError VALIDATION_ERROR for another request */
export const withIdempotencyKey = async <Tables extends IdempotencyTables, T>(
  ctx: KernelCtx<Tables>,
  { operation, key, input }: Attempt,
  work: () => Promise<T>,
): Promise<T> => {
  if (key === undefined) return work()
  const { userId = '', credentialId, isNarrow } = ctx.caller
  // A key with limits does not get the answer to a call that it may not make.
  const owner = isNarrow ? `${userId} ${credentialId}` : userId
  // Every extension of our tables includes this one, which Kysely cannot infer through a type parameter.
  const { db, store } = ctx as unknown as KernelCtx<IdempotencyTables>
  await store.sql.lockNames(db, [`idempotency ${owner} ${operation} ${key}`])
  const request_hash = hashInput(input)
  const oldest = new Date(Date.parse(ctx.now) - MAX_AGE_MS).toISOString()
  await db.deleteFrom('idempotency_keys').where('created_at', '<', oldest).execute()
  const known = await db
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'answer'])
    .where('owner', '=', owner)
    .where('operation', '=', operation)
    .where('key', '=', key)
    .executeTakeFirst()
  if (known) {
    if (known.request_hash !== request_hash)
      throw invalidField('Idempotency-Key', 'was used for another request; use a new key')
    // The stored value was a T.
    return JSON.parse(known.answer) as T
  }
  const answer = await work()
  await db
    .insertInto('idempotency_keys')
    .values({ owner, operation, key, request_hash, answer: JSON.stringify(answer), created_at: ctx.now })
    .execute()
  return answer
}
