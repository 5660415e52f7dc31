/** Collation keys of the names of devices, and of all names in the history. */
import type { Migration } from '../migrate.ts'
import { addNameOrders, BUSY_TABLES, listOrderIndexes } from './name-orders.ts'

export const deviceNameOrder: Migration = {
  name: '0074-device-name-order',
  floor: 'unchanged',
  statements: (ddl) => addNameOrders(BUSY_TABLES, ddl),
  concurrently: (ddl) => listOrderIndexes(BUSY_TABLES, ddl),
  completed: BUSY_TABLES,
}
