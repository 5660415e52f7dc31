/** The question before several changes are undone, which lists them. */
import { useState } from 'react'
import type { Change } from '../../api/contracts.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/layers.tsx'
import css from '../history.module.css'
import { ChangeSentence } from '../sentences/change-sentence.tsx'
import { undoNow } from '../undo-now.ts'

type Props = {
  /** The newest first. */
  readonly changes: readonly Change[]
  readonly onClose: () => void
}

export const UndoFoldDialog = ({ changes, onClose }: Props) => {
  const [isUndoing, setUndoing] = useState(false)
  const left = changes.filter(({ undone_by }) => undone_by === null)
  const undo = async () => {
    setUndoing(true)
    await undoNow(left.map(({ id }) => id).toReversed())
    onClose()
  }
  return (
    <Dialog title={`Undo ${left.length} changes?`} onClose={onClose}>
      <p>Each change is undone by itself, the newest first, until one of them can't be undone.</p>
      <ul className={css.obstacles}>
        {left.map((change) => (
          <li key={change.id}>
            <ChangeSentence change={change} />
          </li>
        ))}
      </ul>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" disabled={isUndoing} onClick={() => void undo()}>
          Undo
        </Button>
      </DialogActions>
    </Dialog>
  )
}
