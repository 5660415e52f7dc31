/** Plans an installation or an upgrade of a pack, row by row. Only reads. */
import { AppError } from '../../contract/errors.ts'
import { isRecord, toText } from '../../contract/unknown.ts'
import type { Document } from '../../record/history/kinds.ts'
import { isKindResource } from '../../resource/custom/fields.ts'
import { buildKeys } from '../../resource/custom/values.ts'
import { compareRow, listDifferences } from './compare.ts'
import type { Pack, PackList, PackRow, Packs } from './files.ts'
import { formatOwner } from './owner.ts'
import type { PackState, PackUsage, StoredRow } from './state.ts'

/** Something that stays as the user has it: a field, or the whole row if `field` is null. */
export type Kept = { readonly resource: PackList; readonly name: string; readonly field: string | null }

export type Action =
  | { readonly does: 'create'; readonly row: PackRow; readonly owner: string }
  /** Sets fields and the owner, which may be empty. */
  | { readonly does: 'update'; readonly stored: StoredRow; readonly sets: Document; readonly owner: string }
  | { readonly does: 'remove'; readonly stored: StoredRow }

export type PackPlan = { readonly actions: readonly Action[]; readonly kept: readonly Kept[] }

type Given = {
  readonly pack: Pack
  readonly packs: Packs
  readonly state: PackState
  readonly usage: PackUsage
}

/** The fields of a definition with values that would mean something else. */
const MEANING = ['type', 'multiple', 'reference_to'] as const

/** Returns the row of a user that a row of a pack is like: a kind of its id or name, a field of its resource and name. */
const findAlike = ({ list, key, document }: PackRow, state: PackState): StoredRow | undefined =>
  state.find(list, key) ?? (list === 'kinds' ? state.findKindByName(toText(document.name)) : undefined)

/** @throws AppError ALREADY_EXISTS for a field of a user with values of another meaning */
const refuseOtherMeaning = ({ list, document, key }: PackRow, stored: StoredRow): void => {
  if (list === 'kinds') return
  const differing = MEANING.find((field) => (document[field] ?? null) !== (stored.document[field] ?? null))
  if (differing === undefined) return
  const name = toText(document.name)
  const message = `A custom field "${name}" of ${toText(document.resource)} exists already, with another ${differing.replace('_to', '')}`
  throw new AppError('ALREADY_EXISTS', message, { details: [{ field: key, message: `has another ${differing}` }] })
}

const toKept = ({ list, key }: Pick<PackRow, 'list' | 'key'>, field: string | null = null): Kept => ({
  ...{ resource: list, name: key, field },
})

/** Returns the kinds that a row names. */
const listNamedKinds = ({ list, document }: Pick<PackRow, 'list' | 'document'>): string[] =>
  list === 'kinds'
    ? []
    : [document.resource, document.reference_to].flatMap((name) =>
        typeof name === 'string' && isNamedKind(name) ? [name] : [],
      )

const isNamedKind = (name: string): boolean => name !== '' && isKindResource(name)

/** Makes rows that are not there, and keeps rows of users. */
class Making {
  readonly actions: Action[] = []
  readonly kept: Kept[] = []
  readonly #state: PackState
  readonly #made = new Set<string>()

  constructor(state: PackState) {
    this.#state = state
  }

  /** True if a row names no kind, or kinds that are there. */
  #canMake(row: PackRow): boolean {
    return listNamedKinds(row).every((kind) => this.#state.find('kinds', kind) || this.#made.has(kind))
  }

