/** Providers and circuits. A logical circuit is a circuit of the provider of its first member. */
import type { ObjectRows } from '../objects/object-rows.ts'
import type { Line } from '../report-builder.ts'
import { addObject, listNumbered } from './add-object.ts'
import { findDatacenter, type Mapping, toRef } from './mapping.ts'
import type { Row } from './tables.ts'

const PROVIDERS = 'circuitProviders'
const CIRCUITS = 'circuits'
const TYPES = 'circuitTypes'
const LOGICAL = 'circuitsLogical'
const MEMBERS = 'circuitsLogicalMapping'

const STATUS: Readonly<Record<string, string>> = { Active: 'active', Inactive: 'offline', Reserved: 'planned' }

const KBPS: Readonly<Record<string, number>> = { k: 1, m: 1_000, g: 1_000_000, t: 1_000_000_000 }

/** Returns the kilobits per second of a text. @example parseCapacity('1 Gbps') // 1000000 */
export const parseCapacity = (text: string | undefined): number | undefined => {
  const [, number, unit = ''] =
    /^\s*(\d+(?:[.,]\d+)?)\s*([kmgt])(?:bits?|bps|b|bit\/s|b\/s|)?\s*$/i.exec(text ?? '') ?? []
  const kbps = Number(number?.replace(',', '.')) * (KBPS[unit.toLowerCase()] ?? Number.NaN)
  return Number.isSafeInteger(kbps) ? kbps : undefined
}

const toProviderRef = ({ tables }: Mapping, provider: string | undefined) =>
  tables.find(PROVIDERS, provider) ? toRef('provider', provider ?? '') : undefined

/** Returns the place of an end: its location, or the one of its device. */
const findPlace = (mapping: Mapping, row: Row, end: '1' | '2') =>
  findDatacenter(mapping, row[`location${end}`]) ??
  findDatacenter(mapping, mapping.tables.find('devices', row[`device${end}`])?.location)

const listEndLines = (mapping: Mapping, row: Row, end: '1' | '2'): Line[] => {
  const { tables } = mapping
  const side = end === '1' ? 'A' : 'Z'
  const location = row[`location${end}`]
  return [
    { key: `${side} device`, value: tables.label('devices', row[`device${end}`]), field: `${CIRCUITS}.device${end}` },
    { key: `${side} location`, value: findDatacenter(mapping, location) ? '' : tables.label('locations', location) },
  ]
}

const NO_PROVIDER = 'has no provider, or one that is not in the file'

const addPhysical = (mapping: Mapping, rows: ObjectRows): void => {
  const { tables, report, done } = mapping
  for (const { id, row } of listNumbered(mapping, CIRCUITS)) {
    const provider = toProviderRef(mapping, row.provider)
    if (!provider) {
      report.left(CIRCUITS, NO_PROVIDER, row)
      done.add(row)
      continue
    }
    const type = tables.find(TYPES, row.type)
    if (type) done.add(type)
    const status = STATUS[row.status ?? 'Active']
    const commit_kbps = parseCapacity(row.capacity)
    const isSaid = status === row.status?.toLowerCase()
    addObject(mapping, rows, {
      ...{ table: CIRCUITS, row, id, kind: 'circuits', ref: 'circuit', name: row.cid ?? '' },
      used: [
        ...['cid', 'provider', 'type', 'device1', 'device2', 'location1', 'location2'],
        ...(isSaid ? ['status'] : []),
        ...(commit_kbps === undefined ? [] : ['capacity']),
        ...(tables.find(CIRCUITS, row.parent) ? ['parent'] : []),
      ],
      values: {
        ...{ provider, status, commit_kbps, type: tables.label(TYPES, row.type) || undefined },
        ...{ a_place: findPlace(mapping, row, '1'), z_place: findPlace(mapping, row, '2') },
      },
      lines: [
        ...listEndLines(mapping, row, '1'),
        ...listEndLines(mapping, row, '2'),
        { key: 'parent', value: tables.find(CIRCUITS, row.parent) ? tables.label(CIRCUITS, row.parent) : '' },
      ],
    })
  }
}

const addLogical = (mapping: Mapping, rows: ObjectRows): void => {
  const { tables, report, done } = mapping
  const members = Map.groupBy(tables.of(MEMBERS), ({ logicalCircuit_id: logical }) => logical)
  for (const { id, row } of listNumbered(mapping, LOGICAL)) {
    const own = (members.get(id) ?? []).toSorted((a, b) => Number(a.order ?? 0) - Number(b.order ?? 0))
    const circuits = own.map(({ circuit_id }) => tables.find(CIRCUITS, circuit_id))
    const provider = circuits
      .map((circuit) => toProviderRef(mapping, circuit?.provider))
      .find((one) => one !== undefined)
    if (!provider) {
      report.left(LOGICAL, 'has no member with a provider', row)
      done.add(row)
      continue
    }
    for (const member of own) done.add(member)
    addObject(mapping, rows, {
      ...{ table: LOGICAL, row, id, kind: 'circuits', ref: 'logical', name: row.logical_cid ?? '' },
      used: ['logical_cid', 'member_count'],
      values: { provider, type: 'logical' },
      lines: [{ key: 'members', value: own.map(({ circuit_id }) => tables.label(CIRCUITS, circuit_id)).join(', ') }],
    })
  }
}

export const addCircuits = (mapping: Mapping, rows: ObjectRows): void => {
  for (const { id, row } of listNumbered(mapping, PROVIDERS))
    addObject(mapping, rows, {
      ...{ table: PROVIDERS, row, id, kind: 'providers', ref: 'provider', name: row.name ?? '', used: ['name'] },
    })
  addPhysical(mapping, rows)
  addLogical(mapping, rows)
}
