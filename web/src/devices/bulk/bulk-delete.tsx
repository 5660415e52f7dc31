/** Asks before the selected devices are deleted. */
import { Suspense, useState } from 'react'
import { useProposing } from '../../proposals/known-proposals.ts'
import { CHUNK } from '../../resource/batch.ts'
import { ChangeDialog } from '../../resource/change-dialog.tsx'
import { DeletePreview } from '../../resource/object/delete-dialog.tsx'
import { DeleteImpact } from '../../topology/impact/delete-impact.tsx'
import { formatCount, plural } from '../../ui/format.ts'
import { Skeleton } from '../../ui/primitives.tsx'
import { devices } from '../window/device-list-client.ts'
import { isMatching, type Selected } from '../window/server-filter.ts'
import { type BulkOperation, previewBatch, runOperations } from './batch.ts'

export type DialogProps = {
  readonly ids: Selected
  readonly onClose: () => void
  readonly onDone: () => void
}

/** From how many on the number has to be typed before they are deleted. */
const TYPED_FROM = 26

export const BulkDelete = ({ ids, filter, onClose, onDone }: DialogProps & { readonly filter: string }) => {
  const [typed, setTyped] = useState('')
  const proposing = useProposing('devices:delete')
  const isTyped = ids.size < TYPED_FROM || typed.trim() === String(ids.size)
  const operation = (id: string): BulkOperation => ({ op: 'delete', id })
  const finish = ({ done }: { readonly done: number }) => {
    if (!isMatching(ids)) devices.drop([...ids].slice(0, done))
    return `Deleted ${plural(done, 'device')}`
  }
  return (
    <ChangeDialog
      total={ids.size}
      onClose={onClose}
      onDone={onDone}
      onFailed={devices.load}
      title={`Delete ${plural(ids.size, 'device')}?`}
      action={`Delete ${formatCount(ids.size)}`}
      isReady={isTyped}
      needs="devices:delete"
      isDanger
      run={runOperations(ids, operation, finish)}
    >
      <div>
        {isMatching(ids) ? 'All' : 'Exactly the'} {formatCount(ids.size)} that are selected
        {filter === '' ? '' : ` (the filter is “${filter}”)`}, with their addresses and relationships.
        {!isMatching(ids) && <DeleteImpact noun="device" ids={[...ids]} />}
        {!isMatching(ids) && ids.size <= CHUNK && (
          <Suspense fallback={<Skeleton />}>
            <DeletePreview ids={[...ids]} load={() => previewBatch([...ids].map(operation), proposing.field)} />
          </Suspense>
        )}
      </div>
      {ids.size >= TYPED_FROM && (
        <label>
          Type <b className="mono">{ids.size}</b> to go on{' '}
          <input className="mono" value={typed} onChange={(event) => setTyped(event.target.value)} autoComplete="off" />
        </label>
      )}
    </ChangeDialog>
  )
}
