/** The devices by which plans name relationships. */
import type { RowChange } from '../../database/journal.ts'
import * as devices from '../../inventory/devices/devices.ts'
import type { DbScope } from '../../kernel/ctx.ts'
import { KIND_NAMES } from '../../record/history/kind-names.ts'
import type { DeviceNames } from './changes.ts'

/**
 * Returns the names of the devices of changed relationships, if the caller may read devices.
 * @param scope the state before or after the changes
 */
export const findDeviceNames = async (
  scope: DbScope,
  changes: readonly RowChange[],
  permissions: ReadonlySet<string>,
): Promise<DeviceNames> => {
  if (!permissions.has(KIND_NAMES.device.read)) return new Map()
  const ids = new Set<string>()
  const names = new Map<string, string>()
  for (const { table, before, after } of changes) {
    const row = after ?? before ?? {}
    if (table === 'relationships') for (const end of [row.parent_id, row.child_id]) ids.add(String(end))
    // A device that the changes create or delete is only in one of the two states.
    if (table === 'devices') names.set(String(row.id), String(row.name))
  }
  const others = [...ids].filter((id) => !names.has(id))
  return new Map([...names, ...(await devices.findNames(scope, others))])
}
