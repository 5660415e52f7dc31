/** Stores the ids of objects in other systems. The stores of the objects call it beside their own writes. */
import { type Kysely, sql } from 'kysely'
import { AppError, invalidField } from '../contract/errors.ts'
import { mergeRefs, type Ref, type Referable, type Refs, type RefsPatch } from '../contract/external-fields.ts'
import { batches } from '../db/batches.ts'
import { preparedTuples } from '../db/query/prepared-lists.ts'
import type { KernelCtx } from './context.ts'

export type RefRow = { resource: string; source: string; external_id: string; object_id: string }
export type RefTables = { refs: RefRow }

type Key = Pick<RefRow, 'resource' | 'source' | 'external_id'>

/** Another object has the ref. */
export class RefTakenError extends AppError {
  constructor(
    readonly ref: Ref,
    readonly holderId: string,
    holder: string,
  ) {
    super('ALREADY_EXISTS', `${ref.source}:${ref.id} is a ref of the ${holder}`, {
      details: [{ field: `refs.${ref.source}`, message: `is taken by the ${holder}` }],
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
export const changedRefs = (before: Refs, patch: RefsPatch): Refs =>
  mergeRefs(before, patch, (message) => invalidField('refs', message))

/** Returns a patch with the refs of the object after it. */
export const withChangedRefs = <Patch extends { readonly refs?: RefsPatch | undefined }>(
  { refs: before }: { readonly refs: Refs },
  { refs, ...patch }: Patch,
) => ({ ...patch, refs: refs === undefined ? undefined : changedRefs(before, refs) })

type Referred = { readonly id: string; readonly refs: Refs }

/** @param noun singular @param label the column that names an object */
export const objectRefs = (resource: Referable, noun: string, label: string) => {
  const rowsOf = ({ id, refs }: Referred): RefRow[] =>
    Object.entries(refs).map(([source, external_id]) => ({ resource, source, external_id, object_id: id }))

  const taken = async (db: Kysely<RefTables>, { source, external_id, object_id }: RefRow): Promise<RefTakenError> => {
    const { rows } = await sql<{ name: string }>`
      SELECT ${sql.ref(label)} AS name FROM ${sql.table(resource)} WHERE id = ${object_id}`.execute(db)
    return new RefTakenError(
      { source, id: external_id },
      object_id,
      `${noun} "${rows[0]?.name}" with id "${object_id}"`,
    )
  }

  /** Locks refs until commit. @throws RefTakenError */
  const claim = async (ctx: KernelCtx<RefTables>, rows: readonly RefRow[]): Promise<void> => {
    if (rows.length === 0) return
    const { db, store } = ctx
    const lockOf = ({ source, external_id }: RefRow): string => `ref ${resource} ${source} ${external_id}`
    await store.sql.lockNames(db, rows.map(lockOf))
    const byKey = new Map(rows.map((row) => [lockOf(row), row]))
    // Two new objects may have one ref.
    const twice = rows.find((row) => byKey.get(lockOf(row)) !== row)
    if (twice) throw invalidField(`refs.${twice.source}`, `${twice.external_id} is a ref of two of the objects`)
    const [held] = await findRefs(ctx, rows)
    if (held) throw await taken(db, held)
  }

  const insert = async (ctx: KernelCtx<RefTables>, rows: readonly RefRow[]): Promise<void> => {
    await claim(ctx, rows)
    for (const batch of batches(rows)) await ctx.db.insertInto('refs').values(batch).execute()
  }

  const remove = async ({ db }: KernelCtx<RefTables>, object_id: string, sources: readonly string[]): Promise<void> => {
    if (sources.length === 0) return
    const all = db.deleteFrom('refs').where('resource', '=', resource).where('object_id', '=', object_id)
    await all.where('source', 'in', sources).execute()
  }

  // Every extension of our tables includes this one, which Kysely cannot infer through a type parameter.
  const own = <Tables>(ctx: KernelCtx<Tables>) => ctx as unknown as KernelCtx<RefTables>
  return {
    /** Locks the refs of a new object until commit, before it claims anything else. @throws RefTakenError */
    claim: <Tables>(ctx: KernelCtx<Tables>, refs: Refs): Promise<void> => claim(own(ctx), rowsOf({ id: '', refs })),
    /** Stores the refs of new objects. @throws RefTakenError */
    insert: <Tables>(ctx: KernelCtx<Tables>, objects: readonly Referred[]): Promise<void> =>
      insert(own(ctx), objects.flatMap(rowsOf)),
    /** @throws RefTakenError */
    update: async <Tables>(ctx: KernelCtx<Tables>, before: Referred, after: Referred): Promise<void> => {
      const differs = (a: Refs, b: Refs) => (source: string) => !Object.hasOwn(b, source) || a[source] !== b[source]
      await remove(own(ctx), after.id, Object.keys(before.refs).filter(differs(before.refs, after.refs)))
      const isNew = differs(after.refs, before.refs)
      await insert(
        own(ctx),
        rowsOf(after).filter(({ source }) => isNew(source)),
      )
    },
    /** Deletes the refs of deleted objects. */
    remove: async <Tables>(ctx: KernelCtx<Tables>, objects: readonly Referred[]): Promise<void> => {
      const ids = objects.filter(({ refs }) => Object.keys(refs).length > 0).map(({ id }) => id)
      for (const batch of batches(ids))
        await own(ctx).db.deleteFrom('refs').where('resource', '=', resource).where('object_id', 'in', batch).execute()
    },
  }
}
