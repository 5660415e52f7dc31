/** The end of an import: the number of rows, the change, and the rows that were refused. */
import { Link } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { save } from '../../export/save.ts'
import { withCapital } from '../../history/labels.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/format.ts'
import { State } from '../../ui/states.tsx'
import type { BadFile } from './refused.ts'

export type Done = {
  readonly imported: number
  readonly total: number
  readonly summary: string
  readonly changeId: string | undefined
  readonly hasDevices: boolean
  /** The rows that were not imported; undefined without any. */
  readonly refused: BadFile | undefined
}

export const DoneStep = ({ done, onBack }: { readonly done: Done; readonly onBack: () => void }) => {
  const { imported, total, summary, changeId, hasDevices, refused } = done
  return (
    <State title={`Imported ${formatCount(imported)} of ${formatCount(total)}`} text={`${withCapital(summary)}.`}>
      {changeId !== undefined && (
        <Link to="/history/$id" params={{ id: changeId }} className="link">
          Show the change
        </Link>
      )}
      {hasDevices && (
        <Link to="/devices" search={{ q: 'in:import' }} className="link">
          Show the devices
        </Link>
      )}
      {refused && (
        <Button onClick={() => save(refused.name, refused.type, refused.text)}>
          <Download size={14} aria-hidden="true" />
          Download the refused rows
        </Button>
      )}
      <Button onClick={onBack}>Import another file</Button>
    </State>
  )
}
