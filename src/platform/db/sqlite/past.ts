/** The parts of `past.ts` in the words of SQLite. */
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
} from 'kysely'
import type { PastSql } from '../database.ts'
import { ORDER_COLUMN } from '../query/order-column.ts'

const columnOf = (node: OperationNode): string | undefined =>
  ReferenceNode.is(node) && ColumnNode.is(node.column) ? node.column.column.name : undefined

const isSelected = (selections: readonly SelectionNode[], column: string): boolean =>
  selections.some(({ selection }) => columnOf(selection) === column)

const selectedOrder = ({ selections = [], orderBy }: SelectQueryNode): SelectionNode[] =>
  (orderBy?.items ?? []).flatMap(({ orderBy: term }, at) => {
    const column = columnOf(term)
    if (column === undefined || isSelected(selections, column)) return []
    return [SelectionNode.create(AliasNode.create(term, IdentifierNode.create(`${ORDER_COLUMN}${at}`)))]
  })

const inFrom = (node: OperationNode): OperationNode =>
  AliasNode.is(node) && SelectQueryNode.is(node.node) ? AliasNode.create(withOrder(node.node), node.alias) : node

/**
 * Selects what a query is ordered by, in columns that begin with `ORDER_COLUMN`. Only then does SQLite take the rows of
 * `UNION ALL` in the order of an index of each part (sqlite.org/optoverview.html, 'subquery flattening', rule 18).
 */
const withOrder = (query: SelectQueryNode): SelectQueryNode => {
  const { from, joins, setOperations, groupBy, frontModifiers } = query
  const isPlain = !setOperations && !groupBy && !frontModifiers
  return {
    ...query,
    ...(from && { from: { ...from, froms: from.froms.map(inFrom) } }),
    ...(joins && { joins: joins.map((join): JoinNode => ({ ...join, table: inFrom(join.table) })) }),
    ...(isPlain && { selections: [...(query.selections ?? []), ...selectedOrder(query)] }),
  }
}

// Columns of all parts of UNION ALL need one affinity (rule 17h there), which an operator's result has not.
const asText = (expression: string): string => `CAST(${expression} AS TEXT)`

export const pastSql: PastSql = {
  stored: (table) => `main.${table}`,
  defineStored: () => undefined,
  parameter: () => '?1',
  isParameterFirst: true,
  text: (json, ...path) => asText(`${json} ->> '$.${path.join('.')}'`),
  elements: (json, field, alias) => ({
    from: `json_each(${json}, '$.${field}') AS ${alias}`,
    position: `CAST(${alias}.key AS INTEGER)`,
    text: asText(`${alias}.value`),
    field: (name) => asText(`${alias}.value ->> '$.${name}'`),
  }),
  textAt: (json, field, position) => asText(`${json} ->> ('$.${field}[' || ${position} || ']')`),
  bytewise: (text) => text,
  inIndexOrder: (query: RootOperationNode) => (SelectQueryNode.is(query) ? withOrder(query) : query),
}
