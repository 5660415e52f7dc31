/** Racks, and the places of devices in them. */
import type { EstateRow } from '../converter.ts'
import { Mounts } from '../rows/mounts.ts'
import { compact } from '../rows/row-text.ts'
import { addRow, listLines, type Mapping, type RowRef, toRef, toRefs, toText } from './mapping.ts'
import type { NetboxModel, Target } from './model.ts'
import { findDatacenter, LOCATION, listPlaceLines } from './places.ts'
import { type NetboxObject, parseNumber } from './read/objects.ts'

const RACK = 'dcim.rack'
const DEVICE = 'dcim.device'
const USED = new Set(
  'name site location description u_height starting_unit desc_units status role serial asset_tag facility_id tags'.split(
    ' ',
  ),
)

const parseNumberWithin = (value: unknown, min: number, max: number, usual: number): number => {
  const number = parseNumber(value)
  return number !== undefined && Number.isInteger(number) && number >= min && number <= max ? number : usual
}

export const buildRacks = (mapping: Mapping): { rows: EstateRow[]; mounts: Mounts } => {
  const { model, report, custom } = mapping
  const rows: EstateRow[] = []
  const mounts = new Mounts()
  for (const object of model.of(RACK)) {
    const { id, name, location, description, u_height, starting_unit, desc_units } = object
    const height = parseNumberWithin(u_height, 1, 100, 42)
    const first_unit = parseNumberWithin(starting_unit, 0, 100, 1)
    const datacenter = findDatacenter(mapping, object)
    const lines = listLines(mapping, { kind: RACK, object, used: USED }).filter(
      ({ key, value }) => !(key === 'width' && value === 19),
    )
    const isUnfit = (given: unknown, kept: number) => given !== undefined && parseNumber(given) !== kept
    const row = compact({
      name: toText(mapping, { kind: RACK, id, field: 'name' }, name) || `rack #${id}`,
      datacenter,
      location: toText(mapping, { kind: RACK, id, field: 'location' }, formatRoom(model, location)),
      height,
      first_unit,
      numbering: desc_units === true ? 'top_down' : 'bottom_up',
      description: report.describe(RACK, id, String(description ?? ''), [
        ...lines,
        { key: 'u_height', value: isUnfit(u_height, height) ? u_height : '' },
        { key: 'starting_unit', value: isUnfit(starting_unit, first_unit) ? starting_unit : '' },
        ...listPlaceLines(mapping, object),
      ]),
      custom: custom.of(RACK, object),
      refs: toRefs(RACK, id),
    })
    addRow(rows, mapping, { kind: RACK, object, row })
    mounts.addRack(toRef(RACK, id), { first: first_unit, height, datacenter: datacenter?.ref })
  }
  return { rows, mounts }
}

/** Returns the name of a location that is no datacenter, because the file only names it. */
export const formatRoom = (model: NetboxModel, location: unknown): string =>
  location === undefined || (typeof location === 'number' && model.isListed(LOCATION, location))
    ? ''
    : model.label(LOCATION, location)

/** Returns the place of a device: its own, or that of its rack if one is below the other. */
export const findDevicePlace = ({ model, places }: Mapping, object: NetboxObject): Target | undefined => {
  const own = places.find(object)
  const rack = typeof object.rack === 'number' && model.isListed(RACK, object.rack) && model.find(RACK, object.rack)
  const other = rack ? places.find(rack) : undefined
  const isSame = (a: Target, b: Target): boolean => a.kind === b.kind && a.id === b.id
  const isRelated =
    own !== undefined &&
    other !== undefined &&
    (places.listUp(other).some((one) => isSame(one, own)) || places.listUp(own).some((one) => isSame(one, other)))
  return isRelated ? other : own
}

/** The height, the depth and the power of a device, taken from its type. */
export type Size = { readonly height: number; readonly isFullDepth: boolean; readonly power: number | undefined }

type Placing = { readonly mounts: Mounts; readonly size: Size; readonly datacenter: RowRef | undefined }

/** Returns the place of a device, if its rack is in the file. A unit that is taken or outside of the rack is left over. */
export const buildMount = (
  { model, report }: Mapping,
  object: NetboxObject,
  { mounts, size, datacenter }: Placing,
): EstateRow | undefined => {
  const { id, rack, position, face } = object
  if (typeof rack !== 'number' || !model.isListed(RACK, rack)) return undefined
  const side = String(face ?? '').toLowerCase() === 'rear' ? 'rear' : 'front'
  const wanted = { ...size, position: parseNumber(position), face: side } as const
  const placed = mounts.place(toRef(RACK, rack), wanted, datacenter?.ref)
  if (!placed) return undefined
  if (placed.why !== undefined) report.left(`${DEVICE}.position`, placed.why, { id, value: position })
  return placed.mount
}
