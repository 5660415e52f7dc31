/** The writes of names. The estate stays as it is: a name is a text of its objects, and what is stored stands beside its number. */
import type { Ctx } from '../../../kernel/ctx.ts'
import type { Permission } from '../../../kernel/operation.ts'
import { createDetail } from '../../door/errors.ts'
import { DECLARED, type Declared, type Path } from '../../endpoint/declared.ts'
import type { Draft } from '../../endpoint/draft.ts'
import type { Writes } from '../../endpoint/endpoint.ts'
import { buildNameKey } from '../../numbers/keys.ts'
import type { Kind } from '../../numbers/kinds.ts'
import { addNamer, deleteName, findNames, type NameAttributes, type NameRow, saveName } from '../../numbers/names.ts'
import { moveKey } from '../../numbers/numbers.ts'
import type { NameMember } from '../../world/names.ts'
import { USUAL_COLOR } from '../../world/nested.ts'
import type { Member, SmallSet } from '../../world/small-set.ts'

export type NameItem = Member<NameMember>
type NameDraft = Draft<NameItem>

export type NameKind = {
  readonly path: Path
  readonly kind: Kind
  readonly set: SmallSet<NameMember>
  /** A text that means something else in Plat, and is no name of a client. */
  readonly reserved?: string
}

const getPermission = (permissions: Declared['create']): Permission => {
  const [permission] = permissions ?? []
  if (!permission) throw new Error('names are written only where a permission is declared')
  return permission
}

export const isReserved = ({ reserved }: NameKind, key: string): boolean =>
  reserved !== undefined && buildNameKey(reserved) === key

/** Returns the attributes that answers show. */
export const readAttributes = ({ name, slug, attributes }: NameItem) => ({
  name,
  slug,
  color: attributes?.color ?? USUAL_COLOR,
  vm_role: attributes?.vm_role ?? true,
  description: attributes?.description ?? '',
})

/** Returns the texts of all objects with the name, also of objects that the caller does not see. */
const listTexts = async (tx: Ctx, { set }: NameKind, key: string): Promise<readonly string[]> =>
  (await set.read(tx)).find((one) => one.key === key)?.texts ?? []

const findMade = async (tx: Ctx, { kind }: NameKind, key: string): Promise<NameRow | undefined> =>
  (await findNames(tx, kind)).find((one) => one.key === key)

const IN_USE = 'is in use: rename it at the objects that have it'

export const createNameWrites = (own: NameKind): Writes<NameItem> => {
  const { path, kind, set } = own
  const declared: Declared = DECLARED[path]
  const noun = declared.label.toLowerCase()

  /** Adds an error for a name or slug that the caller sees already. */
  const refuseTaken = async (draft: NameDraft, { name, slug }: { name?: string; slug?: string }): Promise<void> => {
    const { all } = await draft.world.read(set)
    const others = all.filter(({ key }) => key !== draft.item?.key)
    if (others.some((one) => one.slug === slug)) draft.refuseAt('slug', `${noun} with this slug already exists.`)
    else if (name !== undefined && others.some(({ key }) => key === buildNameKey(name)))
      draft.refuseAt('name', `${noun} with this name already exists.`)
    draft.check()
  }

  const toStored = (draft: NameDraft, before: NameAttributes | undefined): NameAttributes => {
    const { input, item, tx } = draft
    // The fields have written only these attributes.
    const given = input as Partial<NameAttributes>
    const shown = item ? { name: item.name, slug: item.slug } : { name: '', slug: '' }
    return { ...shown, ...before, ...given, named_by: addNamer(before, tx.caller.userId) }
  }

  return {
    create: async (draft) => {
      const { tx } = draft
      tx.require(getPermission(declared.create))
      // Callers that make one name at once wait for each other.
      await tx.lock('netboxIds')
      draft.world.forget(set)
      const { name = '', slug = '' } = draft.input as Partial<NameAttributes>
      const key = buildNameKey(name)
      if (isReserved(own, key)) throw createDetail('IN_USE', `"${name}" has a meaning of its own in Plat`)
      await refuseTaken(draft, { name, slug })
      const made = await findMade(tx, own, key)
      await saveName(tx, kind, key, toStored(draft, made?.attributes))
      return key
    },
    update: async (draft, item) => {
      const { tx } = draft
      tx.require(getPermission(declared.update))
      const shown: Readonly<Record<string, unknown>> = readAttributes(item)
      const changes = Object.entries(draft.input).filter(([field, value]) => shown[field] !== value)
      if (changes.length === 0) return item.key
      const { name, slug } = Object.fromEntries(changes) as Partial<NameAttributes>
      const key = name === undefined ? item.key : buildNameKey(name)
      if (name !== undefined || slug !== undefined) {
        await tx.lock('netboxIds')
        if ((await listTexts(tx, own, item.key)).length > 0)
          for (const [field] of changes) if (field === 'name' || field === 'slug') draft.refuseAt(field, IN_USE)
        await refuseTaken(draft, { ...(name !== undefined && { name }), ...(slug !== undefined && { slug }) })
      }
      if (key !== item.key) {
        const isTaken =
          isReserved(own, key) || (await findMade(tx, own, key)) || (await listTexts(tx, own, key)).length > 0
        if (isTaken) draft.refuseAt('name', `${noun} with this name already exists.`)
        draft.check()
        await moveKey(tx, kind, item.key, key)
      }
      await saveName(tx, kind, key, toStored(draft, item.attributes))
      return key
    },
    remove: async ({ tx }, { key, name }) => {
      tx.require(getPermission(declared.delete))
      if ((await listTexts(tx, own, key)).length > 0)
        throw createDetail('IN_USE', `Unable to delete ${noun} "${name}": objects have it`)
      await deleteName(tx, kind, key)
    },
  }
}
