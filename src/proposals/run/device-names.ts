/** The devices by which relationships are named. */
import { toText } from '../../contract/unknown.ts'
import * as devices from '../../inventory/devices/devices.ts'
import { parseId } from '../../inventory/relationships/relationships.ts'
import type { PlannedItem } from '../../kernel/changes/change-record.ts'
import type { DbScope } from '../../kernel/ctx.ts'
import { parseDocument } from '../../record/history/kinds.ts'
import type { DeviceNames } from '../../record/history/plan-kinds.ts'

/** Returns the names of the devices of changed relationships. @param scope the state after the changes, or before them */
export const findDeviceNames = async (scope: DbScope, changes: readonly PlannedItem[]): Promise<DeviceNames> => {
  const asked = new Set(
    changes.flatMap(({ kind, id }) => {
      if (kind !== 'relationship') return []
      const { parent_id, child_id } = parseId(id)
      return [parent_id, child_id]
    }),
  )
  if (asked.size === 0) return new Map()
  // A device that the changes create or delete is in one of the two states only.
  const changed = changes.flatMap(({ kind, id, before, after }) =>
    kind === 'device' && asked.has(id) ? [[id, toText(parseDocument(after ?? before ?? '{}').name)] as const] : [],
  )
  const names = new Map<string, string>(changed)
  const others = [...asked].filter((id) => !names.has(id))
  return new Map([...names, ...(await devices.findNames(scope, others))])
}
