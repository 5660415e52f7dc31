/** New names of custom fields and of their choices, which the values of all objects get. */
import { type FieldIssue, rejectIssues } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Custom, CustomValue } from '../../resource/custom/fields.ts'
import type { CustomField, CustomFieldPatch } from '../../resource/custom/schema.ts'
import type { StoredField } from '../../resource/custom/store.ts'
import * as store from '../../resource/custom/store.ts'
import { buildKeys } from '../../resource/custom/values.ts'

/** New names of choices, by the old ones. */
type ChoiceNames = ReadonlyMap<string, string>

type RenamedChoices = {
  readonly names: ChoiceNames
  /** The fields of the definition that follow from the new names. */
  readonly patch: Pick<CustomFieldPatch, 'choices' | 'default'>
  /** True for a choice that has no new name. */
  readonly isKept: (choice: string) => boolean
}

const renameValue = (names: ChoiceNames, value: CustomValue): CustomValue => {
  if (typeof value === 'string') return names.get(value) ?? value
  return typeof value === 'object' ? [...new Set(value.map((one) => names.get(one) ?? one))] : value
}

const checkNames = (before: CustomField, names: ChoiceNames, choices: readonly string[]): FieldIssue[] =>
  [...names].flatMap(([old, name]) => {
    const field = 'rename_choices'
    if (!before.choices.includes(old)) return [{ field, message: `${JSON.stringify(old)} is no choice` }]
    if (choices.filter((one) => one === name).length > 1)
      return [{ field, message: `${JSON.stringify(name)} is a choice already` }]
    return []
  })

/** Returns the names of stored choices that are given again in their normal form (NFC), and of those that get a name. */
const listNames = (
  before: CustomField,
  { rename_choices = {}, choices }: Pick<CustomFieldPatch, 'rename_choices' | 'choices'>,
): { readonly renamed: ChoiceNames; readonly names: ChoiceNames } => {
  const composed = new Map(before.choices.map((choice) => [choice.normalize('NFC'), choice]))
  const findStored = (name: string) => (before.choices.includes(name) ? name : (composed.get(name) ?? name))
  const renamed = new Map(
    Object.entries(rename_choices)
      .filter(([old, name]) => old !== name)
      .map(([old, name]) => [findStored(old), name] as const),
  )
  const rewritten = before.choices
    .map((choice) => [choice, choice.normalize('NFC')] as const)
    .filter(([choice, name]) => choice !== name && choices?.includes(name))
  return { renamed, names: new Map([...rewritten, ...renamed]) }
}

/**
 * Returns the choices with their new names.
 * @param given the fields of an update
 * @throws AppError VALIDATION_ERROR for names that are no choices, or that two choices would have
 */
export const renameChoices = (
  before: CustomField,
  given: Pick<CustomFieldPatch, 'rename_choices' | 'choices' | 'default' | 'type'>,
): RenamedChoices => {
  const { renamed, names } = listNames(before, given)
  const isKept = (choice: string): boolean => !names.has(choice)
  if (names.size === 0) return { names, patch: {}, isKept }
  const { type = before.type } = given
  if (renamed.size > 0 && (before.type !== 'choice' || type !== 'choice'))
    rejectIssues([{ field: 'rename_choices', message: 'is for fields of type "choice"' }])
  const choices = before.choices.map((choice) => names.get(choice) ?? choice)
  rejectIssues(checkNames(before, renamed, choices))
  const missing = given.choices && [...renamed].find(([, name]) => !given.choices?.includes(name))
  if (missing) {
    const [old, name] = missing.map((choice) => JSON.stringify(choice))
    rejectIssues([{ field: 'choices', message: `lacks ${name}, the new name of ${old}` }])
  }
  const patch = {
    choices: given.choices ?? choices,
    ...(given.default === undefined &&
      before.default !== null && { default: renameValue(names, before.default) as CustomField['default'] }),
  }
  return { names, patch, isKept }
}

type NewNames = { readonly name: string; readonly choices: ChoiceNames }

/**
 * Gives the values of all objects the new names of their field and choices: a change of each object.
 * @returns false if no name is new
 */
export const renameValues = async (ctx: Ctx, field: StoredField, { name, choices }: NewNames): Promise<boolean> => {
  const { resource, number } = field
  if (name === field.name && choices.size === 0) return false
  const ids =
    name === field.name
      ? await store.findIdsWithKeys(
          ctx,
          number,
          [...choices.keys()].flatMap((choice) => buildKeys(field, choice)),
        )
      : await store.findIdsWithValue(ctx, number)
  const change = (custom: Custom): Custom =>
    Object.fromEntries(
      Object.entries(custom)
        .map(([key, value]) =>
          key === field.name ? ([name, renameValue(choices, value)] as const) : ([key, value] as const),
        )
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    )
  if (ids.length === 0) return true
  // The keys of the values are found by the present name of the field, so the objects write them again.
  if (name !== field.name) await store.removeFieldValues(ctx, number)
  await ctx.emit('custom-fields.rewriting', { resource, ids, change, isChange: true })
  return true
}
