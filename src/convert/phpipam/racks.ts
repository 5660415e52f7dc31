/** Racks, and the places of devices in them. */
import type { EstateRow } from '../converter.ts'
import { Mounts } from '../rows/mounts.ts'
import { compact, trimText } from '../rows/row-text.ts'
import { findDatacenter, listLines, type Mapping, type RowRef, toRef, toRefs } from './mapping.ts'
import type { Row } from './tables.ts'

const TABLE = 'racks'
const USED = new Set(['name', 'description', 'location', 'size', 'row', 'topDown', 'hasBack'])
const USUAL_SIZE = 42
const MAX_SIZE = 100

const getHeight = ({ size }: Row): number => {
  const units = Number(size)
  return Number.isInteger(units) && units >= 1 && units <= MAX_SIZE ? units : USUAL_SIZE
}

export const labelRack = ({ tables }: Mapping, id: string | undefined): string => tables.label(TABLE, id)

export type Racks = { readonly rows: EstateRow[]; readonly mounts: Mounts }

export const buildRacks = (mapping: Mapping): Racks => {
  const { tables, report, done, custom } = mapping
  const racks: Racks = { rows: [], mounts: new Mounts() }
  for (const row of tables.of(TABLE)) {
    const { id, name = '', description = '', location, row: line = '', size } = row
    if (id === undefined || tables.find(TABLE, id) !== row) continue
    done.add(row)
    const height = getHeight(row)
    const datacenter = findDatacenter(mapping, location)
    const lines = [
      ...listLines(mapping, { table: TABLE, row, used: USED }),
      { key: 'size', value: size === undefined || Number(size) === height ? '' : size },
      { key: 'location', value: datacenter ? '' : tables.label('locations', location) },
    ]
    racks.rows.push(
      compact({
        name: trimText(report, { what: 'racks.name', id }, name) || `rack #${id}`,
        datacenter,
        location: trimText(report, { what: 'racks.row', id }, line),
        height,
        numbering: row.topDown === '1' ? 'top_down' : undefined,
        description: report.describe(TABLE, id, description, lines),
        custom: custom.of(TABLE, row),
        refs: toRefs('rack', id),
      }),
    )
    racks.mounts.addRack(toRef('rack', id), { first: 1, height, datacenter: datacenter?.ref })
  }
  return racks
}

/** Returns the place of a device; undefined if its rack is not in the file, or in another datacenter. */
export const buildMount = (
  { tables, report }: Mapping,
  { mounts }: Racks,
  device: Row,
  datacenter: RowRef | undefined,
): EstateRow | undefined => {
  const { id, rack, rack_start, rack_size, rack_deep } = device
  const found = tables.find(TABLE, rack)
  if (!found || rack === undefined) return undefined
  const units = getHeight(found)
  const start = Number(rack_start ?? 0)
  const isPlaced = Number.isInteger(start) && start > 0
  const hasBack = found.hasBack === '1'
  // The units of the back follow the units of the front.
  const isBehind = hasBack && start > units
  const height = Number(rack_size ?? 1)
  const placed = mounts.place(
    toRef('rack', rack),
    {
      height: Number.isInteger(height) && height >= 1 && height <= MAX_SIZE ? height : 1,
      isFullDepth: !hasBack || rack_deep === '1',
      power: undefined,
      position: isPlaced ? start - (isBehind ? units : 0) : undefined,
      face: isBehind ? 'rear' : 'front',
    },
    datacenter?.ref,
  )
  if (placed?.why !== undefined) report.left('devices.rack_start', placed.why, { id, value: rack_start })
  return placed?.mount
}
