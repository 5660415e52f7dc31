/** Installs, upgrades and removes packs: their rows are applied by the functions of estate documents. */
import { AppError } from '../../contract/errors.ts'
import { DOCUMENT_RULES } from '../../contract/fields/row-rules.ts'
import { toText } from '../../contract/unknown.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Document, Means } from '../../record/history/kinds.ts'
import { lockForDefining } from '../../resource/custom/definitions.ts'
import { toObjectResource } from '../../resource/custom/fields.ts'
import { findStoredDocuments } from '../apply/objects.ts'
import { getRules } from '../apply/resources.ts'
import type { PlannedChange } from '../apply/row.ts'
import { runPlan } from '../apply/run-plan.ts'
import { buildPlan } from '../plan/plan.ts'
import { PACK_LISTS, type Pack, type PackList, type Packs } from './files.ts'
import { type Action, type Kept, planInstall } from './plan-pack.ts'
import { PackState, PackUsage, type StoredRow } from './state.ts'

/** The actions of a list, in the order of the rows of its document. */
type Rows = { readonly [L in PackList]: Exclude<Action, { does: 'remove' }>[] }

const toRow = (action: Rows[PackList][number]): Document =>
  action.does === 'create'
    ? { ...action.row.document, managed_by: action.owner }
    : { id: action.stored.id, ...action.sets, managed_by: action.owner }

const getList = (action: Action): PackList => (action.does === 'create' ? action.row.list : action.stored.list)

/** Plans the rows of a pack as rows of a document without an owner: each row says its own. */
const planRows = async (ctx: Ctx, actions: readonly Action[]): Promise<Map<PlannedChange, Action>> => {
  const kept = actions.filter((action) => action.does !== 'remove')
  const [kinds, fields] = PACK_LISTS.map((list) => kept.filter((action) => getList(action) === list))
  const byList: Rows = { kinds: kinds ?? [], 'custom-fields': fields ?? [] }
  const plan = await buildPlan(ctx, {
    ...DOCUMENT_RULES,
    rows: { kinds: byList.kinds.map(toRow), 'custom-fields': byList['custom-fields'].map(toRow) },
    ...{ owner: '', takesOver: false, prunes: false, onNamed: () => undefined },
  })
  const [failed] = plan.errors
  if (failed) throw failed.error
  return new Map(
    plan.changes.flatMap((change) => {
      const { resource, row = -1 } = change
      const action = resource === 'kinds' || resource === 'custom-fields' ? byList[resource][row] : undefined
      return action ? [[change, action] as const] : []
    }),
  )
}

const planRemovals = async (ctx: Ctx, rows: readonly StoredRow[]): Promise<PlannedChange[]> => {
  const changes: PlannedChange[] = []
  for (const list of PACK_LISTS) {
    const ids = rows.filter((row) => row.list === list).map(({ id }) => id)
    const stored = await findStoredDocuments(ctx, getRules(list), ids)
    // Databases return rows in any order.
    for (const id of ids) {
      const one = stored.get(id)
      if (!one) continue
      const name = toText(one.document.name)
      changes.push({ change: 'delete', resource: list, id, name, document: {}, before: one.json })
    }
  }
  return changes
}

/** The means of the rules of resources, and the packs of the program. */
export type PackMeans = Means & { readonly packs: () => Packs }

export type Running = { readonly ctx: Ctx; readonly means: PackMeans }

const run = ({ ctx, means }: Running, changes: readonly PlannedChange[]) =>
  changes.length === 0
    ? new Map<PlannedChange, AppError>()
    : runPlan({ ctx, means, total: changes.length, isAtomic: true }, changes)

/** True for a refusal that the state of the server explains, such as values that a rule excludes. */
const isRule = ({ code }: AppError): boolean => ['VALIDATION_ERROR', 'ALREADY_EXISTS', 'IN_USE'].includes(code)

type Done = {
  readonly changes: readonly PlannedChange[]
  readonly actions: readonly Action[]
  readonly kept: readonly Kept[]
}

/** Runs actions. An update that stored values exclude sets the owner only, so that no edit of a user is lost. */
const runActions = async (running: Running, actions: readonly Action[]): Promise<Done> => {
  const planned = await planRows(running.ctx, actions)
  const removed = actions.flatMap((action) => (action.does === 'remove' ? [action.stored] : []))
  const changes = [...planned.keys(), ...(await planRemovals(running.ctx, removed))]
  const refused = await run(running, changes)
  const again: Action[] = []
  const kept: Kept[] = []
  for (const [change, error] of refused) {
    const action = planned.get(change)
    if (action?.does === 'update' && Object.keys(action.sets).length > 0 && isRule(error)) {
      again.push({ ...action, sets: {} })
      const { list, key } = action.stored
      kept.push(...Object.keys(action.sets).map((field) => ({ resource: list, name: key, field })))
    } else if (action?.does === 'create' && action.row.list === 'custom-fields' && error.code === 'VALIDATION_ERROR') {
      // Such as a condition that names a field which a user has deleted.
      kept.push({ resource: action.row.list, name: action.row.key, field: null })
    } else throw error
  }
  const done = changes.filter((change) => !refused.has(change))
  const failed = new Set([...refused.keys()].map((change) => planned.get(change)))
  const others = actions.filter((action) => !failed.has(action))
  if (again.length === 0) return { changes: done, actions: others, kept }
  const rest = await runActions(running, again)
  return { changes: [...done, ...rest.changes], actions: [...others, ...rest.actions], kept: [...kept, ...rest.kept] }
}

