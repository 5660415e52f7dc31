/** The rules of a resource: the handlers of its five operations, and what happens to its objects when others are deleted. */
import type { Kysely } from 'kysely'
import { AppError, invalidField, orNotFound } from '../contract/errors.ts'
import type { Refs, RefsPatch } from '../contract/fields/external-fields.ts'
import { merge } from '../contract/merge.ts'
import { preparedKeys } from '../database/query/prepared-lists.ts'
import type { Tables } from '../database/tables.ts'
import { FACTS, INVENTORY, isResource, type Resource, toTableName } from '../inventory/resources.ts'
import type { EarlierDocuments } from '../kernel/changes/change-record.ts'
import { createLastRead } from '../kernel/changes/last-read.ts'
import { updateRefs, withChangedRefs } from '../kernel/changes/object-refs.ts'
import type { Ctx, Reactions } from '../kernel/ctx.ts'
import type { JsonList } from '../kernel/handler-result.ts'
import { createKeyBuilder } from './columns.ts'
import { lockAllDefinitions } from './custom/definitions.ts'
import { type CustomPatch, createDefinitionsOf, isKindResource } from './custom/fields.ts'
import { mergeCustom, rewriteCustom, type WithCustom, withCustomOfNew } from './custom/rows.ts'
import { emitDeleted, emitDeleting, onDeleting } from './deleting.ts'
import {
  arrangeLater,
  listFields,
  listTrees,
  type OnDelete,
  orderAnswer,
  pickFields,
  type ResourceFacts,
} from './facts.ts'
import { createList, type ListedPage, type ListInput, type ListRules } from './list.ts'
import { selectFromTable } from './named-tables.ts'
import { asRestored } from './restore-fields.ts'
import { narrowToListed } from './scoped/scoped-db.ts'
import type { ObjectStore, ObjectWrite, StoredObject } from './store.ts'

type Values = Readonly<Record<string, unknown>>

/** A write, with the fields that it changes: all of them of a new object, none of a deleted one. */
export type Write<T> = ObjectWrite<T> & { readonly changes: readonly string[] }

/** An object after an update, and the fields that it changes. */
type Changed<T> = { readonly value: T; readonly changes: readonly string[] }

/** Objects with computed fields: stored ones, deleted ones as they were before the transaction, or the rows of a page. */
export type Computed<T> =
  | { readonly objects: readonly T[]; readonly earlier?: EarlierDocuments; readonly page?: undefined }
  | { readonly page: ListedPage; readonly objects?: undefined; readonly earlier?: undefined }

/** The behavior of a resource. Each part is optional. */
export type Rules<T, A> = {
  /** Sets the fields that the rules compute and store. */
  readonly derive?: (object: T) => T
  /** Takes named locks, before rows are locked. */
  readonly lock?: (ctx: Ctx, verb: 'create' | 'update' | 'delete', id: string) => Promise<void>
  /** Checks what the facts do not tell. @throws AppError */
  readonly check?: (ctx: Ctx, write: Write<T>) => Promise<void>
  /** Returns the message of the conflict of two objects with one identity, in place of one that names its fields. */
  readonly taken?: (object: T) => string
  /** Returns an object after the deletion of the object that the field refers to; by default without the reference. */
  readonly left?: Readonly<Record<string, (ctx: Ctx, object: T, gone: StoredObject) => Promise<T>>>
  /** Changes other objects in the same transaction. */
  readonly follow?: (ctx: Ctx, write: Write<T>) => Promise<void>
  /** Called after the row of an object is deleted. */
  readonly deleted?: (ctx: Ctx, object: A) => Promise<void>
  /** Reads what the computed fields of objects need, with one query for all of them. Returns the function that gives their values. */
  readonly compute?: (ctx: Ctx, of: Computed<T>) => Promise<(object: T) => Values>
  /** The rows of the list, if they are more than the objects. */
  readonly listed?: Partial<ListRules<unknown>>
}

