/** Prepared queries for hot paths, built and compiled once: building costs more than running. */
import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import type { Db, Engine } from '../database.ts'

export type Value = string | number | null
/** Values by name, or by index, which is faster for many values. */
type Values = Readonly<Record<string, Value>> | readonly Value[]
export type PreparedScope<Tables> = {
  readonly db: Kysely<Tables>
  readonly store: Pick<Db<Tables>, 'engine' | 'read' | 'quick' | 'quickMany'>
}

/** The name of a value, or its index in a list. */
type Name = string | number

/** A compiled query, and the name of the value for each of its parameters. */
type Prepared<Row> = {
  readonly query: CompiledQuery<Row>
  readonly names: readonly (Name | undefined)[]
  readonly isWrite: boolean
}

/** Prefix of placeholders; no stored text begins with it. */
const MARK = '\u0000prepared:'

/** True for a placeholder of a prepared query: its value is given when the query runs. */
export const isPlaceholder = (value: unknown): value is string => typeof value === 'string' && value.startsWith(MARK)

const nameIn = (parameter: unknown): Name | undefined => {
  if (!isPlaceholder(parameter)) return undefined
  const name = parameter.slice(MARK.length)
  return /^\d+$/.test(name) ? Number(name) : name
}

/** A query returns the rows of one object, by `Db.quick`, or of several, by `Db.quickMany`. */
export type RowsOf = 'one' | 'many'

/**
 * Prepares a query. `build` gets a placeholder for each value and must pass it to the query builder unchanged.
 * @example
 * const nameById = prepared((db: Kysely<Tables>, { id }: { id: string }) =>
 *   db.selectFrom('devices').select('name').where('id', '=', id))
 * await nameById(ctx, { id: 'web-01' })
 */
export const prepared = <Tables, Given extends Values, Row>(
  build: (db: Kysely<Tables>, values: Given) => Compilable<Row>,
  of: RowsOf = 'one',
): ((scope: PreparedScope<Tables>, values: Given) => Promise<Row[]>) => {
  const compiled = new Map<Engine, Prepared<Row>>()
  // The placeholder of a field holds the field's name.
  const placeholders = new Proxy({}, { get: (_, name) => MARK + String(name) }) as Given
  return async ({ db, store }, values) => {
    let known = compiled.get(store.engine)
    if (!known) {
      const query = build(db, placeholders).compile()
      known = { query, names: query.parameters.map(nameIn), isWrite: query.query.kind !== 'SelectQueryNode' }
      compiled.set(store.engine, known)
    }
    const { query, names, isWrite } = known
    // A compiled query bypasses plugins. Plugins that track writes need to see it.
    if (isWrite) db.getExecutor().transformQuery(query.query, query.queryId)
    // `build` took every name from an object of this type.
    const given = values as Readonly<Record<Name, Value>>
    const parameters = names.map((name, i) => (name === undefined ? query.parameters[i] : given[name]))
    const { sql, queryId } = query
    // A query of a transaction runs on its connection.
    const way = db === store.read ? (of === 'one' ? store.quick : store.quickMany) : db
    return (await way.executeQuery<Row>({ sql, queryId, query: query.query, parameters })).rows
  }
}
