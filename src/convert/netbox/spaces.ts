/** VRFs become address spaces. The addresses without a VRF are in the default one. */
import type { EstateRow } from '../converter.ts'
import { compact } from '../rows/row-text.ts'
import { SpaceNames } from '../rows/space-names.ts'
import { addRow, listLines, type Mapping, type RowRef, toRef, toRefs } from './mapping.ts'
import { ROUTE_TARGET } from './objects/routing.ts'
import type { NetboxObject } from './read/objects.ts'

const VRF = 'ipam.vrf'
const USED = new Set(['name', 'description', 'rd'])
const TARGETS = ['import_targets', 'export_targets']
/** The kinds of objects that are in a VRF. */
const PLACED = ['ipam.prefix', 'ipam.iprange', 'ipam.ipaddress']

/** Returns the VRFs that the file lists, and the VRFs that other objects name. */
const listVrfs = ({ model }: Mapping): NetboxObject[] => {
  const vrfs = new Map(model.of(VRF).map((vrf) => [vrf.id, vrf]))
  for (const kind of PLACED)
    for (const { vrf: id } of model.of(kind))
      if (typeof id === 'number' && !vrfs.has(id)) vrfs.set(id, model.find(VRF, id) ?? { id })
  return [...vrfs.values()].sort((a, b) => a.id - b.id)
}

export const buildSpaces = (mapping: Mapping): EstateRow[] => {
  const { report } = mapping
  const names = new SpaceNames(report)
  const rows: EstateRow[] = []
  for (const object of listVrfs(mapping)) {
    const { id, name, rd, description } = object
    const row = compact({
      name: names.unique({ what: `${VRF}.name`, id }, String(name ?? `VRF #${id}`), [String(rd ?? ''), `#${id}`]),
      description: report.describe(
        VRF,
        id,
        String(description ?? ''),
        listLines(mapping, { kind: VRF, object: withoutListed(mapping, object), used: USED }),
      ),
      custom: mapping.custom.of(VRF, object),
      refs: toRefs(VRF, id),
    })
    addRow(rows, mapping, { kind: VRF, object, row })
  }
  return rows
}

/** Removes the route targets that are custom values. */
const withoutListed = ({ model }: Mapping, object: NetboxObject): NetboxObject => {
  const isListed = (id: unknown) => typeof id === 'number' && model.isListed(ROUTE_TARGET, id)
  const others = TARGETS.flatMap((field) => {
    const ids = object[field]
    return Array.isArray(ids) ? [[field, ids.filter((id) => !isListed(id))] as const] : []
  })
  return { ...object, ...Object.fromEntries(others) }
}

/** Returns the space of an object; undefined without a VRF. */
export const getSpace = ({ vrf }: NetboxObject): RowRef | undefined =>
  typeof vrf === 'number' ? toRef(VRF, vrf) : undefined

/** Returns a text for an address in a VRF, which other VRFs may have as well. */
export const buildAddressKey = ({ vrf }: NetboxObject, ip: string): string => `${vrf ?? ''} ${ip}`
