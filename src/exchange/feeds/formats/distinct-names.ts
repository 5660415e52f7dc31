/** Names that no two devices share. */
import type { Device } from '../../../inventory/devices/schema.ts'

/** Returns the name of a device, or `<name>_<id>` for a further device of that name. */
export const createDistinctNames = (): ((device: Pick<Device, 'id' | 'name'>) => string) => {
  const taken = new Set<string>()
  return ({ id, name }) => {
    const own = taken.has(name) ? `${name}_${id}` : name
    taken.add(own)
    return own
  }
}
