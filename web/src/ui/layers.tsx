/** Layers above the page: the drawer with a form, the dialog, and the confirmation. */
import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { type ReactNode, type RefObject, type SubmitEvent, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { cx } from './cx.ts'
import css from './layers.module.css'

type LayerProps = {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}

const createCloseHandler = (onClose: () => void) => (open: boolean) => {
  if (!open) onClose()
}

/** Creates the function that finds the first field of a layer for its focus. Without one, Base UI chooses. */
const createFindFirstField = (layer: RefObject<HTMLDivElement | null>) => () =>
  layer.current?.querySelector<HTMLElement>('input:not([hidden], [type=checkbox]), select, textarea') ?? true

type DrawerProps = LayerProps & { readonly isWide?: boolean }

export const Drawer = ({ title, onClose, children, isWide }: DrawerProps) => {
  const layer = useRef<HTMLDivElement>(null)
  return (
    <Base.Root open onOpenChange={createCloseHandler(onClose)}>
      <Base.Portal>
        <Base.Backdrop className={css.backdrop} />
        <Base.Popup
          ref={layer}
          data-layer=""
          className={cx(css.drawer, isWide && css.wideDrawer)}
          initialFocus={createFindFirstField(layer)}
        >
          <header className={css.drawerHead}>
            <Base.Title>{title}</Base.Title>
            <Base.Close render={<Button isIcon look="quiet" aria-label="Close" />}>
              <X size={16} aria-hidden="true" />
            </Base.Close>
          </header>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

type DialogProps = LayerProps & {
  readonly isWide?: boolean
  /** The accessible name of a dialog without a visible title. */
  readonly label?: string
}

export const Dialog = ({ title, label, onClose, children, isWide }: DialogProps) => {
  const layer = useRef<HTMLDivElement>(null)
  return (
    <Base.Root open onOpenChange={createCloseHandler(onClose)}>
      <Base.Portal>
        <Base.Backdrop className={css.backdrop} />
        <Base.Popup
          ref={layer}
          data-layer=""
          className={cx(css.dialog, isWide && css.wide)}
          aria-label={label}
          initialFocus={createFindFirstField(layer)}
        >
          {title !== '' && <Base.Title>{title}</Base.Title>}
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
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
}

export const Confirm = ({ title, children, action, onConfirm, onClose, typed }: ConfirmProps) => {
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
          <Button type="submit" look="dangerFill" disabled={!isReady}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
