/** Encrypts values again that an earlier key has sealed. Uses short transactions, so that other writes continue. */

import { SealedValueError, type Secrets } from '../../base/security/crypto.ts'
import { AppError } from '../../contract/errors.ts'
import type { Ctx, DbScope } from '../../kernel/ctx.ts'
import type { Rotation } from './api.ts'
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns.ts'
import * as store from './store.ts'

/** The number of rows of one transaction, which holds the writer for a few milliseconds. */
const BATCH = 100

/** `last` is the row to continue after; undefined at the end. */
type Batch = { readonly rotated: number; readonly last: string | undefined }

/** Returns the value encrypted again; undefined if it can't be opened, which must not stop the rotation of others. */
const sealAnew = (secrets: Secrets, { log }: Ctx, column: SealedColumn, row: store.SealedRow): string | undefined => {
  const place = { table: column.table, column: column.column, id: row.id }
  try {
    return secrets.seal(place, secrets.open(place, row.sealed))
  } catch (error) {
    if (!(error instanceof SealedValueError)) throw error
    log.error('a secret cannot be rotated', { error })
    return undefined
  }
}

const rotateBatch = async (ctx: Ctx, secrets: Secrets, column: SealedColumn, after: string): Promise<Batch> => {
  const keyId = secrets.currentKeyId ?? ''
  const rows = await store.lockStale(ctx, column, { keyId, after, limit: BATCH })
  let rotated = 0
  for (const row of rows) {
    const sealed = sealAnew(secrets, ctx, column, row)
    if (sealed === undefined) continue
    await store.replaceSealed(ctx, column, { id: row.id, sealed })
    rotated++
  }
  return { rotated, last: rows.length < BATCH ? undefined : rows.at(-1)?.id }
}

const rotateColumn = async (ctx: Ctx, secrets: Secrets, column: SealedColumn): Promise<number> => {
  let rotated = 0
  let after: string | undefined = ''
  while (after !== undefined && !ctx.signal.aborted) {
    const from: string = after
    const batch = await ctx.write((tx) => rotateBatch(tx, secrets, column, from))
    rotated += batch.rotated
    after = batch.last
  }
  return rotated
}

const countRemaining = async (scope: DbScope, secrets: Secrets): Promise<number> => {
  let remaining = 0
  for (const column of SEALED_COLUMNS)
    for (const [prefix, n] of await store.countByPrefix(scope, column)) if (!secrets.isCurrent(prefix)) remaining += n
  return remaining
}

/** Seals with the current key; may be repeated and interrupted. @throws AppError INVALID_INPUT without a key */
export const rotate = async (ctx: Ctx, secrets: Secrets): Promise<Rotation> => {
  const key_id = secrets.currentKeyId
  if (key_id === undefined)
    throw new AppError('INVALID_INPUT', 'There is no key to encrypt with: set ENCRYPTION_KEY on the server')
  let rotated = 0
  for (const column of SEALED_COLUMNS) rotated += await rotateColumn(ctx, secrets, column)
  const remaining = await countRemaining(ctx, secrets)
  // Written last: until then, a start without the earlier key is refused.
  if (remaining === 0) await ctx.write((tx) => store.replaceCheck(tx, secrets.seal(store.CHECK_PLACE, key_id)))
  ctx.log.info('secrets rotated', { rotated, remaining, key_id })
  return { rotated, remaining, key_id }
}
