/** The filters of lists, by the type of the compared value. Each is a test in JavaScript, and in SQL where rows have the columns. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { escapeLike } from '../../database/database.ts'
import { toNameKey } from '../../net/name-order.ts'
import { refuseField } from '../door/errors.ts'
import type { World } from '../world/world.ts'
import { type Asked, type Condition, NULL_VALUE } from './condition.ts'
import type { Choices } from './field.ts'

/** Makes the condition of one parameter; undefined for one that asks for nothing. */
export type Filter<Item> = {
  /** The lookups behind `__` that it takes; '' for none. */
  readonly lookups: readonly string[]
  /** The type of a value in the schema. */
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date-time'
  readonly compile: (asked: Asked, world: World) => Promise<Condition<Item> | undefined>
}

export type Sql = RawBuilder<SqlBool>

type TextColumn = string | RawBuilder<string>

/** A column with a text, and the column with its name key; or the same of expressions. */
export type TextColumns = { readonly value: TextColumn; readonly key: TextColumn }

const TEXT_LOOKUPS = ['', 'n', 'ic', 'nic', 'ie', 'nie', 'isw', 'nisw', 'iew', 'niew', 'empty']
const NUMBER_LOOKUPS = ['', 'n', 'lt', 'lte', 'gt', 'gte']
export const EQUAL_LOOKUPS = ['', 'n']

/** The values that are not empty: an empty one counts as absent. */
const listGiven = (values: readonly string[]): string[] => values.filter((value) => value !== '')

export const negate = (condition: Sql | undefined, isNegative: boolean): Sql | undefined =>
  condition && isNegative ? sql<SqlBool>`NOT (${condition})` : condition

export const joinOr = (some: readonly Sql[]): Sql => sql<SqlBool>`(${sql.join([...some], sql` OR `)})`

/** @throws DoorError on the parameter unless the text is a truth value */
export const parseFlag = (parameter: string, text: string): boolean => {
  const value = text.toLowerCase()
  if (value === 'true' || value === '1') return true
  if (value === 'false' || value === '0') return false
  throw refuseField(parameter, 'Enter true or false.')
}

const parseFlags = ({ parameter, values }: Asked): boolean | undefined => {
  const flags = listGiven(values).map((text) => parseFlag(parameter, text))
  const [first] = flags
  if (flags.some((flag) => flag !== first)) throw refuseField(parameter, 'Enter one value.')
  return first
}

type TextTest = 'is' | 'same' | 'contains' | 'starts' | 'ends'
const TEXT_TESTS: Readonly<Record<string, TextTest>> = {
  '': 'is',
  ie: 'same',
  ic: 'contains',
  isw: 'starts',
  iew: 'ends',
}

const PATTERNS: Readonly<Record<Exclude<TextTest, 'is' | 'same'>, (text: string) => string>> = {
  contains: (text) => `%${text}%`,
  starts: (text) => `${text}%`,
  ends: (text) => `%${text}`,
}

const testText = (test: TextTest, held: string, wanted: string): boolean => {
  if (test === 'is') return held === wanted
  const [text, part] = [toNameKey(held), toNameKey(wanted)]
  if (test === 'same') return text === part
  if (test === 'contains') return text.includes(part)
  return test === 'starts' ? text.startsWith(part) : text.endsWith(part)
}

const toSql = (column: TextColumn) => (typeof column === 'string' ? sql.ref<string>(column) : column)

const buildTextSql = (test: TextTest, columns: TextColumns, wanted: string): Sql => {
  const [value, key] = [toSql(columns.value), toSql(columns.key)]
  const folded = toNameKey(wanted)
  // A column of a name key may be null where there is no text.
  const column = sql`COALESCE(${key}, '')`
  if ((test === 'same' || test === 'is') && folded === '') return sql<SqlBool>`${column} = ''`
  const isSame = sql<SqlBool>`${key} IS NOT NULL AND ${key} = ${folded}`
  if (test === 'same') return sql<SqlBool>`(${isSame})`
  if (test === 'is') return sql<SqlBool>`(${isSame} AND ${value} = ${wanted})`
  return sql<SqlBool>`${column} LIKE ${PATTERNS[test](escapeLike(folded))} ESCAPE '\\'`
}

type TextParts<Item> = {
  readonly get: (item: Item, world: World) => string
  readonly columns?: TextColumns
  /** A plain comparison ignores the case, as NetBox does for some names. */
  readonly isAnyCase?: true
}

