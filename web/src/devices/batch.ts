/** Changes many devices: in calls of a thousand, one after the other, patient with the limit of requests. */
import { AppError } from '../../../src/platform/contract/errors.ts'
import { api } from '../api/client.ts'
import { connection } from '../api/connection.ts'
import type { Contracts, Device, In } from '../api/contracts.ts'
import { isCode } from '../api/errors.ts'

export type BulkOperation = In<Contracts['devices']['bulk']>['operations'][number]

/** Most operations of one call. */
const CHUNK = 1000

type Progress = { readonly onProgress?: (done: number) => void; readonly signal?: AbortSignal }

const waitForLimit = (): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(1000, connection.get().limitedUntilMs - Date.now())))

const sendChunk = async (operations: BulkOperation[]) => {
  for (;;) {
    try {
      return await api.devices.bulk({ operations, atomic: true })
    } catch (error) {
      if (!isCode(error, 'RATE_LIMIT_EXCEEDED')) throw error
      await waitForLimit()
    }
  }
}

/** @returns the devices as they are afterwards @throws AppError the first refusal; the calls before it hold */
export const runBatch = async (
  operations: readonly BulkOperation[],
  { onProgress, signal }: Progress = {},
): Promise<Device[]> => {
  const changed: Device[] = []
  for (let at = 0; at < operations.length; at += CHUNK) {
    if (signal?.aborted) break
    const chunk = operations.slice(at, at + CHUNK)
    const { results } = await sendChunk(chunk)
    const refused = results.find(({ error }) => error)?.error
    if (refused) throw new AppError(refused.code, refused.error, { details: refused.details })
    changed.push(...results.flatMap(({ device }) => (device ? [device] : [])))
    onProgress?.(Math.min(at + CHUNK, operations.length))
  }
  return changed
}
