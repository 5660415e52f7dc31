/** Values of interfaces that follow from several values of Plat. */
import { INTERFACE_MODE, INTERFACE_TYPE } from '../../choices/interfaces.ts'
import { CustomFields } from '../../endpoint/custom.ts'
import { isMachine } from '../../world/machines.ts'
import type { World } from '../../world/world.ts'
import type { InterfaceItem } from './items.ts'

/** Custom fields of ports. An interface without a port has no values. */
export const createPortFields = (): CustomFields<InterfaceItem> =>
  new CustomFields<InterfaceItem>('ports', ({ port }) => port?.custom)

export const readInterfaceType = ({ port }: InterfaceItem): keyof typeof INTERFACE_TYPE => {
  const type = port?.type.toLowerCase() ?? ''
  // The keys of a constant.
  return Object.hasOwn(INTERFACE_TYPE, type) ? (type as keyof typeof INTERFACE_TYPE) : 'other'
}

/** Types that are no hardware: the port above one of them is its parent, that above another one its LAG. */
export const VIRTUAL_TYPES: ReadonlySet<string> = new Set(['virtual', 'bridge', 'lag'])

/** Returns whether the port above is shown as LAG or as parent. */
export const readAbove = (item: InterfaceItem): 'lag' | 'parent' | undefined => {
  if (!item.parent) return undefined
  // Virtual machines have no LAGs in NetBox.
  if (isMachine(item.device)) return 'parent'
  return item.parent.type.toLowerCase() === 'lag' && !VIRTUAL_TYPES.has(readInterfaceType(item)) ? 'lag' : 'parent'
}

/** The mode that follows from VLANs. */
export const deriveMode = (hasUntagged: boolean, hasTagged: boolean): 'tagged' | 'access' | null => {
  if (hasTagged) return 'tagged'
  return hasUntagged ? 'access' : null
}

type Mode = keyof typeof INTERFACE_MODE

/** True if an interface with the VLANs of one mode may be of another one by a custom field. */
export const fitsMode = (stored: unknown, derived: Mode | null): stored is Mode => {
  if (typeof stored !== 'string' || !Object.hasOwn(INTERFACE_MODE, stored)) return false
  if (derived === null || stored === 'q-in-q') return true
  return derived === 'access' && stored !== 'access'
}

export const readMode = (custom: CustomFields<InterfaceItem>, item: InterfaceItem, world: World): Mode | null => {
  const derived = deriveMode(item.untagged !== undefined, item.tagged.length > 0)
  const stored = custom.get(item, 'mode', world)
  return fitsMode(stored, derived) ? stored : derived
}

export const isOccupied = (custom: CustomFields<InterfaceItem>, item: InterfaceItem, world: World): boolean =>
  item.links?.cable !== undefined || custom.get(item, 'mark_connected', world) === true
