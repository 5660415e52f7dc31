/** Racks, and the places of devices in them. */
import type { EstateRow } from '../converter.ts'
import { Mounts } from '../mounts.ts'
import { compact } from '../row-text.ts'
import { addRow, linesOf, type Mapping, type RowRef, refsOf, refTo, textOf } from './mapping.ts'
import { type NetboxObject, numberOf } from './objects.ts'
import { datacenterOf } from './places.ts'

const RACK = 'dcim.rack'
const DEVICE = 'dcim.device'
const USED = new Set('name site location description u_height starting_unit desc_units'.split(' '))

const within = (value: unknown, min: number, max: number, usual: number): number => {
  const number = numberOf(value)
  return number !== undefined && Number.isInteger(number) && number >= min && number <= max ? number : usual
}

export const racksOf = (mapping: Mapping): { rows: EstateRow[]; mounts: Mounts } => {
  const { model, report, custom } = mapping
  const rows: EstateRow[] = []
  const mounts = new Mounts()
  for (const object of model.of(RACK)) {
    const { id, name, location, description, u_height, starting_unit, desc_units, site } = object
    const height = within(u_height, 1, 100, 42)
    const first_unit = within(starting_unit, 0, 100, 1)
    const datacenter = datacenterOf(mapping, object)
    const lines = linesOf(mapping, { kind: RACK, object, used: USED }).filter(
      ({ key, value }) => !(key === 'width' && value === 19),
    )
    const isUnfit = (given: unknown, kept: number) => given !== undefined && numberOf(given) !== kept
    const row = compact({
      name: textOf(mapping, { kind: RACK, id, field: 'name' }, name) || `rack #${id}`,
      datacenter,
      location:
        location === undefined
          ? ''
          : textOf(mapping, { kind: RACK, id, field: 'location' }, model.label('dcim.location', location)),
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
      refs: refsOf(RACK, id),
    })
    addRow(rows, mapping, { kind: RACK, object, row })
    mounts.addRack(refTo(RACK, id), { first: first_unit, height, datacenter: datacenter?.ref })
  }
  return { rows, mounts }
}

/** The height, the depth and the power of a device, which are those of its type. */
export type Size = { readonly height: number; readonly isFullDepth: boolean; readonly power: number | undefined }

type Placing = { readonly mounts: Mounts; readonly size: Size; readonly datacenter: RowRef | undefined }

/** Returns the place of a device, if its rack is in the file. A unit that is taken or outside of the rack is left over. */
export const mountOf = (
  { model, report }: Mapping,
  object: NetboxObject,
  { mounts, size, datacenter }: Placing,
): EstateRow | undefined => {
  const { id, rack, position, face } = object
  if (typeof rack !== 'number' || !model.isListed(RACK, rack)) return undefined
  const side = String(face ?? '').toLowerCase() === 'rear' ? 'rear' : 'front'
  const wanted = { ...size, position: numberOf(position), face: side } as const
  const placed = mounts.place(refTo(RACK, rack), wanted, datacenter?.ref)
  if (!placed) return undefined
  if (placed.why !== undefined) report.left(`${DEVICE}.position`, placed.why, { id, value: position })
  return placed.mount
}
