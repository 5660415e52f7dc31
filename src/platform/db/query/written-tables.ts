/** Notes which tables a transaction writes, from the queries themselves, so that no store has to say it. */
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

const tableOf = (node: OperationNode | undefined): string | undefined => {
  if (node && AliasNode.is(node)) return tableOf(node.node)
  return node && TableNode.is(node) ? node.table.identifier.name : undefined
}

/** The table that a statement writes; undefined for one that only reads, and for raw SQL. */
export const writtenTable = (node: RootOperationNode): string | undefined => {
  if (InsertQueryNode.is(node)) return tableOf(node.into)
  if (UpdateQueryNode.is(node)) return tableOf(node.table)
  if (DeleteQueryNode.is(node)) return tableOf(node.from.froms[0])
  return undefined
}

/** A plugin that adds every table that is written through it to `touched`. Raw SQL is not seen: writes go through the builder. */
export const touching = (touched: Set<string>): KyselyPlugin => ({
  transformQuery: ({ node }) => {
    const table = writtenTable(node)
    if (table) touched.add(table)
    return node
  },
  transformResult: async ({ result }) => result,
})
