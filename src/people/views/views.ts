/** The rules of saved views: private to their owner, or shared with all users. Each user pins some of them. */
import { AppError, invalidField, nameTaken, orNotFound } from '../../contract/errors.ts'
import { merge } from '../../contract/merge.ts'
import type { ChangedObject } from '../../kernel/changes/change-record.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { listRows } from '../../kernel/list.ts'
import { lockAccount } from '../users/account.ts'
import { MAX_PINNED, type View, type ViewDraft, type ViewPatch, views } from './api.ts'
import * as store from './store.ts'

/** Returns the views in the menu of a user. */
export const { findPinned } = store

const getUserIdOrThrow = ({ caller }: Ctx): string => {
  if (caller.userId === undefined) throw new AppError('UNAUTHORIZED', 'Only a user has saved views')
  return caller.userId
}

const requireFreeName = async (ctx: Ctx, view: View): Promise<void> => {
  const namesake = await store.findNamesake(ctx, view)
  if (namesake) throw nameTaken('view', namesake.name)
}

/** Locks the user, so that no two calls pin one view too many. Before the views, as in the deletion of a user. */
const lockPins = async (ctx: Ctx): Promise<void> => {
  await lockAccount(ctx, getUserIdOrThrow(ctx))
}

/** Pins a view to the menu of the user, or takes it away. */
const setPin = async (ctx: Ctx, view_id: string, isPinned: boolean): Promise<void> => {
  const pin = { user_id: getUserIdOrThrow(ctx), view_id }
  if (!isPinned) return store.removePin(ctx, pin)
  if ((await findPinned(ctx, pin.user_id)).length >= MAX_PINNED)
    throw invalidField('is_pinned', `may be true for ${MAX_PINNED} views; take another one out of the menu first`)
  await store.addPin(ctx, pin)
}

const create = async (ctx: Ctx, { is_pinned, ...draft }: ViewDraft): Promise<View> => {
  if (draft.is_shared) ctx.require('views:share')
  if (is_pinned) await lockPins(ctx)
  const owner = { owner_id: getUserIdOrThrow(ctx), owner: ctx.caller.username }
  const times = { created_at: ctx.now, updated_at: ctx.now }
  const view: View = { id: Bun.randomUUIDv7(), ...draft, is_pinned, ...owner, ...times }
  await requireFreeName(ctx, view)
  await store.insert(ctx, view)
  if (is_pinned) await setPin(ctx, view.id, true)
  return view
}

const lockForChange = async (ctx: Ctx, id: string): Promise<View> => {
  const view = orNotFound(await store.lock(ctx, { id, userId: getUserIdOrThrow(ctx) }), 'view', id)
  ctx.precondition(view)
  return view
}

/** @throws AppError FORBIDDEN unless the caller owns the view or may share views; others see shared views only */
const requireChangeable = (ctx: Ctx, view: View): void => {
  if (view.owner_id !== getUserIdOrThrow(ctx)) ctx.require('views:share')
}

const save = async (ctx: Ctx, before: View, after: View): Promise<void> => {
  requireChangeable(ctx, before)
  if (after.is_shared && !before.is_shared) ctx.require('views:share')
  if (!after.is_shared && after.owner_id === null)
    throw invalidField('is_shared', 'must be true, because the view has no owner who would see it')
  await requireFreeName(ctx, after)
  await store.update(ctx, after)
  if (before.is_shared && !after.is_shared) await store.removePinsOfOthers(ctx, after.id, after.owner_id ?? '')
}

const update = async (ctx: Ctx, { id, is_pinned, ...patch }: ViewPatch): Promise<View> => {
  if (is_pinned) await lockPins(ctx)
  const before = await lockForChange(ctx, id)
  const { value, changes } = merge(before, patch)
  const after = changes.length === 0 ? before : { ...value, updated_at: ctx.now }
  if (changes.length > 0) await save(ctx, before, after)
  const isSeen = after.is_shared || after.owner_id === getUserIdOrThrow(ctx)
  const isPinned = isSeen && (is_pinned ?? before.is_pinned)
  if (isSeen && isPinned !== before.is_pinned) await setPin(ctx, id, isPinned)
  return { ...after, is_pinned: isPinned }
}

const remove = async (ctx: Ctx, id: string): Promise<void> => {
  requireChangeable(ctx, await lockForChange(ctx, id))
  await store.remove(ctx, id)
}

/** A view of a kind goes with the kind. */
const removeOfKinds = async (ctx: Ctx, changes: readonly ChangedObject[]): Promise<void> => {
  const gone = changes.filter(({ change }) => change === 'delete')
  if (gone.length > 0)
    await store.removeOfPaths(
      ctx,
      gone.map(({ id }) => `/kinds/${id}`),
    )
}

export const feature: Feature = {
  reactions: {
    'user.deleting': (ctx, { id }: { id: string }) => store.removeUser(ctx, id),
  },
  follows: {
    kind: (ctx, changes) => removeOfKinds(ctx, changes),
  },
  operations: implement(views, {
    list: async (ctx, page) => {
      const userId = getUserIdOrThrow(ctx)
      const revision = await ctx.store.revision(['views', 'view_pins', 'users'])
      // The same URL lists other views for another user, and a browser cache knows only the URL.
      return listRows(ctx, {
        ...{ revision: `${revision} ${userId}`, query: store.query(ctx, userId), page },
        row: store.toView,
      })
    },
    create,
    get: async (ctx, { id }) => orNotFound(await store.find(ctx, { id, userId: getUserIdOrThrow(ctx) }), 'view', id),
    update,
    delete: async (ctx, { id }) => remove(ctx, id),
  }),
}
