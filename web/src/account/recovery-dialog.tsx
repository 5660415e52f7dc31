/** Recovery codes, shown once. Closes only after the user says that they are saved. */
import { Download } from 'lucide-react'
import { save } from '../export/save.ts'
import { Button } from '../ui/button.tsx'
import css from './account.module.css'
import { OnceDialog } from './secret-once.tsx'

type Props = { readonly codes: readonly string[]; readonly onClose: () => void }

export const RecoveryDialog = ({ codes, onClose }: Props) => {
  const text = `${codes.join('\n')}\n`
  return (
    <OnceDialog title="Your recovery codes" secret={text} statement="I have saved them" onClose={onClose}>
      {(copy) => (
        <>
          <p>Each of them replaces a second factor once, if you have lost yours. They are shown only now.</p>
          <ul className={css.codes}>
            {codes.map((code) => (
              <li key={code} className="mono">
                {code}
              </li>
            ))}
          </ul>
          <div className={css.codeActions}>
            {copy}
            <Button onClick={() => save('plat-recovery-codes.txt', 'text/plain', text)}>
              <Download size={14} aria-hidden="true" />
              Download
            </Button>
          </div>
        </>
      )}
    </OnceDialog>
  )
}
