/** A secret that is shown once. Closes only by the one who says that it is kept: it can't be shown again. */
import { Copy } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/field.tsx'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { toast } from '../ui/toast.tsx'
import css from './account.module.css'

type Props = {
  readonly title: string
  readonly text: string
  readonly secret: string
  readonly onClose: () => void
}

export const SecretOnce = ({ title, text, secret, onClose }: Props) => {
  const [isSaved, setSaved] = useState(false)
  const id = useId()
  const copy = async () => {
    await navigator.clipboard.writeText(secret)
    toast('Copied')
  }
  return (
    <Dialog title={title} onClose={() => isSaved && onClose()}>
      <p>{text}</p>
      <div className={css.secret}>
        <code className="mono">{secret}</code>
        <Button onClick={() => void copy()}>
          <Copy size={14} aria-hidden="true" />
          Copy
        </Button>
      </div>
      <label className={css.saved} htmlFor={id}>
        <Checkbox id={id} checked={isSaved} onChange={(event) => setSaved(event.target.checked)} />I have saved it
      </label>
      <DialogActions>
        <Button look="primary" disabled={!isSaved} onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}
