/** The list of proposals: the ones to review, the own ones, and all that are open or closed. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { GitPullRequestArrow } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { contracts } from '../api/contracts.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import { ShowMore } from '../history/show-more.tsx'
import { createForbidden, useMe, usePermit } from '../shell/me.ts'
import { Hints, PageHead } from '../shell/page.tsx'
import { PageLoading } from '../shell/page-loading.tsx'
import { startIsOpen } from '../shell/palette-state.ts'
import { usePageSearch } from '../table/list-search.ts'
import tableCss from '../table/table.module.css'
import { Button } from '../ui/button.tsx'
import { formatCount, plural } from '../ui/format.ts'
import { Failure, State } from '../ui/states.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { lookedAt } from './looks.ts'
import { ProposalRow } from './proposal-row.tsx'
import css from './proposals.module.css'
import { type ListedProposal, type ListFilter, proposalsQuery } from './queries.ts'
import { ReasonDialog } from './reason-dialog.tsx'
import { useDecide } from './use-decide.ts'

type Part = {
  readonly filter: ListFilter
  /** Absent for the only part of a tab. */
  readonly heading?: string
}

type Tab = {
  readonly text: string
  readonly parts: readonly Part[]
  /** The title and the text of an empty tab. */
  readonly empty: readonly [title: string, text: string]
}

const TABS = {
  review: {
    text: 'To review',
    parts: [{ filter: { to_review: true } }],
    empty: [
      'Nothing waits for you',
      'Open proposals of others that you may approve are here until you have approved them.',
    ],
  },
  mine: {
    text: 'Mine',
    parts: [{ filter: { author: 'me' } }],
    empty: [
      'No proposals of yours',
      'Press p to start one: your changes on the pages are written down, and others see them once you open it.',
    ],
  },
  open: {
    text: 'Open',
    parts: [{ filter: { state: 'open' } }],
    empty: ['Nothing is open', 'An open proposal can be reviewed and merged.'],
  },
  closed: {
    text: 'Closed',
    parts: [
      { filter: { state: 'merged' }, heading: 'Merged' },
      { filter: { state: 'closed' }, heading: 'Not merged' },
    ],
    empty: ['Nothing is closed', 'Merged, rejected and withdrawn proposals are kept here for a while.'],
  },
} satisfies Readonly<Record<string, Tab>>

type TabId = keyof typeof TABS

type PartProps = Part & {
  readonly render: (proposal: ListedProposal) => ReactNode
  readonly empty: ReactNode
}

/** One list with the button that shows more of it. */
const PartOfTab = ({ filter, heading, render, empty }: PartProps) => {
  const query = useInfiniteQuery(proposalsQuery(filter))
  const { data, error, refetch } = query
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <PageLoading />
  const rows = data.pages.flatMap((page) => page.rows)
  if (rows.length === 0 && heading === undefined) return empty
  return (
    <section>
      {heading && <h2 className={css.heading}>{heading}</h2>}
      {rows.length === 0 ? <p className="muted">None.</p> : <ul className={css.rows}>{rows.map(render)}</ul>}
      <ShowMore query={query} />
    </section>
  )
}

export const ProposalsPage = () => {
  const { may, mayPropose } = usePermit()
  const { username } = useMe()
  const { search } = usePageSearch()
  const [chosen, setChosen] = useState<readonly ListedProposal[]>([])
  const [rejected, setRejected] = useState<readonly ListedProposal[]>()
  const { mutate: decide, isPending, data: decided } = useDecide()
  const ids: readonly TabId[] = [...(may('proposals:approve') ? ['review' as const] : []), 'mine', 'open', 'closed']
  const tab = ids.find((id) => id === search.tab) ?? ids[0] ?? 'mine'
  useEffect(() => {
    if (tab === 'mine') lookedAt(username)
  }, [tab, username])
  const { parts, empty } = TABS[tab]
  const [title, text] = empty
  const nothing = (
    <State icon={<GitPullRequestArrow size={28} aria-hidden="true" />} title={title} text={text}>
      {tab === 'mine' && mayPropose && <Button onClick={() => startIsOpen.set(true)}>Start a proposal</Button>}
    </State>
  )
  const toggle = (proposal: ListedProposal) => {
    const others = chosen.filter(({ id }) => id !== proposal.id)
    setChosen(others.length === chosen.length ? [...chosen, proposal] : others)
  }
  const yes = (all: readonly ListedProposal[]) => {
    setChosen([])
    decide({ all })
  }
  const renderRow = (proposal: ListedProposal) => (
    <ProposalRow
      key={proposal.id}
      proposal={proposal}
      refusal={decided?.refusals.get(proposal.number)}
      decide={
        tab === 'review'
          ? {
              isChosen: chosen.some(({ id }) => id === proposal.id),
              isDisabled: isPending,
              onChoose: () => toggle(proposal),
              onYes: () => yes([proposal]),
              onNo: () => setRejected([proposal]),
            }
          : undefined
      }
    />
  )
  return (
    <>
      <PageHead isClockInMenu>
        <CommandMenu getCall={() => ({ op: contracts.proposals.list, input: parts[0]?.filter ?? {} })} />
        {mayPropose && (
          <Button look="primary" onClick={() => startIsOpen.set(true)} aria-keyshortcuts="p">
            Start a proposal<kbd>p</kbd>
          </Button>
        )}
      </PageHead>
      <Tabs label="Proposals" current={tab} tabs={ids.map((id) => ({ id, text: TABS[id].text }))} />
      <div className={css.scroller}>
        {may('proposals:list') ? (
          parts.map((part: Part) => (
            <PartOfTab key={`${tab} ${part.heading}`} {...part} render={renderRow} empty={nothing} />
          ))
        ) : (
          <Failure error={createForbidden('proposals:list')} />
        )}
      </div>
      {chosen.length > 0 && (
        <div className={tableCss.bulk} role="toolbar" aria-label="Chosen proposals">
          <b>{formatCount(chosen.length)} chosen</b>
          <Button look="primary" onClick={() => yes(chosen)} disabled={isPending}>
            Yes to {formatCount(chosen.length)}
          </Button>
          <Button onClick={() => setRejected(chosen)} disabled={isPending}>
            No to {formatCount(chosen.length)}
          </Button>
        </div>
      )}
      {rejected && (
        <ReasonDialog
          title={
            rejected.length === 1 ? `No to ${rejected[0]?.title}?` : `No to ${plural(rejected.length, 'proposal')}?`
          }
          action="Reject"
          isDanger
          onClose={() => setRejected(undefined)}
          onSubmit={(reason) => {
            setChosen([])
            setRejected(undefined)
            decide({ all: rejected, reason })
          }}
        />
      )}
      <Hints
        hints={[
          [['p'], 'start a proposal'],
          [['?'], 'all shortcuts'],
        ]}
      />
    </>
  )
}
