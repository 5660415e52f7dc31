/** The buttons at the end of a form whose write can be proposed: the write, and *Propose instead* for a user who may do both. */
import type { ReactNode } from 'react'
import type { Proposing } from '../../proposals/known-proposals.ts'
import { Button, type ButtonProps } from '../../ui/button.tsx'

type Props = Pick<ButtonProps, 'disabled' | 'blocked' | 'look'> & {
  readonly proposing: Proposing
  /** The text of the button that makes the write. */
  readonly action: string
  /** The keys of the button. */
  readonly children?: ReactNode
}

export const SubmitButtons = ({ proposing, action, disabled, look = 'primary', children, ...rest }: Props) => (
  <>
    {proposing.isChoice && (
      <Button
        disabled={disabled}
        onClick={({ currentTarget }) => {
          proposing.choose(true)
          currentTarget.form?.requestSubmit()
        }}
      >
        Propose instead
      </Button>
    )}
    <Button type="submit" look={look} disabled={disabled} onClick={() => proposing.choose(false)} {...rest}>
      {proposing.label(action)}
      {children}
    </Button>
  </>
)
