/** The rules of cables. */
import { AppError, invalid, orNotFound } from '../../platform/contract/errors.ts'
import { isManagedBy } from '../../platform/db/managed-by.ts'
import { runBulk } from '../../platform/operation/bulk-run.ts'
import type { EarlierDocuments } from '../../platform/operation/change-record.ts'
import { createLastRead } from '../../platform/operation/last-read.ts'
import { updateRefs, withChangedRefs } from '../../platform/operation/object-refs.ts'
import { type Ctx, type Feature, implement } from '../ctx.ts'
import { lockCustom } from '../custom-fields/engine.ts'
import { listWithCustom } from '../custom-fields/row-lists.ts'
import { mergeCustom, rewriteCustom, withCustomOfNew } from '../custom-fields/rows.ts'
import { asRestored, type Restored } from '../restore-fields.ts'
import { narrowToListed } from '../scopes/scoped-db.ts'
import { type Cable, CableDraft, CablePatch, cables } from './api.ts'
import { isEnd, prepareEnds } from './ends.ts'
import { findEarlierNames, findNames, type Names, toEnd } from './names.ts'
import * as store from './store.ts'
import { traceDevice, traceFrom } from './trace.ts'

/** For the history, and for the rows of documents and files. */
export const { findDocuments } = store

const listEnds = (cables: readonly store.StoredCable[]): store.StoredEnd[] => cables.flatMap(({ a, b }) => [a, b])

const toCable = ({ id, a, b, ...fields }: store.StoredCable, names: Names): Cable => ({
  id,
  a: toEnd(a, names),
  b: toEnd(b, names),
  ...fields,
})

const withNames = async (ctx: Ctx, cable: store.StoredCable): Promise<Cable> =>
  toCable(cable, await findNames(ctx, listEnds([cable])))

type LastState = { readonly stored: store.StoredCable; readonly isGone: boolean }

/** The names of the ends of a cable. */
const lastNames = createLastRead<Names>()

/** Returns cables as their events have them: deleted ones with the names that their ends had before the transaction. */
export const toEventData = async (
  ctx: Ctx,
  all: readonly LastState[],
  earlier: EarlierDocuments,
): Promise<readonly Cable[]> => {
  const [only] = all
  const noted = only && all.length === 1 ? lastNames.find(ctx, { ...only.stored, isGone: only.isGone }) : undefined
  if (only && noted) return [toCable(only.stored, noted)]
  const selectEnds = (gone: boolean) => listEnds(all.flatMap(({ stored, isGone }) => (isGone === gone ? [stored] : [])))
  const names = await findNames(ctx, selectEnds(false))
  const formerNames = await findEarlierNames(ctx, selectEnds(true), earlier)
  return all.map(({ stored, isGone }) => toCable(stored, isGone ? formerNames : names))
}

/** The resources with names in a cable. */
const NAMED = ['devices', 'ports']

/** Returns a cable as its caller sees it. @param cable with the names of both ends */
const toVisibleCable = async (ctx: Ctx, stored: store.StoredCable, cable: Cable): Promise<Cable> => {
  const listed = await narrowToListed(ctx, NAMED)
  return listed === ctx ? cable : withNames(listed, stored)
}

export const create = async (
  ctx: Ctx,
  { id = Bun.randomUUIDv7(), ...draft }: CableDraft & Restored,
): Promise<Cable> => {
  await lockCustom(ctx, 'cables')
  await lockCustom(ctx, 'ports')
  if (await store.find(ctx, id)) throw new AppError('ALREADY_EXISTS', `A cable with id "${id}" exists already`)
  const refs = updateRefs({}, draft.refs)
  // First: of several creates by one ref, the later ones become updates.
  await store.claimRefs(ctx, refs)
  const { type, label, color, length_m, status, description, managed_by, created_at = ctx.now } = draft
  const bare: store.StoredCable = {
    id,
    ...(await prepareEnds(ctx, draft)),
    ...{ type, label, color, length_m, status, description, refs, managed_by, created_at, updated_at: ctx.now },
  }
  const stored = await withCustomOfNew(ctx, 'cables', { object: bare, given: draft.custom, ...asRestored(draft) })
  await store.insert(ctx, stored)
  const names = await findNames(ctx, listEnds([stored]))
  lastNames.note(ctx, id, names)
  return toVisibleCable(ctx, stored, toCable(stored, names))
}

type Locked = {
  readonly stored: store.StoredCable
  readonly names: Names
  /** The cable as its caller sees it. */
  readonly shown: Cable
}

