/** How definitions are read and written, and the form of one, with a preview of its control. */

import type { ReactNode } from 'react'
import { sortByName } from '../../../src/net/name-order.ts'
import type { CustomField } from '../../../src/resource/custom/schema.ts'
import { contracts } from '../api/contracts.ts'
import { RESOURCE_KEYS } from '../live/keys.ts'
import { createCrud } from '../resource/crud.ts'
import { REFS_FORM } from '../resource/facts/known-fields.ts'
import { HistoryTab } from '../resource/object/history-tab.tsx'
import type { FieldSpec, Input, Resource, Values } from '../resource/resource.ts'
import { CheckField, ConditionField, GroupField, Preview } from './definition-controls.tsx'
import {
  type FieldType,
  formatCondition,
  formatDefault,
  parseRenames,
  readCondition,
  readDefault,
  SEVERAL,
  splitLines,
  TYPE_TITLES,
  toDefinition,
  toFieldName,
} from './definition-text.ts'
import { RESOURCE_TITLES, TARGETS } from './definition-titles.ts'
import { ValueControl } from './value-control.tsx'

/** A kind as the form offers it. */
type NamedKind = { readonly id: string; readonly name: string }

const listOptions = (kinds: readonly NamedKind[]) => kinds.map(({ id, name }) => [id, name] as const)

/** Returns the resources and kinds that a reference may name. */
export const listTargets = (kinds: readonly NamedKind[]): readonly (readonly [id: string, name: string])[] => [
  ...TARGETS.map((target) => [target, RESOURCE_TITLES[target] ?? target] as const),
  ...listOptions(kinds),
]

const isType =
  (...types: readonly FieldType[]) =>
  ({ type }: Values): boolean =>
    types.some((one) => one === type)

const check = (
  name: string,
  text: { readonly label: string; readonly hint: string },
  isShown: (values: Values) => boolean = () => true,
): FieldSpec => ({
  name,
  label: text.label,
  initial: 'false',
  isShown,
  send: (value) => value === 'true',
  render: (input): ReactNode => <CheckField {...input} {...text} />,
})

const buildBoundField = (name: string, label: string): FieldSpec => ({
  name,
  label,
  kind: 'number',
  isHalf: true,
  isShown: isType('integer', 'number'),
})

const canBeUnique = (values: Values): boolean =>
  values.type !== 'boolean' && values.resource !== 'addresses' && !toDefinition(values).multiple

type Options = {
  readonly kinds: readonly NamedKind[]
  /** The form stands on the page of its resource, and asks for no other. */
  readonly isOwn: boolean
}

