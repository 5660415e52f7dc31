/** The fields of a document of the community library that a device type of Plat does not have, and documents of other types. */

type Entry = Readonly<Record<string, unknown>>

/** A field without a place: the number of its values, and the first of them. */
export type LeftField = { readonly field: string; readonly count: number; readonly example: string }

/** The lists of ports, with the fields that a port says, beside its name and type. */
const SAID: Readonly<Record<string, readonly string[]>> = {
  interfaces: [],
  'console-ports': [],
  'console-server-ports': [],
  'power-ports': ['maximum_draw'],
  'power-outlets': [],
  'front-ports': ['rear_port', 'rear_port_position', 'positions'],
  'rear-ports': ['positions'],
}
export const PORT_LISTS = Object.keys(SAID)

/** The longest example, in characters. */
const MAX_EXAMPLE = 100

const formatExample = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length <= MAX_EXAMPLE ? text : `${text.slice(0, MAX_EXAMPLE).toWellFormed()}…`
}

/** True for a value that says nothing, such as that an interface is not for management. */
const isNothing = (field: string, value: unknown): boolean =>
  value === undefined || value === null || value === '' || value === false || (field === 'enabled' && value === true)

/**
 * Returns the fields without a place, each once.
 * @param known the fields of the document that have one
 * @param getList returns the entries of a list of ports
 */
export const countLeft = (
  document: Entry,
  known: ReadonlySet<string>,
  getList: (field: string) => readonly Entry[],
): LeftField[] => {
  const left = new Map<string, { field: string; count: number; example: string }>()
  const add = (field: string, value: unknown): void => {
    const counted = left.get(field) ?? { field, count: 0, example: formatExample(value) }
    counted.count++
    left.set(field, counted)
  }
  for (const [field, value] of Object.entries(document)) if (!known.has(field)) add(field, value)
  for (const [list, said] of Object.entries(SAID))
    for (const entry of getList(list))
      for (const [field, value] of Object.entries(entry))
        if (field !== 'name' && field !== 'type' && !said.includes(field) && !isNothing(field, value))
          add(`${list}.${field}`, value)
  return [...left.values()]
}

/** Fields that a document of a device type may have, and one of a module type never. The library requires `slug` of device types. */
const OF_DEVICES = [
  ...['slug', 'u_height', 'is_full_depth', 'subdevice_role', 'device-bays', 'is_powered', 'default_platform'],
  ...['front_image', 'rear_image', 'exclude_from_utilization'],
]
/** Fields of module types since NetBox 4.3. */
const OF_MODULES = ['profile', 'attributes', 'attribute_data']

/** Returns the type of a document of the library that is no device type; undefined for a device type. */
export const detectOtherType = (document: Entry): 'module type' | 'rack type' | undefined => {
  const has = (field: string) => Object.hasOwn(document, field)
  if (has('form_factor') && (has('width') || has('starting_unit'))) return 'rack type'
  if (OF_DEVICES.some(has)) return undefined
  // A module type has ports, or a part number as a transceiver has. A document with a name only may be a device type.
  return [...OF_MODULES, ...PORT_LISTS, 'part_number'].some(has) ? 'module type' : undefined
}