type Owned = {
  readonly id: string
  readonly refs: Refs
  readonly managed_by: string
  readonly created_at: string
  readonly updated_at: string
} & WithCustom

export type LastState<T> = { readonly stored: T; readonly isGone: boolean }

export type ResourceRules<T, A> = {
  readonly getOrThrow: (ctx: Ctx, id: string) => Promise<A>
  readonly create: (ctx: Ctx, input: Values) => Promise<A>
  readonly update: (ctx: Ctx, input: Values & { readonly id: string }) => Promise<A>
  readonly remove: (ctx: Ctx, id: string) => Promise<void>
  /** The steps of `create` and `update`, for handlers that differ. */
  readonly steps: {
    /** @throws AppError ALREADY_EXISTS if an object has the id that a create chooses */
    readonly checkNewId: (ctx: Ctx, id: string | undefined) => Promise<void>
    /** Returns a new object with the values of custom fields. @throws AppError */
    readonly build: (ctx: Ctx, input: Values) => Promise<T>
    /** Applies an update to an object. @throws AppError */
    readonly merge: (ctx: Ctx, before: T, patch: Values) => Promise<Changed<T>>
  }
  /** Returns objects as their events have them: deleted ones with the computed values before the transaction. */
  readonly toEventData: (ctx: Ctx, all: readonly LastState<T>[], earlier: EarlierDocuments) => Promise<readonly A[]>
  readonly handlers: {
    readonly list: (ctx: Ctx, input: ListInput) => Promise<JsonList<A>>
    readonly create: (ctx: Ctx, input: Values) => Promise<A>
    readonly get: (ctx: Ctx, input: { readonly id: string }) => Promise<A>
    readonly update: (ctx: Ctx, input: Values & { readonly id: string }) => Promise<A>
    readonly delete: (ctx: Ctx, input: { readonly id: string }) => Promise<void>
  }
  readonly reactions: Reactions
}

/** Returns the query of the existing ids of a resource. */
const createIdQuery = (resource: Resource) =>
  preparedKeys((db: Kysely<Tables>, ids) =>
    selectFromTable(db, toTableName(resource)).select('id').where('id', 'in', ids),
  )
const idQueries = new Map(INVENTORY.map((resource) => [resource as string, createIdQuery(resource)]))

type Reference = { readonly field: string; readonly to: string; readonly onDelete: OnDelete }

const listReferences = (facts: ResourceFacts): Reference[] =>
  listFields(facts).flatMap(([field, one]) =>
    one.type === 'reference' ? [{ field, to: one.to, onDelete: one.onDelete ?? 'clear' }] : [],
  )

const getNoun = (resource: string): string => (isResource(resource) ? FACTS[resource].noun : resource)

/** @throws AppError VALIDATION_ERROR on the field of an object that does not exist */
const checkReferences = async (
  ctx: Ctx,
  references: readonly Reference[],
  { after, changes }: Write<object>,
): Promise<void> => {
  for (const { field, to } of references) {
    const id = (after as Values | undefined)?.[field]
    if (typeof id !== 'string' || !changes.includes(field)) continue
    const found = await idQueries.get(to)?.(ctx, [id])
    if (found?.length === 0) throw invalidField(field, `there is no ${getNoun(to)} with id "${id}"`)
  }
}

/** True for a field without a value, which answers may leave out. */
const isEmpty = (object: object, field: string): boolean => ((object as Values)[field] ?? '') === ''

/** Returns an object with these fields in their order, without absent ones. */
const orderFields = (names: readonly string[], object: Values, computed: Values): Values => {
  const ordered: Record<string, unknown> = {}
  for (const name of names) {
    const value = Object.hasOwn(computed, name) ? computed[name] : object[name]
    if (value !== undefined) ordered[name] = value
  }
  return ordered
}

