/** Custom fields of the devices of rackd keep their keys and types. */
import type { FieldType } from '../../resource/custom/fields.ts'
import type { EstateDocument, EstateRow } from '../converter.ts'
import { CustomCollector, type CustomRows, toPackKey, type ValuePlace } from '../custom/custom-rows.ts'
import type { SourceField } from '../custom/definition.ts'
import { isSecret } from '../secret-fields.ts'
import type { Mapping } from './mapping.ts'
import type { SqlRow } from './sqlite-file.ts'

const DEFINITIONS = 'custom_field_definitions'
const VALUES = 'custom_field_values'

const TYPES: Readonly<Record<string, FieldType>> = { boolean: 'boolean', number: 'number', select: 'choice' }

/** Returns the choices of a field, which rackd keeps as a list in JSON. */
const parseChoices = (options: unknown): string[] => {
  try {
    const list: unknown = JSON.parse(String(options ?? '[]'))
    return Array.isArray(list) ? list.map((one) => String(one).trim()).filter((one) => one !== '') : []
  } catch {
    return []
  }
}

const toSourceField = ({ id, name, key, type, required, options, description }: SqlRow): SourceField => ({
  ...{ resource: 'devices', key: String(key ?? name ?? id), id, type: TYPES[String(type)] ?? 'text' },
  label: String(name ?? ''),
  choices: type === 'select' ? parseChoices(options) : [],
  required: required === 1,
  description: String(description ?? ''),
  refs: { rackd: `${DEFINITIONS}.${id}` },
})

export class RackdCustom {
  readonly #mapping: Mapping
  readonly #rows: CustomRows

  constructor(mapping: Mapping) {
    this.#mapping = mapping
    const collector = new CustomCollector()
    for (const row of mapping.tables.of(DEFINITIONS)) {
      if (isSecretField(row)) continue
      collector.define(toSourceField(row))
      mapping.done.add(row)
    }
    for (const row of mapping.tables.of(VALUES)) {
      const found = this.#valueOf(row)
      if (found)
        collector.add('devices', found.key, found.value, () => ({ resource: 'devices', key: found.key, type: 'text' }))
    }
    this.#rows = collector.rows(mapping.report)
  }

  /** Returns the values of a device. Secrets are dropped. */
  of(device: string, rows: readonly SqlRow[]): EstateRow | undefined {
    const values = rows.flatMap((row) => {
      const found = this.#valueOf(row)
      const { name } = this.#definitionOf(row)
      if (!found) this.#mapping.report.dropped(`${VALUES}.${name}`)
      return found ? [[found.key, found.value] as const] : []
    })
    return this.#rows.of('devices', values, { what: VALUES, id: device })
  }

  /** Returns the values of fields of packs, by name. */
  ofKind(kind: string, packed: EstateRow, place: ValuePlace): EstateRow | undefined {
    const values = Object.entries(packed).map(([name, value]) => [toPackKey(name), value] as const)
    return this.#rows.of(kind, values, place)
  }

  get packs(): ReadonlySet<string> {
    return this.#rows.packs
  }

  finish(documents: EstateDocument): EstateRow[] {
    return this.#rows.finish(documents, DEFINITIONS)
  }

  #definitionOf({ field_id }: SqlRow): SqlRow {
    return this.#mapping.tables.byId(DEFINITIONS).get(String(field_id)) ?? {}
  }

  /** Returns the key of the field and the value; undefined for a secret. */
  #valueOf(row: SqlRow): { readonly key: string; readonly value: unknown } | undefined {
    const definition = this.#definitionOf(row)
    if (isSecretField(definition)) return undefined
    const { string_value, number_value, bool_value } = row
    const isFlag = definition.type === 'boolean' && bool_value !== undefined
    const value = isFlag ? bool_value === 1 : (string_value ?? number_value ?? bool_value)
    return { key: String(definition.key ?? definition.name ?? row.field_id), value: value ?? '' }
  }
}

const isSecretField = ({ name, key }: SqlRow): boolean => isSecret(String(name)) || isSecret(String(key))