const lockForChange = async (ctx: Ctx, id: string): Promise<Locked> => {
  await lockCustom(ctx, 'cables')
  const [locked] = await store.lockAll(ctx, [id])
  const stored = orNotFound(locked, 'cable', id)
  const names = await findNames(ctx, listEnds([stored]))
  lastNames.note(ctx, id, names)
  const cable = toCable(stored, names)
  const shown = await toVisibleCable(ctx, stored, cable)
  ctx.precondition(shown)
  return { stored, names, shown }
}

/** @throws AppError VALIDATION_ERROR if an end is given that is not the stored one */
const checkSameEnds = ({ a, b }: Pick<CablePatch, 'a' | 'b'>, { stored, names }: Locked): void => {
  const issues = (['a', 'b'] as const).flatMap((field) => {
    const given = { a, b }[field]
    if (given === undefined || isEnd(given, stored[field], names.get(stored[field].port_id))) return []
    return [{ field, message: 'never changes; delete the cable and make another' }]
  })
  if (issues.length > 0) throw invalid(issues)
}

export const update = async (ctx: Ctx, { id, a, b, ...patch }: CablePatch): Promise<Cable> => {
  const locked = await lockForChange(ctx, id)
  const { stored: before, names } = locked
  checkSameEnds({ a, b }, locked)
  const { value, changes } = await mergeCustom(ctx, 'cables', { before, patch: withChangedRefs(before, patch) })
  if (changes.length === 0) return locked.shown
  const stored = { ...value, updated_at: ctx.now }
  await store.updateRow(ctx, before, stored)
  // The names are not stored in the cable itself.
  lastNames.note(ctx, id, names)
  return toVisibleCable(ctx, stored, toCable(stored, names))
}

export const remove = async (ctx: Ctx, id: string): Promise<void> => {
  const { stored } = await lockForChange(ctx, id)
  await store.removeAll(ctx, [stored])
}

/** Deletes the cables of ports that are about to be deleted. */
const removeByPorts = async (ctx: Ctx, portIds: readonly string[]): Promise<void> => {
  const ends = await store.findEnds(ctx, portIds)
  if (ends.size === 0) return
  const all = await store.lockAll(
    ctx,
    [...ends.values()].map(({ cable_id }) => cable_id),
  )
  await store.removeAll(ctx, all)
}

/** The tables of cables with the names of their ends. */
const NAMED_TABLES = ['cables', 'cable_ends', 'ports', 'devices'] as const

/** Cables have labels in the place of names. */
const LABELS = ['label_key', 'id']
const ORDERS = {
  name: LABELS,
  label: LABELS,
  created_at: ['created_at', ...LABELS],
  updated_at: ['updated_at', ...LABELS],
}

export const feature: Feature = {
  operations: implement(cables, {
    list: async (ctx, { device_id, label, status, managed_by, custom, sort, ...page }) => {
      let query = store.selectNamed(ctx)
      if (device_id) query = query.where('id', 'in', store.selectIdsAtDevice(ctx, device_id))
      if (label) query = query.where('label_key', '=', label.trim().toLowerCase())
      if (status) query = query.where('status', '=', status)
      // The index only has the others.
      if (status && status !== 'connected') query = query.where('status', '<>', store.USUAL_STATUS)
      if (managed_by) query = query.where(isManagedBy(managed_by))
      const wanted = { custom, sort }
      const list = { query, tables: NAMED_TABLES, wanted, page, row: store.fromNamedRow, orders: ORDERS }
      return listWithCustom<'cables', store.NamedRow, Cable>(ctx, { resource: 'cables', ...list })
    },
    create,
    get: async (ctx, { id }) => withNames(ctx, orNotFound(await store.find(ctx, id), 'cable', id)),
    update,
    delete: async (ctx, { id }) => remove(ctx, id),
    bulk: async (ctx, input) =>
      runBulk(ctx, input, {
        noun: 'cable',
        permissions: 'cables',
        create: { schema: CableDraft, run: create },
        update: { schema: CablePatch, run: update },
        remove,
      }),
    trace: async (ctx, { id }) => traceFrom(ctx, id),
    paths: async (ctx, input) => traceDevice(ctx, input),
  }),
  reactions: {
    'ports.deleting': removeByPorts,
    ...rewriteCustom('cables', { lock: store.lockAll, update: store.updateRow, rename: store.renameCustom }),
  },
}
