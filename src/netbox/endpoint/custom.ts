/**
 * The custom fields of an endpoint. A field of NetBox that Plat has not is the custom field of that name, where one is defined; else it has
 * NetBox's usual value, and a write of another value is refused: nothing is dropped silently.
 */
import { shorten } from '../../contract/errors.ts'
import type { Custom, CustomValue } from '../../resource/custom/fields.ts'
import type { StoredField } from '../../resource/custom/store.ts'
import {
  nestCluster,
  nestNetworkRole,
  nestRack,
  nestScope,
  nestTag,
  nestTenant,
  nestVlan,
  nestVrf,
} from '../world/nested.ts'
import { VLANS } from '../world/sets.ts'
import type { World } from '../world/world.ts'
import type { Draft } from './draft.ts'
import type { Choices, Field, FieldType } from './field.ts'
import { parseBoolean, parseChoice, parseNumber, parseText, TAG_LIST, toChoice } from './fields.ts'
import { isSame, placeless, toGiven } from './placeless.ts'
import type { Resolver } from './resolver.ts'
import { CUSTOM_TARGETS, RESOLVERS } from './resolvers.ts'

/** Values that mean none. */
const isNone = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

type Serving<Item, Value> = {
  readonly type: FieldType
  /** The value without a definition, or of an object without a value. */
  readonly usual: Value
  /** Shows a stored value. */
  readonly show: (value: CustomValue, world: World) => unknown
  /** Returns the value to store; undefined after an error; null for none. */
  readonly parse: (
    value: unknown,
    draft: Draft<Item>,
  ) => CustomValue | null | undefined | Promise<CustomValue | null | undefined>
  /** The name of the custom field, if it is another one. */
  readonly field?: string
  readonly isNullable?: true
}

/** The custom fields of a resource as fields of an endpoint. @param values returns those of an item */
export class CustomFields<Item> {
  readonly #served = new Set<string>()

  constructor(
    readonly resource: string,
    readonly values: (item: Item) => Custom | undefined,
  ) {}

  /** Returns the stored value of a custom field, if it is defined. */
  get(item: Item, name: string, world: World): CustomValue | undefined {
    return world.getDefinitions(this.resource).has(name) ? this.values(item)?.[name] : undefined
  }

  /** True for a custom field that serves as a field of NetBox. */
  serves(name: string): boolean {
    return this.#served.has(name)
  }

  /** Leaves custom fields out of `custom_fields`, because fields of the endpoint show them in their own way. */
  reserve(...names: readonly string[]): void {
    for (const name of names) this.#served.add(name)
  }

  /** A field of NetBox that is a custom field, where one is defined. */
  serve<Value>(
    name: string,
    { type, usual, show, parse, field = name, isNullable }: Serving<Item, Value>,
  ): Field<Item> {
    this.#served.add(field)
    const shownUsual = type.is === 'choice' && typeof usual === 'string' ? toChoice(type.of, usual) : usual
    return {
      name,
      type,
      ...(isNullable && { isNullable }),
      read: (item, world) => {
        const value = this.get(item, field, world)
        return value === undefined ? shownUsual : show(value, world)
      },
      write: async (value, draft) => {
        const definition = draft.world.getDefinitions(this.resource).get(field)
        const given = toGiven(value)
        if (definition === undefined) {
          if (isNone(given) || isSame(given, usual)) return
          draft.refuse(
            `${shorten(JSON.stringify(given))} has no place here: define the custom field "${field}" of ${this.resource}`,
          )
          return
        }
        const parsed = isNone(given) ? null : await parse(given, draft)
        if (parsed === undefined) return
        // An object without a value shows the usual one: nothing changes.
        if (draft.item && isSame(parsed, usual) && this.get(draft.item, field, draft.world) === undefined) return
        // A definition may lack the usual value, which an object without a value has as well.
        const isMissing =
          isSame(parsed, usual) && definition.type === 'choice' && !definition.choices.includes(String(parsed))
        draft.setCustom(field, isMissing ? null : parsed)
      },
    }
  }