const buildFields = (all: readonly CustomField[], { kinds, isOwn }: Options): readonly FieldSpec[] => [
  {
    name: 'resource',
    label: 'Objects',
    kind: 'select',
    initial: 'devices',
    isHalf: !isOwn,
    options: [...Object.entries(RESOURCE_TITLES), ...listOptions(kinds)],
    ...(isOwn && { render: () => null }),
  },
  {
    name: 'type',
    label: 'Type',
    kind: 'select',
    initial: 'text',
    isHalf: true,
    options: Object.entries(TYPE_TITLES),
  },
  {
    name: 'name',
    label: 'Name',
    isMono: true,
    isRequired: !isOwn,
    isHalf: true,
    ...(isOwn && { placeholder: 'Made of the label' }),
    hint: 'Of the API, files and filters: a-z, 0-9 and _',
  },
  {
    name: 'label',
    label: 'Label',
    isHalf: true,
    isRequired: isOwn,
    hint: isOwn ? 'In forms and tables' : 'In forms and tables; the name without it',
  },
  {
    name: 'preview',
    label: 'Preview',
    send: () => undefined,
    render: ({ values }) => <Preview values={values} />,
  },
  {
    name: 'reference_to',
    label: 'Refers to',
    kind: 'select',
    initial: 'devices',
    options: listTargets(kinds),
    isShown: isType('reference'),
  },
  {
    name: 'choices',
    label: 'Choices',
    kind: 'area',
    hint: 'One on each line',
    read: (value) => (Array.isArray(value) ? value.join('\n') : ''),
    send: splitLines,
    isShown: isType('choice'),
  },
  {
    name: 'rename_choices',
    label: 'Rename choices',
    kind: 'area',
    hint: 'old = new, one on each line; all objects with the old one get the new one',
    read: () => '',
    send: parseRenames,
    isShown: (values, isNew) => !isNew && isType('choice')(values),
  },
  check('multiple', { label: 'Several values', hint: 'An object may have more than one' }, isType(...SEVERAL)),
  check('required', { label: 'Required', hint: 'New objects need a value. Those from before stay as they are' }),
  check('unique', { label: 'Unique', hint: 'No two objects have the same value' }, canBeUnique),
  check(
    'searchable',
    { label: 'Found by searches', hint: 'The search finds objects by it' },
    isType('text', 'choice', 'url'),
  ),
  buildBoundField('minimum', 'Minimum'),
  buildBoundField('maximum', 'Maximum'),
  {
    name: 'pattern',
    label: 'Pattern',
    isMono: true,
    hint: 'A regular expression that the whole text matches, like [A-Z]{2}-\\d+',
    isShown: isType('text'),
  },
  {
    name: 'default',
    label: 'Default',
    isShown: ({ unique }) => unique !== 'true',
    read: formatDefault,
    send: readDefault,
    render: ({ value, onChange, error, values }) => (
      <ValueControl
        key={values.type}
        definition={{ ...toDefinition(values), label: 'Default', required: false, description: 'Of new objects' }}
        value={readDefault(value)}
        onChange={(next) => onChange(formatDefault(next))}
        error={error}
      />
    ),
  },
  {
    name: 'only_for',
    label: 'Only where',
    read: formatCondition,
    send: (text) => {
      const { field, values } = readCondition(text)
      return field === '' ? null : { field, values: splitLines(values.join('\n')) }
    },
    render: (input) => <ConditionField {...input} all={all} />,
  },
  { name: 'description', label: 'Help text', kind: 'area' },
  {
    name: 'group',
    label: 'Group',
    render: (input) => (
      <GroupField
        {...input}
        groups={sortByName(
          new Set(all.flatMap(({ resource, group }) => (resource === input.values.resource ? group : []))),
          (group) => group,
        ).filter((group) => group !== '')}
      />
    ),
  },
  // Set by the place in the list; a new field comes last.
  { name: 'position', label: 'Position', initial: '0', send: Number, render: () => null },
  REFS_FORM,
]

/** Fields without a place in another type are cleared with it. */
const NEUTRAL = {
  choices: [],
  multiple: false,
  reference_to: '',
  unique: false,
  searchable: false,
  pattern: '',
  minimum: null,
  maximum: null,
  default: null,
}

const operations = createCrud(contracts.customFields)

/** Cached queries of objects that may have values. */
export const CHANGED_KEYS = RESOURCE_KEYS['custom-fields'] ?? []

/** On the page of a kind, the label comes first, and makes the name. */
const arrange = (fields: readonly FieldSpec[], { isOwn }: Options): readonly FieldSpec[] => {
  const label = fields.filter(({ name }) => name === 'label')
  return isOwn ? [...label, ...fields.filter(({ name }) => name !== 'label')] : fields
}

const withName = (input: Input): Input => ({ ...input, name: input.name || toFieldName(String(input.label ?? '')) })

export const buildDefinitionResource = (all: readonly CustomField[], options: Options): Resource<CustomField> => ({
  noun: options.isOwn ? 'field' : 'custom field',
  fields: arrange(buildFields(all, options), options),
  getName: ({ label }) => label,
  ...operations,
  create: (input) => operations.create(options.isOwn ? withName(input) : input),
  update: (id, input: Input, etag) =>
    operations.update(id, input.type === undefined ? input : { ...NEUTRAL, ...input }, etag),
  // The list of kinds counts their fields, and a new reference may lead to objects.
  changes: [...CHANGED_KEYS, 'kinds', 'references'],
  below: (id) => <HistoryTab kind="custom-field" id={id} />,
})
