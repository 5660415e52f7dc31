/** Prepared queries for lists: inserts of rows and lookups by keys, built once for each of a few lengths. */
import type { Compilable, Kysely } from 'kysely'
import { type PreparedScope, prepared, type RowsOf, type Value } from './prepared.ts'

/** The lengths of prepared queries, longest first. Any list is cut into a few of these. */
const LENGTHS = [256, 128, 64, 16, 8, 7, 6, 5, 4, 3, 2, 1] as const

const getLongest = (count: number): number => LENGTHS.find((length) => length <= count) ?? 1
/** Undefined for more keys than the longest. */
const getShortest = (count: number): number | undefined => LENGTHS.findLast((length) => length >= count)

/** Pads keys to one of a few lengths, to limit the different queries. `none` is no row's key. */
export const padKeys = <Key>(keys: readonly Key[], none: Key): Key[] => {
  const length = getShortest(keys.length) ?? Math.ceil(keys.length / LENGTHS[0]) * LENGTHS[0]
  return [...keys, ...Array.from({ length: length - keys.length }, () => none)]
}

const getCardinality = (keys: number): RowsOf => (keys === 1 ? 'one' : 'many')

/** Builds the query for a length on first use. */
const cacheByLength = <Query>(make: (length: number) => Query): ((length: number) => Query) => {
  const made: Query[] = []
  return (length) => {
    made[length] ??= make(length)
    return made[length]
  }
}

/** Returns the placeholders of `length` rows, in the order of their values. */
const createPlaceholders = <Row>(
  columns: readonly (keyof Row & string)[],
  values: readonly Value[],
  length: number,
): Row[] =>
  Array.from(
    { length },
    (_, index) =>
      // The object has every column of a row.
      Object.fromEntries(columns.map((column, at) => [column, values[index * columns.length + at]])) as Row,
  )

const collectValues = <Row extends Readonly<Record<keyof Row, Value>>>(
  columns: readonly (keyof Row & string)[],
  rows: readonly Row[],
): Value[] => {
  const values: Value[] = []
  for (const row of rows) for (const column of columns) values.push(row[column])
  return values
}

/** Cuts keys into pieces of the prepared lengths. The last piece repeats its last key, which finds no further row. */
function* splitKeys<Key>(keys: readonly Key[]): Generator<Key[]> {
  for (let from = 0; from < keys.length; ) {
    const count = keys.length - from
    const length = getShortest(count) ?? getLongest(count)
    const piece = keys.slice(from, from + length)
    const last = piece.at(-1)
    while (last !== undefined && piece.length < length) piece.push(last)
    yield piece
    from += length
  }
}

/**
 * Prepares an insert of any number of rows. `build` gets placeholders, as in `prepared`.
 * @example
 * const addTags = preparedRows(['id', 'tag'], (db: Kysely<Tables>, rows: { id: string; tag: string }[]) =>
 *   db.insertInto('tags').values(rows))
 * await addTags(ctx, [{ id: 'a', tag: 'x' }, { id: 'a', tag: 'y' }])
 */
export const preparedRows = <Tables, Row extends Readonly<Record<keyof Row, Value>>>(
  columns: readonly (keyof Row & string)[],
  build: (db: Kysely<Tables>, rows: Row[]) => Compilable,
): ((scope: PreparedScope<Tables>, rows: readonly Row[]) => Promise<void>) => {
  const queryFor = cacheByLength((length) =>
    prepared((db: Kysely<Tables>, values: readonly Value[]) =>
      build(db, createPlaceholders<Row>(columns, values, length)),
    ),
  )
  return async (scope, rows) => {
    for (let from = 0; from < rows.length; ) {
      const length = getLongest(rows.length - from)
      await queryFor(length)(scope, collectValues(columns, rows.slice(from, from + length)))
      from += length
    }
  }
}

/**
 * Prepares a lookup of any number of keys with `in`. `build` gets placeholders, as in `prepared`. The order of the rows is undefined.
 * @example
 * const byIds = preparedKeys((db: Kysely<Tables>, ids) => db.selectFrom('devices').select('doc').where('id', 'in', ids))
 * await byIds(ctx, ['a', 'b'])
 */
export const preparedKeys = <Tables, Row, Key extends string = string>(
  build: (db: Kysely<Tables>, keys: Key[]) => Compilable<Row>,
): ((scope: PreparedScope<Tables>, keys: readonly Key[]) => Promise<Row[]>) => {
  const queryFor = cacheByLength((length) =>
    prepared(
      (db: Kysely<Tables>, values: readonly string[]) =>
        build(
          db,
          // There is a value for each.
          Array.from({ length }, (_, index) => (values[index] ?? '') as Key),
        ),
      getCardinality(length),
    ),
  )
  return async (scope, keys) => {
    const found: Row[] = []
    // Duplicates are removed: a key in two pieces would find its row twice.
    for (const piece of splitKeys([...new Set(keys)])) found.push(...(await queryFor(piece.length)(scope, piece)))
    return found
  }
}

/**
 * Prepares a lookup of any number of keys that have several columns. `build` gets placeholders, as in `prepared`. The order of the rows is
 * undefined.
 * @example
 * const byEnds = preparedTuples(['from', 'to'], (db: Kysely<Tables>, ends: { from: string; to: string }[]) =>
 *   db.selectFrom('links').select('id').where((eb) => eb.or(ends.map((end) => eb.and(end)))))
 * await byEnds(ctx, [{ from: 'a', to: 'b' }])
 */
export const preparedTuples = <Tables, Key extends Readonly<Record<keyof Key, Value>>, Row>(
  columns: readonly (keyof Key & string)[],
  build: (db: Kysely<Tables>, keys: Key[]) => Compilable<Row>,
): ((scope: PreparedScope<Tables>, keys: readonly Key[]) => Promise<Row[]>) => {
  const queryFor = cacheByLength((length) =>
    prepared(
      (db: Kysely<Tables>, values: readonly Value[]) => build(db, createPlaceholders<Key>(columns, values, length)),
      getCardinality(length),
    ),
  )
  return async (scope, keys) => {
    const found: Row[] = []
    // Duplicates are removed, as in `preparedKeys`.
    const distinct = new Map(keys.map((key) => [JSON.stringify(collectValues(columns, [key])), key]))
    for (const piece of splitKeys([...distinct.values()]))
      found.push(...(await queryFor(piece.length)(scope, collectValues(columns, piece))))
    return found
  }
}
