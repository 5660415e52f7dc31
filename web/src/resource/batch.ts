/** Changes many objects: in calls of a thousand, one after the other, patient with the limit of requests. */
import { AppError } from '../../../src/contract/errors.ts'
import type { AnyOperation } from '../../../src/kernel/operation.ts'
import { getWritten, write } from '../api/client.ts'
import { connection } from '../api/connection.ts'
import { getFieldErrors, isCode } from '../api/errors.ts'
import type { Written } from '../api/proposing.ts'

/** Most operations of one call. */
export const CHUNK = 1000

/** Every write of the estate takes these fields, which its type does not name. */
export type HistoryFields = {
  readonly change_note?: string | undefined
  readonly dry_run?: 'changes'
  readonly proposal?: string | undefined
}

type Refusal = Pick<AppError, 'code' | 'details'> & { readonly error: string }
type Answer = { readonly results: readonly { readonly error?: Refusal | undefined }[] }

/** Sends one call, of which all operations hold or none. */
export type Send<Op, A extends Answer> = (operations: Op[], fields: HistoryFields) => Promise<A>

export type Batch<A> = {
  /** One of each call. */
  readonly answers: readonly A[]
  /** The result of each call. */
  readonly written: readonly Written[]
  /** The number of operations that were sent before the end or the signal. */
  readonly done: number
}

export type BatchOptions = {
  readonly note?: string
  /** The proposal that takes the calls; `open` for a new one, which takes them all. */
  readonly proposal?: string | undefined
  readonly onProgress?: (done: number) => void
  readonly signal?: AbortSignal
}

const waitForLimit = (): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(1000, connection.get().limitedUntilMs - Date.now())))

/** Sends a request again and again as long as the limit of requests refuses it. */
export const retryWithinLimit = async <T>(request: () => Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await request()
    } catch (error) {
      if (!isCode(error, 'RATE_LIMIT_EXCEEDED')) throw error
      await waitForLimit()
    }
  }
}

/** @throws AppError the first refusal; the calls before it hold */
export const runBatch = async <Op, A extends Answer & object>(
  send: Send<Op, A>,
  operations: readonly Op[],
  { note, proposal: wanted, onProgress, signal }: BatchOptions = {},
): Promise<Batch<A>> => {
  const answers: A[] = []
  let proposal: number | undefined
  const sendChunk = (chunk: Op[]): Promise<A> => {
    const fields = {
      change_note: note,
      ...(wanted !== undefined && { proposal: proposal ? String(proposal) : wanted }),
    }
    return retryWithinLimit(() => send(chunk, fields))
  }
  let at = 0
  for (; at < operations.length; at += CHUNK) {
    if (signal?.aborted) break
    const answer = await sendChunk(operations.slice(at, at + CHUNK))
    const refused = answer.results.find(({ error }) => error)?.error
    if (refused) throw new AppError(refused.code, refused.error, { details: refused.details })
    answers.push(answer)
    proposal ??= getWritten(answer).proposal
    onProgress?.(Math.min(at + CHUNK, operations.length))
  }
  return { answers, written: answers.map(getWritten), done: Math.min(at, operations.length) }
}

/** Makes one call after the other, all in one proposal if they are proposed. */
export const writeEach = async (
  op: AnyOperation,
  inputs: readonly object[],
  { note, proposal, onProgress, signal }: BatchOptions = {},
): Promise<readonly Written[]> => {
  const written: Written[] = []
  for (const input of inputs) {
    if (signal?.aborted) break
    const taker = written[0]?.proposal ?? proposal
    const fields = { ...(note && { change_note: note }), ...(taker !== undefined && { proposal: String(taker) }) }
    written.push(await retryWithinLimit(() => write(op, { ...input, ...fields })))
    onProgress?.(written.length)
  }
  return written
}

/** Returns the errors of an item by the bare field: `operations[3].port.type` as `type`. */
export const getItemErrors = (error: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(getFieldErrors(error)).map(([field, message]) => [
      field.replace(/^operations\[\d+\]\.((device|port)\.)?/, ''),
      message,
    ]),
  )
