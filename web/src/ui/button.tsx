/** The button. A disabled one stays visible and shows the reason; in the past it is hidden. */
import type { ComponentProps, MouseEvent } from 'react'
import { isPast } from '../api/as-of.ts'
import css from './button.module.css'
import { cx } from './cx.ts'
import { Tooltip } from './tooltip.tsx'

export type ButtonProps = ComponentProps<'button'> & {
  readonly look?: 'primary' | 'danger' | 'dangerFill' | 'quiet' | undefined
  /** An icon without text. Needs an aria-label. */
  readonly isIcon?: boolean
  /** The reason why it is disabled. */
  readonly blocked?: string | undefined
}

export const Button = ({ look, isIcon, blocked, className, onClick, ...rest }: ButtonProps) => {
  const classes = cx(css.button, look && css[look], isIcon && css.icon, className)
  if (blocked === undefined) return <button type="button" className={classes} onClick={onClick} {...rest} />
  if (isPast()) return null
  const refuse = (event: MouseEvent) => event.preventDefault()
  return (
    <Tooltip text={blocked}>
      <button {...rest} type="button" className={classes} aria-disabled="true" onClick={refuse} />
    </Tooltip>
  )
}
