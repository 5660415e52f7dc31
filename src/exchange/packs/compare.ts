/** Compares three states of a row of a pack: the file of the installed version, the new file, and what is stored. */
import { toNameKey } from '../../net/name-order.ts'
import type { Document } from '../../record/history/kinds.ts'

/** The fields that no version of a pack changes, and the owner. */
const FIXED: ReadonlySet<string> = new Set(['id', 'resource', 'type', 'multiple', 'reference_to', 'refs', 'managed_by'])

/** A field that is the key of its row is fixed as well: the name of a custom field, which has a resource. */
const isFixed = (field: string, { resource }: Document): boolean =>
  FIXED.has(field) || (field === 'name' && resource !== undefined)

const getValue = (document: Document, field: string): unknown => document[field] ?? null

/** The changes of a stored row. */
export type RowChanges = {
  /** The fields that are set. */
  readonly sets: Document
  /** The changed fields of the file that the user has changed as well, and that keep the value of the user. */
  readonly kept: readonly string[]
}

type States = { readonly before: Document; readonly after: Document; readonly stored: Document }

/** The one field that a row has only with a value. */
const OPTIONAL = 'only_for'

/** Returns the fields of a row in which another state of it differs. */
export const listDifferences = (row: Document, other: Document): string[] =>
  [...new Set([...Object.keys(row), OPTIONAL])].filter(
    (field) => !isFixed(field, row) && !Bun.deepEquals(getValue(row, field), getValue(other, field)),
  )

const toChoices = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])

/**
 * Returns the choices of a stored row: those of the user stay, new ones are appended, and dropped ones go.
 * @param isHeld true for a choice that an object or the default has
 */
const mergeChoices = async (
  { before, after, stored }: States,
  isHeld: (choice: string) => Promise<boolean>,
): Promise<{ readonly choices: readonly string[]; readonly isKept: boolean }> => {
  const [old, fresh, own] = [toChoices(before.choices), toChoices(after.choices), toChoices(stored.choices)]
  const kept: string[] = []
  let isKept = false
  for (const choice of own) {
    const isDropped = old.includes(choice) && !fresh.includes(choice)
    const isNeeded = isDropped && (await isHeld(choice))
    if (isNeeded) isKept = true
    if (!isDropped || isNeeded) kept.push(choice)
  }
  // Two choices never differ in case only.
  const known = new Set(own.map(toNameKey))
  const added = fresh.filter((choice) => !old.includes(choice) && !known.has(toNameKey(choice)))
  const isOwn = Bun.deepEquals(old, own) && !isKept
  return { choices: isOwn ? fresh : [...kept, ...added], isKept }
}

/** Returns what a new version changes in a stored row: a field that the user has changed stays as it is. */
export const compareRow = async (states: States, isHeld: (choice: string) => Promise<boolean>): Promise<RowChanges> => {
  const { before, after, stored } = states
  const sets: Record<string, unknown> = {}
  const kept: string[] = []
  for (const field of listDifferences(after, before)) {
    const [old, fresh, own] = [getValue(before, field), getValue(after, field), getValue(stored, field)]
    if (Bun.deepEquals(own, fresh)) continue
    if (field === 'choices') {
      const { choices, isKept } = await mergeChoices(states, isHeld)
      if (isKept) kept.push(field)
      if (!Bun.deepEquals(choices, own)) sets.choices = choices
    } else if (Bun.deepEquals(own, old)) sets[field] = fresh
    else kept.push(field)
  }
  return { sets, kept }
}
