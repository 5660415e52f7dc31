/** The merge that a transaction is. */
import { transactionState } from '../database/transaction-state.ts'

/** Set by a merge before its operations: it changes protected objects, and requires the approvals before its commit. */
export const mergingState = transactionState((): { proposal: string | undefined } => ({ proposal: undefined }))