  text(
    name: string,
    { usual = '', isNullable, field = name }: { usual?: string | null; isNullable?: true; field?: string } = {},
  ): Field<Item> {
    return this.serve<string | null>(name, {
      type: { is: 'string' },
      usual,
      field,
      ...(isNullable && { isNullable }),
      show: String,
      parse: (value, draft) => parseText(value, draft, {}),
    })
  }

  choice(
    name: string,
    choices: Choices,
    { usual = null, field = name }: { usual?: string | null; field?: string } = {},
  ): Field<Item> {
    return this.serve<string | null>(name, {
      type: { is: 'choice', of: choices },
      usual,
      field,
      ...(usual === null && { isNullable: true as const }),
      show: (value) => toChoice(choices, Object.hasOwn(choices, String(value)) ? String(value) : usual),
      parse: (value, draft) => parseChoice(value, draft, choices),
    })
  }

  flag(name: string, { usual = false, field = name }: { usual?: boolean; field?: string } = {}): Field<Item> {
    return this.serve<boolean>(name, {
      type: { is: 'boolean' },
      usual,
      field,
      show: (value) => value === true,
      parse: (value, draft) => parseBoolean(value, draft),
    })
  }

  number(
    name: string,
    {
      usual = null,
      field = name,
      isInteger = false,
    }: { usual?: number | null; field?: string; isInteger?: boolean } = {},
  ): Field<Item> {
    return this.serve<number | null>(name, {
      type: { is: isInteger ? 'integer' : 'decimal' },
      usual,
      field,
      isNullable: true,
      show: (value) => value,
      parse: (value, draft) => parseNumber(value, draft, { isInteger }),
    })
  }

  /** A field that no custom field can be: one of the same name is in `custom_fields`. */
  nothing(name: string, type: FieldType = { is: 'json' }, usual: unknown = null): Field<Item> {
    return placeless<Item>(name, { type, usual })
  }

  /** An object of a kind, such as a tenant, by a custom field that refers to it. */
  object(name: string, of: Resolver, show: (world: World, id: unknown) => unknown): Field<Item> {
    return this.serve<null>(name, {
      type: { is: 'object', of: of.kind },
      usual: null,
      isNullable: true,
      show: (value, world) => show(world, value),
      parse: (value, draft) => draft.resolve(of, value),
    })
  }

  tenant(): Field<Item> {
    return this.object('tenant', RESOLVERS['tenancy.tenant'], nestTenant)
  }

  cluster(): Field<Item> {
    return this.object('cluster', RESOLVERS['virtualization.cluster'], nestCluster)
  }

  /** The role of a prefix, a range or a VLAN: a text. */
  role(): Field<Item> {
    return this.serve<null>('role', {
      type: { is: 'object', of: 'ipam.role' },
      usual: null,
      isNullable: true,
      show: (value, world) => nestNetworkRole(world, String(value)),
      parse: (value, draft) => resolveName(draft, RESOLVERS['ipam.role'], value),
    })
  }

  tags(): Field<Item> {
    return this.serve<readonly unknown[]>('tags', {
      type: TAG_LIST,
      usual: [],
      show: (value, world) => [value].flat().map((tag) => nestTag(world, String(tag))),
      parse: async (value, draft) => {
        const tags = await resolveTags(draft, value)
        const before = [(draft.item && this.get(draft.item, 'tags', draft.world)) ?? []].flat().map(String)
        // Clients send tags in any order.
        return tags && new Set(tags).symmetricDifference(new Set(before)).size === 0 ? before : tags
      },
    })
  }

