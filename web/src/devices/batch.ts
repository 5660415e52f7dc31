/** Changes many devices. */
import { call } from '../api/client.ts'
import { type Change, type Contracts, contracts, type Device, type In, type Out } from '../api/contracts.ts'
import { type Batch, type HistoryFields, runBatch } from '../resource/batch.ts'
import type { Run } from '../resource/change-dialog.tsx'
import { plural } from '../ui/format.ts'
import { devices } from './source.ts'

export type BulkOperation = In<Contracts['devices']['bulk']>['operations'][number]

const inputOf = (operations: BulkOperation[], fields: HistoryFields): In<Contracts['devices']['bulk']> & object => ({
  operations,
  atomic: true,
  ...fields,
})

/** The change that the operations would be. @param operations at most as many as one call takes */
export const previewBatch = (operations: BulkOperation[]): Promise<Change> =>
  // Of a dry run, the answer is the change that the call would make.
  call(contracts.devices.bulk, inputOf(operations, { dry_run: 'changes' })) as unknown as Promise<Change>

/** Sends the operations. @param finish shows the result in the list, and says what was done */
export const runOperations =
  (
    operations: () => readonly BulkOperation[],
    finish: (batch: Batch<Out<Contracts['devices']['bulk']>>) => string,
  ): Run =>
  async (options) => {
    const send = (chunk: BulkOperation[], fields: HistoryFields) => call(contracts.devices.bulk, inputOf(chunk, fields))
    const batch = await runBatch(send, operations(), options)
    return { changes: batch.changes, text: finish(batch) }
  }

/** Puts the changed devices in the list. */
export const putAll = ({ answers }: Batch<Out<Contracts['devices']['bulk']>>): string => {
  const changed: Device[] = answers.flatMap(({ results }) => results.flatMap(({ device }) => device ?? []))
  devices.put(changed)
  return `Changed ${plural(changed.length, 'device')}`
}
