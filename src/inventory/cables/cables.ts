/** The rules of cables. */
import { AppError, invalid, orNotFound } from '../../contract/errors.ts'
import { runBulk } from '../../kernel/bulk/bulk-run.ts'
import type { EarlierDocuments } from '../../kernel/changes/change-record.ts'
import { createLastRead } from '../../kernel/changes/last-read.ts'
import { withChangedRefs } from '../../kernel/changes/object-refs.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { lockCustom } from '../../resource/custom/engine.ts'
import { mergeCustom, withCustomOfNew } from '../../resource/custom/rows.ts'
import { type AnyQuery, createList, type ListInput } from '../../resource/list.ts'
import { asRestored, type Restored } from '../../resource/restore-fields.ts'
import { createBuild, rewriteStored } from '../../resource/rules.ts'
import { narrowToListed } from '../../resource/scoped/scoped-db.ts'
import { type Cable, CableDraft, CablePatch, cables } from './api.ts'
import { isEnd, prepareEnds } from './ends.ts'
import { findEarlierNames, findNames, type Names, toEnd } from './names.ts'
import { cableFacts } from './resource.ts'
import {
  findEnds,
  fromNamedRow,
  type NamedRow,
  type StoredCable,
  type StoredEnd,
  selectIdsAtDevice,
  selectNamed,
  store,
  USUAL_STATUS,
} from './store.ts'
import { traceDevice, traceFrom } from './trace.ts'

/** For the history, and for the rows of documents and files. */
export const { documents: findDocuments } = store

const listEnds = (cables: readonly StoredCable[]): StoredEnd[] => cables.flatMap(({ a, b }) => [a, b])

const toCable = ({ id, a, b, ...fields }: StoredCable, names: Names): Cable => ({
  id,
  a: toEnd(a, names),
  b: toEnd(b, names),
  ...fields,
})

const withNames = async (ctx: Ctx, cable: StoredCable): Promise<Cable> =>
  toCable(cable, await findNames(ctx, listEnds([cable])))

type LastState = { readonly stored: StoredCable; readonly isGone: boolean }

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
const toVisibleCable = async (ctx: Ctx, stored: StoredCable, cable: Cable): Promise<Cable> => {
  const listed = await narrowToListed(ctx, NAMED)
  return listed === ctx ? cable : withNames(listed, stored)
}

const build = createBuild<StoredCable>(cableFacts)

export const create = async (ctx: Ctx, { id = ctx.newId(), ...draft }: CableDraft & Restored): Promise<Cable> => {
  await store.lockCustom(ctx)
  await lockCustom(ctx, 'ports')
  if (await store.find(ctx, id)) throw new AppError('ALREADY_EXISTS', `A cable with id "${id}" exists already`)
  const given = build(ctx, { ...draft, id })
  // First: of several creates by one ref, the later ones become updates.
  await store.claimRefs(ctx, given.refs)
  const object = { ...given, ...(await prepareEnds(ctx, draft)) }
  const stored = await withCustomOfNew(ctx, 'cables', { object, given: draft.custom, ...asRestored(draft) })
  await store.write(ctx, [{ after: stored }])
  const names = await findNames(ctx, listEnds([stored]))
  lastNames.note(ctx, id, names)
  return toVisibleCable(ctx, stored, toCable(stored, names))
}

type Locked = {
  readonly stored: StoredCable
  readonly names: Names
  /** The cable as its caller sees it. */
  readonly shown: Cable
}

const lockForChange = async (ctx: Ctx, id: string): Promise<Locked> => {
  await store.lockCustom(ctx)
  const stored = orNotFound(await store.lock(ctx, id), 'cable', id)
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
  await store.write(ctx, [{ before, after: stored }])
  // The names are not stored in the cable itself.
  lastNames.note(ctx, id, names)
  return toVisibleCable(ctx, stored, toCable(stored, names))
}

export const remove = async (ctx: Ctx, id: string): Promise<void> => {
  const { stored: before } = await lockForChange(ctx, id)
  await store.write(ctx, [{ before }])
}

/** Deletes the cables of ports that are about to be deleted. */
const removeByPorts = async (ctx: Ctx, portIds: readonly string[]): Promise<void> => {
  const ends = await findEnds(ctx, portIds)
  if (ends.size === 0) return
  const all = await store.lockAll(
    ctx,
    [...ends.values()].map(({ cable_id }) => cable_id),
  )
  await store.write(
    ctx,
    all.map((before) => ({ before })),
  )
}

/** The tables of the names of ends, and of the ends of a device. */
const NAMED_TABLES = ['cable_ends', 'ports', 'devices'] as const

/** Cables have labels in the place of names. */
const LABELS = ['label_order', 'id']
const ORDERS = {
  name: LABELS,
  label: LABELS,
  created_at: ['created_at', ...LABELS],
  updated_at: ['updated_at', ...LABELS],
}

/** @param query of cables */
const filterCables = (ctx: Ctx, query: AnyQuery, { device_id, status }: ListInput): AnyQuery => {
  let cables = query as object as ReturnType<typeof store.query>
  if (typeof device_id === 'string' && device_id !== '')
    cables = cables.where('id', 'in', selectIdsAtDevice(ctx, device_id))
  // The index only has the others.
  if (status && status !== 'connected') cables = cables.where('status', '<>', USUAL_STATUS)
  return cables as object as AnyQuery
}

export const feature: Feature = {
  operations: implement(cables, {
    list: createList<Cable>(cableFacts, selectNamed, {
      tables: () => NAMED_TABLES,
      // The rows of the query.
      createRow: () => (row) => fromNamedRow(row as NamedRow),
      filter: filterCables,
      orders: ORDERS,
    }),
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
    ...rewriteStored(store),
  },
}
