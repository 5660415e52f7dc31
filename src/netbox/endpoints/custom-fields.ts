/** `extras/custom-fields`: the custom fields that are in `custom_fields` of answers, to read. */
import { compareNames, toNameKey } from '../../net/name-order.ts'
import { findAll, type StoredField, toField } from '../../resource/custom/store.ts'
import { FIELD_TYPE, FILTER_LOGIC, UI_EDITABLE, UI_VISIBLE } from '../choices/custom-fields.ts'
import { isShownAsObject } from '../endpoint/custom.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { head, readOnly, times, toChoice } from '../endpoint/fields.ts'
import { choiceFilter, ownFilter, textFilter } from '../endpoint/filter.ts'
import { CUSTOM_TARGETS } from '../endpoint/resolvers.ts'
import { fromMemory } from '../endpoint/source.ts'
import type { Kind } from '../numbers/kinds.ts'
import { prepareWorld } from '../world/prepare.ts'

type Definition = ReturnType<typeof toField>

type FieldItem = { readonly field: Definition; readonly kinds: readonly Kind[] }

/** The part of an endpoint that tells which custom fields its answers have. */
export type WithCustom = {
  readonly kind: Kind
  readonly resource: string | undefined
  /** True for a custom field that is a field of the answer itself. */
  readonly serves: (name: string) => boolean
}

/** Where NetBox has no such type of values, they are texts, or lists of them. */
const toType = ({ type, multiple, reference_to }: Definition): keyof typeof FIELD_TYPE => {
  if (type === 'number') return 'decimal'
  if (type === 'choice') return multiple ? 'multiselect' : 'select'
  if (type === 'reference' && reference_to !== null && isShownAsObject(reference_to))
    return multiple ? 'multiobject' : 'object'
  if (type === 'reference' || type === 'ip') return multiple ? 'json' : 'text'
  return type
}

const DATA_TYPES: Readonly<Partial<Record<keyof typeof FIELD_TYPE, string>>> = {
  integer: 'integer',
  decimal: 'decimal',
  boolean: 'boolean',
  json: 'object',
  object: 'object',
  multiselect: 'array',
  multiobject: 'array',
}

const toDataType = (field: Definition): string => DATA_TYPES[toType(field)] ?? 'string'

const toRelated = (field: Definition): string | null => {
  const { reference_to: target } = field
  return target !== null && isShownAsObject(target) ? (CUSTOM_TARGETS[target]?.[0] ?? null) : null
}

/** NetBox's own. */
const USUAL_SEARCH_WEIGHT = 1000
const MAX_WEIGHT = 32_767

/** The label of Plat is the name where none was given. */
const getLabel = ({ field: { label, name } }: FieldItem): string => (label === name ? '' : label)

const displayField = (item: FieldItem): string => {
  const words = item.field.name.replaceAll('_', ' ')
  return getLabel(item) || words.charAt(0).toUpperCase() + words.slice(1)
}

/** Returns the kinds of objects whose answers have a field in `custom_fields`. */
const listKinds = ({ resource, name }: StoredField, endpoints: readonly WithCustom[]): Kind[] => [
  ...new Set(endpoints.flatMap((one) => (one.resource === resource && !one.serves(name) ? [one.kind] : []))),
]

/** @param endpoints all others */
export const createCustomFields = (endpoints: readonly WithCustom[]): Endpoint<FieldItem> => {
  const objectTypes = ownFilter<FieldItem, string>({
    lookups: ['', 'n'],
    message: "Invalid value. Specify a content type as '<app_label>.<model_name>'.",
    parse: (text) => (/^[a-z]+\.[a-z]+$/.test(text) ? text : undefined),
    test: ({ kinds }, kind) => kinds.some((one) => one === kind),
  })
  return {
    path: 'extras/custom-fields',
    kind: 'extras.customfield',
    key: ({ field }) => field.id,
    brief: ['id', 'url', 'display', 'name', 'description'],
    fields: [
      ...head<FieldItem>({ page: () => '/custom-fields', display: displayField }),
      readOnly('object_types', 'strings', ({ kinds }) => kinds),
      readOnly('type', { is: 'choice', of: FIELD_TYPE }, ({ field }) => toChoice(FIELD_TYPE, toType(field))),
      readOnly('related_object_type', 'string', ({ field }) => toRelated(field)),
      readOnly('data_type', 'string', ({ field }) => toDataType(field)),
      readOnly('name', 'string', ({ field }) => field.name),
      readOnly('label', 'string', getLabel),
      readOnly('group_name', 'string', ({ field }) => field.group),
      readOnly('description', 'string', ({ field }) => field.description),
      readOnly('required', 'boolean', ({ field }) => field.required),
      readOnly('unique', 'boolean', ({ field }) => field.unique),
      readOnly('search_weight', 'integer', ({ field }) => (field.searchable ? USUAL_SEARCH_WEIGHT : 0)),
      readOnly('filter_logic', { is: 'choice', of: FILTER_LOGIC }, () => toChoice(FILTER_LOGIC, 'loose')),
      readOnly('ui_visible', { is: 'choice', of: UI_VISIBLE }, () => toChoice(UI_VISIBLE, 'always')),
      readOnly('ui_editable', { is: 'choice', of: UI_EDITABLE }, () => toChoice(UI_EDITABLE, 'yes')),
      readOnly('is_cloneable', 'boolean', () => false),
      readOnly('default', 'json', ({ field }) => field.default),
      readOnly('related_object_filter', 'json', () => null),
      readOnly('weight', 'integer', ({ field }) => Math.min(Math.max(field.position, 0), MAX_WEIGHT)),
      readOnly('validation_minimum', 'decimal', ({ field }) => field.minimum),
      readOnly('validation_maximum', 'decimal', ({ field }) => field.maximum),
      readOnly('validation_regex', 'string', ({ field }) => field.pattern),
      readOnly('choice_set', 'json', () => null),
      readOnly('owner', 'json', () => null),
      readOnly('comments', 'string', () => ''),
      ...times<FieldItem>(({ field }) => field),
    ],
    source: fromMemory({
      tables: ['custom_fields'],
      key: ({ field }) => field.id,
      all: async ({ ctx }) =>
        (await findAll(ctx))
          .map((stored): FieldItem => ({ field: toField(stored), kinds: listKinds(stored, endpoints) }))
          .filter(({ kinds }) => kinds.length > 0)
          .sort((a, b) => compareNames(a.field.name, b.field.name) || (a.field.id < b.field.id ? -1 : 1)),
    }),
    prepare: (world) => prepareWorld(world, { sets: [], names: [], definitions: [] }),
    filters: {
      q: ownFilter({
        message: 'Enter a word.',
        parse: (word) => toNameKey(word.trim()),
        test: ({ field: { name, label, group, description } }, word) =>
          [name, label, group, description].some((one) => toNameKey(one).includes(word)),
      }),
      name: textFilter({ get: ({ field }) => field.name, isAnyCase: true }),
      label: textFilter({ get: getLabel }),
      description: textFilter({ get: ({ field }) => field.description }),
      type: choiceFilter({ choices: FIELD_TYPE, get: ({ field }) => toType(field) }),
      object_type: objectTypes,
      object_types: objectTypes,
    },
  }
}
