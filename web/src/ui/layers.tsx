/** Layers above the page: the drawer with a form, the dialog, and the confirmation. */
import { X } from 'lucide-react'
import {
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
  type SubmitEvent,
  type SyntheticEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { createPortal } from 'react-dom'
import { Button } from './button.tsx'
import { cx } from './cx.ts'
import css from './layers.module.css'
import { closeDialog, openDialog } from './place.ts'
import { raiseToasts } from './toast.tsx'

type LayerProps = {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** The field of a layer that gets the focus. */
export const FIRST_FIELD =
  ':is(input:not([hidden], [type=hidden], [type=checkbox], [type=radio]:not(:checked)), select, textarea):enabled'

/** Returns true if the pointer is on the backdrop. Its events have the dialog as their target, as the events of its padding do. */
const isOnBackdrop = ({ target, currentTarget, clientX, clientY }: MouseEvent<HTMLDialogElement>): boolean => {
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect()
  return target === currentTarget && (clientX < left || clientX > right || clientY < top || clientY > bottom)
}

type ModalProps = {
  readonly className: string | undefined
  readonly label?: string | undefined
  readonly labelledBy?: string | undefined
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A modal dialog. The browser keeps the focus in it, and returns it to the control that had it before. */
const Modal = ({ className, label, labelledBy, onClose, children }: ModalProps) => {
  const layer = useRef<HTMLDialogElement>(null)
  const isPressed = useRef(false)
  useLayoutEffect(() => {
    const { current: dialog } = layer
    if (!dialog) return undefined
    openDialog(dialog)
    dialog.querySelector<HTMLElement>(FIRST_FIELD)?.focus()
    return () => {
      closeDialog(dialog)
      // Toasts that came while it was open.
      raiseToasts()
    }
  }, [])
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.nativeEvent.isComposing) return
    event.preventDefault()
    // The layer below stays, and so does one that a dialog of its parts covers.
    event.stopPropagation()
    onClose()
  }
  const cancel = (event: SyntheticEvent<HTMLDialogElement>) => {
    // Choosing a file can be cancelled as well.
    if (event.target !== event.currentTarget) return
    event.preventDefault()
    onClose()
  }
  const reopen = ({ target, currentTarget }: SyntheticEvent<HTMLDialogElement>) => {
    // The browser may close it without asking. It stays until its parent takes it away.
    if (target !== currentTarget || !currentTarget.isConnected || currentTarget.open) return
    currentTarget.showModal()
    onClose()
  }
  return createPortal(
    <dialog
      ref={layer}
      data-layer=""
      className={className}
      aria-label={label}
      aria-labelledby={labelledBy}
      onKeyDown={onKey}
      onCancel={cancel}
      onClose={reopen}
      onPointerDown={(event: PointerEvent<HTMLDialogElement>) => {
        isPressed.current = isOnBackdrop(event)
      }}
      // A text that is selected beyond the edge does not close it.
      onClick={(event) => isPressed.current && isOnBackdrop(event) && onClose()}
    >
      {children}
    </dialog>,
    document.body,
  )
}

type DrawerProps = LayerProps & { readonly isWide?: boolean }

export const Drawer = ({ title, onClose, children, isWide }: DrawerProps) => {
  const id = useId()
  return (
    <Modal className={cx(css.drawer, isWide && css.wideDrawer)} labelledBy={id} onClose={onClose}>
      <header className={css.drawerHead}>
        <h2 id={id}>{title}</h2>
        <Button isIcon look="quiet" aria-label="Close" onClick={onClose}>
          <X size={16} aria-hidden="true" />
        </Button>
      </header>
      {children}
    </Modal>
  )
}

type DialogProps = LayerProps & {
  readonly isWide?: boolean
  /** The accessible name of a dialog without a visible title. */
  readonly label?: string
}

export const Dialog = ({ title, label, onClose, children, isWide }: DialogProps) => {
  const id = useId()
  return (
    <Modal
      className={cx(css.dialog, isWide && css.wide)}
      label={label}
      labelledBy={title === '' ? undefined : id}
      onClose={onClose}
    >
      {title !== '' && <h2 id={id}>{title}</h2>}
      {children}
    </Modal>
  )
}

export const DialogActions = ({ children }: { readonly children: ReactNode }) => (
  <div className={css.actions}>{children}</div>
)

type ConfirmProps = {
  readonly title: string
  readonly children: ReactNode
  readonly action: string
  readonly onConfirm: () => void
  readonly onClose: () => void
  /** The text to type before a dangerous action. */
  readonly typed?: string | undefined
  /** Another way than the action. */
  readonly other?: { readonly text: string; readonly onSelect: () => void } | undefined
}

export const Confirm = ({ title, children, action, onConfirm, onClose, typed, other }: ConfirmProps) => {
  const [text, setText] = useState('')
  const isReady = typed === undefined || text.trim() === typed
  const confirm = (event: SubmitEvent) => {
    event.preventDefault()
    if (!isReady) return
    onConfirm()
    onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={confirm}>
        <div>{children}</div>
        {typed !== undefined && (
          <label>
            Type <b className="mono">{typed}</b> to go on{' '}
            <input className="mono" value={text} onChange={(event) => setText(event.target.value)} autoComplete="off" />
          </label>
        )}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          {other && (
            <Button
              onClick={() => {
                other.onSelect()
                onClose()
              }}
            >
              {other.text}
            </Button>
          )}
          <Button type="submit" look="dangerFill" disabled={!isReady}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
