/** The dialogs of the selected devices: tag, move or delete them. */
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { datacentersQuery } from '../../api/queries.ts'
import { CHUNK } from '../../resource/batch.ts'
import { ChangeDialog } from '../../resource/change-dialog.tsx'
import { DeletePreview } from '../../resource/object/delete-dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { formatCount, plural } from '../../ui/format.ts'
import { Skeleton } from '../../ui/primitives.tsx'
import { devices } from '../window/device-list-client.ts'
import { isMatching, type Selected } from '../window/server-filter.ts'
import { type BulkOperation, previewBatch, putAll, runOperations } from './batch.ts'

export type DialogProps = {
  readonly ids: Selected
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Returns the parts of a dialog that all of them share. */
const pickSharedProps = ({ ids, onClose, onDone }: DialogProps) => ({
  ...{ total: ids.size, onClose, onDone, onFailed: devices.load },
})

const TagDialog = (props: DialogProps) => {
  const { ids } = props
  const [tag, setTag] = useState('')
  const [what, setWhat] = useState<'add' | 'drop'>('add')
  const wanted = tag.trim()
  // Never the whole list: another user may have tagged a device since it was read.
  const operation = (id: string): BulkOperation => {
    const device = what === 'add' ? { add_tags: [wanted] } : { remove_tags: [wanted] }
    return { op: 'update', id, device }
  }
  return (
    <ChangeDialog
      {...pickSharedProps(props)}
      title={`Tag ${plural(ids.size, 'device')}`}
      action={what === 'add' ? 'Add tag' : 'Remove tag'}
      isReady={wanted !== ''}
      run={runOperations(ids, operation, putAll)}
    >
      <TextField label="Tag" value={tag} onChange={setTag} />
      <SelectField
        label="What to do"
        value={what}
        onChange={(value) => setWhat(value === 'drop' ? 'drop' : 'add')}
        options={[
          ['add', 'Add it to each of them'],
          ['drop', 'Remove it from each of them'],
        ]}
      />
    </ChangeDialog>
  )
}

const MoveDialog = (props: DialogProps) => {
  const { ids } = props
  const { data = [] } = useQuery(datacentersQuery)
  const [target, setTarget] = useState('')
  const operation = (id: string): BulkOperation => ({ op: 'update', id, device: { datacenter_id: target || null } })
  return (
    <ChangeDialog
      {...pickSharedProps(props)}
      title={`Move ${plural(ids.size, 'device')}`}
      action="Move"
      isReady
      run={runOperations(ids, operation, putAll)}
    >
      <SelectField
        label="To datacenter"
        value={target}
        onChange={setTarget}
        options={[['', 'None'], ...data.map(({ id, name }) => [id, name] as const)]}
      />
    </ChangeDialog>
  )
}

/** From how many on the number has to be typed before they are deleted. */
const TYPED_FROM = 26

const DeleteDialog = (props: DialogProps & { readonly filter: string }) => {
  const { ids, filter } = props
  const [typed, setTyped] = useState('')
  const isTyped = ids.size < TYPED_FROM || typed.trim() === String(ids.size)
  const operation = (id: string): BulkOperation => ({ op: 'delete', id })
  const finish = ({ done }: { readonly done: number }) => {
    if (!isMatching(ids)) devices.drop([...ids].slice(0, done))
    return `Deleted ${plural(done, 'device')}`
  }
  return (
    <ChangeDialog
      {...pickSharedProps(props)}
      title={`Delete ${plural(ids.size, 'device')}?`}
      action={`Delete ${formatCount(ids.size)}`}
      isReady={isTyped}
      isDanger
      run={runOperations(ids, operation, finish)}
    >
      <div>
        {isMatching(ids) ? 'All' : 'Exactly the'} {formatCount(ids.size)} that are selected
        {filter === '' ? '' : ` (the filter is “${filter}”)`}, with their addresses and relationships.
        {!isMatching(ids) && ids.size <= CHUNK && (
          <Suspense fallback={<Skeleton />}>
            <DeletePreview ids={[...ids]} load={() => previewBatch([...ids].map(operation))} />
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

type Props = DialogProps & { readonly kind: 'tag' | 'move' | 'delete'; readonly filter: string }

export const BulkDialog = ({ kind, filter, ...props }: Props) => {
  if (kind === 'tag') return <TagDialog {...props} />
  return kind === 'move' ? <MoveDialog {...props} /> : <DeleteDialog {...props} filter={filter} />
}
