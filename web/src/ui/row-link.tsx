/** A link in a row: rows render by the dozen at every keystroke, and the router's link costs ten times as much. */
import { useRouter } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'
import { keepMoment } from '../api/as-of.ts'
import type { Paged } from '../pages.ts'
import css from './primitives.module.css'

type Props = {
  readonly to: Paged
  readonly id: string
  readonly className?: string
  readonly children: ReactNode
}

const KEPT = 8
/** A shorter name fits into every column. */
const SHORT = 14

/**
 * Returns the attributes of a link whose text is a name: a long one is cut in its middle, so that its last eight
 * characters stay.
 */
export const cutName = (children: ReactNode) =>
  typeof children === 'string' && children.length > SHORT
    ? {
        'aria-label': children,
        children: (
          <span className={css.middle}>
            <span>{children.slice(0, -KEPT)}</span>
            <span>{children.slice(-KEPT)}</span>
          </span>
        ),
      }
    : { children }

/** Modified clicks open another tab or window, or save. */
const isForBrowser = (event: MouseEvent): boolean =>
  event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey

export const RowLink = ({ to, id, className, children }: Props) => {
  const { history } = useRouter()
  const href = keepMoment(`/${to}/${encodeURIComponent(id)}`)
  const open = (event: MouseEvent) => {
    if (isForBrowser(event)) return
    event.preventDefault()
    history.push(href)
  }
  return (
    // Not a tab stop, because the grid has the focus and Enter opens its current row.
    <a href={href} tabIndex={-1} className={className} onClick={open} {...cutName(children)} />
  )
}
