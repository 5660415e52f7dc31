/** The frame around a page while the URL names a moment: the banner, and a notice on pages without a past. */

import { useNavigate } from '@tanstack/react-router'
import { History } from 'lucide-react'
import type { ReactNode } from 'react'
import { answeredAsOf, asOf } from '../api/as-of.ts'
import { useStore } from '../api/store.ts'
import { findPage } from '../shell/nav.ts'
import { PageHead } from '../shell/page.tsx'
import { Button } from '../ui/button.tsx'
import { formatExactMoment } from '../ui/format.ts'
import { State } from '../ui/states.tsx'
import css from './history.module.css'
import { hasPast } from './with-past.ts'

const formatTime = (at: string): string => (Number.isNaN(Date.parse(at)) ? at : formatExactMoment(at))

const PAST =
  'It shows only the present. The pages of the inventory, the topology and the history can be shown as they were.'
const FUTURE = 'It shows only the present. The pages of the inventory and the topology can be shown as they would be.'

export const useBackToNow = (): (() => void) => {
  const navigate = useNavigate()
  return () => void navigate({ to: '.', search: (old: object) => ({ ...old, as_of: undefined }) })
}

type NoPastProps = {
  readonly path: string
  /** The pages show a proposal, and no moment. */
  readonly isFuture?: boolean
}

export const NoPast = ({ path, isFuture = false }: NoPastProps) => {
  const back = useBackToNow()
  return (
    <>
      <PageHead title={findPage(path)?.text ?? 'This page'} />
      <State
        icon={<History size={28} aria-hidden="true" />}
        title={isFuture ? 'This page shows no proposal' : 'This page has no past'}
        text={isFuture ? FUTURE : PAST}
      >
        <Button look="primary" onClick={back}>
          Back to now
        </Button>
      </State>
    </>
  )
}

type Props = { readonly path: string; readonly children: ReactNode }

export const Past = ({ path, children }: Props) => {
  // An id of a change or a duration is a time only to the server.
  const at = useStore(answeredAsOf) ?? asOf.get() ?? ''
  const back = useBackToNow()
  return (
    <>
      <div className={css.banner}>
        <History size={15} aria-hidden="true" />
        <span role="status">
          The estate as of <time dateTime={at}>{formatTime(at)}</time>
        </span>
        <Button onClick={back}>Back to now</Button>
      </div>
      {hasPast(path) ? children : <NoPast path={path} />}
    </>
  )
}
