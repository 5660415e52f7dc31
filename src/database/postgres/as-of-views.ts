/** The parts of `as-of-views.ts` in the words of PostgreSQL. */
import type { PastSql } from '../query/past-sql.ts'

// Values from JSON have the collation of the database, and the columns of Plat have C.
const bytewise = (text: string): string => `(${text}) COLLATE "C"`
const stored = (table: string): string => `stored_${table}`

export const pastSql: PastSql = {
  stored,
  // An expression sees the expressions before it, and none of its own name.
  defineStored: (table) => `${stored(table)} AS NOT MATERIALIZED (SELECT * FROM ${table})`,
  parameter: (count) => `$${count + 1}::bigint`,
  isParameterFirst: false,
  text: (json, ...path) => bytewise(`${json}::jsonb #>> '{${path.join(',')}}'`),
  number: (json, ...path) => `(${json}::jsonb #>> '{${path.join(',')}}')::float8`,
  elements: (json, field, alias) => ({
    from: `jsonb_array_elements(${json}::jsonb -> '${field}') WITH ORDINALITY AS ${alias}(value, place)`,
    position: `CAST(${alias}.place - 1 AS INTEGER)`,
    text: bytewise(`${alias}.value #>> '{}'`),
    field: (name) => bytewise(`${alias}.value ->> '${name}'`),
  }),
  entries: (json, field, alias) => ({
    from: `jsonb_each_text(${json}::jsonb -> '${field}') AS ${alias}(key, value)`,
    key: bytewise(`${alias}.key`),
    text: bytewise(`${alias}.value`),
  }),
  listField: (json, { list, position, name }) => bytewise(`${json}::jsonb -> '${list}' -> ${position} ->> '${name}'`),
  unindexed: (column) => column,
  bytewise,
  // OFFSET 0 keeps the planner from joining the whole table: it takes the rows of a materialized expression for many.
  selectForEach: (outer, { columns, table, condition }) =>
    `SELECT each_row.* FROM ${outer} CROSS JOIN LATERAL (
      SELECT ${columns} FROM ${stored(table)} AS s WHERE ${condition} OFFSET 0) AS each_row`,
  inIndexOrder: undefined,
}