/** Returns the function that builds a new object without values of custom fields. */
export const createBuild = <T>(facts: ResourceFacts) => {
  const { fields, laterFields = {} } = facts
  return (ctx: Ctx, input: Values): T => {
    const { id = ctx.newId(), created_at = ctx.now } = input
    // The contract has validated the values of the fields.
    return {
      id,
      ...pickFields(fields, input),
      refs: updateRefs({}, input.refs as RefsPatch),
      managed_by: input.managed_by ?? '',
      created_at,
      updated_at: ctx.now,
      ...pickFields(laterFields, input),
    } as T
  }
}

/** Returns the reaction by which the objects of a store get other values of custom fields. @param lock as `lockAll` of the store */
export const rewriteStored = <F extends ResourceFacts, T extends Owned>(
  store: ObjectStore<F, T>,
  lock = store.lockAll,
): Pick<Reactions, 'custom-fields.rewriting'> => {
  const { name, custom, customOf = name, customBy } = store.facts as ResourceFacts
  if (custom === undefined) return {}
  const isOf = (resource: string): boolean =>
    customBy === undefined ? resource === customOf : isKindResource(resource)
  return rewriteCustom<T>(isOf, {
    lock,
    update: (ctx, before, after) => store.write(ctx, [{ before, after }]),
    refresh: (ctx, object) => store.writeSilently(ctx, [object]),
  })
}

