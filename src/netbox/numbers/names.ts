/** Names that clients have made: a role, a platform, a tag. Their rows keep the attributes that were sent, until they are deleted. */
import type { Ctx } from '../../kernel/ctx.ts'
import type { Kind } from './kinds.ts'
import { assignNumbers } from './numbers.ts'
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

/** Stores a name, in a transaction. Returns its number, which is that of the key before if it had one. */
export const saveName = async (tx: Ctx, kind: Kind, key: string, attributes: NameAttributes): Promise<number> => {
  const table = await assignNumbers(tx, [{ kind, key }])
  await store.setAttributes(tx, { kind, key }, JSON.stringify(attributes))
  return table.get(kind, key)
}

/** Deletes a name, in a transaction. Its number stays, for objects that get the name again. */
export const deleteName = (tx: Ctx, kind: Kind, key: string): Promise<void> =>
  store.setAttributes(tx, { kind, key }, null)
