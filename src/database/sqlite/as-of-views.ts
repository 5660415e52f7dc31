/** The parts of `as-of-views.ts` in the words of SQLite. */
import {
  AliasNode,
  ColumnNode,
  IdentifierNode,
  type JoinNode,
  type OperationNode,
  ReferenceNode,
  type RootOperationNode,
  SelectionNode,
  SelectQueryNode,
  TableNode,
} from 'kysely'
import { IS_THEN, ORDER_COLUMN } from '../query/order-column.ts'
import type { PastSql } from '../query/past-sql.ts'

const getColumnName = (node: OperationNode): string | undefined =>
  ReferenceNode.is(node) && ColumnNode.is(node.column) ? node.column.column.name : undefined

const isSelected = (selections: readonly SelectionNode[], column: string): boolean =>
  selections.some(({ selection }) => getColumnName(selection) === column)

const listOrderColumns = ({ selections = [], orderBy }: SelectQueryNode): SelectionNode[] =>
  (orderBy?.items ?? []).flatMap(({ orderBy: term }, at) => {
    const column = getColumnName(term)
    if (column === undefined || isSelected(selections, column)) return []
    return [SelectionNode.create(AliasNode.create(term, IdentifierNode.create(`${ORDER_COLUMN}${at}`)))]
  })

const inFrom = (node: OperationNode): OperationNode =>
  AliasNode.is(node) && SelectQueryNode.is(node.node) ? AliasNode.create(withOrder(node.node), node.alias) : node

/** True for a part of a list: few rows that are already known when the rest of the query runs. */
const isPage = (node: OperationNode): boolean =>
  AliasNode.is(node) && SelectQueryNode.is(node.node) && node.node.limit !== undefined

/** Begins with the page, where a table is joined with one: SQLite keeps the order of a CROSS JOIN. */
const movePageFirst = (query: SelectQueryNode): SelectQueryNode => {
  const { from, joins: [join, ...others] = [] } = query
  const [table, ...tables] = from?.froms ?? []
  if (!from || !table || !join || tables.length + others.length > 0) return query
  if (join.joinType !== 'InnerJoin' || !isPage(join.table)) return query
  return { ...query, from: { ...from, froms: [join.table] }, joins: [{ ...join, joinType: 'CrossJoin', table }] }
}

/**
 * Selects what a query is ordered by, in columns that begin with `ORDER_COLUMN`. Only then does SQLite take the rows of
 * `UNION ALL` in the order of an index of each part (sqlite.org/optoverview.html, 'subquery flattening', rule 18).
 */
const withOrder = (given: SelectQueryNode): SelectQueryNode => {
  const query = movePageFirst(given)
  const { from, joins, setOperations, groupBy, frontModifiers } = query
  const isPlain = !setOperations && !groupBy && !frontModifiers
  return {
    ...query,
    ...(from && { from: { ...from, froms: from.froms.map(inFrom) } }),
    ...(joins && { joins: joins.map((join): JoinNode => ({ ...join, table: inFrom(join.table) })) }),
    ...(isPlain && { selections: [...(query.selections ?? []), ...listOrderColumns(query)] }),
  }
}

/** Replaces the only table of a query without limit by the one that is read in steps. */
const stepwise = (query: SelectQueryNode, inSteps: (table: string) => string | undefined): SelectQueryNode => {
  const { from, joins, limit, groupBy, setOperations, frontModifiers, selections = [] } = query
  const [table, ...tables] = from?.froms ?? []
  if (!from || !table || !TableNode.is(table) || tables.length > 0) return query
  if (joins || limit || groupBy || setOperations || frontModifiers) return query
  const { name } = table.table.identifier
  const stepped = inSteps(name)
  if (stepped === undefined) return query
  const mark = ReferenceNode.create(ColumnNode.create('is_then'), TableNode.create(name))
  return {
    ...query,
    from: { ...from, froms: [AliasNode.create(TableNode.create(stepped), IdentifierNode.create(name))] },
    selections: [...selections, SelectionNode.create(AliasNode.create(mark, IdentifierNode.create(IS_THEN)))],
  }
}

// Columns of all parts of UNION ALL need one affinity (rule 17h there), which an operator's result has not.
const asText = (expression: string): string => `CAST(${expression} AS TEXT)`

const stored = (table: string): string => `main.${table}`

export const pastSql: PastSql = {
  stored,
  defineStored: () => undefined,
  parameter: () => '?1',
  isParameterFirst: true,
  text: (json, ...path) => asText(`${json} ->> '$.${path.join('.')}'`),
  number: (json, ...path) => `(${json} ->> '$.${path.join('.')}')`,
  elements: (json, field, alias) => ({
    from: `json_each(${json}, '$.${field}') AS ${alias}`,
    position: `CAST(${alias}.key AS INTEGER)`,
    text: asText(`${alias}.value`),
    field: (name) => asText(`${alias}.value ->> '$.${name}'`),
  }),
  entries: (json, field, alias) => ({
    from: `json_each(${json}, '$.${field}') AS ${alias}`,
    key: asText(`${alias}.key`),
    text: asText(`${alias}.value`),
  }),
  listField: (json, { list, position, name }) => asText(`${json} ->> ('$.${list}[' || ${position} || '].${name}')`),
  unindexed: asText,
  bytewise: (text) => text,
  // SQLite keeps the order of a CROSS JOIN.
  selectForEach: (outer, { columns, table, condition }) =>
    `SELECT ${columns} FROM ${outer} CROSS JOIN ${stored(table)} AS s WHERE ${condition}`,
  inIndexOrder: (query: RootOperationNode, inSteps) => {
    if (!SelectQueryNode.is(query)) return query
    return withOrder(inSteps ? stepwise(query, inSteps) : query)
  },
}
