/** Queries of hot paths: built and compiled once, then only given other values. Building one costs more than running it. */
import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import type { Engine } from './database.ts'

type Texts = Readonly<Record<string, string>>
type Scope<Tables> = { readonly db: Kysely<Tables>; readonly store: { readonly engine: Engine } }

/** A query, and for each of its parameters the name of the value that it is. */
type Prepared<Row> = { readonly query: CompiledQuery<Row>; readonly names: readonly (string | undefined)[] }

/** Stands for a value until there is one; no stored text begins like this. */
const MARK = '\u0000prepared:'

/**
 * A query whose values are texts; `build` sees a stand-in for each of them, and must do nothing with it but hand it on.
 * @example
 * const nameById = prepared((db: Kysely<Tables>, { id }: { id: string }) =>
 *   db.selectFrom('devices').select('name').where('id', '=', id))
 * await nameById(ctx, { id: 'web-01' })
 */
export const prepared = <Tables, Values extends Texts, Row>(
  build: (db: Kysely<Tables>, values: Values) => Compilable<Row>,
): ((scope: Scope<Tables>, values: Values) => Promise<Row[]>) => {
  const compiled = new Map<Engine, Prepared<Row>>()
  // Whatever field is asked for, its stand-in is its name.
  const standIns = new Proxy({}, { get: (_, name) => MARK + String(name) }) as Values
  const nameIn = (parameter: unknown): string | undefined =>
    typeof parameter === 'string' && parameter.startsWith(MARK) ? parameter.slice(MARK.length) : undefined
  return async ({ db, store }, values) => {
    let known = compiled.get(store.engine)
    if (!known) {
      const query = build(db, standIns).compile()
      known = { query, names: query.parameters.map(nameIn) }
      compiled.set(store.engine, known)
    }
    const { query, names } = known
    const parameters = names.map((name, i) => (name === undefined ? query.parameters[i] : values[name]))
    return (await db.executeQuery<Row>({ ...query, parameters })).rows
  }
}
