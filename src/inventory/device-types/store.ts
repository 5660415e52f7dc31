/** The queries of device types. */

import type { Ctx } from '../../kernel/ctx.ts'
import { objectStore } from '../../resource/store.ts'
import type { DeviceType } from './api.ts'
import { deviceTypeFacts } from './resource.ts'

export const store = objectStore<typeof deviceTypeFacts, DeviceType>(deviceTypeFacts)

/** Writers of these natural keys wait for each other until commit. */
export const lockKeys = (ctx: Ctx, keys: readonly string[]): Promise<void> =>
  ctx.store.sql.lockNames(
    ctx.db,
    [...new Set(keys)].map((key) => `device type ${key}`),
  )

/** Returns the ids of the devices of a type. */
export const findDeviceIds = async ({ db }: Ctx, id: string): Promise<string[]> =>
  (await db.selectFrom('devices').select('id').where('device_type_id', '=', id).orderBy('id').execute()).map(
    (row) => row.id,
  )
