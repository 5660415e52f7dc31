/** A new kind as its form holds it, and the call that defines it. Pure functions. */
import { toKindId, toSingularName } from '../../../src/inventory/kinds/names.ts'
import type { InputOf } from '../../../src/kernel/operation.ts'
import type { CustomField } from '../../../src/resource/custom/schema.ts'
import type { Contracts } from '../api/contracts.ts'
import { type FieldType, toDefinition, toFieldName } from '../custom-fields/definition-text.ts'
import { toSentenceCase } from '../ui/format.ts'
import type { Kind } from './known-kinds.ts'

export type FieldDraft = {
  /** Tells rows apart while they are moved. */
  readonly key: number
  readonly label: string
  readonly type: FieldType
  /** The resource or kind that a reference names. */
  readonly target: string
  /** Of a choice, with commas between them. */
  readonly choices: string
}

export type Flag = 'nested' | 'located' | 'unique_names'

export type KindDraft = Readonly<Record<Flag, boolean>> & {
  readonly name: string
  readonly icon: Kind['icon']
  readonly fields: readonly FieldDraft[]
}

export const createField = (key: number): FieldDraft => ({
  key,
  label: '',
  type: 'text',
  target: 'devices',
  choices: '',
})

export const EMPTY: KindDraft = {
  name: '',
  icon: 'box',
  nested: false,
  located: false,
  unique_names: true,
  fields: [createField(0)],
}

/** Returns the different parts of a text with commas between them. */
const splitAtCommas = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== ''),
  ),
]

/** Describes the kind of a name: the button of its page, and the path. '' as long as it makes nothing. */
export const describeName = (name: string): string => {
  const id = toKindId(name.trim())
  return id === '' ? '' : `New ${toSentenceCase(toSingularName(name.trim()))}, /kinds/${id}`
}

/** Returns a row for each of the labels that are typed into one with commas between them. @param next the first free key */
export const splitRow = (field: FieldDraft, next: number): readonly FieldDraft[] => {
  const labels = splitAtCommas(field.label)
  return labels.length < 2
    ? [field]
    : labels.map((label, at) => ({ ...field, key: at === 0 ? field.key : next + at - 1, label }))
}

/** Returns a key that no row has. */
export const findFreeKey = (fields: readonly FieldDraft[]): number => Math.max(-1, ...fields.map(({ key }) => key)) + 1

/** A field of the new kind, and the row that it is typed in. */
type Named = FieldDraft & { readonly row: number }

/** Returns the fields of the rows with a label. A row without one makes no field. */
const listNamed = ({ fields }: KindDraft): readonly Named[] => {
  let next = findFreeKey(fields)
  return fields
    .filter(({ label }) => label.trim() !== '')
    .flatMap((field) => {
      const rows = splitRow(field, next)
      next += rows.length
      return rows.map((one) => ({ ...one, row: field.key }))
    })
}

/** Returns a name for each field; a later one of the same name gets a number. */
const nameFields = (fields: readonly FieldDraft[]): ReadonlyMap<number, string> => {
  const names = new Map<number, string>()
  const taken = new Set<string>()
  for (const [at, { key, label }] of fields.entries()) {
    const base = toFieldName(label) || `field_${at + 1}`
    let name = base
    for (let n = 2; taken.has(name); n++) name = `${base}_${n}`
    taken.add(name)
    names.set(key, name)
  }
  return names
}

type Input = InputOf<Contracts['kinds']['create']>

export const toInput = (draft: KindDraft): Input => {
  const named = listNamed(draft)
  const names = nameFields(named)
  const { name, icon, nested, located, unique_names } = draft
  return {
    ...{ name: name.trim(), icon, nested, located, unique_names },
    fields: named.map(({ key, label, type, target, choices }) => ({
      ...{ name: names.get(key) ?? '', label: label.trim(), type },
      ...(type === 'reference' && { reference_to: target }),
      ...(type === 'choice' && { choices: splitAtCommas(choices) }),
    })),
  }
}

/** Returns the definitions of the form that the kind will have. */
export const toDefinitions = (draft: KindDraft): readonly CustomField[] => {
  const names = nameFields(listNamed(draft))
  return listNamed(draft).map(({ key, label, type, target, choices }) => ({
    ...toDefinition({ type, label, choices: splitAtCommas(choices).join('\n'), reference_to: target }),
    // A value of another type would be kept under the same name.
    id: `${key} ${type}`,
    name: names.get(key) ?? '',
    reference_to: type === 'reference' ? target : null,
  }))
}

/** Returns the rows with one of them moved by a step; the same rows at the end. */
export const moveField = (fields: readonly FieldDraft[], key: number, by: -1 | 1): readonly FieldDraft[] => {
  const from = fields.findIndex((one) => one.key === key)
  const moved = fields[from]
  const to = from + by
  return moved === undefined || to < 0 || to >= fields.length
    ? fields
    : fields.toSpliced(from, 1).toSpliced(to, 0, moved)
}

/** Returns the errors of the rows by their keys: the server counts only the ones with a label. */
export const toRowErrors = (
  draft: KindDraft,
  errors: Readonly<Record<string, string>>,
): ReadonlyMap<number, string> => {
  const named = listNamed(draft)
  return new Map(
    Object.entries(errors).flatMap(([field, message]) => {
      const [, at, part = ''] = /^fields\[(\d+)\](?:\.(.+))?$/.exec(field) ?? []
      const row = at === undefined ? undefined : named[Number(at)]
      return row
        ? [[row.row, part === '' || part === 'name' ? message : `${part.replaceAll('_', ' ')} ${message}`] as const]
        : []
    }),
  )
}
