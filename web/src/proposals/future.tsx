/** The frame around a page that shows the estate with a proposal: the banner, and where each write goes. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { GitPullRequestArrow } from 'lucide-react'
import { Fragment, type ReactNode, useEffect, useLayoutEffect, useState } from 'react'
import { openProposal } from '../api/as-of.ts'
import { proposed } from '../api/client.ts'
import historyCss from '../history/history.module.css'
import { NoPast, useBackToNow } from '../history/past.tsx'
import { hasPast } from '../history/with-past.ts'
import { useMe } from '../shell/me.ts'
import { PageHead } from '../shell/page.tsx'
import { PageLoading } from '../shell/page-loading.tsx'
import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/states.tsx'
import { canEdit, isAlive, proposalQuery, refreshEstate } from './queries.ts'

type Props = {
  /** Of `as_of`: its id or number. */
  readonly id: string
  readonly path: string
  readonly children: ReactNode
}

const useProposal = (id: string) => {
  const { username, permissions } = useMe()
  const { data, error, refetch } = useQuery(proposalQuery(id))
  const mayApprove = permissions.includes('proposals:approve')
  const isEditable =
    data !== undefined && permissions.includes('proposals:create') && canEdit(data, { username, mayApprove })
  const number = data?.number
  const [isReady, setReady] = useState(false)
  // Pages read it as they are drawn.
  useLayoutEffect(() => {
    openProposal.set(number === undefined ? undefined : { number, canEdit: isEditable })
    setReady(number !== undefined)
    return () => openProposal.set(undefined)
  }, [number, isEditable])
  return { proposal: data, error, refetch, isEditable, isReady }
}

export const Future = ({ id, path, children }: Props) => {
  const back = useBackToNow()
  const { proposal, error, refetch, isEditable, isReady } = useProposal(id)
  // Everything may have another value after a write.
  useEffect(() => proposed.subscribe(refreshEstate), [])
  if (!proposal)
    return (
      <>
        <PageHead title="Proposal" />
        {error ? <Failure error={error} onRetry={() => void refetch()} noun="proposal" /> : <PageLoading />}
      </>
    )
  const { number, title, summary } = proposal
  const isShown = isAlive(proposal)
  const effect = isShown ? summary : `is ${proposal.state}`
  return (
    <>
      <div className={historyCss.banner}>
        <GitPullRequestArrow size={15} aria-hidden="true" />
        <span role="status">
          Proposal {number}, {title}: {effect}
        </span>
        <Link to="/proposals/$id" params={{ id: String(number) }} search={{ as_of: undefined }} className="link">
          Review
        </Link>
        <Button onClick={back}>Leave</Button>
      </div>
      {isShown && hasPast(path) ? (
        isReady && <Fragment key={String(isEditable)}>{children}</Fragment>
      ) : (
        <NoPast path={path} isFuture />
      )}
    </>
  )
}
