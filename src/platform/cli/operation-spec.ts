/** Derives the flags and arguments of an operation from its contract. */
import { WRITE_FIELDS } from '../contract/history-fields.ts'
import { httpParts, takesQuery } from '../operation/http-route.ts'
import type { AnyOperation } from '../operation/operation.ts'
import { type Argument, type Flag, flag, type Spec } from './command.ts'
import { flagName, singular } from './command-name.ts'
import { choicesOf, elementOf, type FieldSchema, kindOf, schemaOf, settled } from './schema.ts'

/** Returns true for a field that is about the call and not about the object. */
export const isOfHistory = ({ keeps }: AnyOperation, field: string): boolean =>
  keeps === true && Object.hasOwn(WRITE_FIELDS, field)

/** Names of the fields that the command line adds to an operation. */
export const INPUT_FIELD = '@input'
export const UNSET_FIELD = '@unset'

/** References accept names, so `--datacenter` is `--datacenter-id`; a list accepts its singular, `--tag` or `--datacenter-id`. */
const shortForms = (field: string, schema: FieldSchema): string[] => {
  const isReference = (elementOf(schema) ?? settled(schema)).ref !== undefined
  const bare = field.replace(/_ids?$/, '')
  if (isReference && bare !== field)
    return [flagName(bare), ...(field.endsWith('_ids') ? [flagName(singular(field))] : [])]
  return elementOf(schema) ? [flagName(/(?:ss|us)es$/.test(field) ? field.slice(0, -2) : singular(field))] : []
}

const hintOf = (schema: FieldSchema): string => {
  const { ref, format, properties } = settled(schema)
  if (ref !== undefined) return singular(ref).toUpperCase()
  if (choicesOf(schema).length > 0) return 'CHOICE'
  const kind = kindOf(schema)
  if (kind === 'number') return 'NUMBER'
  if (kind === 'object')
    return `${(settled(schema).required?.[0] ?? Object.keys(properties ?? {})[0] ?? 'key').toUpperCase()}|KEY=VALUE,...`
  if (kind === 'record') return 'KEY=VALUE'
  return format?.startsWith('date') ? 'TIME' : 'TEXT'
}

const aboutOf = (schema: FieldSchema): string => schema.description ?? settled(schema).description ?? ''

const rangeOf = ({ minimum, maximum, minLength, maxLength }: FieldSchema): string => {
  // Bounds that only mean "fits a double" are not shown.
  const min = minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum
  const max = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum
  if (min !== undefined && max !== undefined) return `${min}-${max}`
  if (min !== undefined) return `at least ${min}`
  if (max !== undefined) return `at most ${max}`
  if (maxLength !== undefined) return `at most ${maxLength} characters`
  return minLength === undefined ? '' : `at least ${minLength} character${minLength === 1 ? '' : 's'}`
}

const boundsOf = (schema: FieldSchema): string => {
  const { default: preset } = settled(schema)
  if (settled(elementOf(schema) ?? schema).ref !== undefined) return 'id or name'
  // null means "not given".
  const shown = preset === undefined || preset === null ? '' : `default ${JSON.stringify(preset)}`
  return [rangeOf(settled(elementOf(schema) ?? schema)), shown].filter((text) => text !== '').join('; ')
}

const describeValue = (field: string, schema: FieldSchema) => {
  const element = elementOf(schema) ?? schema
  return {
    field,
    about: aboutOf(schema),
    bounds: boundsOf(schema),
    choices: choicesOf(element),
    ref: settled(element).ref,
  }
}

const flagOf = (field: string, schema: FieldSchema, taken: ReadonlySet<string>): Flag => {
  const element = elementOf(schema)
  const isSwitch = element === undefined && kindOf(schema) === 'boolean'
  const extra = shortForms(field, schema).filter((name) => !taken.has(name) && name !== flagName(field))
  return {
    ...describeValue(field, schema),
    names: [flagName(field), ...extra],
    isSwitch,
    isList: element !== undefined || kindOf(schema) === 'record',
    hint: isSwitch ? '' : hintOf(element ?? schema),
  }
}

const argumentOf = (
  field: string,
  schema: FieldSchema,
  { isRequired, isLast }: { isRequired: boolean; isLast: boolean },
): Argument => ({
  ...describeValue(field, schema),
  isRequired,
  // A search term may be several words, as in any search box.
  isRest: isLast && (elementOf(schema) !== undefined || field === 'q'),
})

/** Shows the preview, which says more than the answer that `true` would get. */
const DRY_RUN = flag('dry-run', 'Show what would change, and change nothing')

const bodyFlags = (op: AnyOperation, all: readonly string[]): Flag[] => {
  const { method, params } = httpParts(op.http)
  const fields = all.filter((field) => !isOfHistory(op, field))
  if (takesQuery(method) || fields.every((field) => params.includes(field))) return []
  return [
    {
      ...flag('input', 'The whole body as JSON or YAML; - reads it from standard input', { hint: 'FILE' }),
      field: INPUT_FIELD,
    },
    {
      ...flag('unset', 'Clears a field', {
        hint: 'FIELD',
        isList: true,
        choices: fields.filter((f) => !params.includes(f)).map(flagName),
      }),
      field: UNSET_FIELD,
    },
  ]
}

/** A field that is both an argument and a flag may be given either way. */
export const specOf = (op: AnyOperation): Spec => {
  const { properties = {}, required = [] } = schemaOf(op.input)
  const fields = Object.keys(properties)
  const names = new Set(fields.map(flagName))
  const args = op.cli?.args ?? []
  return {
    args: args.flatMap((field, i) => {
      const schema = properties[field]
      return schema
        ? [argumentOf(field, schema, { isRequired: required.includes(field), isLast: i === args.length - 1 })]
        : []
    }),
    flags: [
      ...Object.entries(properties).map(([field, schema]) =>
        op.keeps && field === 'dry_run' ? { ...DRY_RUN, field } : flagOf(field, schema, names),
      ),
      ...bodyFlags(op, fields).filter((one) => !one.names.some((name) => names.has(name))),
    ],
  }
}

/** @example fieldOfFlag(['switch_port'], 'switch-port') // 'switch_port' */
export const fieldOfFlag = (fields: readonly string[], typed: string): string | undefined =>
  fields.find((field) => field === typed.replaceAll('-', '_')) ??
  fields.find((field) => field === `${typed.replaceAll('-', '_')}_id`)