/** Returns the functions of a resource. @param rules its behavior */
export const resourceRules = <F extends ResourceFacts, T extends Owned, A extends object = T>(
  store: ObjectStore<F, T>,
  rules: Rules<T, A> = {},
): ResourceRules<T, A> => {
  const { facts } = store
  const { name, noun, identity, customBy } = facts as ResourceFacts
  const { compute, derive = (object: T) => arrangeLater(facts, object) } = rules
  const getDefinitions = createDefinitionsOf(facts)
  const references = listReferences(facts)
  const build = createBuild<T>(facts)
  const isUnique = createKeyBuilder(facts) !== undefined
  const optional = new Set(listFields(facts).flatMap(([field, { onlyWithValue }]) => (onlyWithValue ? field : [])))
  const article = /^[aeiou]/i.test(noun) ? 'An' : 'A'
  const usualConflict = `${article} ${noun} with the same ${(identity ?? []).join(', ')} exists already`
  // Stored values of custom fields are the last member of an object.
  const answerOrder = [...orderAnswer(facts).filter((field) => field !== 'custom'), 'custom']
  const shownOf = Object.values(facts.computed ?? {}).flatMap(({ of }) => of ?? [])
  const computedFrom = shownOf.filter(isResource)
  // Computed fields may follow from the trees of the objects that an object refers to.
  const trees = listTrees(facts).filter(isResource)
  const lastComputed = createLastRead<Values>()

  /** Returns the object of the contract. */
  const toAnswer = (object: T, values: Values): A => orderFields(answerOrder, object, values) as A
  const computeOne = async (ctx: Ctx, object: T): Promise<Values> =>
    (await compute?.(ctx, { objects: [object] }))?.(object) ?? {}
  /** Sends an object without computed fields as it is stored. */
  const asStored = (object: T) => object as unknown as A
  const answer = async (ctx: Ctx, object: T): Promise<A> =>
    compute ? toAnswer(object, await computeOne(ctx, object)) : asStored(object)

  /** The complete answer of a write, and the answer for its caller, who may list only some of the objects in it. */
  type Shown = { readonly whole: A; readonly shown: A }
  const show = async (ctx: Ctx, object: T): Promise<Shown> => {
    if (!compute) return { whole: asStored(object), shown: asStored(object) }
    const values = await computeOne(ctx, object)
    lastComputed.note(ctx, object.id, values)
    const whole = toAnswer(object, values)
    const listed = await narrowToListed(ctx, shownOf)
    return { whole, shown: listed === ctx ? whole : await answer(listed, object) }
  }

  const getOrThrow = async (ctx: Ctx, id: string): Promise<A> =>
    answer(ctx, orNotFound(await store.find(ctx, id), noun, id))

  const lockForChange = async (ctx: Ctx, verb: 'update' | 'delete', id: string) => {
    // A deletion changes the objects that refer to the object.
    if (verb === 'delete' || rules.follow) await lockAllDefinitions(ctx)
    else if (customBy === undefined) await store.lockCustom(ctx)
    // The object tells the kind of its definitions.
    if (customBy !== undefined) await store.lockCustom(ctx, orNotFound(await store.find(ctx, id), noun, id))
    await rules.lock?.(ctx, verb, id)
    const stored = orNotFound(await store.lock(ctx, id), noun, id)
    const answers = await show(ctx, stored)
    ctx.precondition(answers.shown)
    return { stored, ...answers }
  }

  /** Another object has the identity. @throws AppError ALREADY_EXISTS */
  const refuseTaken = async (ctx: Ctx, object: T): Promise<void> => {
    if (!isUnique) return
    const key = store.buildKey(object as Parameters<typeof store.buildKey>[0])
    const holder = (await store.findIdsByKeys(ctx, [key])).get(key)
    if (holder !== undefined && holder !== object.id)
      throw new AppError('ALREADY_EXISTS', rules.taken?.(object) ?? usualConflict)
  }

  const checkNewId = async (ctx: Ctx, id: string | undefined): Promise<void> => {
    if (id !== undefined && (await store.find(ctx, id)))
      throw new AppError('ALREADY_EXISTS', `${article} ${noun} with id "${id}" exists already`)
  }

  const withGivenCustom = async (ctx: Ctx, object: T, input: Values): Promise<T> => {
    const given = input.custom as CustomPatch | undefined
    return getDefinitions
      ? withCustomOfNew(ctx, getDefinitions(object), { object, given, ...asRestored(input) })
      : object
  }

  const create = async (ctx: Ctx, input: Values & { readonly id?: string | undefined }): Promise<A> => {
    const bare = derive(build(ctx, input))
    const { id } = bare
    await store.lockCustom(ctx, bare)
    await rules.lock?.(ctx, 'create', id)
    const write = { after: bare, changes: Object.keys(bare) }
    await checkReferences(ctx, references, write)
    await checkNewId(ctx, input.id)
    // Before other claims: of several creates by one ref, the later ones become updates.
    await store.claimRefs(ctx, bare.refs)
    await rules.check?.(ctx, write)
    await refuseTaken(ctx, bare)
    const object = await withGivenCustom(ctx, bare, input)
    await store.write(ctx, [{ after: object }])
    await rules.follow?.(ctx, { ...write, after: object })
    return (await show(ctx, object)).shown
  }

  type PatchOfT = Parameters<typeof mergeCustom<T>>[2]['patch']
  const mergePatch = (ctx: Ctx, before: T, given: Values): Promise<Changed<T>> => {
    const patch = withChangedRefs(before, given as { readonly refs?: RefsPatch | undefined })
    // The contract has validated the values.
    return getDefinitions
      ? mergeCustom<T>(ctx, getDefinitions(before), { before, patch: patch as PatchOfT })
      : Promise.resolve(merge<T>(before, patch as Partial<T>))
  }

  const update = async (ctx: Ctx, { id, ...patch }: Values & { readonly id: string }): Promise<A> => {
    const { stored: before, shown } = await lockForChange(ctx, 'update', id)
    const { value, changes: given } = await mergePatch(ctx, before, patch)
    const changes = given.filter((field) => !(optional.has(field) && isEmpty(before, field) && isEmpty(value, field)))
    if (changes.length === 0) return shown
    const after = derive({ ...value, updated_at: ctx.now })
    const write = { before, after, changes }
    await store.lockRefs(ctx, before, after)
    await checkReferences(ctx, references, write)
    await rules.check?.(ctx, write)
    await refuseTaken(ctx, after)
    await store.write(ctx, [{ before, after }])
    await rules.follow?.(ctx, write)
    return (await show(ctx, after)).shown
  }

  const removeLocked = async (ctx: Ctx, before: T, whole: A): Promise<void> => {
    await rules.check?.(ctx, { before, changes: [] })
    await emitDeleting(ctx, { resource: name as Resource, objects: [before] })
    await store.write(ctx, [{ before }])
    await rules.follow?.(ctx, { before, changes: [] })
    await emitDeleted(ctx, { resource: name as Resource, ids: [before.id] })
    await rules.deleted?.(ctx, whole)
  }

  const remove = async (ctx: Ctx, id: string): Promise<void> => {
    const { stored, whole } = await lockForChange(ctx, 'delete', id)
    await removeLocked(ctx, stored, whole)
  }

  /** Handles the objects with a reference to a deleted object. */
  const leave = async (ctx: Ctx, { field, to, onDelete }: Reference, gone: StoredObject): Promise<void> => {
    const found = await store.lockWhere(ctx, field, gone.id)
    if (found.length > 0 && onDelete === 'refuse')
      throw new AppError('IN_USE', `The ${getNoun(to)} is in use by the ${noun} with id "${found[0]?.id}"`)
    for (const before of found) {
      if (onDelete === 'cascade') await removeLocked(ctx, before, await answer(ctx, before))
      else {
        const next = onDelete === 'parent' ? ((gone as Values)[field] ?? null) : null
        const left = (await rules.left?.[field]?.(ctx, before, gone)) ?? derive({ ...before, [field]: next })
        const after = { ...left, updated_at: ctx.now }
        await store.write(ctx, [{ before, after }])
        if (onDelete === 'parent') await rules.follow?.(ctx, { before, after, changes: [field] })
      }
    }
  }

  const leaveBy = Map.groupBy(references, ({ to }) => to)
  const leaving = onDeleting(
    Object.fromEntries(
      [...leaveBy].map(([to, all]) => [
        to,
        async (ctx: Ctx, gone: StoredObject) => {
          for (const reference of all) await leave(ctx, reference, gone)
        },
      ]),
    ),
  )

  const toEventData = async (
    ctx: Ctx,
    all: readonly LastState<T>[],
    earlier: EarlierDocuments,
  ): Promise<readonly A[]> => {
    if (!compute) return all.map(({ stored }) => asStored(stored))
    const [only] = all
    const noted =
      only && all.length === 1 ? lastComputed.find(ctx, { id: only.stored.id, isGone: only.isGone }) : undefined
    if (only && noted) return [toAnswer(only.stored, noted)]
    const read = (of: boolean, documents?: EarlierDocuments) => {
      const objects = all.flatMap(({ stored, isGone }) => (isGone === of ? [stored] : []))
      if (objects.length > 0) return compute(ctx, { objects, ...(documents && { earlier: documents }) })
    }
    const [getPresent, getFormer] = [await read(false), await read(true, earlier)]
    return all.map(({ stored, isGone }) => toAnswer(stored, (isGone ? getFormer : getPresent)?.(stored) ?? {}))
  }

  // The contract has the rows of `rules.listed`.
  const listed = {
    tables: () => (computedFrom.length === 0 ? [] : [...computedFrom, ...trees].map(toTableName)),
    createRow: (ctx: Ctx, _input: ListInput, page: ListedPage) => {
      if (!compute) return (row: object) => asStored(store.fromRow(row))
      let values: ReturnType<typeof compute> | undefined
      return async (row: object) => {
        values ??= compute(ctx, { page })
        const object = store.fromRow(row)
        return toAnswer(object, (await values)(object))
      }
    },
    ...rules.listed,
  } as ListRules<A>
  return {
    getOrThrow,
    create,
    update,
    remove,
    steps: {
      checkNewId,
      build: (ctx, input) => withGivenCustom(ctx, derive(build(ctx, input)), input),
      merge: mergePatch,
    },
    toEventData,
    handlers: {
      list: createList(facts, store.query, listed),
      create,
      get: (ctx, { id }) => getOrThrow(ctx, id),
      update,
      delete: (ctx, { id }) => remove(ctx, id),
    },
    reactions: { ...(references.length > 0 && leaving), ...rewriteStored(store) },
  }
}
