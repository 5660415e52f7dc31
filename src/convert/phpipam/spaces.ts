/** VRFs become address spaces, and so do sections that have the same subnets as others. */
import { formatCidr } from '../../net/cidr.ts'
import type { EstateRow } from '../converter.ts'
import { compact } from '../rows/row-text.ts'
import { SpaceNames } from '../rows/space-names.ts'
import { readCidr } from './blocks.ts'
import { listLines, type Mapping, toRefs } from './mapping.ts'
import { getKey, type Row } from './tables.ts'

export type Spaces = {
  readonly rows: EstateRow[]
  /** Returns the name of the object that became the address space of a subnet: `vrf.3`; `''` for the default one. */
  readonly of: (subnet: Row) => string
}

const isNumber = (key: string | undefined): key is string => key !== undefined && key !== '0'

/** Returns the number of a VRF. VRFs that the file does not list are named by their number. */
const getVrfId = ({ vrfId }: Row): string | undefined => (isNumber(vrfId) ? vrfId : undefined)

/**
 * Returns the sections that become separate spaces. phpIPAM lets the subnets of different sections overlap: one that has a subnet of an
 * earlier section says that its addresses mean something else. The first one is the default space.
 */
const findOverlappingSections = ({ tables }: Mapping): Set<string> => {
  const bySection = new Map<string, Set<string>>()
  for (const row of tables.of('subnets')) {
    const cidr = readCidr(row)
    if (row.isFolder === '1' || !cidr || getVrfId(row) !== undefined || !isNumber(row.sectionId)) continue
    const subnets = bySection.get(row.sectionId) ?? new Set()
    bySection.set(row.sectionId, subnets.add(formatCidr(cidr)))
  }
  const inDefault = new Set<string>()
  const overlapping = new Set<string>()
  for (const [section, subnets] of [...bySection].sort(([a], [b]) => Number(a) - Number(b)))
    if (inDefault.isDisjointFrom(subnets)) for (const subnet of subnets) inDefault.add(subnet)
    else overlapping.add(section)
  return overlapping
}

const USED = new Set(['name', 'description', 'vrfId', 'rd'])

type Source = { readonly table: 'vrfs' | 'sections'; readonly key: string; readonly name: string; readonly row: Row }

const toRow = (mapping: Mapping, names: SpaceNames, { table, key, name, row }: Source): EstateRow => {
  const { report } = mapping
  const noun = table === 'vrfs' ? 'VRF' : 'section'
  const own = (row.name ?? '').trim() || `${noun} #${key}`
  return compact({
    name: names.unique({ what: `${table}.name`, id: key }, own, [row.rd ?? '', `${noun} #${key}`]),
    description: report.describe(table, key, row.description ?? '', listLines(mapping, { table, row, used: USED })),
    custom: mapping.custom.of(table, row, table === 'vrfs' ? { rd: row.rd } : {}),
    refs: toRefs(name, key),
  })
}

export const buildSpaces = (mapping: Mapping): Spaces => {
  const { tables, done } = mapping
  const sources = new Map<string, Source>()
  const add = (source: Source): void => {
    const id = `${source.name}.${source.key}`
    if (!sources.has(id)) sources.set(id, source)
  }
  for (const row of tables.of('vrfs')) {
    const key = getKey('vrfs', row)
    if (key === undefined || tables.find('vrfs', key) !== row) continue
    done.add(row)
    add({ table: 'vrfs', key, name: 'vrf', row })
  }
  for (const row of tables.of('subnets')) {
    const key = getVrfId(row)
    if (key !== undefined && readCidr(row) && row.isFolder !== '1') add({ table: 'vrfs', key, name: 'vrf', row: {} })
  }
  const sections = findOverlappingSections(mapping)
  for (const key of sections) {
    const row = tables.find('sections', key)
    if (row) done.add(row)
    add({ table: 'sections', key, name: 'section', row: row ?? {} })
  }
  const names = new SpaceNames(mapping.report)
  return {
    rows: [...sources.values()].map((source) => toRow(mapping, names, source)),
    of: (subnet) => {
      const vrf = getVrfId(subnet)
      if (vrf !== undefined) return `vrf.${vrf}`
      const { sectionId = '' } = subnet
      return sections.has(sectionId) ? `section.${sectionId}` : ''
    },
  }
}
