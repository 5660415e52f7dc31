/** The queries of device types. */

import type { Ctx } from '../../kernel/ctx.ts'
import { objectStore } from '../../resource/store.ts'
import type { DeviceType } from './api.ts'
import { deviceTypeFacts } from './resource.ts'

export const store = objectStore<typeof deviceTypeFacts, DeviceType>(deviceTypeFacts)

/** Writers of these natural keys wait for each other until commit. */
export const lockKeys = (ctx: Ctx, keys: readonly string[]): Promise<void> => ctx.lock('deviceTypes', keys)

/** Returns the ids of the devices of a type. */
export const findDeviceIds = async ({ db }: Ctx, id: string): Promise<string[]> =>
  (await db.selectFrom('devices').select('id').where('device_type_id', '=', id).orderBy('id').execute()).map(
    (row) => row.id,
  )
