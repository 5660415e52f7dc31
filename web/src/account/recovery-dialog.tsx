/** Recovery codes, shown once. Closes only after the user says that they are saved. */
import { Copy, Download } from 'lucide-react'
import { useId, useState } from 'react'
import { save } from '../export/save.ts'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/field.tsx'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { toast } from '../ui/toast.tsx'
import css from './account.module.css'

type Props = { readonly codes: readonly string[]; readonly onClose: () => void }

export const RecoveryDialog = ({ codes, onClose }: Props) => {
  const [isSaved, setSaved] = useState(false)
  const id = useId()
  const text = `${codes.join('\n')}\n`
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    toast('Copied')
  }
  return (
    <Dialog title="Your recovery codes" onClose={() => isSaved && onClose()}>
      <p>Each of them replaces a second factor once, if you have lost yours. They are shown only now.</p>
      <ul className={css.codes}>
        {codes.map((code) => (
          <li key={code} className="mono">
            {code}
          </li>
        ))}
      </ul>
      <div className={css.codeActions}>
        <Button onClick={() => void copy()}>
          <Copy size={14} aria-hidden="true" />
          Copy
        </Button>
        <Button onClick={() => save('plat-recovery-codes.txt', 'text/plain', text)}>
          <Download size={14} aria-hidden="true" />
          Download
        </Button>
      </div>
      <label className={css.saved} htmlFor={id}>
        <Checkbox id={id} checked={isSaved} onChange={(event) => setSaved(event.target.checked)} />I have saved them
      </label>
      <DialogActions>
        <Button look="primary" disabled={!isSaved} onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}
