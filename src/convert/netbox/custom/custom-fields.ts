/** Custom fields keep their names and types. Each becomes one of every resource that its objects become. */

import { getOwn } from '../../../contract/own.ts'
import { isRecord } from '../../../contract/unknown.ts'
import type { CustomResource, FieldType } from '../../../resource/custom/fields.ts'
import { isPattern } from '../../../resource/custom/pattern.ts'
import type { EstateRow } from '../../converter.ts'
import { CustomCollector, type CustomRows, toPackKey, type ValuePlace } from '../../custom/custom-rows.ts'
import type { SourceField } from '../../custom/definition.ts'
import { findPackKind } from '../../objects/packs.ts'
import { leaveTimes, markDone, markTaken, NO_PLACE, type Reading, toRef } from '../mapping.ts'
import type { NetboxModel } from '../model.ts'
import type { ObjectValues } from '../objects/values.ts'
import { CUSTOM_FIELDS, type NetboxObject, parseNumber } from '../read/objects.ts'
import { getPluginKindId, PLUGIN_FIELD, toPluginKind } from '../read/plugin-kinds.ts'
import { listChoices } from './choices.ts'
import { getCustomResource, getTarget, wasText } from './custom-kinds.ts'
import { findOwnField, listOwnValues } from './own-fields.ts'

export const CUSTOM_FIELD = 'extras.customfield'

const TYPES: Readonly<Record<string, FieldType>> = {
  boolean: 'boolean',
  date: 'date',
  decimal: 'number',
  integer: 'integer',
  multiobject: 'reference',
  multiselect: 'choice',
  object: 'reference',
  select: 'choice',
  url: 'url',
}

/** Fields of a definition that are fields in Plat, and the values of others that say nothing. */
const USED = new Set(
  (
    'id name label type content_types object_types related_object_type object_type choices choice_set required unique ' +
    'default weight group_name description search_weight validation_minimum validation_maximum validation_regex ' +
    'created last_updated'
  ).split(' '),
)
/** Fields of a definition of the plugin that are fields in Plat, or that decide about its forms alone. */
const PLUGIN_USED = new Set([
  ...USED,
  ...['custom_object_type', 'primary', 'context', 'filter_logic', 'ui_visible', 'ui_editable', 'is_cloneable'],
  ...['related_name', 'on_delete_behavior', 'schema_id', 'is_polymorphic', 'related_object_types'],
])
/** The field of a type of the plugin that is the name of its objects. */
const NAME = 'name'

const USUAL: Readonly<Record<string, unknown>> = { filter_logic: 'loose', ui_visible: 'always', ui_editable: 'yes' }

const LONGEST_PATTERN = 256

/** NetBox matches from the beginning, and Plat the whole value. A pattern of another Plat ends as one that is made here. */
const toPattern = (regex: unknown): string => {
  if (typeof regex !== 'string' || regex === '') return ''
  const pattern = /(?<!\\)\$$|\(\?s:\.\*\)$/.test(regex) ? regex : `(?:${regex})(?s:.*)`
  return pattern.length <= LONGEST_PATTERN && isPattern(pattern) ? pattern : ''
}

const getRelatedKind = ({ related_object_type, object_type }: NetboxObject): string =>
  String(related_object_type ?? object_type ?? '')

const isSeveral = (type: string): boolean => type === 'multiselect' || type === 'multiobject'

/** Returns the type of a field; that of a reference only if what it names is a row. */
const getFieldType = (object: NetboxObject): FieldType => {
  // A reference to objects of any type has no list to choose from.
  if (object.is_polymorphic === true) return 'text'
  const type = TYPES[String(object.type)] ?? 'text'
  return type === 'reference' && getTarget(getRelatedKind(object)) === undefined ? 'text' : type
}

const toShortText = (value: unknown, max: number): string =>
  String(value ?? '')
    .slice(0, max)
    .toWellFormed()
    .trim()

/** @param of the kind of the definition. Definitions of the plugin are new */
const toSourceField = (
  mapping: Reading,
  object: NetboxObject,
  resource: CustomResource,
  of = CUSTOM_FIELD,
): SourceField => {
  const { id, name, label, required, unique, weight, group_name, description, search_weight } = object
  const { validation_regex, validation_minimum, validation_maximum } = object
  const type = getFieldType(object)
  const related = getRelatedKind(object)
  const isNew = of === CUSTOM_FIELD && type === 'reference' && wasText(related)
  const pattern = type === 'text' ? toPattern(validation_regex) : ''
  if (validation_regex !== undefined && pattern === '')
    mapping.report.left(`${of}.validation_regex`, 'is no pattern of Plat', { id, value: validation_regex })
  return {
    ...{ resource, key: String(name), id, type, pattern },
    // The type of a field with values cannot change.
    ...(isNew && { name: `${name}_ref` }),
    label: toShortText(label ?? (isNew ? name : ''), 128),
    multiple: isSeveral(String(object.type)) && type !== 'text',
    choices: type === 'choice' ? listChoices(mapping.model, object) : [],
    reference_to: type === 'reference' ? (getTarget(related) ?? null) : null,
    required: required === true,
    unique: unique === true,
    default: isRecord(object.default) ? null : ((object.default as SourceField['default']) ?? null),
    minimum: parseNumber(validation_minimum) ?? null,
    maximum: parseNumber(validation_maximum) ?? null,
    searchable: (parseNumber(search_weight) ?? 0) > 0,
    description: toShortText(description, 4096),
    group: toShortText(group_name, 128),
    position: parseNumber(weight) ?? 0,
    refs: { netbox: `${of}.${id}.${resource}${isNew ? '.ref' : ''}` },
  }
}

