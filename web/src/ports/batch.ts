/** Creates and deletes many ports. */
import { call } from '../api/client.ts'
import { type Change, type Contracts, contracts, type In } from '../api/contracts.ts'
import type { HistoryFields } from '../resource/batch.ts'

export type PortOperation = In<Contracts['ports']['bulk']>['operations'][number]

const buildInput = (operations: PortOperation[], fields: HistoryFields): In<Contracts['ports']['bulk']> & object => ({
  operations,
  atomic: true,
  ...fields,
})

export const sendPorts = (operations: PortOperation[], fields: HistoryFields) =>
  call(contracts.ports.bulk, buildInput(operations, fields))

/** The change that the operations would be. @param operations at most as many as one call takes */
export const previewPorts = (operations: PortOperation[], fields: HistoryFields = {}): Promise<Change> =>
  // The answer of a dry run is the change that the call would make.
  sendPorts(operations, { dry_run: 'changes', ...fields }) as unknown as Promise<Change>
