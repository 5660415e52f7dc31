/** A switch that takes effect at once. */
import css from './primitives.module.css'
import { Tooltip } from './tooltip.tsx'

type Props = {
  readonly label: string
  readonly isOn: boolean
  readonly onChange: () => void
  /** The reason why it is disabled. */
  readonly blocked?: string | undefined
}

export const Switch = ({ label, isOn, onChange, blocked }: Props) => {
  const control = (
    <button
      type="button"
      role="switch"
      className={css.switch}
      aria-label={label}
      aria-checked={isOn}
      aria-disabled={blocked === undefined ? undefined : true}
      onClick={blocked === undefined ? onChange : undefined}
    >
      <span aria-hidden="true" />
    </button>
  )
  return blocked === undefined ? control : <Tooltip text={blocked}>{control}</Tooltip>
}