const leaveOthers = (reading: Reading, object: NetboxObject, others: readonly string[]): void => {
  const { report } = reading
  leaveTimes(reading, CUSTOM_FIELD, object)
  for (const [field, value] of Object.entries(object))
    if (!USED.has(field) && getOwn(USUAL, field) !== value)
      report.left(`${CUSTOM_FIELD}.${field}`, NO_PLACE, { id: object.id, value })
  if (others.length > 0)
    report.left(`${CUSTOM_FIELD}.object_types`, 'have no custom fields in Plat', { id: object.id, value: others })
}

const define = (mapping: Reading, collector: CustomCollector): Map<string, NetboxObject> => {
  const byName = new Map<string, NetboxObject>()
  for (const object of mapping.model.of(CUSTOM_FIELD)) {
    if (typeof object.name !== 'string') continue
    byName.set(object.name, object)
    const kinds = mapping.model.kindsOfField(object)
    const resources = new Set(kinds.flatMap((kind) => getCustomResource(kind) ?? []))
    if (resources.size === 0) continue
    for (const resource of resources) collector.define(toSourceField(mapping, object, resource))
    markDone(mapping, CUSTOM_FIELD, object)
    leaveOthers(
      mapping,
      object,
      kinds.filter((kind) => getCustomResource(kind) === undefined),
    )
  }
  return byName
}

/** Returns the fields of the types of the plugin, by kind and name. A field `name` is the name of an object. */
const definePluginFields = (mapping: Reading, collector: CustomCollector): Map<string, NetboxObject> => {
  const byName = new Map<string, NetboxObject>()
  for (const object of mapping.model.of(PLUGIN_FIELD)) {
    const kindId = mapping.model.pluginKinds.get(Number(object.custom_object_type))
    if (kindId === undefined || typeof object.name !== 'string') continue
    byName.set(`${toPluginKind(kindId)} ${object.name}`, object)
    if (object.name !== NAME) collector.define(toSourceField(mapping, object, kindId, PLUGIN_FIELD))
    markTaken(mapping, PLUGIN_FIELD, object, PLUGIN_USED)
  }
  return byName
}

/** Returns the type of a value of a field that the file does not define. */
const detectType = (value: unknown): FieldType => {
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'number'
  return 'text'
}

/** Since 4.7 the API gives a choice as its value and its label. */
const toChoice = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(toChoice)
  const isChoice = isRecord(value) && 'value' in value && 'label' in value && Object.keys(value).length === 2
  return isChoice ? value.value : value
}

/** The custom fields of a NetBox. */
export class NetboxCustom {
  readonly #model: NetboxModel
  readonly #byName: ReadonlyMap<string, NetboxObject>
  readonly #byPlugin: ReadonlyMap<string, NetboxObject>
  readonly #values: ObjectValues
  readonly #rows: CustomRows

  constructor(mapping: Reading, values: ObjectValues) {
    const { model, report } = mapping
    const collector = new CustomCollector()
    this.#model = model
    this.#values = values
    this.#byName = define(mapping, collector)
    this.#byPlugin = definePluginFields(mapping, collector)
    for (const kind of model.kinds) {
      const resource = getCustomResource(kind)
      if (resource === undefined) continue
      const pack = findPackKind(resource)?.pack
      if (pack !== undefined && model.has(kind)) collector.reservePack(pack)
      for (const object of model.each(kind))
        for (const [key, value] of this.#valuesOf(kind, object))
          collector.add(
            resource,
            key,
            value,
            () => findOwnField(values, resource, key) ?? { resource, key, type: detectType(value) },
          )
    }
    this.#rows = collector.rows(report)
  }

  /** Returns the values of an object, as its row has them. */
  of(kind: string, object: NetboxObject): Record<string, unknown> | undefined {
    const resource = getCustomResource(kind)
    const values = resource === undefined ? [] : this.#valuesOf(kind, object)
    if (resource === undefined || values.length === 0) return undefined
    return this.#rows.of(resource, values, { what: `${kind}.${CUSTOM_FIELDS}`, id: object.id })
  }

  /** Returns values of fields of packs, by name, of an object that is none of NetBox. */
  ofPack(resource: CustomResource, values: EstateRow, place: ValuePlace): Record<string, unknown> | undefined {
    const present = Object.entries(values).filter(([, value]) => value !== undefined)
    return this.#rows.of(
      resource,
      present.map(([name, value]) => [toPackKey(name), value]),
      place,
    )
  }

  get packs(): ReadonlySet<string> {
    return this.#rows.packs
  }

  finish: CustomRows['finish'] = (documents, kind) => this.#rows.finish(documents, kind)

  #valuesOf(kind: string, object: NetboxObject): (readonly [string, unknown])[] {
    const custom = object[CUSTOM_FIELDS]
    const isPlugin = getPluginKindId(kind) !== undefined
    const values = Object.entries(isRecord(custom) ? custom : {}).flatMap(([key, value]) => {
      if (value === null || value === '' || (isPlugin && key === NAME)) return []
      const field = isPlugin ? this.#byPlugin.get(`${kind} ${key}`) : this.#byName.get(key)
      return [[key, this.#plain(field, value)] as const]
    })
    return [...values, ...listOwnValues({ model: this.#model, values: this.#values }, kind, object)]
  }

  /** Returns references as rows, or as the names of objects that are none, and choices as their values. */
  #plain(field: NetboxObject | undefined, given: unknown): unknown {
    const value = field?.type === 'json' ? given : toChoice(given)
    const related = field && /object$/.test(String(field.type)) ? getRelatedKind(field) : ''
    if (related === '') return value
    const isRow = getTarget(related) !== undefined
    const one = (id: unknown) => (isRow ? toRef(related, String(id)) : this.#model.label(related, parseNumber(id)))
    return Array.isArray(value) ? value.map(one) : one(value)
  }
}
