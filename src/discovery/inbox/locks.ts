/** Locks: fields of documented devices that discovery proposes nothing for. */
import { AppError, invalidField } from '../../contract/errors.ts'
import type { Tables } from '../../database/tables.ts'
import { hasDevice } from '../../inventory/devices/devices.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Handlers } from '../../kernel/implement.ts'
import { listRows } from '../../kernel/list.ts'
import type { FieldLock } from '../schema.ts'
import { reclassify } from './classify.ts'
import * as store from './documented-store.ts'
import type { discoveryLocks } from './locks-api.ts'

type Locked = Pick<FieldLock, 'device_id' | 'field'>

export const create = async (ctx: Ctx, { device_id, field }: Locked): Promise<FieldLock> => {
  if (!(await hasDevice(ctx, device_id))) throw invalidField('device_id', `there is no device with id "${device_id}"`)
  if (await store.findLock(ctx, device_id, field))
    throw new AppError('ALREADY_EXISTS', `The field ${field} of ${device_id} is locked already`)
  const lock: FieldLock = { device_id, field, created_by: ctx.author, created_at: ctx.now }
  await store.insertLock(ctx, lock)
  await reclassify(ctx, await store.findDiscovered(ctx, [device_id]))
  return lock
}

export const remove = async (ctx: Ctx, { device_id, field }: { device_id: string; field: string }): Promise<void> => {
  const lock = await store.findLock(ctx, device_id, field)
  if (!lock) throw new AppError('NOT_FOUND', `The field ${field} of ${device_id} is not locked`)
  await store.removeLock(ctx, lock)
  await reclassify(ctx, await store.findDiscovered(ctx, [device_id]))
}

export const lockHandlers: Handlers<typeof discoveryLocks, Tables> = {
  list: async (ctx, { device_id, ...page }) => {
    const revision = await ctx.store.revision(['discovery_locks'])
    let query = store.lockQuery(ctx)
    if (device_id) query = query.where('device_id', '=', device_id)
    return listRows(ctx, { revision, query, page, row: (lock): FieldLock => lock })
  },
  create,
  delete: remove,
}
