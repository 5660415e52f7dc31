/** The page of a proposal: its operations and their effects, its requirements, and its timeline. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { toAsOf } from '../api/as-of.ts'
import { api } from '../api/client.ts'
import { contracts, type Proposal } from '../api/contracts.ts'
import { toAppError } from '../api/errors.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import { changeQuery } from '../history/queries.ts'
import { Band } from '../resource/object/band.tsx'
import { MissingObject } from '../resource/object/object-page.tsx'
import { useMe, usePermit } from '../shell/me.ts'
import { Hints, PageBody, PageHead } from '../shell/page.tsx'
import { Button } from '../ui/button.tsx'
import { Badge, Card, Facts, TimeAgo } from '../ui/primitives.tsx'
import { Actions } from './actions.tsx'
import { ItemsCard } from './items-card.tsx'
import { formatState, formatSummary, getStateTone } from './labels.ts'
import { lookedAt } from './looks.ts'
import { OperationsCard } from './operations-card.tsx'
import css from './proposals.module.css'
import { canEdit, isAlive, proposalQuery, refreshProposals } from './queries.ts'
import { ChecksCard, RequirementsCard } from './review-cards.tsx'
import { type Target, TimelineCard } from './timeline-card.tsx'

const route = getRouteApi('/app/proposals/$id')
const PARENT = { text: 'Proposals', link: { to: '/proposals', search: {} } } as const

/** Tries the operations again where an object was changed since. Once for each run, because a refusal would repeat. */
const useRefresh = (proposal: Proposal | undefined) => {
  const { mutate, isPending, error } = useMutation({
    mutationFn: (id: string) => api.proposals.refresh({ id }),
    onSuccess: refreshProposals,
  })
  const { id, previewed_at, is_current } = proposal ?? {}
  const isOld = proposal !== undefined && isAlive(proposal) && is_current === false
  // biome-ignore lint/correctness/useExhaustiveDependencies: another run is another attempt
  useEffect(() => {
    if (isOld && id !== undefined) mutate(id)
  }, [isOld, id, previewed_at, mutate])
  return { isPending, error, again: () => id !== undefined && mutate(id) }
}

const Merged = ({ id }: { readonly id: string }) => {
  const { data } = useQuery(changeQuery(id))
  const undone = data?.undone_by
  return (
    <Band tone={undone ? 'warn' : 'ok'} mark={undone ? 'undone' : 'merged'}>
      <span>
        {undone ? 'Its change was undone by ' : 'It is '}
        <Link to="/history/$id" params={{ id: undone ?? id }} className="link">
          {undone ? 'another change' : 'one change'}
        </Link>
        {undone ? '.' : ' with one undo.'}
      </span>
    </Band>
  )
}

/** The reasons against a merge now. */
const Blockers = ({ proposal }: { readonly proposal: Proposal }) => {
  const { blockers, state } = proposal
  if (state !== 'open' || blockers.length === 0) return null
  return (
    <Band tone="warn" mark="not yet">
      <ul>
        {blockers.map(({ reason, message }) => (
          <li key={`${reason} ${message}`}>{message}</li>
        ))}
      </ul>
    </Band>
  )
}

const About = ({ proposal }: { readonly proposal: Proposal }) => {
  const { author, co_authors, created_at, opened_at, closed_at, closed_by, previewed_at } = proposal
  return (
    <Card title="About">
      <Facts
        facts={[
          ['By', author],
          ['With', co_authors.join(', ')],
          ['Begun', <TimeAgo key="created" at={created_at} />],
          ['Opened', opened_at !== null && <TimeAgo key="opened" at={opened_at} />],
          ['Closed', closed_at !== null && <TimeAgo key="closed" at={closed_at} />],
          ['Closed by', closed_by],
          ['Last tried', previewed_at !== null && <TimeAgo key="previewed" at={previewed_at} />],
        ]}
      />
    </Card>
  )
}

export const ProposalPage = () => {
  const { id } = route.useParams()
  const { username } = useMe()
  const { may } = usePermit()
  const { data: proposal, error, refetch } = useQuery(proposalQuery(id))
  const [target, setTarget] = useState<Target>()
  const refresh = useRefresh(proposal)
  const isOwn = proposal?.author === username
  const entries = proposal?.updated_at
  // biome-ignore lint/correctness/useExhaustiveDependencies: each entry is looked at
  useEffect(() => {
    if (isOwn) lookedAt(username)
  }, [isOwn, username, entries])
  if (!proposal) return <MissingObject noun="proposal" parent={PARENT} error={error} refetch={refetch} />
  const { number, title, description, change_id } = proposal
  const isEditable = canEdit(proposal, { username, mayApprove: may('proposals:approve') }) && may('proposals:create')
  const mayComment = may('proposals:create')
  return (
    <>
      <PageHead title={title} parent={PARENT} beside={`Proposal ${number}`} isClockInMenu>
        <CommandMenu getCall={() => ({ op: contracts.proposals.get, input: { id: String(number) } })} />
        <Actions proposal={proposal} isEditable={isEditable} />
      </PageHead>
      {change_id !== null && <Merged id={change_id} />}
      <Blockers proposal={proposal} />
      {refresh.error && (
        <Band tone="bad" mark="not tried again" isAlert>
          <span>{toAppError(refresh.error).message}</span>
        </Band>
      )}
      <PageBody>
        <div className={css.columns}>
          <div className={css.main}>
            <p role="status" className={css.summary}>
              <Badge tone={getStateTone(proposal)}>{formatState(proposal)}</Badge>{' '}
              {refresh.isPending ? 'It is tried again …' : formatSummary(proposal)}{' '}
              {isAlive(proposal) && (
                <Link to="/devices" search={{ as_of: toAsOf(number) }} className="link">
                  See it in the pages
                </Link>
              )}
              {isAlive(proposal) && proposal.operations.length > 0 && (
                <Button look="quiet" onClick={refresh.again} disabled={refresh.isPending}>
                  Try again
                </Button>
              )}
            </p>
            {description !== '' && <p className={css.description}>{description}</p>}
            <OperationsCard proposal={proposal} isEditable={isEditable} />
            <ItemsCard proposal={proposal} onComment={mayComment ? setTarget : undefined} />
          </div>
          <div className={css.main}>
            <RequirementsCard requirements={proposal.requirements} />
            <ChecksCard checks={proposal.checks} />
            <TimelineCard
              proposal={proposal}
              target={target}
              onDone={() => setTarget(undefined)}
              mayComment={mayComment}
            />
            <About proposal={proposal} />
          </div>
        </div>
      </PageBody>
      <Hints hints={[[['?'], 'all shortcuts']]} />
    </>
  )
}
