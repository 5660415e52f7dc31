/** The fields of devices that discovery proposes nothing for, and sources write nothing into. */
import { splitBatches } from '../../database/query/batches.ts'
import type { DbScope } from '../../kernel/ctx.ts'

export const NO_LOCKS: ReadonlySet<string> = new Set()

/** Returns the locked fields of devices. */
export const findLocks = async (
  { db }: DbScope,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  const locks = new Map<string, Set<string>>()
  for (const batch of splitBatches([...new Set(deviceIds)])) {
    const query = db.selectFrom('discovery_locks').select(['device_id', 'field']).where('device_id', 'in', batch)
    for (const { device_id, field } of await query.execute())
      locks.set(device_id, (locks.get(device_id) ?? new Set<string>()).add(field))
  }
  return locks
}
