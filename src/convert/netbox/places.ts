/** Sites become datacenters. */
import type { EstateRow } from '../converter.ts'
import { compact } from '../rows/row-text.ts'
import { addRow, listLines, type Mapping, type RowRef, toRef, toRefs, toText } from './mapping.ts'
import type { NetboxObject } from './read/objects.ts'

const SITE = 'dcim.site'
const USED = new Set(['name', 'description', 'physical_address'])

const joinLines = (text: unknown): string =>
  String(text ?? '')
    .split(/\r\n|\r|\n/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(', ')

export const buildDatacenters = (mapping: Mapping): EstateRow[] => {
  const rows: EstateRow[] = []
  for (const object of mapping.model.of(SITE)) {
    const { id, name, description } = object
    const at = (field: string) => ({ kind: SITE, id, field })
    const lines = listLines(mapping, { kind: SITE, object, used: USED })
    const row = compact({
      name: toText(mapping, at('name'), name) || `site #${id}`,
      location: toText(mapping, at('physical_address'), joinLines(object.physical_address)),
      description: mapping.report.describe(SITE, id, String(description ?? ''), lines),
      custom: mapping.custom.of(SITE, object),
      refs: toRefs(SITE, id),
    })
    addRow(rows, mapping, { kind: SITE, object, row })
  }
  return rows
}

/** Returns the datacenter of an object with a site, or with a scope that has one. */
export const findDatacenter = ({ model }: Mapping, object: NetboxObject): RowRef | undefined => {
  const site = findSiteId(model, object)
  // A short form of a site makes no row.
  return site !== undefined && model.isListed(SITE, site) ? toRef(SITE, site) : undefined
}

const findSiteId = (model: Mapping['model'], object: NetboxObject): number | undefined => {
  if (typeof object.site === 'number') return object.site
  const scope = model.target(object, 'scope')
  if (scope?.kind === SITE) return scope.id
  const location = scope?.kind === 'dcim.location' ? model.find(scope.kind, scope.id) : undefined
  return typeof location?.site === 'number' ? location.site : undefined
}

/** Returns the scope of an object, unless its datacenter tells the scope. */
export const formatScope = ({ model }: Mapping, object: NetboxObject): string | undefined => {
  const scope = model.target(object, 'scope')
  if (!scope || (scope.kind === SITE && model.isListed(SITE, scope.id))) return undefined
  return `${scope.kind} ${model.label(scope.kind, scope.id)}`
}
