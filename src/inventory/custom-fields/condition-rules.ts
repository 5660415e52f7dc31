/** The rules of conditions of definitions, and of the fields that they name. */
import { AppError, type FieldIssue } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { CUSTOM, listConditionFields, NAMED_CUSTOM_TYPES } from '../../resource/custom/condition-fields.ts'
import { toObjectResource } from '../../resource/custom/fields.ts'
import type { CustomField } from '../../resource/custom/schema.ts'
import type { StoredField } from '../../resource/custom/store.ts'
import * as store from '../../resource/custom/store.ts'
import { FACTS } from '../resources.ts'
import { definitions } from './definition-store.ts'

const MAX_SHOWN = 20

const listNames = (names: readonly string[]): string =>
  `${names.slice(0, MAX_SHOWN).join(', ')}${names.length > MAX_SHOWN ? ', ...' : ''}`

const BOOLEANS = ['true', 'false']

/** Returns the values that a field of a condition has, none where any text may be one; or why it cannot be named. */
const findNamed = async (
  ctx: Ctx,
  { resource, name }: CustomField,
  field: string,
): Promise<{ readonly values: readonly string[] } | { readonly message: string }> => {
  if (!field.startsWith(CUSTOM)) {
    const fields = listConditionFields(resource === 'addresses' ? undefined : FACTS[toObjectResource(resource)])
    const values = fields.get(field)
    return values
      ? { values }
      : {
          message: `must be one of ${listNames([...fields.keys()])}, or custom.<name> of a custom field of ${resource}`,
        }
  }
  const named = await store.findByName(ctx, { resource, name: field.slice(CUSTOM.length) })
  if (!named) return { message: `is no custom field of ${resource}` }
  if (named.name === name) return { message: 'must be another field' }
  if (!NAMED_CUSTOM_TYPES.includes(named.type))
    return { message: `must be of the type ${NAMED_CUSTOM_TYPES.join(', ')}` }
  if (named.only_for) return { message: 'has a condition of its own' }
  return { values: named.type === 'boolean' ? BOOLEANS : named.choices }
}

const checkOwn = async (ctx: Ctx, field: CustomField): Promise<FieldIssue[]> => {
  if (!field.only_for) return []
  const named = await findNamed(ctx, field, field.only_for.field)
  if ('message' in named) return [{ field: 'only_for.field', message: named.message }]
  if (named.values.length === 0) return []
  const known = new Set(named.values.map((one) => one.toLowerCase()))
  return field.only_for.values.flatMap((value, i) =>
    known.has(value.toLowerCase())
      ? []
      : [{ field: `only_for.values[${i}]`, message: `must be one of ${listNames(named.values)}` }],
  )
}

/** Returns the definitions with conditions that name a custom field. */
const findDependents = async (ctx: Ctx, { resource, name }: Pick<CustomField, 'resource' | 'name'>) =>
  (await store.findAll(ctx)).filter((one) => one.resource === resource && one.only_for?.field === `${CUSTOM}${name}`)

const isHolding = ({ only_for }: CustomField, text: string): boolean =>
  only_for?.values.some((one) => one.toLowerCase() === text.toLowerCase()) === true

/** @param isKept true for a choice that has no new name */
const checkNamed = async (
  ctx: Ctx,
  before: CustomField,
  after: CustomField,
  isKept: (choice: string) => boolean,
): Promise<FieldIssue[]> => {
  const dependents = await findDependents(ctx, before)
  const [first] = dependents
  if (!first) return []
  const named = `the condition of "${first.name}" names it`
  const issues: FieldIssue[] = []
  if (after.resource !== before.resource) issues.push({ field: 'resource', message: `cannot change: ${named}` })
  if (!NAMED_CUSTOM_TYPES.includes(after.type)) issues.push({ field: 'type', message: `cannot change: ${named}` })
  if (after.only_for) issues.push({ field: 'only_for', message: `must be empty: ${named}` })
  const gone = before.choices.filter((choice) => isKept(choice) && !after.choices.includes(choice))
  for (const choice of after.type === 'choice' ? gone : []) {
    const user = dependents.find((one) => isHolding(one, choice))
    if (user) {
      const message = `lacks ${JSON.stringify(choice)}, which the condition of "${user.name}" names`
      return [...issues, { field: 'choices', message }]
    }
  }
  return issues
}

/** Returns what is wrong with the condition of a definition, and with its change where conditions of others name the field. */
export const checkConditions = async (
  ctx: Ctx,
  field: CustomField,
  change?: { readonly before: CustomField; readonly isKept: (choice: string) => boolean },
): Promise<FieldIssue[]> => [
  ...(await checkOwn(ctx, field)),
  ...(change ? await checkNamed(ctx, change.before, field, change.isKept) : []),
]

/** Gives the conditions that name a field its new name, and the new names of its choices. */
export const renameInConditions = async (
  ctx: Ctx,
  before: CustomField,
  { name, choices }: { readonly name: string; readonly choices: ReadonlyMap<string, string> },
): Promise<void> => {
  if (name === before.name && choices.size === 0) return
  const renamed = new Map([...choices].map(([old, fresh]) => [old.toLowerCase(), fresh]))
  const toRenamed = (field: StoredField): StoredField => ({
    ...field,
    only_for: {
      field: `${CUSTOM}${name}`,
      values: [...new Set((field.only_for?.values ?? []).map((one) => renamed.get(one.toLowerCase()) ?? one))],
    },
    updated_at: ctx.now,
  })
  for (const dependent of await findDependents(ctx, before)) {
    const after = toRenamed(dependent)
    if (!Bun.deepEquals(after.only_for, dependent.only_for))
      await definitions.write(ctx, [{ before: dependent, after }])
  }
}

/** @throws AppError IN_USE if the condition of another field names the field */
export const refuseNamed = async (ctx: Ctx, field: CustomField): Promise<void> => {
  const [first] = await findDependents(ctx, field)
  if (first) throw new AppError('IN_USE', `The condition of the custom field "${first.name}" names "${field.name}"`)
}
