/** What can be done with the selected devices. Floats over the rows, which stay where they are. */
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { type SubmitEvent, useRef, useState } from 'react'
import { asAppError } from '../api/errors.ts'
import { datacentersQuery } from '../api/queries.ts'
import { usePermit } from '../shell/me.ts'
import tableCss from '../table/table.module.css'
import { Button } from '../ui/button.tsx'
import { Alert, SelectField, TextField } from '../ui/field.tsx'
import { count, plural } from '../ui/format.ts'
import { Confirm, Dialog, DialogActions } from '../ui/layers.tsx'
import { toast } from '../ui/toast.tsx'
import { type BulkOperation, runBatch } from './batch.ts'
import { removeLater } from './removal.ts'
import { devices } from './source.ts'

type Props = { readonly ids: ReadonlySet<string>; readonly filter: string; readonly onDone: () => void }

/** From how many on the number has to be typed before they are deleted. */
const TYPED_FROM = 26

type ChangeDialogProps = {
  readonly title: string
  readonly action: string
  readonly total: number
  readonly children: React.ReactNode
  readonly isReady: boolean
  readonly operations: () => Promise<readonly BulkOperation[]>
  readonly onClose: () => void
  readonly onDone: () => void
}

const ChangeDialog = (props: ChangeDialogProps) => {
  const { title, action, total, children, isReady, operations, onClose, onDone } = props
  const [done, setDone] = useState<number>()
  const [error, setError] = useState<unknown>()
  const stop = useRef(new AbortController())
  const run = async () => {
    setError(undefined)
    setDone(0)
    try {
      const wanted = await operations()
      const changed = await runBatch(wanted, { onProgress: setDone, signal: stop.current.signal })
      devices.put(changed)
      toast(`Changed ${plural(changed.length, 'device')}`)
      onDone()
    } catch (cause) {
      setError(cause)
      setDone(undefined)
    }
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void run()
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
        {isRunning && (
          <p role="status" className="muted">
            {count(done)} of {count(total)}
          </p>
        )}
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" look="primary" disabled={isRunning || !isReady}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

const TagDialog = ({ ids, onClose, onDone }: { ids: ReadonlySet<string>; onClose: () => void; onDone: () => void }) => {
  const [tag, setTag] = useState('')
  const [what, setWhat] = useState<'add' | 'drop'>('add')
  const wanted = tag.trim()
  // Never the whole list: another user may have tagged a device since it was read.
  const operations = async () =>
    [...ids].map((id): BulkOperation => {
      const device = what === 'add' ? { add_tags: [wanted] } : { remove_tags: [wanted] }
      return { op: 'update', id, device }
    })
  return (
    <ChangeDialog
      title={`Tag ${plural(ids.size, 'device')}`}
      action={what === 'add' ? 'Add tag' : 'Remove tag'}
      total={ids.size}
      isReady={wanted !== ''}
      operations={operations}
      onClose={onClose}
      onDone={onDone}
    >
      <TextField label="Tag" value={tag} onChange={setTag} />
      <SelectField
        label="What to do"
        value={what}
        onChange={(value) => setWhat(value === 'drop' ? 'drop' : 'add')}
        options={[
          ['add', 'Add it to each device'],
          ['drop', 'Remove it from each device'],
        ]}
      />
    </ChangeDialog>
  )
}

const MoveDialog = ({
  ids,
  onClose,
  onDone,
}: {
  ids: ReadonlySet<string>
  onClose: () => void
  onDone: () => void
}) => {
  const { data = [] } = useQuery(datacentersQuery)
  const [target, setTarget] = useState('')
  const operations = async () =>
    [...ids].map((id): BulkOperation => ({ op: 'update', id, device: { datacenter_id: target || null } }))
  return (
    <ChangeDialog
      title={`Move ${plural(ids.size, 'device')}`}
      action="Move"
      total={ids.size}
      isReady
      operations={operations}
      onClose={onClose}
      onDone={onDone}
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

export const BulkBar = ({ ids, filter, onDone }: Props) => {
  const { blocked } = usePermit()
  const [open, setOpen] = useState<'tag' | 'move' | 'delete'>()
  const close = () => setOpen(undefined)
  const done = () => {
    close()
    onDone()
  }
  if (ids.size === 0) return null
  const what = plural(ids.size, 'device')
  return (
    <div className={tableCss.bulk} role="toolbar" aria-label="Selected devices">
      <b>{count(ids.size)} selected</b>
      <Button onClick={() => setOpen('tag')} blocked={blocked('devices:update')}>
        Tag
      </Button>
      <Button onClick={() => setOpen('move')} blocked={blocked('devices:update')}>
        Move
      </Button>
      <Button look="danger" onClick={() => setOpen('delete')} blocked={blocked('devices:delete')}>
        Delete {count(ids.size)}
      </Button>
      <Button isIcon look="quiet" aria-label="Clear the selection" onClick={onDone}>
        <X size={15} aria-hidden="true" />
      </Button>
      {open === 'tag' && <TagDialog ids={ids} onClose={close} onDone={done} />}
      {open === 'move' && <MoveDialog ids={ids} onClose={close} onDone={done} />}
      {open === 'delete' && (
        <Confirm
          title={`Delete ${what}?`}
          action={`Delete ${count(ids.size)}`}
          typed={ids.size >= TYPED_FROM ? String(ids.size) : undefined}
          onConfirm={() => {
            removeLater([...ids], what)
            onDone()
          }}
          onClose={close}
        >
          Exactly the {count(ids.size)} that are selected{filter === '' ? '' : ` (the filter is “${filter}”)`}, with
          their addresses and relationships.
        </Confirm>
      )}
    </div>
  )
}
