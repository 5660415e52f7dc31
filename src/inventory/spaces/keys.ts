/** The keys of address spaces, with which the storage keys of their addresses begin. */
import { type SqlBool, sql } from 'kysely'
import type { StoreScope } from '../../kernel/ctx.ts'
import { DEFAULT_SPACE, type IpKey, type SpaceKey } from '../../net/ip.ts'
import { isDefault } from './fields.ts'
import * as store from './store.ts'

/** An object in a space; without an id in the default one. */
export type InSpace = { readonly space_id?: string | null | undefined }

/** Returns the key of the space of an object. */
export type SpaceKeys = (object: InSpace) => SpaceKey

const inDefault: SpaceKeys = () => DEFAULT_SPACE

/**
 * Returns the keys of the spaces of some objects, without a query if all of them are in the default one.
 * @throws Error for a space that never was: callers have checked the reference
 */
export const findSpaceKeys = async (scope: StoreScope, objects: Iterable<InSpace>): Promise<SpaceKeys> => {
  const ids: string[] = []
  for (const { space_id } of objects) if (space_id) ids.push(space_id)
  if (ids.length === 0) return inDefault
  const keys = await store.findKeysByIds(scope, ids)
  return ({ space_id }) => {
    if (!space_id) return DEFAULT_SPACE
    const key = keys.get(space_id)
    if (key === undefined) throw new Error(`no key of the space ${space_id}`)
    return key
  }
}

/** Matches rows with the space of a filter in their column `space_id`. */
export const matchSpace = (space_id: string) =>
  isDefault(space_id) ? sql<SqlBool>`space_id IS NULL` : sql<SqlBool>`space_id = ${space_id}`

/** Returns the bounds of the storage keys of the space of a filter; they contain none if it does not exist. */
export const findSpaceBounds = async (scope: StoreScope, space_id: string) => {
  if (isDefault(space_id)) return store.computeSpaceBounds(DEFAULT_SPACE)
  const key = (await store.findKeysByIds(scope, [space_id])).get(space_id)
  return key === undefined ? { from: '', before: '' } : store.computeSpaceBounds(key)
}

/** Matches devices with an address in the space of a filter. */
export const hasAddressIn = async (scope: StoreScope, space_id: string) => {
  const { from, before } = await findSpaceBounds(scope, space_id)
  return sql<SqlBool>`EXISTS (SELECT 1 FROM addresses WHERE device_id = devices.id AND ip_key >= ${from} AND ip_key < ${before})`
}

/** The keys of the spaces that an object is moved from and to. */
export type Moved = { readonly from: SpaceKey; readonly to: SpaceKey }

/** Returns an expression for the storage key in another space. @param column of the present key */
export const buildMovedKey = (column: string, { from, to }: Moved) =>
  sql<IpKey>`${to} || substr(${sql.ref(column)}, ${sql.lit(from.length + 1)})`

/** Returns the key of the space of one object. */
export const findSpaceKey = async (scope: StoreScope, object: InSpace): Promise<SpaceKey> =>
  object.space_id ? (await findSpaceKeys(scope, [object]))(object) : DEFAULT_SPACE

/** Returns the ids that are spaces. */
export const filterExistingSpaces = store.store.filterExisting

export const findSpace = store.store.find

export const { SPACES, findAllSpaces, computeSpaceBounds, findSpaceIdByKey, findKeysByIds } = store

export type { NamedSpace } from './store.ts'
