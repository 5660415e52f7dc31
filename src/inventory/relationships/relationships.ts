/** The rules of relationships. */
import { AppError, invalidField, notFound } from '../../contract/errors.ts'
import { isManagedBy } from '../../database/managed-by.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { listRows } from '../../kernel/list.ts'
import type { Restored } from '../../resource/restore-fields.ts'
import { assertDeviceExists, filterExistingDevices } from '../devices/devices.ts'
import type { Device } from '../devices/schema.ts'
import { type Relationship, type RelationshipDraft, relationships } from './api.ts'
import * as store from './store.ts'
import type { RelationshipRow } from './table.ts'

const describe = ({ parent_id, type, child_id }: store.Triple) => `${parent_id} ${type} ${child_id}`

/** Returns the name of a relationship: the names of its devices, or their ids if they have no name, around its type. */
export const formatName = (names: ReadonlyMap<string, string>, { parent_id, type, child_id }: store.Triple): string => {
  const named = (id: string): string => names.get(id) ?? id
  return `${named(parent_id)} ${type} ${named(child_id)}`
}

/** For features that read relationships together with other objects. */
export const { selectNames, parseId } = store
export const { documents: findDocuments } = store.store

const buildKey = ({ parent_id, type, child_id }: store.Triple): string => JSON.stringify([parent_id, type, child_id])

const toTriple = ({ device_id: parent_id, child_id, type }: RelationshipDraft): store.Triple => ({
  ...{ parent_id, child_id, type },
})

/** The fields that an update sets. */
type Own = Partial<Pick<RelationshipRow, 'notes' | 'managed_by'>>

const pickOwn = ({ notes, managed_by }: RelationshipDraft): Own => ({
  notes,
  ...(managed_by !== undefined && { managed_by }),
})

type Validated = {
  readonly draft: RelationshipDraft
  /** Drafts with equal keys are the same relationship. */
  readonly key: string
  /** The existing relationship of these devices, if any. */
  readonly known: RelationshipRow | undefined
  readonly error?: AppError
}

/** Validates drafts together, with one query for all of them. */
const validate = async (ctx: Ctx, drafts: readonly RelationshipDraft[]): Promise<Validated[]> => {
  const [there, rows] = await Promise.all([
    filterExistingDevices(
      ctx,
      drafts.flatMap(({ device_id, child_id }) => [device_id, child_id]),
    ),
    store.findAll(ctx, drafts.map(toTriple)),
  ])
  const byKey = new Map(rows.map((row) => [buildKey(row), row]))
  const checkDraft = ({ device_id, child_id }: RelationshipDraft): AppError | undefined => {
    if (!there.has(device_id)) return notFound('device', device_id)
    if (child_id === device_id) return invalidField('child_id', 'must be another device')
    if (!there.has(child_id)) return invalidField('child_id', `there is no device with id "${child_id}"`)
    return undefined
  }
  return drafts.map((draft) => {
    const error = checkDraft(draft)
    const key = buildKey(toTriple(draft))
    return { draft, key, known: byKey.get(key), ...(error ? { error } : {}) }
  })
}

/** Records valid relationships that are new. */
const insertAll = (ctx: Ctx, made: readonly RelationshipRow[]): Promise<void> =>
  store.store.write(
    ctx,
    made.map((after) => ({ after })),
  )

const toRow = (ctx: Ctx, draft: RelationshipDraft & Restored): RelationshipRow => ({
  ...toTriple(draft),
  notes: draft.notes,
  managed_by: draft.managed_by ?? '',
  created_at: draft.created_at ?? ctx.now,
})

/** Creates relationships together. @throws AppError for the first that is invalid or exists already */
export const createAll = async (ctx: Ctx, drafts: readonly (RelationshipDraft & Restored)[]): Promise<void> => {
  for (const { draft, known, error } of await validate(ctx, drafts)) {
    if (error) throw error
    if (known) throw new AppError('ALREADY_EXISTS', `The relationship ${describe(toTriple(draft))} exists already`)
  }
  await insertAll(
    ctx,
    drafts.map((draft) => toRow(ctx, draft)),
  )
}

export const create = (ctx: Ctx, draft: RelationshipDraft & Restored): Promise<void> => createAll(ctx, [draft])

