/** The names of discovered devices, by the documented devices that the caller may list. */
import type { Kysely } from 'kysely'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { DiscoveredDevice } from '../schema.ts'

const docsByIds = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('discovered_devices').select(['id', 'doc']).where('id', 'in', ids),
)
const namesByIds = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('devices').select(['id', 'name']).where('id', 'in', ids),
)

export type HolderName = { readonly device_id: string | null; readonly name: string; readonly first_seen: string }

/** Returns the documented device and the name of each discovered device that exists. */
export const findHolderNames = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, HolderName>> => {
  // The stored JSON of the contract.
  const docs = (await docsByIds(ctx, ids)).map(({ doc }) => JSON.parse(doc) as DiscoveredDevice)
  const matched = docs.flatMap(({ matched_device_id }) => matched_device_id ?? [])
  const names = new Map((await namesByIds(ctx, matched)).map(({ id, name }) => [id, name]))
  return new Map(
    docs.map(({ id, matched_device_id, hostname, first_seen }) => {
      const name = names.get(matched_device_id ?? '')
      return [id, { device_id: name === undefined ? null : matched_device_id, name: name ?? hostname, first_seen }]
    }),
  )
}
