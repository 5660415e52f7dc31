/** Collation keys of names, by which lists are sorted: of all objects but devices, which follow in 0074. */
import type { Migration } from '../migrate.ts'
import { addNameOrders, createOrderFunctions, listOrderIndexes, NAMED_TABLES } from './name-orders.ts'

export const nameOrder: Migration = {
  name: '0071-name-order',
  floor: 'unchanged',
  statements: (ddl) => [...createOrderFunctions(ddl), ...addNameOrders(NAMED_TABLES, ddl)],
  concurrently: (ddl) => listOrderIndexes(NAMED_TABLES, ddl),
  completed: NAMED_TABLES,
}