  /** @returns false for a row that names a kind which is not there */
  make(row: PackRow, owner: string): boolean {
    const alike = findAlike(row, this.#state)
    if (alike) {
      refuseOtherMeaning(row, alike)
      this.kept.push(toKept(row))
      return true
    }
    if (!this.#canMake(row)) return false
    if (row.list === 'kinds') this.#made.add(row.key)
    this.actions.push({ does: 'create', row, owner })
    return true
  }
}

/** Makes the rows of other packs that were left out because they name kinds of this one. */
const makeLeftOut = (making: Making, { pack, packs, state }: Given): void => {
  const kinds = new Set(pack.rows.flatMap(({ list, key }) => (list === 'kinds' ? [key] : [])))
  for (const name of state.listInstalled()) {
    const version = state.findVersion(name)
    const other = version === undefined || name === pack.name ? undefined : packs.find(name, version)
    for (const row of other?.rows ?? [])
      if (listNamedKinds(row).some((kind) => kinds.has(kind)) && !state.find(row.list, row.key) && other)
        making.make(row, formatOwner(other))
  }
}

const planFirst = (given: Given): PackPlan => {
  const { pack, state } = given
  const making = new Making(state)
  for (const row of pack.rows) making.make(row, formatOwner(pack))
  makeLeftOut(making, given)
  return making
}

/** True if an object has a choice, or a new object gets it. */
const createChoiceCheck =
  (stored: StoredRow, usage: PackUsage) =>
  async (choice: string): Promise<boolean> =>
    [stored.document.default].flat().includes(choice) ||
    (await usage.hasChoice(stored, buildKeys({ type: 'choice' }, choice)))

/** Plans the stored rows that the new version does not have. Unchanged and unused rows are deleted, others lose their owner. */
const planDropped = async (
  dropped: readonly { readonly stored: StoredRow; readonly before: Document }[],
  { state, usage }: Given,
): Promise<PackPlan> => {
  const going = new Set<StoredRow>()
  for (const { stored, before } of dropped)
    if (listDifferences(before, stored.document).length === 0 && (await usage.count(stored)) === 0) going.add(stored)
  const isNeeded = (row: StoredRow): boolean =>
    state.rows.some((other) => {
      if (other.list === 'kinds' || going.has(other)) return false
      const { resource, only_for } = other.document
      if (row.list === 'kinds') return listNamedKinds(other).includes(row.id)
      const named = isRecord(only_for) ? only_for.field : undefined
      return resource === row.document.resource && named === `custom.${toText(row.document.name)}`
    })
  // A row that stays may need another one.
  for (let before = -1; before !== going.size; ) {
    before = going.size
    for (const row of going) if (isNeeded(row)) going.delete(row)
  }
  return {
    actions: dropped.map(({ stored }) =>
      going.has(stored) ? { does: 'remove', stored } : { does: 'update', stored, sets: {}, owner: '' },
    ),
    kept: dropped.flatMap(({ stored }) => (going.has(stored) ? [] : [toKept(stored)])),
  }
}

const planUpgrade = async (given: Given, from: number): Promise<PackPlan> => {
  const { pack, packs, state, usage } = given
  const owner = formatOwner(pack)
  const making = new Making(state)
  const findBefore = ({ list, key }: Pick<PackRow, 'list' | 'key'>, version: number): PackRow | undefined =>
    packs.find(pack.name, version)?.rows.find((row) => row.list === list && row.key === key)
  const findAfter = ({ list, key }: StoredRow): PackRow | undefined =>
    pack.rows.find((row) => row.list === list && row.key === key)
  const dropped: { stored: StoredRow; before: Document }[] = []
  const updates: Action[] = []
  const kept: Kept[] = []
  for (const stored of state.listOf(pack.name)) {
    const before = findBefore(stored, stored.pack?.version ?? from)?.document
    const after = findAfter(stored)?.document
    if (before && !after) dropped.push({ stored, before })
    else {
      // A field that a user has renamed is in no file.
      const states = before && after ? { before, after, stored: stored.document } : undefined
      const changes = states ? await compareRow(states, createChoiceCheck(stored, usage)) : { sets: {}, kept: [] }
      kept.push(...changes.kept.map((field) => toKept(stored, field)))
      updates.push({ does: 'update', stored, sets: changes.sets, owner })
    }
  }
  for (const row of pack.rows) {
    const stored = state.find(row.list, row.key)
    const isNew = findBefore(row, from) === undefined
    // A user has deleted a row of the version before that is not there, or has cleared its owner.
    if (isNew && stored?.pack?.name === pack.name) refuseOtherMeaning(row, stored)
    else if (isNew) making.make(row, owner)
  }
  const gone = await planDropped(dropped, given)
  return {
    actions: [...making.actions, ...updates, ...gone.actions],
    kept: [...making.kept, ...kept, ...gone.kept],
  }
}

/** @throws AppError ALREADY_EXISTS for a row that a row of a user excludes */
export const planInstall = async (given: Given): Promise<PackPlan> => {
  const { pack, state } = given
  const from = state.findVersion(pack.name)
  if (from === undefined) return planFirst(given)
  return from < pack.version ? planUpgrade(given, from) : { actions: [], kept: [] }
}
