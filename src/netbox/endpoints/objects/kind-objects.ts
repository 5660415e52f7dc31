/** Endpoints with the objects of a kind of Plat, which a pack brings. */
import { findKind } from '../../../inventory/kinds/store.ts'
import type { Draft } from '../../endpoint/draft.ts'
import type { Source, Writes } from '../../endpoint/endpoint.ts'
import { fromMemory } from '../../endpoint/source.ts'
import type { ObjectMember } from '../../world/sets.ts'
import type { Member, SmallSet } from '../../world/small-set.ts'

export type ObjectItem = Member<ObjectMember>

export const getText = ({ object }: ObjectItem): string => object.description

export const createObjectSource = (set: SmallSet<ObjectMember>): Source<ObjectItem> =>
  fromMemory<ObjectItem>({
    tables: ['objects', 'kinds', 'custom_fields', 'netbox_ids'],
    key: ({ key }) => key,
    all: async (world) => (await world.read(set)).all,
  })

/** The kind of an endpoint, and the pack that brings it. */
export type KindOfPack = { readonly kind: string; readonly pack: string }

/** Adds an error to the field `name` unless the kind is there. */
export const checkKind =
  ({ kind, pack }: KindOfPack) =>
  async (draft: Draft<ObjectItem>): Promise<void> => {
    if (await findKind(draft.tx, kind)) return
    draft.refuse(`there is no kind "${kind}": install the pack "${pack}" first`)
  }

export const createObjectWrites = ({ kind }: KindOfPack): Writes<ObjectItem> => ({
  create: async (draft) => {
    // The answer of the operation is the object.
    const { id } = (await draft.run('objects.create', { ...draft.input, kind_id: kind })) as { id: string }
    return id
  },
  update: async (draft, { key }) => {
    if (Object.keys(draft.input).length > 0) await draft.run('objects.update', { ...draft.input, id: key })
    return key
  },
  remove: async (draft, { key }) => {
    await draft.run('objects.delete', { id: key })
  },
})
