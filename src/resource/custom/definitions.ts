/** The definitions of custom fields, kept in memory under their revision. */

import { lockScopedCache } from '../../database/cache/lock-scoped-cache.ts'
import type { RevisionCache } from '../../database/cache/revision-cache.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { hasWritten } from './definitions-writers.ts'
import type { CustomResource } from './fields.ts'
import type { StoredField } from './store.ts'
import * as store from './store.ts'

/** The fields of one resource, by name. */
export type Fields = ReadonlyMap<string, StoredField>

type Definitions = ReadonlyMap<CustomResource, Fields>

const NONE: Fields = new Map()

const TABLES = ['custom_fields'] as const
/** Approximate size of all definitions in bytes: they are few. */
const SIZE = 4096

const mapByResource = (all: readonly StoredField[]): Definitions => {
  const fields = new Map<CustomResource, Map<string, StoredField>>()
  for (const field of all) {
    const known = fields.get(field.resource) ?? new Map<string, StoredField>()
    known.set(field.name, field)
    fields.set(field.resource, known)
  }
  return fields
}

const read = async (ctx: Ctx): Promise<Definitions> => mapByResource(await store.findAll(ctx))

/** The state of this process about the commits of definitions, of one database. */
type Known = {
  /** The least revision that a state must have to be as new as the last known commit; '' for any. */
  least: string
  /** True if a commit is known and its revision is not. */
  isBehind: boolean
}

const knownBy = new WeakMap<RevisionCache, Known>()

const getKnown = (cache: RevisionCache): Known => {
  const known = knownBy.get(cache) ?? { least: '', isBehind: false }
  knownBy.set(cache, known)
  return known
}

/** Called after a commit of definitions, by this process or another one: states from before are outdated. */
export const noteCommit = (cache: RevisionCache): void => {
  getKnown(cache).isBehind = true
}

/** Returns the definitions of a revision, cached. */
const loadDefinitions = async (ctx: Ctx, revision: string): Promise<Definitions> => {
  const cache = ctx.store.cache.at<Definitions>('custom fields', revision)
  const known = cache.get('')
  if (known) return known
  const definitions = await read(ctx)
  cache.set('', definitions, SIZE)
  return definitions
}

/** A revision of one table is `timeline/commits`. Commits of another timeline cannot be compared. */
const isAsNew = (revision: string, least: string): boolean => {
  const [timeline, commits] = revision.split('/')
  const [leastTimeline, leastCommits] = least.split('/')
  return least === '' || (timeline === leastTimeline && Number(commits) >= Number(leastCommits))
}

/**
 * Returns the revision from which the caller was identified, without a query, or the present one if this process knows of
 * a later commit.
 */
const resolveRevision = async (ctx: Ctx): Promise<string> => {
  const known = getKnown(ctx.store.cache)
  const begun = known.isBehind ? undefined : ctx.readPoint?.revision(TABLES)
  if (begun !== undefined && isAsNew(begun, known.least)) return begun
  known.isBehind = false
  const revision = await ctx.store.revision(TABLES)
  known.least = revision
  return revision
}

/** The definitions of a transaction, and the resources with definitions that it keeps unchanged. */
type Locked = { readonly definitions: Definitions; readonly resources: readonly CustomResource[] }

const locked = lockScopedCache<Locked>()

const buildLockName = (resource: CustomResource): string => `custom-fields ${resource}`

/** Excludes writers of values of these resources until commit, and other changes of definitions. */
export const lockForDefining = (ctx: Ctx, resources: readonly CustomResource[]): Promise<void> =>
  ctx.store.sql.lockNames(ctx.db, ['custom-fields definitions', ...new Set(resources.map(buildLockName))].sort())

/** Returns the fields of a resource as a read sees them. */
export const loadFields = async (ctx: Ctx, resource: CustomResource): Promise<Fields> => {
  const isLast = ctx.db === ctx.store.read
  const all = await (isLast ? loadDefinitions(ctx, await ctx.store.revision(TABLES)) : read(ctx))
  return all.get(resource) ?? NONE
}

/** Returns the fields of all resources as a transaction sees them. */
const loadInTransaction = async (ctx: Ctx, resource: CustomResource): Promise<Definitions> => {
  if (hasWritten(ctx)) return read(ctx)
  if (ctx.store.sql.hasOneWriter) {
    const revision = ctx.revision(TABLES)
    return revision === undefined ? read(ctx) : loadDefinitions(ctx, revision)
  }
  const committed = await loadDefinitions(ctx, await resolveRevision(ctx))
  if (!committed.has(resource)) return committed
  const { value: known } = locked.get(ctx)
  if (known?.resources.includes(resource)) return known.definitions
  await ctx.store.sql.lockNamesShared(ctx.db, [buildLockName(resource)])
  const { set } = locked.get(ctx)
  const definitions = await read(ctx)
  set({ definitions, resources: [...(known?.resources ?? []), resource] })
  return definitions
}

/** Returns the fields of all resources as a transaction begins with them. They may change before its commit. */
export const loadAllFields = async (ctx: Ctx): Promise<StoredField[]> => {
  const isWriter = hasWritten(ctx)
  const revision = isWriter ? undefined : ctx.store.sql.hasOneWriter ? ctx.revision(TABLES) : await resolveRevision(ctx)
  const all = revision === undefined ? await read(ctx) : await loadDefinitions(ctx, revision)
  return [...all.values()].flatMap((fields) => [...fields.values()])
}

/**
 * Returns the fields of a resource for a write, and keeps them unchanged until commit. Without any it sends no query. Called
 * before the rows of objects are locked: a rename locks the definitions first and then the rows.
 */
export const loadFieldsForWrite = async (ctx: Ctx, resource: CustomResource): Promise<Fields> =>
  (await loadInTransaction(ctx, resource)).get(resource) ?? NONE
