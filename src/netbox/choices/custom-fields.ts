/** The choices of NetBox 4.5 for custom fields: its values with its labels, which typed clients check. */

export const FIELD_TYPE = {
  text: 'Text',
  longtext: 'Text (long)',
  integer: 'Integer',
  decimal: 'Decimal',
  boolean: 'Boolean (true/false)',
  date: 'Date',
  datetime: 'Date & time',
  url: 'URL',
  json: 'JSON',
  select: 'Selection',
  multiselect: 'Multiple selection',
  object: 'Object',
  multiobject: 'Multiple objects',
} as const

export const FILTER_LOGIC = {
  disabled: 'Disabled',
  loose: 'Loose',
  exact: 'Exact',
} as const

export const UI_VISIBLE = {
  always: 'Always',
  'if-set': 'If set',
  hidden: 'Hidden',
} as const

export const UI_EDITABLE = {
  yes: 'Yes',
  no: 'No',
  hidden: 'Hidden',
} as const
