/** Changes many devices: in calls of a thousand, one after the other, patient with the limit of requests. */
import { AppError } from '../../../src/platform/contract/errors.ts'
import { call, changeOf } from '../api/client.ts'
import { connection } from '../api/connection.ts'
import { type Change, type Contracts, contracts, type Device, type In } from '../api/contracts.ts'
import { isCode } from '../api/errors.ts'

export type BulkOperation = In<Contracts['devices']['bulk']>['operations'][number]

/** Most operations of one call. */
export const CHUNK = 1000

export type Batch = {
  /** The devices as they are afterwards. */
  readonly devices: readonly Device[]
  /** The changes, of which each call makes one. */
  readonly changes: readonly (string | undefined)[]
  /** The number of operations that were sent before the end or the signal. */
  readonly done: number
}

type Options = { readonly note?: string; readonly onProgress?: (done: number) => void; readonly signal?: AbortSignal }

/** Every write of the estate takes these fields, which its type does not name. */
type HistoryFields = { readonly change_note?: string | undefined; readonly dry_run?: 'changes' }

const inputOf = (operations: BulkOperation[], fields: HistoryFields): In<Contracts['devices']['bulk']> & object => ({
  operations,
  atomic: true,
  ...fields,
})

/** The change that the operations would be. @param operations at most as many as one call takes */
export const previewBatch = (operations: BulkOperation[]): Promise<Change> =>
  // Of a dry run, the answer is the change that the call would make.
  call(contracts.devices.bulk, inputOf(operations, { dry_run: 'changes' })) as unknown as Promise<Change>

const waitForLimit = (): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(1000, connection.get().limitedUntilMs - Date.now())))

const sendChunk = async (operations: BulkOperation[], note: string | undefined) => {
  for (;;) {
    try {
      return await call(contracts.devices.bulk, inputOf(operations, { change_note: note }))
    } catch (error) {
      if (!isCode(error, 'RATE_LIMIT_EXCEEDED')) throw error
      await waitForLimit()
    }
  }
}

/** @throws AppError the first refusal; the calls before it hold */
export const runBatch = async (
  operations: readonly BulkOperation[],
  { note, onProgress, signal }: Options = {},
): Promise<Batch> => {
  const devices: Device[] = []
  const changes: (string | undefined)[] = []
  let at = 0
  for (; at < operations.length; at += CHUNK) {
    if (signal?.aborted) break
    const chunk = operations.slice(at, at + CHUNK)
    const answer = await sendChunk(chunk, note)
    const { results } = answer
    const refused = results.find(({ error }) => error)?.error
    if (refused) throw new AppError(refused.code, refused.error, { details: refused.details })
    devices.push(...results.flatMap(({ device }) => (device ? [device] : [])))
    changes.push(changeOf(answer))
    onProgress?.(Math.min(at + CHUNK, operations.length))
  }
  return { devices, changes, done: Math.min(at, operations.length) }
}
