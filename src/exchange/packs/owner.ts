/** The owner of the rows of a pack: it says which pack, and which version, has brought them. */

/** A version of a pack. */
export type PackVersion = { readonly name: string; readonly version: number }

const OWNER = /^pack\/([a-z][a-z0-9-]*)@([1-9]\d{0,8})$/

/** @example formatOwner({ name: 'circuits', version: 1 }) // 'pack/circuits@1' */
export const formatOwner = ({ name, version }: PackVersion): string => `pack/${name}@${version}`

/** Returns the pack of an owner; undefined for any other owner. */
export const parseOwner = (owner: unknown): PackVersion | undefined => {
  const [, name, version] = (typeof owner === 'string' && OWNER.exec(owner)) || []
  return name === undefined ? undefined : { name, version: Number(version) }
}
