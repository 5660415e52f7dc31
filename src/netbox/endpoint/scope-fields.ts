/** `scope_type`, `scope_id` and `scope`: the datacenter of an object, by the names that NetBox has for places. */
import { shorten } from '../../contract/errors.ts'
import { nestScope } from '../world/nested.ts'
import { PLACE_KINDS, PLACES, type Place, type PlaceKind } from '../world/places.ts'
import type { Member } from '../world/small-set.ts'
import type { World } from '../world/world.ts'
import type { Draft } from './draft.ts'
import type { Field } from './field.ts'
import { parseNumber, readOnly } from './fields.ts'
import { RESOLVERS } from './resolvers.ts'

type GetId<Item> = (item: Item) => string | null

const isPlaceKind = (value: unknown): value is PlaceKind => PLACE_KINDS.some((kind) => kind === value)

const TO = 'datacenter_id'

/** @param getId returns the id of the datacenter of an item */
export const scopeFields = <Item>(getId: GetId<Item>): Field<Item>[] => {
  const find = (item: Item | undefined, world: World): Member<Place> | undefined =>
    item === undefined ? undefined : world.get(PLACES).find(getId(item))
  const writeType = (value: unknown, draft: Draft<Item>): void => {
    const type = value === '' ? null : value
    if (type !== null && !isPlaceKind(type))
      draft.refuse(`${shorten(JSON.stringify(type))} is no scope in Plat: use one of ${PLACE_KINDS.join(', ')}`)
    else if (Object.hasOwn(draft.sent, 'scope_id')) return
    else if (type === null) draft.set(TO, null)
    else if (type !== find(draft.item, draft.world)?.kind) draft.refuseAt('scope_id', 'This field is required.')
  }
  const writeId = async (value: unknown, draft: Draft<Item>): Promise<void> => {
    const number = parseNumber(value, draft, { isInteger: true })
    if (number === undefined) return
    const { scope_type: type = find(draft.item, draft.world)?.kind } = draft.sent
    if (number === null && !type) draft.set(TO, null)
    else if (number === null && Object.hasOwn(draft.sent, 'scope_type')) draft.refuse('This field is required.')
    else if (number === null) draft.set(TO, null)
    else if (isPlaceKind(type)) {
      const key = await draft.resolve(RESOLVERS[type], number)
      if (key !== undefined) draft.set(TO, key)
    } else if (!type) draft.refuseAt('scope_type', 'This field is required.')
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
    readOnly('scope', 'json', (item, world) => nestScope(world, getId(item))),
  ]
}