  /** The custom fields that no field of NetBox is. */
  rest(): Field<Item> {
    return {
      name: 'custom_fields',
      type: { is: 'json' },
      read: (item, world) => {
        const values = this.values(item) ?? {}
        const fields = [...world.getDefinitions(this.resource).values()].filter(({ name }) => !this.serves(name))
        return Object.fromEntries(
          fields.map((definition) => [definition.name, showCustom(world, definition, values[definition.name])]),
        )
      },
      write: async (value, draft) => {
        if (isNone(value)) return
        if (typeof value !== 'object' || Array.isArray(value)) return draft.refuse('Expected a dictionary of items.')
        for (const [name, one] of Object.entries(value as object)) {
          const definition = draft.world.getDefinitions(this.resource).get(name)
          if (definition === undefined || this.serves(name)) {
            if (!isNone(one)) draft.refuse(`Custom field '${shorten(name)}' does not exist for this object type.`)
            continue
          }
          const parsed = await parseCustom(draft, definition, one)
          if (parsed !== undefined) draft.setCustom(name, parsed)
        }
      },
    }
  }
}

/** Returns the text of a name that a value means; undefined after an error. */
export const resolveName = async <Item>(
  draft: Draft<Item>,
  of: Resolver,
  value: unknown,
): Promise<string | null | undefined> => {
  const key = await draft.resolve(of, value)
  return typeof key === 'string' ? of.toText?.(draft.world, key) : key
}

/** Returns the tags that a value means: a list of numbers, or of objects with a name or a slug. */
export const resolveTags = async <Item>(draft: Draft<Item>, value: unknown): Promise<string[] | undefined> => {
  if (!Array.isArray(value)) {
    draft.refuse(`Expected a list of items but got type "${typeof value}".`)
    return undefined
  }
  const tags: string[] = []
  for (const one of value) {
    const tag = await resolveName(draft, RESOLVERS['extras.tag'], one)
    if (tag === undefined) return undefined
    if (tag !== null) tags.push(tag)
  }
  return tags
}

type Shown = (world: World, id: string) => unknown

/** The nested forms of the objects that custom fields refer to. */
const SHOWN: Readonly<Record<string, Shown>> = {
  datacenters: nestScope,
  tenants: nestTenant,
  clusters: nestCluster,
  racks: nestRack,
  spaces: nestVrf,
  vlans: (world, id) => nestVlan(world, world.get(VLANS).find(id)),
}

/** True if answers show the objects that custom fields refer to, and not their ids in Plat. */
export const isShownAsObject = (resource: string): boolean => Object.hasOwn(SHOWN, resource)

const showCustom = (
  world: World,
  { type, multiple, reference_to }: StoredField,
  value: CustomValue | undefined,
): unknown => {
  if (value === undefined) return null
  if (type !== 'reference' || reference_to === null) return value
  const show = SHOWN[reference_to]
  if (!show) return value
  const shown = [value].flat().map((id) => show(world, String(id)))
  return multiple ? shown : (shown[0] ?? null)
}

const parseReference = async <Item>(
  draft: Draft<Item>,
  of: string,
  value: unknown,
): Promise<string | null | undefined> => {
  for (const kind of CUSTOM_TARGETS[of] ?? []) {
    const { [kind]: resolver } = RESOLVERS
    const number = typeof value === 'object' && value !== null && 'id' in value ? value.id : value
    if (typeof number !== 'number') continue
    const key = (await resolver.byNumbers(draft.world, [number])).get(number)
    if (key !== undefined) return key
  }
  // The id of Plat.
  if (typeof value === 'string') return value
  draft.refuse(`Related object not found using the provided numeric ID: ${JSON.stringify(value)}`)
  return undefined
}

/** Returns the value of a custom field to store; undefined after an error. Its definition checks it. */
const parseCustom = async <Item>(
  draft: Draft<Item>,
  { type, multiple, reference_to }: StoredField,
  value: unknown,
): Promise<CustomValue | null | undefined> => {
  if (isNone(value)) return null
  // Plat validates all other types by their definitions.
  if (type !== 'reference' || reference_to === null) return value as CustomValue
  if (!multiple) return parseReference(draft, reference_to, value)
  const ids: string[] = []
  for (const one of Array.isArray(value) ? value : [value]) {
    const id = await parseReference(draft, reference_to, one)
    if (typeof id !== 'string') return undefined
    ids.push(id)
  }
  return ids
}
