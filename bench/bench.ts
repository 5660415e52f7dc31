/** The input and the results of every measurement. */
import { type RequestParts, requestBytes } from './connection.ts'
import type { Server } from './servers.ts'

export type Bench = {
  readonly devices: number
  /** Ids in the order in which they were made. */
  readonly deviceIds: readonly string[]
  readonly plat: Server
  /** Bare `Bun.serve` and SQLite on a copy of the same database. */
  readonly bare: Server
  /** A request with the API key of an administrator. */
  readonly request: (parts: RequestParts) => Uint8Array
}

export const authorized =
  (key: string): Bench['request'] =>
  ({ headers, ...parts }) =>
    requestBytes({ ...parts, headers: { ...headers, Authorization: `Bearer ${key}` } })

export type Result = {
  readonly work: string
  readonly ours: string
  /** Empty where there is nothing to compare with. */
  readonly baseline: string
  readonly ratio: string
  readonly goal: string
  /** Undefined for a line that only informs. */
  readonly isMet: boolean | undefined
  /** The figures behind the texts. */
  readonly numbers: Readonly<Record<string, number>>
}

export type Work = { readonly name: string; readonly run: (bench: Bench) => Promise<readonly Result[]> }

type Plain = Pick<Result, 'work' | 'ours' | 'goal' | 'isMet' | 'numbers'>

/** A line without a baseline. */
export const plain = (result: Plain): Result => ({ ...result, baseline: '', ratio: '' })