export const textFilter = <Item>({ get, columns, isAnyCase }: TextParts<Item>): Filter<Item> => ({
  lookups: TEXT_LOOKUPS,
  type: 'string',
  compile: async (asked, world) => {
    const { parameter, lookup, values } = asked
    const name = `${parameter}=${values.join()}`
    if (lookup === 'empty') {
      const wanted = parseFlags(asked)
      if (wanted === undefined) return undefined
      const isEmpty = columns && buildTextSql('same', columns, '')
      return { name, test: (item) => (get(item, world) === '') === wanted, sql: negate(isEmpty, !wanted) }
    }
    const given = listGiven(values)
    if (given.length === 0) return undefined
    const isNegative = lookup.startsWith('n')
    const plain = TEXT_TESTS[isNegative ? lookup.slice(1) : lookup] ?? 'is'
    const test = plain === 'is' && isAnyCase ? 'same' : plain
    const texts = given.map((text) => (plain === 'is' && text === NULL_VALUE ? '' : text))
    const found = columns && joinOr(texts.map((text) => buildTextSql(test, columns, text)))
    return {
      name,
      test: (item) => texts.some((text) => testText(test, get(item, world), text)) !== isNegative,
      sql: negate(found, isNegative),
    }
  },
})

type NumberParts<Item> = {
  readonly get: (item: Item, world: World) => number | null
  readonly column?: RawBuilder<unknown>
  readonly parse?: (text: string) => number | undefined
  readonly lookups?: readonly string[]
  readonly type?: 'integer' | 'number'
}

const OPERATORS = { lt: sql`<`, lte: sql`<=`, gt: sql`>`, gte: sql`>=` } as const
type Bound = keyof typeof OPERATORS
const isBound = (lookup: string): lookup is Bound => Object.hasOwn(OPERATORS, lookup)

const compare = (lookup: Bound, held: number, wanted: number): boolean => {
  if (lookup === 'lt') return held < wanted
  if (lookup === 'lte') return held <= wanted
  return lookup === 'gt' ? held > wanted : held >= wanted
}

/** @returns the number; undefined for text that spells none */
export const parseInteger = (text: string): number | undefined =>
  /^-?\d{1,15}$/.test(text.trim()) ? Number(text) : undefined

export const parseDecimal = (text: string): number | undefined =>
  /^-?\d{1,15}(\.\d{1,15})?$/.test(text.trim()) ? Number(text) : undefined

export const numberFilter = <Item>({
  get,
  column,
  parse = parseInteger,
  lookups = NUMBER_LOOKUPS,
  type = 'integer',
}: NumberParts<Item>): Filter<Item> => ({
  lookups,
  type,
  compile: async ({ parameter, lookup, values }, world) => {
    const given = listGiven(values)
    if (given.length === 0) return undefined
    const name = `${parameter}=${values.join()}`
    const isEqual = !isBound(lookup)
    const wanted = given.map((text) => {
      if (isEqual && text === NULL_VALUE) return null
      const value = parse(text)
      if (value === undefined) throw refuseField(parameter, 'Enter a number.')
      return value
    })
    if (isBound(lookup)) {
      const numbers = wanted.flatMap((one) => one ?? [])
      const bounds = column && joinOr(numbers.map((one) => sql<SqlBool>`${column} ${OPERATORS[lookup]} ${one}`))
      const test = (item: Item) => {
        const held = get(item, world)
        return held !== null && numbers.some((one) => compare(lookup, held, one))
      }
      return { name, test, sql: bounds }
    }
    const isNegative = lookup === 'n'
    const found =
      column &&
      joinOr(
        wanted.map((one) =>
          one === null ? sql<SqlBool>`${column} IS NULL` : sql<SqlBool>`(${column} IS NOT NULL AND ${column} = ${one})`,
        ),
      )
    return { name, test: (item) => wanted.includes(get(item, world)) !== isNegative, sql: negate(found, isNegative) }
  },
})

const DATE = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/

/** Returns the moment of a date, or of a date with a time, in milliseconds. Without a zone it is UTC. */
export const parseMoment = (text: string): number | undefined => {
  // A plus sign in a query is a space.
  const given = text.trim().replace(/ (\d{2}:?\d{2})$/, '+$1')
  if (!DATE.test(given)) return undefined
  const hasZone = given.length === 10 || /(Z|[+-]\d{2}:?\d{2})$/.test(given.slice(10))
  const ms = Date.parse(given.replace(' ', 'T') + (hasZone ? '' : 'Z'))
  return Number.isNaN(ms) ? undefined : ms
}

