/** The definitions of custom fields, kept in memory under their revision. */

import { lockScopedCache } from '../../database/cache/lock-scoped-cache.ts'
import type { Tables } from '../../database/tables.ts'
import { settings } from '../../kernel/changes/settings.ts'
import type { Ctx, StoreScope } from '../../kernel/ctx.ts'
import { createOwnRead, hasWritten } from './definitions-writers.ts'
import { CUSTOM_RESOURCES, type CustomResource, type FieldType, isKindResource } from './fields.ts'
import type { StoredField } from './store.ts'
import * as store from './store.ts'

/** The fields of one resource, by name. */
export type Fields = ReadonlyMap<string, StoredField>

type Definitions = ReadonlyMap<CustomResource, Fields>

const NONE: Fields = new Map()

const mapByResource = (all: readonly StoredField[]): Definitions => {
  const fields = new Map<CustomResource, Map<string, StoredField>>()
  for (const field of all) {
    const known = fields.get(field.resource) ?? new Map<string, StoredField>()
    known.set(field.name, field)
    fields.set(field.resource, known)
  }
  return fields
}

const read = async (ctx: StoreScope): Promise<Definitions> => mapByResource(await store.findAll(ctx))

const readOwn = createOwnRead(read)

const definitions = settings<Tables, Definitions>('custom fields', ['custom_fields'], read, { hasWritten })

/** Called after a commit of definitions, by this process or another one: states from before are outdated. */
export const { noteCommit } = definitions

/** The definitions of a transaction, and the resources with definitions that it keeps unchanged. */
type Locked = { readonly definitions: Definitions; readonly resources: readonly CustomResource[] }

const locked = lockScopedCache<Locked>()

/** Excludes writers of values of these resources until commit, and other changes of definitions. */
export const lockForDefining = (ctx: Ctx, resources: readonly CustomResource[]): Promise<void> =>
  ctx.lock('definitions', ['definitions', ...resources])

/** Returns the fields of a resource as a read sees them. */
export const loadFields = async (ctx: Ctx, resource: CustomResource): Promise<Fields> => {
  const isLast = ctx.db === ctx.store.read
  const all = await (isLast ? definitions.current(ctx) : read(ctx))
  return all.get(resource) ?? NONE
}

/** Returns the fields of all kinds as a read sees them, by kind. */
export const loadFieldsOfKinds = async (ctx: StoreScope): Promise<ReadonlyMap<CustomResource, Fields>> => {
  const all = await (ctx.db === ctx.store.read ? definitions.current(ctx) : read(ctx))
  return new Map([...all].filter(([resource]) => isKindResource(resource)))
}

/** Returns the fields of one type as a read sees them, of all resources. */
export const loadFieldsOfType = async (ctx: Ctx, type: FieldType): Promise<StoredField[]> => {
  const isLast = ctx.db === ctx.store.read
  const all = await (isLast ? definitions.current(ctx) : read(ctx))
  return [...all.values()].flatMap((fields) => [...fields.values()].filter((field) => field.type === type))
}

/** Keeps the definitions of resources unchanged until commit, if there are any; and kinds, which may also be deleted. */
const lockBesideOthers = async (ctx: Ctx, resources: readonly CustomResource[]): Promise<Definitions> => {
  const committed = await definitions.at(ctx, await definitions.findRevision(ctx))
  const defined = resources.filter((resource) => committed.has(resource) || isKindResource(resource))
  if (defined.length === 0) return committed
  const { value: known } = locked.get(ctx)
  const fresh = defined.filter((resource) => !known?.resources.includes(resource))
  if (known && fresh.length === 0) return known.definitions
  await ctx.lock('definitions', fresh, 'shared')
  const { set } = locked.get(ctx)
  const now = await read(ctx)
  set({ definitions: now, resources: [...(known?.resources ?? []), ...fresh] })
  return now
}

/** Returns the fields of all resources as a transaction sees them. */
const loadInTransaction = (ctx: Ctx, ...resources: readonly CustomResource[]): Promise<Definitions> =>
  hasWritten(ctx)
    ? readOwn(ctx)
    : (ctx.store.sql.besideOthers(() => lockBesideOthers(ctx, resources)) ?? definitions.within(ctx))

/** Returns the fields of all resources as a transaction begins with them. They may change before its commit. */
export const loadAllFields = async (ctx: Ctx): Promise<StoredField[]> => {
  const all = await (hasWritten(ctx)
    ? readOwn(ctx)
    : (ctx.store.sql.besideOthers(async () => definitions.at(ctx, await definitions.findRevision(ctx))) ??
      definitions.within(ctx)))
  return [...all.values()].flatMap((fields) => [...fields.values()])
}

/**
 * Returns the fields of a resource for a write, and keeps them unchanged until commit. Without any it sends no query. Called
 * before the rows of objects are locked: a rename locks the definitions first and then the rows.
 */
export const loadFieldsForWrite = async (ctx: Ctx, resource: CustomResource): Promise<Fields> =>
  (await loadInTransaction(ctx, resource)).get(resource) ?? NONE

/** Keeps the definitions of all resources unchanged until commit, for a write that changes objects of several. */
export const lockAllDefinitions = async (ctx: Ctx): Promise<void> => {
  const kinds = (await loadAllFields(ctx)).map(({ resource }) => resource).filter(isKindResource)
  await loadInTransaction(ctx, ...CUSTOM_RESOURCES, ...new Set(kinds))
}
