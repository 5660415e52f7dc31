/** Faults of a database and of its disk, during which changes are refused: the reason, and what to do. */
import { AppError } from '../../contract/errors.ts'

export const FAULT_KINDS = ['full', 'failing', 'read-only', 'damaged', 'replaced', 'locked', 'memory', 'limit'] as const

export type FaultKind = (typeof FAULT_KINDS)[number]

export type Fault = {
  readonly kind: FaultKind
  /** Such as 'the disk is full: changes are refused until there is space'. */
  readonly reason: string
  /** The action that ends it, such as to free space. */
  readonly remedy: string
}

/** Returns the text for requests, `/readyz` and the log. */
export const formatFault = ({ reason, remedy }: Fault): string => `${reason}; ${remedy}`

/** A request that the fault has made impossible. */
export class FaultError extends AppError {
  constructor(
    readonly fault: Fault,
    options?: ErrorOptions,
  ) {
    const text = formatFault(fault)
    super('UNAVAILABLE', `${text.charAt(0).toUpperCase()}${text.slice(1)}`, options)
  }
}