type MomentParts<Item> = {
  readonly get: (item: Item, world: World) => string | null
  /** A column with the time as Plat stores it: RFC 3339, UTC, milliseconds. */
  readonly column?: string
}

export const momentFilter = <Item>({ get, column }: MomentParts<Item>): Filter<Item> => ({
  lookups: NUMBER_LOOKUPS,
  type: 'date-time',
  compile: async ({ parameter, lookup, values }, world) => {
    const given = listGiven(values)
    if (given.length === 0) return undefined
    const moments = given.map((text) => {
      const ms = parseMoment(text)
      if (ms === undefined) throw refuseField(parameter, 'Enter a valid date/time.')
      return new Date(ms).toISOString()
    })
    const isNegative = lookup === 'n'
    const operator = isBound(lookup) ? OPERATORS[lookup] : sql`=`
    const test = (held: string, wanted: string) =>
      isBound(lookup) ? compare(lookup, Date.parse(held), Date.parse(wanted)) : held === wanted
    const found =
      column === undefined
        ? undefined
        : joinOr(moments.map((one) => sql<SqlBool>`${sql.ref(column)} ${operator} ${one}`))
    return {
      name: `${parameter}=${values.join()}`,
      test: (item) => {
        const held = get(item, world)
        return (held !== null && moments.some((one) => test(held, one))) !== isNegative
      },
      sql: negate(found, isNegative),
    }
  },
})

type FlagParts<Item> = {
  readonly get: (item: Item, world: World) => boolean
  readonly sql?: (world: World) => Sql
}

export const flagFilter = <Item>({ get, sql: build }: FlagParts<Item>): Filter<Item> => ({
  lookups: [''],
  type: 'boolean',
  compile: async (asked, world) => {
    const wanted = parseFlags(asked)
    if (wanted === undefined) return undefined
    return {
      name: `${asked.parameter}=${wanted}`,
      test: (item) => get(item, world) === wanted,
      sql: build && negate(build(world), !wanted),
    }
  },
})

export const refuseChoice = (parameter: string, value: string) =>
  refuseField(parameter, `Select a valid choice. ${value} is not one of the available choices.`)

type ChoiceParts<Item> = {
  readonly choices: Choices
  readonly get: (item: Item, world: World) => string | null
  /** Returns the condition that an item has one of the values, null for none. */
  readonly sql?: (values: readonly (string | null)[], world: World) => Sql | undefined
}

export const choiceFilter = <Item>({ choices, get, sql: build }: ChoiceParts<Item>): Filter<Item> => ({
  lookups: EQUAL_LOOKUPS,
  type: 'string',
  compile: async ({ parameter, lookup, values }, world) => {
    const wanted = values.map((value) => {
      if (value === NULL_VALUE) return null
      if (!Object.hasOwn(choices, value)) throw refuseChoice(parameter, value)
      return value
    })
    const isNegative = lookup === 'n'
    return {
      name: `${parameter}=${values.join()}`,
      test: (item) => wanted.includes(get(item, world)) !== isNegative,
      sql: negate(build?.(wanted, world), isNegative),
    }
  },
})

type OwnParts<Item, Value> = {
  readonly type?: Filter<Item>['type']
  readonly lookups?: readonly string[]
  /** @returns undefined for text that is no value */
  readonly parse: (text: string, world: World) => Value | undefined | Promise<Value | undefined>
  /** The message for text that is no value. */
  readonly message: string
  readonly test: (item: Item, value: Value, world: World) => boolean
  readonly sql?: (value: Value, world: World) => Sql | undefined
}

/** A filter with a comparison of its own. Several values are alternatives. */
export const ownFilter = <Item, Value>({
  type = 'string',
  lookups = [''],
  parse,
  message,
  test,
  sql: build,
}: OwnParts<Item, Value>): Filter<Item> => ({
  lookups,
  type,
  compile: async ({ parameter, lookup, values }, world) => {
    const given = listGiven(values)
    if (given.length === 0) return undefined
    const wanted: Value[] = []
    for (const text of given) {
      const value = await parse(text, world)
      if (value === undefined) throw refuseField(parameter, message)
      wanted.push(value)
    }
    const isNegative = lookup === 'n'
    const some = build ? wanted.map((value) => build(value, world)) : []
    const known = some.flatMap((one) => one ?? [])
    return {
      name: `${parameter}=${values.join()}`,
      test: (item) => wanted.some((value) => test(item, value, world)) !== isNegative,
      sql: build && known.length === wanted.length ? negate(joinOr(known), isNegative) : undefined,
    }
  },
})
