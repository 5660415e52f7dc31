/**
 * Queries of hot paths, which are quick ones: built and compiled once, then only given other values. Building one costs more than
 * running it.
 */
import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import type { Db, Engine } from '../database.ts'

export type Value = string | number | null
/** By name, or by place in a list, which is quicker for many. */
type Values = Readonly<Record<string, Value>> | readonly Value[]
export type PreparedScope<Tables> = {
  readonly db: Kysely<Tables>
  readonly store: Pick<Db<Tables>, 'engine' | 'read' | 'quick'>
}

/** Of a value, or its place in a list. */
type Name = string | number

/** A query, and for each of its parameters the name of the value that it is. */
type Prepared<Row> = {
  readonly query: CompiledQuery<Row>
  readonly names: readonly (Name | undefined)[]
  readonly isWrite: boolean
}

/** Stands for a value until there is one; no stored text begins like this. */
const MARK = '\u0000prepared:'

/** Whether a value in a prepared query stands for another one, which is only known when it runs. */
export const isStandIn = (value: unknown): value is string => typeof value === 'string' && value.startsWith(MARK)

const nameIn = (parameter: unknown): Name | undefined => {
  if (!isStandIn(parameter)) return undefined
  const name = parameter.slice(MARK.length)
  return /^\d+$/.test(name) ? Number(name) : name
}

/**
 * A query; `build` sees a stand-in for each of its values, and must do nothing with it but hand it on.
 * @example
 * const nameById = prepared((db: Kysely<Tables>, { id }: { id: string }) =>
 *   db.selectFrom('devices').select('name').where('id', '=', id))
 * await nameById(ctx, { id: 'web-01' })
 */
export const prepared = <Tables, Given extends Values, Row>(
  build: (db: Kysely<Tables>, values: Given) => Compilable<Row>,
): ((scope: PreparedScope<Tables>, values: Given) => Promise<Row[]>) => {
  const compiled = new Map<Engine, Prepared<Row>>()
  // Whatever field is asked for, its stand-in is its name.
  const standIns = new Proxy({}, { get: (_, name) => MARK + String(name) }) as Given
  return async ({ db, store }, values) => {
    let known = compiled.get(store.engine)
    if (!known) {
      const query = build(db, standIns).compile()
      known = { query, names: query.parameters.map(nameIn), isWrite: query.query.kind !== 'SelectQueryNode' }
      compiled.set(store.engine, known)
    }
    const { query, names, isWrite } = known
    // For what looks at writes on their way: a compiled query passes it by.
    if (isWrite) db.getExecutor().transformQuery(query.query, query.queryId)
    // Whatever there is of names in the query is in the values: they have one type.
    const given = values as Readonly<Record<Name, Value>>
    const parameters = names.map((name, i) => (name === undefined ? query.parameters[i] : given[name]))
    const { sql, queryId } = query
    // In a transaction it has to be a query of that.
    const way = db === store.read ? store.quick : db
    return (await way.executeQuery<Row>({ sql, queryId, query: query.query, parameters })).rows
  }
}
