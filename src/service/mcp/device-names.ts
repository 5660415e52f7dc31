/** The devices by which plans name relationships. */
import { toText } from '../../contract/unknown.ts'
import * as devices from '../../inventory/devices/devices.ts'
import { parseId } from '../../inventory/relationships/relationships.ts'
import type { PlannedItem } from '../../kernel/changes/change-record.ts'
import type { DbScope } from '../../kernel/ctx.ts'
import { KIND_NAMES } from '../../record/history/kind-names.ts'
import { parseDocument } from '../../record/history/kinds.ts'
import type { DeviceNames } from '../../record/history/plan-kinds.ts'

/**
 * Returns the names of the devices of changed relationships, if the caller may read devices.
 * @param scope the state before or after the changes
 */
export const findDeviceNames = async (
  scope: DbScope,
  changes: readonly PlannedItem[],
  permissions: ReadonlySet<string>,
): Promise<DeviceNames> => {
  if (!permissions.has(KIND_NAMES.device.read)) return new Map()
  const ids = new Set<string>()
  const names = new Map<string, string>()
  for (const { kind, id, before, after } of changes) {
    if (kind === 'relationship') {
      const { parent_id, child_id } = parseId(id)
      ids.add(parent_id).add(child_id)
    }
    // A device that the changes create or delete is only in one of the two states.
    if (kind === 'device') names.set(id, toText(parseDocument(after ?? before ?? '{}').name))
  }
  const others = [...ids].filter((id) => !names.has(id))
  return new Map([...names, ...(await devices.findNames(scope, others))])
}
