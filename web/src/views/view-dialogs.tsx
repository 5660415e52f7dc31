/** Dialogs that name a view and manage the saved ones. */
import { Trash2 } from 'lucide-react'
import { type SubmitEvent, useState } from 'react'
import { useStore } from '../api/store.ts'
import tableCss from '../table/table.module.css'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { toast } from '../ui/toast.tsx'
import css from './views.module.css'
import { deleteView, filterViews, renameView, saveView, type View, views } from './views.ts'

type Props = {
  readonly kind: 'save' | 'order'
  readonly path: string
  readonly search: string
  readonly onClose: () => void
}

const SaveDialog = ({ path, search, onClose }: Omit<Props, 'kind'>) => {
  const mine = filterViews(useStore(views), path)
  const [name, setName] = useState('')
  const wanted = name.trim()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (wanted === '') return
    saveView({ name: wanted, path, search })
    toast(`Saved the view ${wanted}`)
    onClose()
  }
  return (
    <Dialog title="Save this view" onClose={onClose}>
      <form className={tableCss.dialogForm} onSubmit={submit}>
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          hint={
            mine.some((one) => one.name === wanted)
              ? 'A view of this name exists. It is replaced.'
              : 'Its filter, order and columns, kept in this browser.'
          }
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={wanted === ''}>
            Save view
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

const Row = ({ view, others }: { readonly view: View; readonly others: readonly View[] }) => {
  const [name, setName] = useState(view.name)
  const wanted = name.trim()
  const isTaken = others.some((one) => one !== view && one.name === wanted)
  const rename = () => {
    if (wanted === '' || isTaken) setName(view.name)
    else if (wanted !== view.name) renameView(view, wanted)
  }
  return (
    <li className={css.row}>
      <TextField
        label={`Name of ${view.name}`}
        value={name}
        onChange={setName}
        onBlur={rename}
        onKeyDown={(event) => {
          if (event.key === 'Enter') rename()
        }}
        error={isTaken ? 'There is a view of this name' : undefined}
      />
      <Button isIcon look="quiet" aria-label={`Delete ${view.name}`} onClick={() => deleteView(view)}>
        <Trash2 size={15} aria-hidden="true" />
      </Button>
    </li>
  )
}

const OrderDialog = ({ path, onClose }: Pick<Props, 'path' | 'onClose'>) => {
  const mine = filterViews(useStore(views), path)
  return (
    <Dialog title="Saved views" onClose={onClose}>
      {mine.length === 0 && <p className="muted">None are left.</p>}
      <ul className={css.rows}>
        {mine.map((view) => (
          <Row key={view.name} view={view} others={mine} />
        ))}
      </ul>
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}

export const ViewDialogs = ({ kind, ...props }: Props) =>
  kind === 'save' ? <SaveDialog {...props} /> : <OrderDialog {...props} />
