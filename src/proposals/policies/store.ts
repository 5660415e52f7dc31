/** The queries of policies; the only writer of their table. */
import type { Kysely } from 'kysely'
import { prepared } from '../../database/query/prepared.ts'
import type { Tables } from '../../database/tables.ts'
import { transactionState } from '../../database/transaction-state.ts'
import { settings } from '../../kernel/changes/settings.ts'
import type { Ctx, DbScope, StoreScope } from '../../kernel/ctx.ts'
import { buildNameKeys } from '../../net/name-order.ts'
import { createPlainStore } from '../../resource/recorder.ts'
import type { PolicyRow } from '../table.ts'
import type { Policy } from './api.ts'

/** Returns all policies, by name. */
export const query = ({ db }: DbScope) => db.selectFrom('policies').selectAll().orderBy('name_order').orderBy('id')

// Written by `toRow`.
const parseList = (json: string): string[] => JSON.parse(json) as string[]

export const toPolicy = ({ name_key: _, name_order: _order, ...row }: PolicyRow): Policy => ({
  ...row,
  enabled: row.enabled === 1,
  permissions: parseList(row.permissions),
  checks: parseList(row.checks),
  protect: row.protect === 1,
})

const toRow = (policy: Policy): PolicyRow => ({
  ...policy,
  ...buildNameKeys(policy.name),
  enabled: Number(policy.enabled),
  permissions: JSON.stringify(policy.permissions),
  checks: JSON.stringify(policy.checks),
  protect: Number(policy.protect),
})

const selectAll = prepared((db: Kysely<Tables>, _: Record<string, never>) => query({ db }), 'many')

export const findAll = async (scope: StoreScope): Promise<readonly Policy[]> =>
  (await selectAll(scope, {})).map(toPolicy)

/** Returns the first policy, by name, that a condition selects. */
export const findFirst = async (scope: StoreScope, is: (policy: Policy) => boolean): Promise<Policy | undefined> =>
  (await findAll(scope)).find(is)

/** Locks a scope or a group until commit, so that no other call deletes it. @returns false without it */
export const lockNamed = async (ctx: StoreScope, table: 'scopes' | 'groups', id: string): Promise<boolean> => {
  // Both tables have the column; the union of their types has none.
  const row = ctx.db
    .selectFrom(table as 'scopes')
    .select('id')
    .where('id', '=', id)
  return (await ctx.store.sql.lockRows(row).executeTakeFirst()) !== undefined
}

const written = transactionState(() => ({ hasWritten: false }))

const policies = settings<Tables, readonly Policy[]>('policies', ['policies'], findAll, {
  size: 64 * 1024,
  hasWritten: ({ local }) => local(written).hasWritten,
})

/** Called before a transaction changes a policy: it reads its own rows from then on. */
export const noteWrite = ({ local }: Ctx): void => {
  local(written).hasWritten = true
}

/** Returns all policies as a transaction sees them. */
export const loadForTransaction = (ctx: Ctx): Promise<readonly Policy[]> => policies.within(ctx)

/** Starts the read of `loadForTransaction`, where that saves a round trip. */
export const loadAhead = (ctx: Ctx): void => policies.ahead(ctx)

/** Returns all policies: of the transaction, or as of the last commit. */
export const load = (ctx: Ctx): Promise<readonly Policy[]> =>
  ctx.db === ctx.store.read ? policies.current(ctx) : policies.within(ctx)

export const { find, findNamesake, lock, insert, update, remove } = createPlainStore({
  ...{ kind: 'policy', table: 'policies' },
  ...{ query, fromRow: toPolicy, toRow },
})
