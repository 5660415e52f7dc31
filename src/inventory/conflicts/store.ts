/** The queries of conflicts; the only writer of their tables. */
import type { Kysely } from 'kysely'
import { preparedKeys, preparedRows } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx, StoreScope } from '../../kernel/ctx.ts'
import { createRecorder } from '../../resource/recorder.ts'
import { withSpace } from '../spaces/fields.ts'
import { matchSpace } from '../spaces/keys.ts'
import type { Conflict, ConflictStatus, ConflictType } from './schema.ts'
import type { ConflictRow } from './table.ts'

/** A conflict in its public form, and its cause. */
export type Stored = { readonly conflict: Conflict; readonly cause: string }

/** Returns the fields in the order of the contract. */
export const fromRow = ({ cause: _, device_ids, network_ids, subnets, ...row }: ConflictRow): Conflict => {
  const { id, type, status, description, ip_address, detected_at, resolved_at, resolved_by, notes, space_id } = row
  const list = (text: string) => JSON.parse(text) as string[] // written by this feature
  const conflict = {
    ...{ id, type, status, description, ip_address },
    ...{ device_ids: list(device_ids), network_ids: list(network_ids), subnets: list(subnets) },
    ...{ detected_at, resolved_at, resolved_by, notes },
  }
  return withSpace(conflict, space_id)
}

const toRow = ({ conflict, cause }: Stored): ConflictRow => {
  const { device_ids, network_ids, subnets, space_id = null, ...fields } = conflict
  return {
    ...fields,
    space_id,
    cause,
    device_ids: JSON.stringify(device_ids),
    network_ids: JSON.stringify(network_ids),
    subnets: JSON.stringify(subnets),
  }
}

const fromStoredRow = (row: ConflictRow): Stored => ({ conflict: fromRow(row), cause: row.cause })

type Filter = {
  readonly type?: ConflictType | undefined
  readonly status?: ConflictStatus | undefined
  readonly space_id?: string | undefined
}

/** Newest first. */
export const query = ({ db }: Pick<StoreScope, 'db'>, { type, status, space_id }: Filter) => {
  let found = db.selectFrom('conflicts').selectAll('conflicts').orderBy('conflicts.id', 'desc')
  if (type) found = found.where('type', '=', type)
  if (status) found = found.where('status', '=', status)
  if (space_id !== undefined) found = found.where(matchSpace(space_id))
  return found
}

/** Returns the conflicts that an object is part of, newest first. */
export const selectByMember = (scope: Pick<StoreScope, 'db'>, memberId: string, filter: Filter) =>
  query(scope, filter).where('conflicts.id', 'in', (eb) =>
    eb.selectFrom('conflict_members').select('conflict_id').where('member_id', '=', memberId),
  )

export const find = async ({ db }: Pick<StoreScope, 'db'>, id: string): Promise<Stored | undefined> => {
  const row = await db.selectFrom('conflicts').selectAll().where('id', '=', id).executeTakeFirst()
  return row && fromStoredRow(row)
}

/** Finds like `find`, and locks the row until commit. */
export const lock = async (ctx: Ctx, id: string): Promise<Stored | undefined> => {
  const row = await ctx.store.sql
    .lockRows(ctx.db.selectFrom('conflicts').selectAll().where('id', '=', id))
    .executeTakeFirst()
  return row && fromStoredRow(row)
}

const openOnes = preparedKeys((db: Kysely<Tables>, causes) =>
  db.selectFrom('conflicts').selectAll().where('cause', 'in', causes).where('status', '<>', 'resolved'),
)

/** Returns the open conflicts of these causes, by cause. */
export const findOpenByCauses = async (scope: StoreScope, causes: readonly string[]): Promise<Map<string, Conflict>> =>
  new Map((await openOnes(scope, causes)).map((row) => [row.cause, fromRow(row)]))

/** Returns every open conflict, by cause. */
export const findAllOpen = async ({ db }: StoreScope): Promise<Map<string, Conflict>> => {
  const rows = await db.selectFrom('conflicts').selectAll().where('status', '<>', 'resolved').execute()
  return new Map(rows.map((row) => [row.cause, fromRow(row)]))
}

type MemberRow = { readonly conflict_id: string; readonly member_id: string }
const addMembers = preparedRows(['conflict_id', 'member_id'], (db: Kysely<Tables>, rows: MemberRow[]) =>
  db.insertInto('conflict_members').values(rows),
)

const listMembers = ({ device_ids, network_ids }: Conflict): string[] => [...device_ids, ...network_ids]

const add = (scope: StoreScope, conflict_id: string, members: readonly string[]): Promise<void> =>
  addMembers(
    scope,
    members.map((member_id) => ({ conflict_id, member_id })),
  )

const recorder = createRecorder({
  ...{ kind: 'conflict', table: 'conflicts' },
  find: async ({ db }, ids) =>
    (await db.selectFrom('conflicts').selectAll().where('id', 'in', ids).execute()).map(fromRow),
})

export const insert = async (ctx: Ctx, stored: Stored): Promise<void> => {
  await recorder.write(ctx, [stored.conflict.id], async () => {
    await ctx.db.insertInto('conflicts').values(toRow(stored)).execute()
  })
  await add(ctx, stored.conflict.id, listMembers(stored.conflict))
}

export const update = (ctx: Ctx, stored: Stored): Promise<void> =>
  recorder.write(ctx, [stored.conflict.id], async () => {
    await ctx.db.updateTable('conflicts').set(toRow(stored)).where('id', '=', stored.conflict.id).execute()
  })

/** Like `update`, if members have changed: with very many members, usually only one is added or removed. */
export const updateMembers = async (scope: Ctx, stored: Stored, before: Conflict): Promise<void> => {
  const { id } = stored.conflict
  const [old, now] = [new Set(listMembers(before)), new Set(listMembers(stored.conflict))]
  await update(scope, stored)
  const gone = [...old.difference(now)]
  if (gone.length > 0)
    await scope.db.deleteFrom('conflict_members').where('conflict_id', '=', id).where('member_id', 'in', gone).execute()
  await add(scope, id, [...now.difference(old)])
}

export const remove = (ctx: Ctx, id: string): Promise<void> =>
  recorder.write(ctx, [id], async () => {
    await ctx.db.deleteFrom('conflicts').where('id', '=', id).execute()
  })

export const countByTypeAndStatus = ({ db }: Pick<StoreScope, 'db'>) =>
  db
    .selectFrom('conflicts')
    .select(({ fn }) => ['type', 'status', fn.countAll().as('n')])
    .groupBy(['type', 'status'])
    .execute()
