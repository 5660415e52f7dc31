/** The dialogs of the selected devices: tag, move or delete them. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, type SubmitEvent, Suspense, useRef, useState } from 'react'
import { asAppError } from '../api/errors.ts'
import { datacentersQuery } from '../api/queries.ts'
import { DeletePreview } from '../resource/delete-dialog.tsx'
import { NoteField } from '../resource/note-field.tsx'
import { undoOf } from '../resource/undo.ts'
import tableCss from '../table/table.module.css'
import { Button } from '../ui/button.tsx'
import { Alert, SelectField, TextField } from '../ui/field.tsx'
import { count, plural } from '../ui/format.ts'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { Skeleton } from '../ui/primitives.tsx'
import { toast } from '../ui/toast.tsx'
import { type Batch, type BulkOperation, CHUNK, previewBatch, runBatch } from './batch.ts'
import { devices } from './source.ts'

type DialogProps = {
  readonly ids: ReadonlySet<string>
  readonly onClose: () => void
  readonly onDone: () => void
}

type ChangeDialogProps = DialogProps & {
  readonly title: string
  readonly action: string
  readonly children: ReactNode
  readonly isReady: boolean
  readonly isDanger?: boolean
  readonly operations: () => readonly BulkOperation[]
  /** Shows the result in the list, and says what was done. */
  readonly finish: (batch: Batch) => string
}

const ChangeDialog = (props: ChangeDialogProps) => {
  const { title, action, ids, children, isReady, isDanger, operations, finish, onClose, onDone } = props
  const [done, setDone] = useState<number>()
  const [error, setError] = useState<unknown>()
  const [note, setNote] = useState('')
  const stop = useRef(new AbortController())
  const run = async () => {
    setError(undefined)
    setDone(0)
    try {
      const options = { onProgress: setDone, signal: stop.current.signal, ...(note === '' ? {} : { note }) }
      const batch = await runBatch(operations(), options)
      toast(finish(batch), undoOf(batch.changes))
      onDone()
    } catch (cause) {
      setError(cause)
      // Earlier calls hold.
      devices.load()
      setDone(undefined)
    }
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (isReady) void run()
  }
  const isRunning = done !== undefined
  const close = () => {
    stop.current.abort()
    onClose()
  }
  return (
    <Dialog title={title} onClose={close}>
      <form onSubmit={submit} className={tableCss.dialogForm}>
        {error !== undefined && <Alert>{asAppError(error).message}</Alert>}
        {children}
        <NoteField value={note} onChange={setNote} />
        {isRunning && (
          <p role="status" className="muted">
            {count(done)} of {count(ids.size)}
          </p>
        )}
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" look={isDanger ? 'dangerFill' : 'primary'} disabled={isRunning || !isReady}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

const putAll = ({ devices: changed }: Batch): string => {
  devices.put(changed)
  return `Changed ${plural(changed.length, 'device')}`
}

const TagDialog = (props: DialogProps) => {
  const { ids } = props
  const [tag, setTag] = useState('')
  const [what, setWhat] = useState<'add' | 'drop'>('add')
  const wanted = tag.trim()
  // Never the whole list: another user may have tagged a device since it was read.
  const operations = () =>
    [...ids].map((id): BulkOperation => {
      const device = what === 'add' ? { add_tags: [wanted] } : { remove_tags: [wanted] }
      return { op: 'update', id, device }
    })
  return (
    <ChangeDialog
      {...props}
      title={`Tag ${plural(ids.size, 'device')}`}
      action={what === 'add' ? 'Add tag' : 'Remove tag'}
      isReady={wanted !== ''}
      operations={operations}
      finish={putAll}
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
  const operations = () =>
    [...ids].map((id): BulkOperation => ({ op: 'update', id, device: { datacenter_id: target || null } }))
  return (
    <ChangeDialog
      {...props}
      title={`Move ${plural(ids.size, 'device')}`}
      action="Move"
      isReady
      operations={operations}
      finish={putAll}
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
  const operations = () => [...ids].map((id): BulkOperation => ({ op: 'delete', id }))
  const finish = ({ done }: Batch) => {
    devices.drop([...ids].slice(0, done))
    return `Deleted ${plural(done, 'device')}`
  }
  return (
    <ChangeDialog
      {...props}
      title={`Delete ${plural(ids.size, 'device')}?`}
      action={`Delete ${count(ids.size)}`}
      isReady={isTyped}
      isDanger
      operations={operations}
      finish={finish}
    >
      <div>
        Exactly the {count(ids.size)} that are selected{filter === '' ? '' : ` (the filter is “${filter}”)`}, with their
        addresses and relationships.
        {ids.size <= CHUNK && (
          <Suspense fallback={<Skeleton />}>
            <DeletePreview ids={[...ids]} load={() => previewBatch(operations())} />
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
