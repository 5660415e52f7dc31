/** Tracks which tables a transaction writes, from the query tree, so that no store declares it. */
import {
  AliasNode,
  DeleteQueryNode,
  InsertQueryNode,
  type KyselyPlugin,
  type OperationNode,
  type RootOperationNode,
  TableNode,
  UpdateQueryNode,
} from 'kysely'

const getTableName = (node: OperationNode | undefined): string | undefined => {
  if (node && AliasNode.is(node)) return getTableName(node.node)
  return node && TableNode.is(node) ? node.table.identifier.name : undefined
}

/** Returns the table that a statement writes; undefined for a read and for raw SQL. */
export const getWrittenTable = (node: RootOperationNode): string | undefined => {
  if (InsertQueryNode.is(node)) return getTableName(node.into)
  if (UpdateQueryNode.is(node)) return getTableName(node.table)
  if (DeleteQueryNode.is(node)) return getTableName(node.from.froms[0])
  return undefined
}

/** Returns a plugin that adds each written table to `written`. Raw SQL is not tracked: write through the query builder. */
export const trackWrittenTables = (written: Set<string>): KyselyPlugin => ({
  transformQuery: ({ node }) => {
    const table = getWrittenTable(node)
    if (table) written.add(table)
    return node
  },
  transformResult: async ({ result }) => result,
})
