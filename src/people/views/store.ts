/** The queries of saved views; the only writer of their tables. */
import type { ExpressionBuilder } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { Ctx, DbScope, StoreScope } from '../../kernel/ctx.ts'
import { buildNameKeys, toNameKey } from '../../net/name-order.ts'
import { createRecorder, type RecordScope } from '../../resource/recorder.ts'
import type { PinnedView, View } from './api.ts'
import type { ViewRow } from './table.ts'

/** Returns all views as this user sees them, by name. */
const selectAll = ({ db }: DbScope, userId: string) =>
  db
    .selectFrom('views')
    .leftJoin('users', 'users.id', 'views.owner_id')
    .leftJoin('view_pins', (join) =>
      join.onRef('view_pins.view_id', '=', 'views.id').on('view_pins.user_id', '=', userId),
    )
    .select([
      'views.id',
      'views.name',
      'views.path',
      'views.search',
      'views.is_shared',
      'view_pins.user_id as pinned_by',
    ])
    .select(['views.owner_id', 'users.username as owner', 'views.created_at', 'views.updated_at'])
    .orderBy('views.name_order')
    .orderBy('views.id')

/** Returns the views that this user sees, by name: their own and the shared ones. */
export const query = (scope: DbScope, userId: string) =>
  selectAll(scope, userId).where((eb) => eb.or([eb('views.owner_id', '=', userId), eb('views.is_shared', '=', 1)]))

type Row = Omit<View, 'is_shared' | 'is_pinned'> & { readonly is_shared: number; readonly pinned_by: string | null }

/** Returns the view of a row. */
export const toView = ({ id, name, path, search, is_shared, pinned_by, ...rest }: Row): View => ({
  ...{ id, name, path, search, is_shared: is_shared === 1, is_pinned: pinned_by !== null },
  ...{ owner_id: rest.owner_id, owner: rest.owner, created_at: rest.created_at, updated_at: rest.updated_at },
})

type Seen = { readonly id: string; readonly userId: string }

/** Returns a view that the user sees. */
export const find = async (scope: DbScope, { id, userId }: Seen): Promise<View | undefined> => {
  const row = await query(scope, userId).where('views.id', '=', id).executeTakeFirst()
  return row && toView(row)
}

/** Finds like `find`, and locks the row until commit. */
export const lock = async (ctx: StoreScope, seen: Seen): Promise<View | undefined> => {
  const row = ctx.db.selectFrom('views').select('id').where('id', '=', seen.id)
  return (await ctx.store.sql.lockRows(row).executeTakeFirst()) && find(ctx, seen)
}

/** Returns the name of another view of the owner on the page, with this name in any case. */
export const findNamesake = async (
  { db }: DbScope,
  { id, name, path, owner_id }: Pick<View, 'id' | 'name' | 'path' | 'owner_id'>,
): Promise<{ name: string } | undefined> =>
  db
    .selectFrom('views')
    .select('name')
    .where('owner_id', '=', owner_id)
    .where('path', '=', path)
    .where('name_key', '=', toNameKey(name))
    .where('id', '<>', id)
    .executeTakeFirst()

/** Returns the views that the user has pinned and still sees, by name. */
export const findPinned = (scope: DbScope, userId: string): Promise<PinnedView[]> =>
  query(scope, userId)
    .clearSelect()
    .select(['views.id', 'views.name', 'views.path', 'views.search'])
    .where('view_pins.user_id', '=', userId)
    .execute()

const toRow = ({ is_pinned: _, owner: __, is_shared, ...view }: View): ViewRow => ({
  ...view,
  is_shared: Number(is_shared),
  ...buildNameKeys(view.name),
})

const recorder = createRecorder({
  ...{ kind: 'view', table: 'views' },
  find: async (ctx, ids) =>
    (
      await selectAll(ctx, ctx.caller.userId ?? '')
        .where('views.id', 'in', ids)
        .execute()
    ).map(toView),
})

export const insert = (scope: RecordScope, view: View): Promise<void> =>
  recorder.write(scope, [view.id], async () => {
    await scope.db.insertInto('views').values(toRow(view)).execute()
  })

export const update = (scope: RecordScope, view: View): Promise<void> =>
  recorder.write(scope, [view.id], async () => {
    await scope.db.updateTable('views').set(toRow(view)).where('id', '=', view.id).execute()
  })

type Pin = { readonly user_id: string; readonly view_id: string }

export const addPin = async ({ db }: DbScope, pin: Pin): Promise<void> => {
  await db
    .insertInto('view_pins')
    .values(pin)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export const removePin = async ({ db }: DbScope, { user_id, view_id }: Pin): Promise<void> => {
  await db.deleteFrom('view_pins').where('user_id', '=', user_id).where('view_id', '=', view_id).execute()
}

/** Removes the pins of a view that others no longer see. */
export const removePinsOfOthers = async ({ db }: DbScope, id: string, ownerId: string): Promise<void> => {
  await db.deleteFrom('view_pins').where('view_id', '=', id).where('user_id', '<>', ownerId).execute()
}

type Condition = (eb: ExpressionBuilder<Tables, 'views'>) => ReturnType<typeof eb.or>

/** Deletes the views of a condition with their pins, which are not left to the foreign key: it would not move the revision of their table. */
const removeWhere = async (scope: RecordScope, isGone: Condition): Promise<void> => {
  const select = scope.db.selectFrom('views').select('id').where(isGone)
  await scope.db.deleteFrom('view_pins').where('view_id', 'in', select).execute()
  await recorder.writeWhere(
    scope,
    () => select.execute(),
    () => scope.db.deleteFrom('views').where(isGone).returning('id').execute(),
  )
}

export const remove = (scope: RecordScope, id: string): Promise<void> =>
  removeWhere(scope, (eb) => eb.and([eb('id', '=', id)]))

/** Deletes all views of these pages. */
export const removeOfPaths = (scope: RecordScope, paths: readonly string[]): Promise<void> =>
  removeWhere(scope, (eb) => eb.and([eb('path', 'in', paths)]))

/** Deletes the pins and the private views of a user; the shared ones stay without an owner. */
export const removeUser = async (ctx: Ctx, userId: string): Promise<void> => {
  const { db } = ctx
  await db.deleteFrom('view_pins').where('user_id', '=', userId).execute()
  await removeWhere(ctx, (eb) =>
    eb.and([
      eb('is_shared', '=', 0),
      // A program that does not know views has deleted their owner.
      eb.or([eb('owner_id', '=', userId), eb('owner_id', 'is', null)]),
    ]),
  )
  const shared = await db.selectFrom('views').select('id').where('owner_id', '=', userId).execute()
  const ids = shared.map(({ id }) => id)
  if (ids.length === 0) return
  await recorder.write(ctx, ids, async () => {
    await db.updateTable('views').set({ owner_id: null }).where('owner_id', '=', userId).execute()
  })
}
