/** Answers `OPTIONS`: the fields of an endpoint with their choices, as NetBox's web framework describes them. */

import type { Ctx } from '../../kernel/ctx.ts'
import { respondJson } from '../door/answers.ts'
import type { NetboxCall } from '../door/call.ts'
import { DECLARED, type Declared } from '../endpoint/declared.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { Field, FieldType } from '../endpoint/field.ts'

/** The names that the framework gives to types. */
const TYPE_NAMES: Readonly<Record<FieldType['is'], string>> = {
  string: 'string',
  integer: 'integer',
  decimal: 'decimal',
  boolean: 'boolean',
  'date-time': 'datetime',
  json: 'field',
  strings: 'list',
  integers: 'list',
  choice: 'field',
  object: 'field',
  objects: 'field',
}

/** @example toLabel('asset_tag') // 'Asset tag' */
const toLabel = (name: string): string => {
  const words = name.replace(/^_/, '').replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const describeField = <Item>({ name, type, isRequired, write }: Field<Item>) => ({
  type: TYPE_NAMES[type.is],
  required: isRequired === true,
  read_only: write === undefined,
  label: toLabel(name),
  ...(type.is === 'choice' && {
    choices: Object.entries(type.of).map(([value, label]) => ({
      value: type.isNumber ? Number(value) : value,
      display_name: label,
    })),
  }),
})

const mayCreate = ({ caller: { permissions, scopedPermissions } }: Ctx, { create }: Declared): boolean =>
  create?.some((permission) => permissions.has(permission) || scopedPermissions?.has(permission) === true) === true

export const answerOptions = <Item>(
  ctx: Ctx,
  call: NetboxCall,
  { path, fields, writes }: Endpoint<Item>,
): Promise<Response> => {
  const { [path]: declared } = DECLARED
  const isOffered = writes?.create !== undefined && mayCreate(ctx, declared)
  return respondJson(call, {
    name: `${declared.label} List`,
    description: '',
    renders: ['application/json'],
    parses: ['application/json'],
    ...(isOffered && {
      actions: { POST: Object.fromEntries(fields.map((field) => [field.name, describeField(field)])) },
    }),
  })
}
