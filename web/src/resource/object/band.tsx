/** The line between the head of a page and its tabs: a state, its words, and buttons. */
import type { ReactNode } from 'react'
import { Badge, type Tone } from '../../ui/primitives.tsx'
import css from './band.module.css'

type Props = {
  readonly tone: Tone
  /** One or two words. */
  readonly mark: string
  /** A screen reader is interrupted by it. */
  readonly isAlert?: boolean
  /** The words, then buttons. */
  readonly children: ReactNode
}

export const Band = ({ tone, mark, isAlert = false, children }: Props) => (
  <div role={isAlert ? 'alert' : 'status'} className={css.band} data-tone={tone}>
    <Badge tone={tone}>{mark}</Badge>
    {children}
  </div>
)
