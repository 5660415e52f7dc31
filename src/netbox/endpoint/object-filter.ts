/** The filters of lists by the objects that their items refer to. */
import { type SqlBool, sql } from 'kysely'
import { isOneOf } from '../../database/query/below.ts'
import { refuseField } from '../door/errors.ts'
import type { World } from '../world/world.ts'
import { type Asked, NULL_VALUE } from './condition.ts'
import { EQUAL_LOOKUPS, type Filter, joinOr, negate, parseInteger, refuseChoice, type Sql } from './filter.ts'
import type { Resolver } from './resolver.ts'

type ObjectParts<Item> = {
  readonly of: Resolver
  /** How a value names an object: by its number, or by an attribute of its resolver such as the slug. */
  readonly by: string
  /** Returns the keys of the objects that an item refers to. */
  readonly keys: (item: Item, world: World) => readonly string[]
  /** A column with the key; null for none. */
  readonly column?: string
  /** Further columns or tables: returns the condition that an item refers to one of the keys, or to none. */
  readonly sql?: (
    wanted: { readonly keys: readonly string[]; readonly isNoneWanted: boolean },
    world: World,
  ) => Sql | undefined
  /** An unknown value finds nothing, where others are refused. */
  readonly isLenient?: true
}

const buildColumnSql = (column: string, keys: readonly string[], isNoneWanted: boolean): Sql => {
  const some = [
    ...(keys.length > 0 ? [sql<SqlBool>`(${sql.ref(column)} IS NOT NULL AND ${isOneOf(column, keys)})`] : []),
    ...(isNoneWanted ? [sql<SqlBool>`${sql.ref(column)} IS NULL`] : []),
  ]
  return some.length === 0 ? sql<SqlBool>`1 = 0` : joinOr(some)
}

/** Finds the keys that each value names. */
const resolveValues = async <Item>(
  { of, by, isLenient }: Pick<ObjectParts<Item>, 'of' | 'by' | 'isLenient'>,
  { parameter, values }: Asked,
  world: World,
): Promise<string[]> => {
  const named = values.filter((value) => value !== NULL_VALUE)
  if (by === 'number') {
    const numbers = named.map((value) => {
      const number = parseInteger(value)
      if (number === undefined) throw refuseField(parameter, 'Enter a number.')
      return number
    })
    const found = await of.byNumbers(world, numbers)
    for (const number of numbers) if (!isLenient && !found.has(number)) throw refuseChoice(parameter, String(number))
    return [...new Set(found.values())]
  }
  const keys: string[] = []
  for (const value of named) {
    const some = await of.byAttribute(world, by, value)
    if (some.length === 0 && !isLenient) throw refuseChoice(parameter, value)
    keys.push(...some)
  }
  return [...new Set(keys)]
}

export const objectFilter = <Item>(parts: ObjectParts<Item>): Filter<Item> => ({
  lookups: EQUAL_LOOKUPS,
  type: parts.by === 'number' ? 'integer' : 'string',
  compile: async (asked, world) => {
    const { parameter, lookup, values } = asked
    const { keys: getKeys, column } = parts
    const keys = await resolveValues(parts, asked, world)
    const isNoneWanted = values.includes(NULL_VALUE)
    const isNegative = lookup === 'n'
    const wanted = new Set(keys)
    const built =
      column === undefined ? parts.sql?.({ keys, isNoneWanted }, world) : buildColumnSql(column, keys, isNoneWanted)
    return {
      name: `${parameter}=${values.join()}`,
      test: (item) => {
        const held = getKeys(item, world)
        return (held.some((key) => wanted.has(key)) || (isNoneWanted && held.length === 0)) !== isNegative
      },
      sql: negate(built, isNegative),
    }
  },
})

type SetParts<Item> = Pick<ObjectParts<Item>, 'of' | 'by' | 'keys'> & {
  /** Returns the condition that an item refers to the object of a key. */
  readonly sql?: (key: string, world: World) => Sql
}

/** A filter of objects that an item may have many of, such as tags: an item has all of them; with `n`, none of them. */
export const allOfFilter = <Item>(parts: SetParts<Item>): Filter<Item> => ({
  lookups: EQUAL_LOOKUPS,
  type: parts.by === 'number' ? 'integer' : 'string',
  compile: async (asked, world) => {
    const { parameter, lookup, values } = asked
    const { keys: getKeys, sql: build } = parts
    const keys = await resolveValues(parts, asked, world)
    const isNoneWanted = values.includes(NULL_VALUE)
    const isNegative = lookup === 'n'
    const some = build && keys.map((key) => build(key, world))
    return {
      name: `${parameter}=${values.join()}`,
      test: (item) => {
        const held = getKeys(item, world)
        if (isNegative) return !keys.some((key) => held.includes(key)) && !(isNoneWanted && held.length === 0)
        return keys.every((key) => held.includes(key)) && (!isNoneWanted || held.length === 0)
      },
      sql:
        some && some.length > 0 && !isNoneWanted
          ? isNegative
            ? sql<SqlBool>`NOT ${joinOr(some)}`
            : sql<SqlBool>`(${sql.join([...some], sql` AND `)})`
          : undefined,
    }
  },
})
