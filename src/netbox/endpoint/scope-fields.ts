/** `scope_type`, `scope_id` and `scope`: the datacenter of an object, by the names that NetBox has for places. */
import { shorten } from '../../contract/errors.ts'
import { UNASSIGNED_KEY } from '../world/keys.ts'
import { nestScope } from '../world/nested.ts'
import { PLACE_KINDS, PLACES, type Place, type PlaceKind } from '../world/places.ts'
import type { Member } from '../world/small-set.ts'
import type { World } from '../world/world.ts'
import type { Draft } from './draft.ts'
import type { Field } from './field.ts'
import { readOnly } from './fields.ts'
import { RESOLVERS } from './resolvers.ts'

const isPlaceKind = (value: unknown): value is PlaceKind => PLACE_KINDS.some((kind) => kind === value)

const isNone = (value: unknown): boolean => value === null || value === undefined || value === ''

const TO = 'datacenter_id'

/** Sets the datacenter of an object to the place that a request names. */
export const writePlace = async <Item>(value: unknown, draft: Draft<Item>, kind: PlaceKind): Promise<void> => {
  const key = await draft.resolve(RESOLVERS[kind], value)
  if (key !== undefined) draft.set(TO, key === UNASSIGNED_KEY ? null : key)
}

/** @param getId returns the id of the datacenter of an item */
export const scopeFields = <Item>(getId: (item: Item) => string | null | undefined): Field<Item>[] => {
  const find = (item: Item | undefined, world: World): Member<Place> | undefined =>
    item === undefined ? undefined : world.get(PLACES).find(getId(item))

  /** `scope_id` names the place; here the type is checked. */
  const writeType = (value: unknown, draft: Draft<Item>): void => {
    const { scope_id: id } = draft.sent
    if (isNone(value)) {
      if (isNone(id)) draft.set(TO, null)
      else draft.refuse('This field is required with scope_id.')
    } else if (!isPlaceKind(value))
      draft.refuse(`Invalid content type: ${shorten(JSON.stringify(value))} is none of ${PLACE_KINDS.join(', ')}`)
    else if (isNone(id) && (id !== undefined || find(draft.item, draft.world)?.kind !== value))
      draft.refuseAt('scope_id', 'This field is required with scope_type.')
  }

  const writeId = async (value: unknown, draft: Draft<Item>): Promise<void> => {
    const { scope_type: kind = find(draft.item, draft.world)?.kind } = draft.sent
    if (isNone(value)) {
      // With a type it is missing, which is refused already.
      if (isNone(draft.sent.scope_type)) draft.set(TO, null)
    } else if (kind === undefined) draft.refuseAt('scope_type', 'This field is required with scope_id.')
    else if (isPlaceKind(kind)) await writePlace(value, draft, kind)
  }

  return [
    {
      name: 'scope_type',
      type: { is: 'string' },
      isNullable: true,
      read: (item, world) => find(item, world)?.kind ?? null,
      write: writeType,
    },
    {
      name: 'scope_id',
      type: { is: 'integer' },
      isNullable: true,
      read: (item, world) => find(item, world)?.number ?? null,
      write: writeId,
    },
    readOnly('scope', 'json', (item, world) => nestScope(world, getId(item) ?? null)),
  ]
}
