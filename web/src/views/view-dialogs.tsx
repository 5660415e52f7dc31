/** Dialogs that save a view, and rename, share, pin and delete the saved ones. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { type SubmitEvent, useId, useState } from 'react'
import { getFieldErrors, toAppError } from '../api/errors.ts'
import { useMe, usePermit } from '../shell/me.ts'
import tableCss from '../table/table.module.css'
import { Button } from '../ui/button.tsx'
import { Alert, Checkbox, TextField } from '../ui/field.tsx'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { toast, toastError } from '../ui/toast.tsx'
import { createView, deleteView, isSameName, updateView } from './change-views.ts'
import css from './views.module.css'
import { type View, viewsQuery } from './views.ts'

type Props = {
  readonly kind: 'save' | 'change'
  readonly path: string
  readonly search: string
  readonly onClose: () => void
}

const useViewsHere = (path: string): readonly View[] => {
  const { data = [] } = useQuery(viewsQuery)
  return data.filter((view) => view.path === path)
}

type BoxProps = {
  readonly label: string
  readonly name?: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
  readonly error?: string | undefined
}

/** @param name the view, where several boxes have one label */
const Box = ({ label, name, isOn, onChange, error }: BoxProps) => {
  const id = useId()
  return (
    <>
      <label className={css.box} htmlFor={id}>
        <Checkbox
          id={id}
          aria-label={name && `${label}: ${name}`}
          checked={isOn}
          onChange={(event) => onChange(event.target.checked)}
        />
        {label}
      </label>
      {error !== undefined && <Alert>{error}</Alert>}
    </>
  )
}

const SHARE = 'Share with the team'
const PIN = 'Pin to the menu'

const SaveDialog = ({ path, search, onClose }: Omit<Props, 'kind'>) => {
  const { id: userId } = useMe()
  const { may } = usePermit()
  const mine = useViewsHere(path).filter(({ owner_id }) => owner_id === userId)
  const [name, setName] = useState('')
  const [isShared, setIsShared] = useState(false)
  const [isPinned, setIsPinned] = useState(false)
  const wanted = name.trim()
  const before = mine.find((view) => isSameName(view.name, wanted))
  const save = useMutation({
    mutationFn: () => {
      const view = { name: wanted, path, search, is_shared: isShared, is_pinned: isPinned }
      return before ? updateView({ id: before.id, ...view }) : createView(view)
    },
    onSuccess: () => {
      toast(`Saved the view ${wanted}`)
      onClose()
    },
  })
  const errors = getFieldErrors(save.error)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (wanted !== '') save.mutate()
  }
  return (
    <Dialog title="Save this view" onClose={onClose}>
      <form className={tableCss.dialogForm} onSubmit={submit}>
        {save.isError && Object.keys(errors).length === 0 && <Alert>{toAppError(save.error).message}</Alert>}
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          error={errors.name}
          hint={before ? 'A view of this name exists. It is replaced.' : 'Its filter, order and columns.'}
        />
        {may('views:share') && <Box label={SHARE} isOn={isShared} onChange={setIsShared} />}
        <Box label={PIN} isOn={isPinned} onChange={setIsPinned} error={errors.is_pinned} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={wanted === '' || save.isPending}>
            Save view
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

const removeView = async ({ id, name, path, search, is_shared, is_pinned }: View): Promise<void> => {
  await deleteView(id)
  const restore = () => {
    const view = { name, path, search, is_shared, is_pinned }
    createView(view).catch((error: unknown) => toastError(`The view ${name} is still deleted`, error))
  }
  toast(`Deleted the view ${name}`, { undo: restore })
}

const Row = ({ view }: { readonly view: View }) => {
  const { id: userId } = useMe()
  const { may } = usePermit()
  const [name, setName] = useState(view.name)
  const change = useMutation({ mutationFn: updateView })
  const remove = useMutation({
    mutationFn: () => removeView(view),
    onError: (error) => toastError(`The view ${view.name} is not deleted`, error),
  })
  // The boxes follow the click at once.
  const { is_shared, is_pinned } = { ...view, ...(change.isPending && change.variables) }
  const isShareable = may('views:share')
  const isOwn = view.owner_id === userId
  const rename = () => {
    const wanted = name.trim()
    if (wanted === '') setName(view.name)
    else if (wanted !== view.name) change.mutate({ id: view.id, name: wanted })
  }
  const error = change.isError ? toAppError(change.error).message : undefined
  return (
    <li className={css.row}>
      {isOwn || isShareable ? (
        <>
          <TextField
            label={`Name of ${view.name}`}
            value={name}
            onChange={setName}
            onBlur={rename}
            onKeyDown={(event) => {
              if (event.key === 'Enter') rename()
            }}
            error={error}
          />
          <Button isIcon look="quiet" aria-label={`Delete ${view.name}`} onClick={() => remove.mutate()}>
            <Trash2 size={15} aria-hidden="true" />
          </Button>
        </>
      ) : (
        <p>
          {view.name} <span className="muted">{view.owner === null ? '' : `shared by ${view.owner}`}</span>
        </p>
      )}
      <div className={css.boxes}>
        {(isOwn || view.owner_id !== null) && isShareable && (
          <Box
            label={SHARE}
            name={view.name}
            isOn={is_shared === true}
            onChange={(isOn) => change.mutate({ id: view.id, is_shared: isOn })}
          />
        )}
        <Box
          label={PIN}
          name={view.name}
          isOn={is_pinned === true}
          onChange={(isOn) => change.mutate({ id: view.id, is_pinned: isOn })}
          error={isOwn || isShareable ? undefined : error}
        />
      </div>
    </li>
  )
}

const ChangeDialog = ({ path, onClose }: Pick<Props, 'path' | 'onClose'>) => {
  const views = useViewsHere(path)
  return (
    <Dialog title="Saved views" onClose={onClose}>
      {views.length === 0 && <p className="muted">None are left.</p>}
      <ul className={css.rows}>
        {views.map((view) => (
          <Row key={view.id} view={view} />
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
  kind === 'save' ? <SaveDialog {...props} /> : <ChangeDialog {...props} />