/** @throws AppError NOT_FOUND */
export const update = async (ctx: Ctx, triple: store.Triple, patch: Own): Promise<void> => {
  const before = await store.find(ctx, triple)
  if (!before) throw new AppError('NOT_FOUND', `There is no relationship ${describe(triple)}`)
  await store.store.write(ctx, [{ before, after: { ...before, ...patch } }])
}

/** A relationship, and the fields that an existing one gets. */
export type Given = { readonly draft: RelationshipDraft; readonly fields: readonly string[] }

const pickOwnFields = (given: Given | undefined): Own =>
  // The same fields, or fewer of them.
  Object.fromEntries(
    Object.entries(given ? pickOwn(given.draft) : {}).filter(([field]) => given?.fields.includes(field)),
  ) as Own

/**
 * Creates relationships, and updates the notes and the owner of existing ones. Returns one outcome per draft, in order; an invalid
 * draft has no effect. The number of queries does not depend on the drafts: one each would make an import of a million
 * rows take minutes.
 */
export const upsertAll = async (
  ctx: Ctx,
  given: readonly Given[],
): Promise<('created' | 'updated' | 'unchanged' | AppError)[]> => {
  const drafts = given.map(({ draft }) => draft)
  const created = new Map<string, RelationshipRow>()
  const updated = new Map<string, { readonly before: RelationshipRow; readonly after: RelationshipRow }>()
  const outcomes = (await validate(ctx, drafts)).map(({ draft, key, known, error }, at) => {
    if (error) return error
    // An earlier draft may be the same relationship.
    const before = created.get(key) ?? updated.get(key)?.after ?? known
    const after = before ? { ...before, ...pickOwnFields(given[at]) } : toRow(ctx, draft)
    if (before?.notes === after.notes && before.managed_by === after.managed_by) return 'unchanged'
    if (known) updated.set(key, { before: known, after })
    else created.set(key, after)
    return before ? 'updated' : 'created'
  })
  await insertAll(ctx, [...created.values()])
  await store.store.write(ctx, [...updated.values()])
  return outcomes
}

export const remove = async (ctx: Ctx, triple: store.Triple): Promise<void> => {
  const relationship = await store.find(ctx, triple)
  if (relationship) ctx.precondition(relationship)
  if (!(await store.deleteRow(ctx, triple)))
    throw new AppError('NOT_FOUND', `There is no relationship ${describe(triple)}`)
}

// The contract validated the column's value.
const sendRow = (row: Omit<Relationship, 'type'> & { type: string }): Relationship => row as Relationship

type NamedRow = Parameters<typeof sendRow>[0] & { parent_name: string | null; child_name: string | null }

/** The names of hidden devices are empty. */
const sendNamed = ({ parent_name, child_name, ...row }: NamedRow): Relationship =>
  sendRow({ ...row, parent_name: parent_name ?? '', child_name: child_name ?? '' })

export const feature: Feature = {
  operations: implement(relationships, {
    all: async (ctx, { managed_by, ...page }) => {
      const revision = await ctx.store.revision(['relationships'])
      const all = store.query(ctx)
      const query = managed_by ? all.where(isManagedBy(managed_by)) : all
      return listRows(ctx, { revision, query, page, row: sendRow })
    },
    list: async (ctx, { device_id, include, ...page }) => {
      await assertDeviceExists(ctx.unscoped, device_id)
      const revision = await ctx.store.revision(include ? ['relationships', 'devices'] : ['relationships'])
      if (include)
        return listRows(ctx, { revision, query: store.selectNamedByDevice(ctx, device_id), page, row: sendNamed })
      return listRows(ctx, { revision, query: store.selectByDevice(ctx, device_id), page, row: sendRow })
    },
    create: async (ctx, draft) => {
      await create(ctx, draft)
      return { status: 'created' as const }
    },
    related: async (ctx, { device_id, type, ...page }) => {
      await assertDeviceExists(ctx.unscoped, device_id)
      const revision = await ctx.store.revision(['relationships', 'devices'])
      return listRows(ctx, { revision, query: store.selectRelated(ctx, device_id, type), page, row: ({ doc }) => doc })
    },
    delete: async (ctx, { device_id, child_id, type }) => remove(ctx, { parent_id: device_id, child_id, type }),
  }),
  reactions: {
    'devices.deleting': (ctx, all: readonly Device[]) =>
      store.removeAllByDevices(
        ctx,
        all.map(({ id }) => id),
      ),
  },
}
