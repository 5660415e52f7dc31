/** Transactions that have changed definitions read them from the database, and no cache keeps what they read. */
import { transactionState } from '../../database/transaction-state.ts'
import type { Ctx } from '../../kernel/ctx.ts'

const definitions = transactionState(() => ({ areWritten: false }))

export const noteWrite = ({ local }: Ctx): void => {
  local(definitions).areWritten = true
}

export const hasWritten = ({ local }: Ctx): boolean => local(definitions).areWritten
