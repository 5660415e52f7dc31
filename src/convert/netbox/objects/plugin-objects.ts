/** Types of the plugin netbox_custom_objects become kinds, and their objects become objects of these. */
import { isRecord } from '../../../contract/unknown.ts'
import type { EstateRow } from '../../converter.ts'
import type { ObjectRows } from '../../objects/object-rows.ts'
import { isPackKindName } from '../../objects/packs.ts'
import { compact, trimText } from '../../rows/row-text.ts'
import { listLines, type Mapping, markDone, markTaken, toRefs } from '../mapping.ts'
import { CUSTOM_FIELDS, type NetboxObject } from '../read/objects.ts'
import { PLUGIN_FIELD, PLUGIN_TYPE, toPluginKind } from '../read/plugin-kinds.ts'

/** The longest name of a kind. */
const MAX_NAME = 64

const SAID = new Set('name verbose_name verbose_name_plural slug description fields tags'.split(' '))
/** Fields that say how the plugin itself stores a type. */
const INNER = new Set(
  'table_model_name object_type_name object_type cache_timestamp next_schema_id schema_document version'.split(' '),
)

/** @example toTitle('dhcp_scope') // 'Dhcp scope' */
const toTitle = (name: unknown): string => {
  const text = String(name ?? '')
    .replaceAll('_', ' ')
    .trim()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const getSingular = ({ verbose_name, name }: NetboxObject): string => String(verbose_name ?? toTitle(name))

export const buildKinds = (mapping: Mapping): EstateRow[] => {
  const { model, report } = mapping
  const names = new Set<string>()
  return model.of(PLUGIN_TYPE).flatMap((type) => {
    const { id, verbose_name_plural, description } = type
    const kindId = model.pluginKinds.get(id)
    if (kindId === undefined) return []
    const singular = getSingular(type)
    const place = { what: `${PLUGIN_TYPE}.name`, id }
    const plural = trimText(report, place, String(verbose_name_plural ?? `${singular}s`), MAX_NAME) || kindId
    const isTaken = names.has(plural.toLowerCase()) || isPackKindName(plural)
    const suffix = isTaken ? ` #${id}` : ''
    const name = `${plural.slice(0, MAX_NAME - suffix.length).toWellFormed()}${suffix}`
    names.add(name.toLowerCase())
    markTaken(mapping, PLUGIN_TYPE, type, new Set([...SAID, ...INNER]))
    return [
      compact({
        id: kindId,
        name,
        singular: trimText(report, place, singular, MAX_NAME),
        description: String(description ?? ''),
        unique_names: false,
        refs: toRefs(PLUGIN_TYPE, id),
      }),
    ]
  })
}

/** Returns the name of an object: its field `name`, else its main field. */
const getName = (object: NetboxObject, type: NetboxObject, primary: unknown): string => {
  const custom = object[CUSTOM_FIELDS]
  const values = isRecord(custom) ? custom : {}
  const found = [values.name, typeof primary === 'string' ? values[primary] : undefined].find(
    (value) => typeof value === 'string' || typeof value === 'number',
  )
  return found === undefined ? `${getSingular(type)} #${object.id}` : String(found)
}

export const addPluginObjects = (mapping: Mapping, rows: ObjectRows): void => {
  const { model, report, custom } = mapping
  const primaries = new Map(
    model.of(PLUGIN_FIELD).flatMap((field) => (field.primary === true ? [[field.custom_object_type, field.name]] : [])),
  )
  for (const type of model.of(PLUGIN_TYPE)) {
    const kindId = model.pluginKinds.get(type.id)
    if (kindId === undefined) continue
    const kind = toPluginKind(kindId)
    for (const object of model.of(kind)) {
      const { id } = object
      rows.add({
        kind: kindId,
        place: { what: kind, id },
        name: getName(object, type, primaries.get(type.id)),
        description: report.describe(kind, id, '', listLines(mapping, { kind, object, used: new Set(['tags']) })),
        custom: custom.of(kind, object),
        refs: toRefs(kind, id),
      })
      markDone(mapping, kind, object)
    }
  }
}
