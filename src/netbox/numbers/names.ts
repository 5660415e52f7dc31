/** Names that clients have made: a role, a platform, a tag. Their rows keep the attributes that were sent, until they are deleted. */
import type { DocumentName } from '../../contract/fields/document-names.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { buildNameKey } from './keys.ts'
import type { Kind } from './kinds.ts'
import { assignNumbers } from './numbers.ts'
import { giveSlugs, type Slugged } from './slugs.ts'
import * as store from './store.ts'

/** The fields of a name, as a client sent them. */
export type NameAttributes = {
  readonly name: string
  readonly slug: string
  readonly color?: string
  readonly vm_role?: boolean
  readonly description?: string
  /** The user who made it. */
  readonly named_by?: string
}

export type NameRow = { readonly number: number; readonly key: string; readonly attributes: NameAttributes }

/** Returns the names of a kind that clients have made, by number. */
export const findNames = async (ctx: Ctx, kind: Kind): Promise<readonly NameRow[]> => {
  const rows = await store.findAttributes(ctx.unscoped, kind)
  // Written by `saveName`.
  return rows.map((row) => ({ ...row, attributes: JSON.parse(row.attributes) as NameAttributes }))
}

/** A name of any caller, with the attributes that a client has sent. */
export type NumberedName = Omit<NameRow, 'attributes'> & { readonly attributes: NameAttributes | undefined }

/** Returns the names of a kind that have a number, of all callers: they tell which slugs are taken. */
export const findNumberedNames = async (ctx: Ctx, kind: Kind): Promise<readonly NumberedName[]> => {
  const rows = await store.findNamed(ctx.unscoped, kind)
  return rows.map(({ number, key, attributes }) => ({
    ...{ number, key },
    // Written by `saveName`.
    attributes: attributes === null ? undefined : (JSON.parse(attributes) as NameAttributes),
  }))
}

/** Returns the names as their slugs are made of them. */
export const toSlugged = (names: readonly NumberedName[]): Slugged[] =>
  names.map(({ number, key, attributes }) => ({ number, text: key, slug: attributes?.slug }))

/** Stores a name, in a transaction. Returns its number, which is that of the key before if it had one. */
export const saveName = async (tx: Ctx, kind: Kind, key: string, attributes: NameAttributes): Promise<number> => {
  const table = await assignNumbers(tx, [{ kind, key }])
  await store.setAttributes(tx, { kind, key }, JSON.stringify(attributes))
  return table.get(kind, key)
}

/** Deletes a name, in a transaction. Its number stays, for objects that get the name again. */
export const deleteName = (tx: Ctx, kind: Kind, key: string): Promise<void> =>
  store.setAttributes(tx, { kind, key }, null)

/** Several users may have made a name, each without seeing that of the other. */
const SEPARATOR = ' '

export const hasNamed = ({ named_by: users }: NameAttributes, userId: string | undefined): boolean =>
  userId !== undefined && users?.split(SEPARATOR).includes(userId) === true

/** Returns the users who have made a name, with one more. */
export const addNamer = (before: NameAttributes | undefined, userId: string | undefined): string =>
  [...new Set([...(before?.named_by?.split(SEPARATOR) ?? []), userId ?? ''])].filter(Boolean).join(SEPARATOR)

/** Returns the names of an estate document that have no attributes yet, by kind and key. */
const findNew = async (ctx: Ctx, names: readonly DocumentName[]) => {
  const added = new Map<DocumentName['kind'], Map<string, DocumentName>>()
  for (const [kind, own] of Map.groupBy(names, (name) => name.kind)) {
    const known = new Set((await findNames(ctx, kind)).map(({ key }) => key))
    const byKey = new Map<string, DocumentName>()
    for (const name of own) {
      const key = buildNameKey(name.name)
      // The first of several that differ in case.
      if (!known.has(key) && !byKey.has(key)) byKey.set(key, name)
    }
    added.set(kind, byKey)
  }
  return added
}

/** Counts the names of an estate document that are not stored. */
export const countNewNames = async (ctx: Ctx, names: readonly DocumentName[]): Promise<number> =>
  [...(await findNew(ctx, names)).values()].reduce((sum, { size }) => sum + size, 0)

/** Stores names without attributes, with their slugs. A slug that another name of the kind has already gets the number of the name behind it. */
const keepNew = async (tx: Ctx, kind: Kind, added: ReadonlyMap<string, DocumentName>): Promise<void> => {
  const numbers = await assignNumbers(
    tx,
    [...added.keys()].map((key) => ({ kind, key })),
  )
  const wanted = new Map([...added].map(([key, { slug }]) => [numbers.get(kind, key), slug]))
  const slugs = giveSlugs(toSlugged(await findNumberedNames(tx, kind)), wanted)
  const namedBy = addNamer(undefined, tx.caller.userId)
  const rows = [...added].map(([key, { kind: _, ...attributes }]) => {
    const number = numbers.get(kind, key)
    const slug = slugs.get(number) ?? attributes.slug
    return { number, key, attributes: JSON.stringify({ ...attributes, slug, named_by: namedBy }) }
  })
  await store.setAllAttributes(tx, kind, rows)
}

/** Stores the names of an estate document that have no attributes yet, in a transaction. */
export const keepNames = async (tx: Ctx, names: readonly DocumentName[]): Promise<void> => {
  await tx.lock('netboxIds')
  for (const [kind, added] of await findNew(tx, names)) if (added.size > 0) await keepNew(tx, kind, added)
}
