/** Custom fields are columns with names that begin with `custom_`. A dump has their types, the API has texts. */

import { getOwn } from '../../contract/own.ts'
import { CUSTOM_RESOURCES, type CustomResource, type FieldType } from '../../resource/custom/fields.ts'
import type { EstateRow } from '../converter.ts'
import { CustomCollector, type CustomRows, toPackKey, type ValuePlace } from '../custom/custom-rows.ts'
import type { SourceField } from '../custom/definition.ts'
import { findPackField, findPackKind } from '../objects/packs.ts'
import type { ReportBuilder } from '../report-builder.ts'
import { getKey, type PhpipamTables, type Row } from './tables.ts'

const PREFIX = 'custom_'

/** The resources of tables with another name. Sections are spaces where they overlap, and have lines otherwise. */
const RESOURCES: Readonly<Record<string, CustomResource>> = {
  circuitProviders: 'providers',
  circuits: 'circuits',
  customers: 'tenants',
  locations: 'datacenters',
  nat: 'nat-rules',
  routing_bgp: 'bgp-peers',
  subnets: 'networks',
  vrfs: 'spaces',
}

/** Returns the resource of the rows of a table. */
const findResource = (table: string): CustomResource | undefined =>
  getOwn(RESOURCES, table) ?? CUSTOM_RESOURCES.find((resource) => resource === table)

/** True for a row of a customer that the file lists, who is its tenant. */
export const hasTenant = (tables: PhpipamTables, table: string, { customer_id: id }: Row): boolean =>
  tables.find('customers', id) !== undefined && findPackField(findResource(table) ?? '', 'tenant') !== undefined

export const isCustomColumn = (table: string, column: string): boolean =>
  column.startsWith(PREFIX) && column.length > PREFIX.length && findResource(table) !== undefined

/** The types of columns by table and name, as a dump declares them. */
export type ColumnTypes = ReadonlyMap<string, ReadonlyMap<string, string>>

const getFieldType = (declared: string): FieldType => {
  if (/^(?:tinyint\(1\)|bool|bit\(1\))/i.test(declared)) return 'boolean'
  if (/^(?:tiny|small|medium|big)?int/i.test(declared)) return 'integer'
  if (/^(?:decimal|numeric|float|double)/i.test(declared)) return 'number'
  if (/^date(?![a-z])/i.test(declared)) return 'date'
  return /^(?:enum|set)\(/i.test(declared) ? 'choice' : 'text'
}

/** Returns the values of an enumeration: `enum('a','it''s')`. */
const parseChoices = (declared: string): string[] =>
  [...declared.matchAll(/'((?:[^'\\]|\\.|'')*)'/g)].map(([, text = '']) =>
    text.replace(/''|\\(.)/g, (_, one) => one ?? "'"),
  )

const parseValue = (type: FieldType, isSeveral: boolean, text: string): unknown => {
  if (type === 'boolean') return text === '1' ? true : text === '0' ? false : text
  return isSeveral ? text.split(',') : text
}

/** Dates without a day stand for none. */
const isNone = (text: string): boolean => text.startsWith('0000-00-00')

/** The place of a value, and the row of the source if there is one. */
export type RowPlace = ValuePlace & { readonly row?: Row }

export class PhpipamCustom {
  readonly #tables: PhpipamTables
  readonly #types: ColumnTypes
  readonly #rows: CustomRows

  constructor(tables: PhpipamTables, report: ReportBuilder, types: ColumnTypes) {
    this.#tables = tables
    this.#types = types
    const collector = new CustomCollector()
    for (const table of tables.names) {
      const resource = findResource(table)
      if (resource === undefined) continue
      const pack = tables.of(table).length > 0 ? findPackKind(resource)?.pack : undefined
      if (pack !== undefined) collector.reservePack(pack)
      for (const row of tables.of(table))
        for (const [column, value] of this.#valuesOf(table, row))
          collector.add(resource, column, value, () => this.#field(table, resource, column))
    }
    this.#rows = collector.rows(report)
  }

  /** Returns the values of a row of the source. @param packed values of fields of packs, by name */
  of(table: string, row: Row, packed: EstateRow = {}): EstateRow | undefined {
    const resource = findResource(table)
    if (resource === undefined) return undefined
    return this.ofKind(resource, packed, { what: table, id: getKey(table, row), row })
  }

  /** Returns the values of an object of a kind, and of its row if its table has custom fields. */
  ofKind(kind: CustomResource, packed: EstateRow, place: RowPlace): EstateRow | undefined {
    const own = findResource(place.what) === kind ? this.#valuesOf(place.what, place.row ?? {}) : []
    const present = Object.entries(packed).filter(([, value]) => value !== undefined)
    return this.#rows.of(kind, [...own, ...present.map(([name, value]) => [toPackKey(name), value] as const)], place)
  }

  get packs(): ReadonlySet<string> {
    return this.#rows.packs
  }

  finish: CustomRows['finish'] = (documents, kind) => this.#rows.finish(documents, kind)

  #declared(table: string, column: string): string {
    return this.#types.get(table)?.get(PREFIX + column) ?? ''
  }

  #field(table: string, resource: CustomResource, key: string): SourceField {
    const declared = this.#declared(table, key)
    const type = getFieldType(declared)
    return {
      resource,
      key,
      type,
      choices: type === 'choice' ? parseChoices(declared) : [],
      multiple: /^set\(/i.test(declared),
    }
  }

  /** The values by their names without the prefix. */
  #valuesOf(table: string, row: Row): (readonly [string, unknown])[] {
    const own = Object.entries(row).flatMap(([column, text]) => {
      if (!isCustomColumn(table, column) || isNone(text)) return []
      const key = column.slice(PREFIX.length)
      const declared = this.#declared(table, key)
      return [[key, parseValue(getFieldType(declared), /^set\(/i.test(declared), text)] as const]
    })
    return hasTenant(this.#tables, table, row)
      ? [...own, [toPackKey('tenant'), { ref: `phpipam:customer.${row.customer_id}` }]]
      : own
  }
}
