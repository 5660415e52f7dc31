/** A secret that is shown once. Closes only by the one who says that it is kept: it can't be shown again. */
import { Copy } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/field.tsx'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { toast } from '../ui/toast.tsx'
import css from './account.module.css'

type FrameProps = {
  readonly title: string
  readonly secret: string
  /** The statement that closes the dialog. */
  readonly statement: string
  readonly onClose: () => void
  /** @param copy the button that copies the secret */
  readonly children: (copy: ReactNode) => ReactNode
}

export const OnceDialog = ({ title, secret, statement, onClose, children }: FrameProps) => {
  const [isSaved, setSaved] = useState(false)
  const id = useId()
  const copy = async () => {
    await navigator.clipboard.writeText(secret)
    toast('Copied')
  }
  return (
    <Dialog title={title} onClose={() => isSaved && onClose()}>
      {children(
        <Button onClick={() => void copy()}>
          <Copy size={14} aria-hidden="true" />
          Copy
        </Button>,
      )}
      <label className={css.saved} htmlFor={id}>
        <Checkbox id={id} checked={isSaved} onChange={(event) => setSaved(event.target.checked)} />
        {statement}
      </label>
      <DialogActions>
        <Button look="primary" disabled={!isSaved} onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}

type Props = Pick<FrameProps, 'title' | 'secret' | 'onClose'> & {
  readonly text: string
  /** Stands below the secret. */
  readonly more?: ReactNode
}

export const SecretOnce = ({ text, more, ...frame }: Props) => (
  <OnceDialog {...frame} statement="I have saved it">
    {(copy) => (
      <>
        <p>{text}</p>
        <div className={css.secret}>
          <code className="mono">{frame.secret}</code>
          {copy}
        </div>
        {more}
      </>
    )}
  </OnceDialog>
)