/** Excludes other changes of kinds and definitions, and of values of the fields that a pack may change. */
const lock = async (ctx: Ctx, names: readonly string[]): Promise<PackState> => {
  await ctx.lock('apply')
  await lockForDefining(ctx, [...new Set(names)].sort())
  return PackState.read(ctx)
}

const listResources = (pack: Pack): string[] =>
  pack.rows.map(({ list, key, document }) => (list === 'kinds' ? key : toText(document.resource)))

export type Installed = {
  readonly from: number | null
  readonly version: number
  readonly created: number
  readonly updated: number
  readonly removed: number
  readonly kept: readonly Kept[]
}

const isUpdate = (action: Action): boolean => action.does === 'update' && Object.keys(action.sets).length > 0

/** Installs a pack, or upgrades it. @returns the answer, and the changes of rows */
export const installPack = async (
  { ctx, means }: Running,
  pack: Pack,
): Promise<{ readonly answer: Installed; readonly changes: readonly PlannedChange[] }> => {
  const state = await lock(ctx, listResources(pack))
  const from = state.findVersion(pack.name) ?? null
  const plan = await planInstall({ pack, packs: means.packs(), state, usage: new PackUsage(ctx) })
  const done = await runActions({ ctx, means }, plan.actions)
  const count = (is: (action: Action) => boolean): number => done.actions.filter(is).length
  return {
    answer: {
      ...{ from, version: Math.max(pack.version, from ?? 0) },
      created: count(({ does }) => does === 'create'),
      updated: count(isUpdate),
      removed: count(({ does }) => does === 'remove'),
      kept: [...plan.kept, ...done.kept],
    },
    // No document of the caller has the rows.
    changes: done.changes.map(({ row: _, ...change }) => change),
  }
}

const formatCount = (n: number, canTell: boolean): string => {
  if (!canTell) return 'objects'
  return n === 1 ? '1 object' : `${n} objects`
}

/** Returns the reasons for which a pack stays. */
const listUses = async (ctx: Ctx, own: readonly StoredRow[], state: PackState): Promise<string[]> => {
  const usage = new PackUsage(ctx)
  const uses: string[] = []
  const kinds = new Set(own.flatMap(({ list, id }) => (list === 'kinds' ? [id] : [])))
  for (const row of own) {
    const n = await usage.count(row)
    if (n === 0) continue
    const resource = toText(row.document.resource)
    const holder = resource === 'addresses' ? 'devices' : toObjectResource(resource)
    const objects = formatCount(n, ctx.canListAll(row.list === 'kinds' ? 'objects' : holder))
    if (row.list === 'kinds') uses.push(`the kind "${toText(row.document.name)}" has ${objects}`)
    else uses.push(`the custom field ${row.key} has a value in ${objects}`)
  }
  for (const other of state.rows) {
    const { reference_to } = other.document
    if (!own.includes(other) && typeof reference_to === 'string' && kinds.has(reference_to))
      uses.push(`the custom field ${other.key} refers to the kind ${reference_to}`)
  }
  return uses
}

/** The ETag of the caller is that of the pack, and of none of its rows. */
const ofRows = (ctx: Ctx): Ctx =>
  // The context has getters, which a copy would evaluate once.
  Object.create(ctx, { precondition: { value: () => undefined } }) as Ctx

/**
 * Removes the rows of a pack.
 * @param checkState called once the pack cannot change, to compare it with the state that the caller has read
 * @throws AppError NOT_FOUND, or IN_USE with the uses of the rows
 */
export const uninstallPack = async (running: Running, name: string, checkState: () => Promise<void>): Promise<void> => {
  const { ctx } = running
  const before = await PackState.read(ctx)
  const state = await lock(
    ctx,
    before.listOf(name).map(({ list, id, document }) => (list === 'kinds' ? id : toText(document.resource))),
  )
  const own = state.listOf(name)
  if (own.length === 0) throw new AppError('NOT_FOUND', `The pack "${name}" is not installed`)
  await checkState()
  const uses = await listUses(ctx, own, state)
  if (uses.length > 0) throw new AppError('IN_USE', `The pack "${name}" is in use: ${uses.join('; ')}`)
  const [refused] = (await run({ ...running, ctx: ofRows(ctx) }, await planRemovals(ctx, own))).values()
  if (refused) throw refused
}
