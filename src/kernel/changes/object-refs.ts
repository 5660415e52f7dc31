/** Stores the ids of objects in other systems. The stores of the objects call it beside their own writes. */
import { type Kysely, sql } from 'kysely'
import { AppError, invalidField } from '../../contract/errors.ts'
import { mergeRefs, type Ref, type Refs, type RefsPatch } from '../../contract/fields/external-fields.ts'
import { splitBatches } from '../../database/query/batches.ts'
import { preparedTuples } from '../../database/query/prepared-lists.ts'
import type { KernelCtx } from '../context.ts'

export type RefRow = { resource: string; source: string; external_id: string; object_id: string }
export type RefTables = { refs: RefRow }

declare module '../../database/tables.ts' {
  interface OwnTables extends RefTables {}
}

type Key = Pick<RefRow, 'resource' | 'source' | 'external_id'>

/** Another object has the ref. */
export class RefTakenError extends AppError {
  constructor(
    readonly ref: Ref,
    readonly holderId: string,
    holder: string,
  ) {
    super('ALREADY_EXISTS', `${ref.source}:${ref.id} is a ref of ${holder}`, {
      details: [{ field: `refs.${ref.source}`, message: `is taken by ${holder}` }],
    })
  }
}

/** Returns the stored rows of refs. */
export const findRefs = preparedTuples(['resource', 'source', 'external_id'], (db: Kysely<RefTables>, keys: Key[]) =>
  db
    .selectFrom('refs')
    .selectAll()
    .where((eb) => eb.or(keys.map((key) => eb.and(key)))),
)

/** Returns the refs of an object after a change. @throws AppError VALIDATION_ERROR for too many */
export const updateRefs = (before: Refs, patch: RefsPatch): Refs =>
  mergeRefs(before, patch, (message) => invalidField('refs', message))

/** Returns a patch with the refs of the object after it. */
export const withChangedRefs = <Patch extends { readonly refs?: RefsPatch | undefined }>(
  { refs: before }: { readonly refs: Refs },
  { refs, ...patch }: Patch,
) => ({ ...patch, refs: refs === undefined ? undefined : updateRefs(before, refs) })

type Referred = { readonly id: string; readonly refs: Refs }

/** An object before and after its change. */
type RefChange = { readonly before: Referred; readonly after: Referred }

/** Returns the sources of the refs that only `one` has. */
const listOnlySources = (one: Refs, other: Refs): string[] =>
  Object.keys(one).filter((source) => !Object.hasOwn(other, source) || one[source] !== other[source])

