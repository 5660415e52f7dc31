/** The choice between the picture and the table. */
import { Button } from '../ui/button.tsx'
import css from './topology.module.css'

type Props = { readonly isTable: boolean; readonly onChange: (isTable: boolean) => void }

export const GraphOrTable = ({ isTable, onChange }: Props) => (
  <fieldset className={css.choice}>
    <legend className="sr">Shown as</legend>
    <Button aria-pressed={!isTable} onClick={() => onChange(false)}>
      Graph
    </Button>
    <Button aria-pressed={isTable} onClick={() => onChange(true)}>
      Table
    </Button>
  </fieldset>
)
