/** Changes many devices. */
import { call } from '../../api/client.ts'
import { type Change, type Contracts, contracts, type Device, type In, type Out } from '../../api/contracts.ts'
import type { Written } from '../../api/proposing.ts'
import { queryClient } from '../../api/queries.ts'
import { type Batch, type BatchOptions, type HistoryFields, retryWithinLimit, runBatch } from '../../resource/batch.ts'
import type { Run } from '../../resource/change-dialog.tsx'
import { plural } from '../../ui/format.ts'
import { DEVICE_RESOURCE } from '../resource.ts'
import { devices } from '../window/device-list-client.ts'
import type { Matching, Selected } from '../window/server-filter.ts'

export type BulkOperation = In<Contracts['devices']['bulk']>['operations'][number]

const buildInput = (operations: BulkOperation[], fields: HistoryFields): In<Contracts['devices']['bulk']> & object => ({
  operations,
  atomic: true,
  ...fields,
})

/** Returns the change that the operations would be. @param operations at most as many as one call takes */
export const previewBatch = (operations: BulkOperation[], fields: HistoryFields = {}): Promise<Change> =>
  // The answer of a dry run is the change that the call would make.
  call(contracts.devices.bulk, buildInput(operations, { dry_run: 'changes', ...fields })) as unknown as Promise<Change>

type Finish = (batch: Batch<Out<Contracts['devices']['bulk']>>) => string

const send = (chunk: BulkOperation[], fields: HistoryFields) => call(contracts.devices.bulk, buildInput(chunk, fields))

/**
 * Takes the ids by pages, the last one first: devices that no longer match afterwards change the place of none that
 * is still to come. Keeps no answers, which would be all devices.
 */
const runMatching = async (
  matching: Matching,
  toOperation: (id: string) => BulkOperation,
  options: BatchOptions,
): Promise<Batch<Out<Contracts['devices']['bulk']>>> => {
  const written: Written[] = []
  let done = 0
  let { proposal } = options
  for (let number = matching.pages - 1; number >= 0 && options.signal?.aborted !== true; number--) {
    const ids = await retryWithinLimit(() => matching.page(number))
    const onProgress = (sent: number) => options.onProgress?.(done + sent)
    const batch = await runBatch(send, ids.map(toOperation), { ...options, proposal, onProgress })
    if (proposal !== undefined) proposal = String(batch.written[0]?.proposal ?? proposal)
    written.push(...batch.written)
    done += batch.done
  }
  devices.load()
  return { answers: [], written, done }
}

/** Sends one operation for each device. @param finish shows the result in the list, and says what was done */
export const runOperations =
  (selected: Selected | readonly string[], toOperation: (id: string) => BulkOperation, finish: Finish): Run =>
  async (options) => {
    const batch =
      'pages' in selected
        ? await runMatching(selected, toOperation, options)
        : await runBatch(send, [...selected].map(toOperation), options)
    // Nothing is changed by a proposal.
    return { written: batch.written, text: options.proposal === undefined ? finish(batch) : '' }
  }

/** Puts the changed devices in the list, and repeats the queries that the change affects. */
export const putAll: Finish = ({ answers, done }) => {
  const changed: Device[] = answers.flatMap(({ results }) => results.flatMap(({ device }) => device ?? []))
  if (changed.length > 0) devices.put(changed)
  for (const key of [...DEVICE_RESOURCE.changes, 'history']) void queryClient.invalidateQueries({ queryKey: [key] })
  return `Changed ${plural(answers.length > 0 ? changed.length : done, 'device')}`
}