/** @param noun singular @param label the column that names an object */
export const createObjectRefs = (resource: string, noun: string, label: string) => {
  const toRows = ({ id, refs }: Referred): RefRow[] =>
    Object.entries(refs).map(([source, external_id]) => ({ resource, source, external_id, object_id: id }))

  const taken = async (ctx: KernelCtx<RefTables>, row: RefRow): Promise<RefTakenError> => {
    const { source, external_id, object_id } = row
    const ref = { source, id: external_id }
    if (ctx.isScoped) return new RefTakenError(ref, object_id, `another ${noun}`)
    const { rows } = await sql<{ name: string }>`
      SELECT ${sql.ref(label)} AS name FROM ${sql.table(resource.replaceAll('-', '_'))} WHERE id = ${object_id}`.execute(
      ctx.db,
    )
    return new RefTakenError(ref, object_id, `the ${noun} "${rows[0]?.name}" with id "${object_id}"`)
  }

  const getLockName = ({ source, external_id }: RefRow): string => `ref ${resource} ${source} ${external_id}`

  const isRefOfTwo = ({ source, external_id }: RefRow): AppError =>
    invalidField(`refs.${source}`, `${external_id} is a ref of two of the objects`)

  /** Locks refs until commit. @throws RefTakenError */
  const claim = async (ctx: KernelCtx<RefTables>, rows: readonly RefRow[]): Promise<void> => {
    if (rows.length === 0) return
    const { db, store } = ctx
    await store.sql.lockNames(db, rows.map(getLockName))
    const byKey = new Map(rows.map((row) => [getLockName(row), row]))
    // Two new objects may have one ref.
    const twice = rows.find((row) => byKey.get(getLockName(row)) !== row)
    if (twice) throw isRefOfTwo(twice)
    const [held] = await findRefs(ctx, rows)
    if (held) throw await taken(ctx, held)
  }

  const insert = async (ctx: KernelCtx<RefTables>, rows: readonly RefRow[]): Promise<void> => {
    await claim(ctx, rows)
    for (const batch of splitBatches(rows)) await ctx.db.insertInto('refs').values(batch).execute()
  }

  const remove = async ({ db }: KernelCtx<RefTables>, object_id: string, sources: readonly string[]): Promise<void> => {
    if (sources.length === 0) return
    const all = db.deleteFrom('refs').where('resource', '=', resource).where('object_id', '=', object_id)
    await all.where('source', 'in', sources).execute()
  }

  /** Returns the refs that the change takes from the object, and the refs that it gives to it. */
  const movedRows = ({ before, after }: RefChange) => {
    const [old, fresh] = [listOnlySources(before.refs, after.refs), listOnlySources(after.refs, before.refs)]
    return {
      old: toRows(before).filter(({ source }) => old.includes(source)),
      new: toRows(after).filter(({ source }) => fresh.includes(source)),
    }
  }

  /**
   * Locks the new refs of objects until commit. Returns errors for refs that another object keeps, by the id of the refused object.
   */
  const refused = async (
    ctx: KernelCtx<RefTables>,
    changes: readonly RefChange[],
  ): Promise<ReadonlyMap<string, AppError>> => {
    const moved = changes.map(movedRows)
    const wanted = moved.flatMap((rows) => rows.new)
    if (wanted.length === 0) return new Map()
    await ctx.store.sql.lockNames(ctx.db, wanted.map(getLockName))
    const held = new Map((await findRefs(ctx, wanted)).map((row) => [getLockName(row), row]))
    for (const row of moved.flatMap((rows) => rows.old)) held.delete(getLockName(row))
    const claimed = new Set<string>()
    const errors = new Map<string, AppError>()
    for (const row of wanted) {
      const key = getLockName(row)
      const holder = held.get(key)
      if (holder) errors.set(row.object_id, await taken(ctx, holder))
      else if (claimed.has(key)) errors.set(row.object_id, isRefOfTwo(row))
      claimed.add(key)
    }
    return errors
  }

  const release = (ctx: KernelCtx<RefTables>, { before, after }: RefChange): Promise<void> =>
    remove(ctx, after.id, listOnlySources(before.refs, after.refs))

  // Every extension of our tables includes this one, which Kysely cannot infer through a type parameter.
  const own = <Tables>(ctx: KernelCtx<Tables>) => ctx as unknown as KernelCtx<RefTables>
  return {
    /** Locks the refs of new objects until commit, before they claim anything else. @throws RefTakenError */
    claim: <Tables>(ctx: KernelCtx<Tables>, all: readonly Refs[]): Promise<void> =>
      claim(
        own(ctx),
        all.flatMap((refs) => toRows({ id: '', refs })),
      ),
    /** Stores the refs of new objects. @throws RefTakenError */
    insert: <Tables>(ctx: KernelCtx<Tables>, objects: readonly Referred[]): Promise<void> =>
      insert(own(ctx), objects.flatMap(toRows)),
    /** @throws RefTakenError */
    update: async <Tables>(ctx: KernelCtx<Tables>, before: Referred, after: Referred): Promise<void> => {
      const change = { before, after }
      await release(own(ctx), change)
      await insert(own(ctx), movedRows(change).new)
    },
    /**
     * Locks the refs that objects get by their changes, which are made together: one may get the ref of another. Returns the errors of
     * refused changes, by the id of the object.
     */
    refused: <Tables>(ctx: KernelCtx<Tables>, changes: readonly RefChange[]) => refused(own(ctx), changes),
    /** Deletes the refs that objects lose by their changes, before `update` of each. */
    release: async <Tables>(ctx: KernelCtx<Tables>, changes: readonly RefChange[]): Promise<void> => {
      for (const change of changes) await release(own(ctx), change)
    },
    /** Deletes the refs of deleted objects. */
    remove: async <Tables>(ctx: KernelCtx<Tables>, objects: readonly Referred[]): Promise<void> => {
      const ids = objects.filter(({ refs }) => Object.keys(refs).length > 0).map(({ id }) => id)
      for (const batch of splitBatches(ids))
        await own(ctx).db.deleteFrom('refs').where('resource', '=', resource).where('object_id', 'in', batch).execute()
    },
  }
}
