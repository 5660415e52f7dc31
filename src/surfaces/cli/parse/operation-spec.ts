/** Derives the flags and arguments of an operation from its contract. */

import { canPropose } from '../../../contract/can-propose.ts'
import { toFlagName, toSingular } from '../../../contract/command-name.ts'
import { isFieldOfCall } from '../../../contract/fields/history-fields.ts'
import {
  type FieldSchema,
  getElementSchema,
  getInputSchema,
  getKind,
  listChoices,
  stripNull,
} from '../../../contract/input-schema.ts'
import { parseHttp, takesQuery } from '../../../kernel/http-route.ts'
import type { AnyOperation } from '../../../kernel/operation.ts'
import { type Argument, createFlag, type Flag, type Spec } from './command.ts'
import { PROPOSAL_FLAGS } from './proposal-flags.ts'

/** Returns true for a field that is about the call and not about the object. */
export const isOfHistory = (op: AnyOperation, field: string): boolean =>
  (op.hasHistory === true || canPropose(op)) && isFieldOfCall(field)

/** Names of the fields that the command line adds to an operation. */
export const INPUT_FIELD = '@input'
export const UNSET_FIELD = '@unset'

/** References accept names, so `--datacenter` is `--datacenter-id`; a list accepts its singular, `--tag` or `--datacenter-id`. */
const listShortForms = (field: string, schema: FieldSchema): string[] => {
  const isReference = (getElementSchema(schema) ?? stripNull(schema)).ref !== undefined
  const bare = field.replace(/_ids?$/, '')
  if (isReference && bare !== field)
    return [toFlagName(bare), ...(field.endsWith('_ids') ? [toFlagName(toSingular(field))] : [])]
  return getElementSchema(schema)
    ? [toFlagName(/(?:ss|us)es$/.test(field) ? field.slice(0, -2) : toSingular(field))]
    : []
}

const getHint = (schema: FieldSchema): string => {
  const { ref, format, properties } = stripNull(schema)
  if (ref !== undefined) return toSingular(ref).toUpperCase()
  if (listChoices(schema).length > 0) return 'CHOICE'
  const kind = getKind(schema)
  if (kind === 'number') return 'NUMBER'
  if (kind === 'object')
    return `${(stripNull(schema).required?.[0] ?? Object.keys(properties ?? {})[0] ?? 'key').toUpperCase()}|KEY=VALUE,...`
  if (kind === 'record') return 'KEY=VALUE'
  return format?.startsWith('date') ? 'TIME' : 'TEXT'
}

const getAbout = (schema: FieldSchema): string => schema.description ?? stripNull(schema).description ?? ''

const formatRange = ({ minimum, maximum, minLength, maxLength }: FieldSchema): string => {
  // Bounds that only mean "fits a double" are not shown.
  const min = minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum
  const max = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum
  if (min !== undefined && max !== undefined) return `${min}-${max}`
  if (min !== undefined) return `at least ${min}`
  if (max !== undefined) return `at most ${max}`
  if (maxLength !== undefined) return `at most ${maxLength} characters`
  return minLength === undefined ? '' : `at least ${minLength} character${minLength === 1 ? '' : 's'}`
}

const formatBounds = (schema: FieldSchema): string => {
  const { default: preset } = stripNull(schema)
  if (stripNull(getElementSchema(schema) ?? schema).ref !== undefined) return 'id or name'
  // null means "not given".
  const shown = preset === undefined || preset === null ? '' : `default ${JSON.stringify(preset)}`
  return [formatRange(stripNull(getElementSchema(schema) ?? schema)), shown].filter((text) => text !== '').join('; ')
}

const describeValue = (field: string, schema: FieldSchema) => {
  const element = getElementSchema(schema) ?? schema
  return {
    field,
    about: getAbout(schema),
    bounds: formatBounds(schema),
    choices: listChoices(element),
    ref: stripNull(element).ref,
  }
}

const buildFlag = (field: string, schema: FieldSchema, taken: ReadonlySet<string>): Flag => {
  const element = getElementSchema(schema)
  const isSwitch = element === undefined && getKind(schema) === 'boolean'
  const extra = listShortForms(field, schema).filter((name) => !taken.has(name) && name !== toFlagName(field))
  return {
    ...describeValue(field, schema),
    names: [toFlagName(field), ...extra],
    isSwitch,
    isList: element !== undefined || getKind(schema) === 'record',
    hint: isSwitch ? '' : getHint(element ?? schema),
  }
}

const buildArgument = (
  field: string,
  schema: FieldSchema,
  { isRequired, isLast }: { isRequired: boolean; isLast: boolean },
): Argument => ({
  ...describeValue(field, schema),
  isRequired,
  // A search term may be several words, as in any search box.
  isRest: isLast && (getElementSchema(schema) !== undefined || field === 'q'),
})

/** Shows the preview, which says more than the answer that `true` would get. */
const DRY_RUN = createFlag('dry-run', 'Show what would change, and change nothing')

const buildCallFlag = (op: AnyOperation, field: string): readonly Flag[] | undefined => {
  if (op.hasHistory && field === 'dry_run') return [{ ...DRY_RUN, field }]
  return canPropose(op) && field === 'proposal' ? PROPOSAL_FLAGS : undefined
}

const buildBodyFlags = (op: AnyOperation, all: readonly string[]): Flag[] => {
  const { method, params } = parseHttp(op.http)
  const fields = all.filter((field) => !isOfHistory(op, field))
  if (takesQuery(method) || fields.every((field) => params.includes(field))) return []
  return [
    {
      ...createFlag('input', 'The whole body as JSON or YAML; - reads it from standard input', { hint: 'FILE' }),
      field: INPUT_FIELD,
    },
    {
      ...createFlag('unset', 'Clears a field', {
        hint: 'FIELD',
        isList: true,
        choices: fields.filter((f) => !params.includes(f)).map(toFlagName),
      }),
      field: UNSET_FIELD,
    },
  ]
}

/** A field that is both an argument and a flag may be given either way. */
export const buildSpec = (op: AnyOperation): Spec => {
  const { properties = {}, required = [] } = getInputSchema(op.input)
  const fields = Object.keys(properties)
  const names = new Set(fields.map(toFlagName))
  const args = op.cli?.args ?? []
  return {
    args: args.flatMap((field, i) => {
      const schema = properties[field]
      return schema
        ? [buildArgument(field, schema, { isRequired: required.includes(field), isLast: i === args.length - 1 })]
        : []
    }),
    flags: [
      ...Object.entries(properties).flatMap(
        ([field, schema]) => buildCallFlag(op, field) ?? [buildFlag(field, schema, names)],
      ),
      ...buildBodyFlags(op, fields).filter((one) => !one.names.some((name) => names.has(name))),
    ],
  }
}

/** @example findField(['switch_port'], 'switch-port') // 'switch_port' */
export const findField = (fields: readonly string[], typed: string): string | undefined =>
  fields.find((field) => field === typed.replaceAll('-', '_')) ??
  fields.find((field) => field === `${typed.replaceAll('-', '_')}_id`)
