/** Asks before the selected ports are deleted, with their cables. */
import { useQueryClient } from '@tanstack/react-query'
import { Suspense } from 'react'
import { useProposing } from '../proposals/known-proposals.ts'
import { CHUNK, runBatch } from '../resource/batch.ts'
import { ChangeDialog, type Run } from '../resource/change-dialog.tsx'
import { DeletePreview } from '../resource/object/delete-dialog.tsx'
import { formatCount, plural } from '../ui/format.ts'
import { Skeleton } from '../ui/primitives.tsx'
import { type PortOperation, previewPorts, sendPorts } from './batch.ts'
import { CHANGES } from './queries.ts'

type Props = {
  readonly ids: ReadonlySet<string>
  readonly filter: string
  readonly onClose: () => void
  readonly onDone: () => void
}

export const DeletePorts = ({ ids, filter, onClose, onDone }: Props) => {
  const client = useQueryClient()
  const proposing = useProposing('ports:delete')
  const operations = [...ids].map((id): PortOperation => ({ op: 'delete', id }))
  // The addresses of the device name ports.
  const refresh = () => {
    for (const key of [...CHANGES, 'device', 'history']) void client.invalidateQueries({ queryKey: [key] })
  }
  const run: Run = async (options) => {
    const { written, done } = await runBatch(sendPorts, operations, options)
    refresh()
    return { written, text: `Deleted ${plural(done, 'port')}` }
  }
  return (
    <ChangeDialog
      title={`Delete ${plural(ids.size, 'port')}?`}
      action={`Delete ${formatCount(ids.size)}`}
      total={ids.size}
      isReady
      needs="ports:delete"
      isDanger
      run={run}
      onClose={onClose}
      onDone={onDone}
      onFailed={refresh}
    >
      <div>
        Exactly the {formatCount(ids.size)} that are selected{filter === '' ? '' : ` (the filter is “${filter}”)`}, with
        their cables.
        {ids.size <= CHUNK && (
          <Suspense fallback={<Skeleton />}>
            <DeletePreview ids={[...ids]} load={() => previewPorts(operations, proposing.field)} />
          </Suspense>
        )}
      </div>
    </ChangeDialog>
  )
}
