/** The progress of an import, which can be cancelled. */
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import css from './import.module.css'
import type { Progress as Done } from './send.ts'

type Props = { readonly label: string; readonly progress: Done | undefined; readonly onCancel: () => void }

export const Progress = ({ label, progress = { done: 0, total: 0 }, onCancel }: Props) => (
  <div className={css.progress}>
    <progress aria-label={label} value={progress.done} max={Math.max(1, progress.total)} />
    <span className="num" role="status">
      {label}: {formatCount(progress.done)} of {formatCount(progress.total)}
    </span>
    <Button onClick={onCancel}>Cancel</Button>
  </div>
)
