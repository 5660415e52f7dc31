/** The queries of racks. Their devices name them. */

import type { Ctx, DbScope } from '../../kernel/ctx.ts'
import { objectStore } from '../../resource/store.ts'
import type { Device } from '../devices/schema.ts'
import type { Rack } from './api.ts'
import type { Mount } from './mount.ts'
import { rackFacts } from './resource.ts'

export const store = objectStore<typeof rackFacts, Rack>(rackFacts)

/** Writers of the places in these racks wait for each other until commit. Called before rows are locked. */
export const lockPositions = (ctx: Ctx, ids: readonly string[]): Promise<void> => ctx.lock('racks', ids)

export type MountedIn = Device & { readonly mount: Mount }

/** Returns the devices in these racks, by name. */
export const findMountedIn = async ({ db }: DbScope, ids: readonly string[]): Promise<MountedIn[]> => {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('devices')
    .select('doc')
    .where('rack_id', 'in', ids)
    .orderBy('name_order')
    .orderBy('id')
    .execute()
  // The column holds the JSON of a device, which has a place where it has a rack.
  return rows.map(({ doc }) => JSON.parse(doc) as MountedIn)
}

/** Returns the devices in any rack. */
export const findAllMounted = async ({ db }: DbScope): Promise<MountedIn[]> => {
  const rows = await db.selectFrom('devices').select('doc').where('rack_id', 'is not', null).execute()
  // As above.
  return rows.map(({ doc }) => JSON.parse(doc) as MountedIn)
}
