/** Queries of hot paths: built and compiled once, then only given other values. Building one costs more than running it. */
import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import type { Engine } from './database.ts'

type Texts = Readonly<Record<string, string>>
type Scope<Tables> = { readonly db: Kysely<Tables>; readonly store: { readonly engine: Engine } }

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
  const compiled = new Map<Engine, CompiledQuery<Row>>()
  // Whatever field is asked for, its stand-in is its name.
  const standIns = new Proxy({}, { get: (_, name) => MARK + String(name) }) as Values
  const valueIn = (values: Texts, parameter: unknown): unknown =>
    typeof parameter === 'string' && parameter.startsWith(MARK) ? values[parameter.slice(MARK.length)] : parameter
  return async ({ db, store }, values) => {
    let query = compiled.get(store.engine)
    if (!query) {
      query = build(db, standIns).compile()
      compiled.set(store.engine, query)
    }
    const parameters = query.parameters.map((parameter) => valueIn(values, parameter))
    return (await db.executeQuery<Row>({ ...query, parameters })).rows
  }
}
