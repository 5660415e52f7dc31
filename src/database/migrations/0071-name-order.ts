/** Collation keys of names, by which lists are sorted: of all objects but devices, which follow in 0074. */
import type { Migration } from '../migrate.ts'
import { addNameOrders, createOrderFunctions, listOrderIndexes, NAMED_TABLES } from './name-orders.ts'

export const nameOrder: Migration = {
  name: '0071-name-order',
  floor: 'unchanged',
  statements: (ddl) => [
    ...createOrderFunctions(ddl),
    ...addNameOrders(NAMED_TABLES, ddl),
    // So that an unused database has no rows to complete. Their names have no digits.
    `UPDATE roles SET name_order = name_key || ${ddl.engine === 'sqlite' ? 'char' : 'chr'}(1) || name_key WHERE is_system = 1`,
  ],
  concurrently: (ddl) => listOrderIndexes(NAMED_TABLES, ddl),
  completed: NAMED_TABLES,
}
