/** Power panels become devices. Their feeds become power ports. */
import type { EstateRow } from '../converter.ts'
import { compact } from '../rows/row-text.ts'
import { addRow, listLines, type Mapping, toRefs, toText } from './mapping.ts'
import { findDatacenter, listPlaceLines } from './places.ts'
import { formatRoom } from './racks.ts'

export const POWER_PANEL = 'dcim.powerpanel'
export const POWER_FEED = 'dcim.powerfeed'

const USED = new Set('name description site location tags'.split(' '))

export const buildPowerPanels = (mapping: Mapping): EstateRow[] => {
  const { model, report, custom } = mapping
  const rows: EstateRow[] = []
  for (const object of model.of(POWER_PANEL)) {
    const { id, name, description, location } = object
    const at = (field: string) => ({ kind: POWER_PANEL, id, field })
    const row = compact({
      name: toText(mapping, at('name'), name) || `power panel #${id}`,
      role: 'power-panel',
      datacenter: findDatacenter(mapping, object),
      location: toText(mapping, at('location'), formatRoom(model, location)),
      tags: model.tags(object),
      description: report.describe(POWER_PANEL, id, String(description ?? ''), [
        ...listLines(mapping, { kind: POWER_PANEL, object, used: USED }),
        ...listPlaceLines(mapping, object),
      ]),
      custom: custom.of(POWER_PANEL, object),
      refs: toRefs(POWER_PANEL, id),
    })
    addRow(rows, mapping, { kind: POWER_PANEL, object, row })
  }
  return rows
}
