/** Racks, and the places of devices in them. */
import type { EstateRow } from '../converter.ts'
import { Mounts } from '../rows/mounts.ts'
import { compact } from '../rows/row-text.ts'
import { addRow, listLines, type Mapping, type RowRef, toRef, toRefs, toText } from './mapping.ts'
import { findDatacenter } from './places.ts'
import { type NetboxObject, parseNumber } from './read/objects.ts'

const RACK = 'dcim.rack'
const DEVICE = 'dcim.device'
const USED = new Set('name site location description u_height starting_unit desc_units'.split(' '))

const parseNumberWithin = (value: unknown, min: number, max: number, usual: number): number => {
  const number = parseNumber(value)
  return number !== undefined && Number.isInteger(number) && number >= min && number <= max ? number : usual
}

export const buildRacks = (mapping: Mapping): { rows: EstateRow[]; mounts: Mounts } => {
  const { model, report, custom } = mapping
  const rows: EstateRow[] = []
  const mounts = new Mounts()
  for (const object of model.of(RACK)) {
    const { id, name, location, description, u_height, starting_unit, desc_units, site } = object
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
      location:
        location === undefined
          ? ''
          : toText(mapping, { kind: RACK, id, field: 'location' }, model.label('dcim.location', location)),
      height,
      first_unit,
      numbering: desc_units === true ? 'top_down' : 'bottom_up',
      description: report.describe(RACK, id, String(description ?? ''), [
        ...lines,
        { key: 'u_height', value: isUnfit(u_height, height) ? u_height : '' },
        { key: 'starting_unit', value: isUnfit(starting_unit, first_unit) ? starting_unit : '' },
        { key: 'site', value: site !== undefined && !datacenter ? model.label('dcim.site', site) : '' },
      ]),
      custom: custom.of(RACK, object),
      refs: toRefs(RACK, id),
    })
    addRow(rows, mapping, { kind: RACK, object, row })
    mounts.addRack(toRef(RACK, id), { first: first_unit, height, datacenter: datacenter?.ref })
  }
  return { rows, mounts }
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
