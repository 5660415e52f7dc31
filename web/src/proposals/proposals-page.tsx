/** The list of proposals: the ones to review, the own ones, and all that are open or closed. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { GitPullRequestArrow } from 'lucide-react'
import { useEffect, useState } from 'react'
import { contracts } from '../api/contracts.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import { createForbidden, useMe, usePermit } from '../shell/me.ts'
import { Hints, PageHead } from '../shell/page.tsx'
import { PageLoading } from '../shell/page-loading.tsx'
import { startIsOpen } from '../shell/palette-state.ts'
import { usePageSearch } from '../table/list-search.ts'
import tableCss from '../table/table.module.css'
import { Button, ShowMore } from '../ui/button.tsx'
import { formatCount, plural } from '../ui/format.ts'
import { Failure, State } from '../ui/states.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { ReasonDialog } from './form-dialog.tsx'
import { lookedAt } from './looks.ts'
import { ProposalRow } from './proposal-row.tsx'
import css from './proposals.module.css'
import { type ListedProposal, type ListFilter, proposalsQuery } from './queries.ts'
import { type Refusals, useMerge, useReject } from './use-decide.ts'

type TabId = 'review' | 'mine' | 'open' | 'closed'

const TABS: Readonly<Record<TabId, { readonly text: string; readonly filters: readonly ListFilter[] }>> = {
  review: { text: 'To review', filters: [{ to_review: true }] },
  mine: { text: 'Mine', filters: [{ author: 'me' }] },
  open: { text: 'Open', filters: [{ state: 'open' }] },
  closed: { text: 'Closed', filters: [{ state: 'merged' }, { state: 'closed' }] },
}

const EMPTY: Readonly<Record<TabId, readonly [title: string, text: string]>> = {
  review: [
    'Nothing waits for you',
    'Open proposals of others that you may approve are here until you have approved them.',
  ],
  mine: [
    'No proposals of yours',
    'Press p to start one: your changes on the pages are written down, and others see them once you open it.',
  ],
  open: ['Nothing is open', 'An open proposal can be reviewed and merged.'],
  closed: ['Nothing is closed', 'Merged, rejected and withdrawn proposals are kept here for a while.'],
}

const NO_REFUSALS: Refusals = new Map()

type PartProps = {
  readonly filter: ListFilter
  readonly render: (rows: readonly ListedProposal[]) => React.ReactNode
  readonly empty: React.ReactNode
  readonly heading?: string | undefined
}

/** One list with the button that shows more of it. */
const Part = ({ filter, render, empty, heading }: PartProps) => {
  const query = useInfiniteQuery(proposalsQuery(filter))
  const { data, error, refetch } = query
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <PageLoading />
  const rows = data.pages.flatMap((page) => page.rows)
  if (rows.length === 0 && heading === undefined) return empty
  return (
    <section>
      {heading && <h2 className={css.heading}>{heading}</h2>}
      {rows.length === 0 ? empty : <ul className={css.rows}>{render(rows)}</ul>}
      <ShowMore query={query} />
    </section>
  )
}

const HEADINGS: Readonly<Record<string, string>> = { merged: 'Merged', closed: 'Not merged' }

/** The chosen proposals of the list, and the decisions about them. */
const useDecisions = () => {
  const [chosen, setChosen] = useState<readonly ListedProposal[]>([])
  const [rejected, setRejected] = useState<readonly ListedProposal[]>()
  const merge = useMerge()
  const reject = useReject()
  const toggle = (proposal: ListedProposal) =>
    setChosen((old) => {
      const others = old.filter(({ id }) => id !== proposal.id)
      return others.length === old.length ? [...old, proposal] : others
    })
  const refusals = new Map([...(merge.data?.refusals ?? NO_REFUSALS), ...(reject.data?.refusals ?? NO_REFUSALS)])
  return { chosen, setChosen, toggle, rejected, setRejected, merge, reject, refusals }
}

export const ProposalsPage = () => {
  const { may, mayPropose } = usePermit()
  const { username } = useMe()
  const { search } = usePageSearch()
  const decisions = useDecisions()
  const { chosen, setChosen, toggle, rejected, setRejected, merge, reject, refusals } = decisions
  const mayReview = may('proposals:approve')
  const ids: readonly TabId[] = mayReview ? ['review', 'mine', 'open', 'closed'] : ['mine', 'open', 'closed']
  const tab = ids.find((id) => id === search.tab) ?? ids[0] ?? 'mine'
  const isDeciding = merge.isPending || reject.isPending
  useEffect(() => {
    if (tab === 'mine') lookedAt(username)
  }, [tab, username])
  const [title, text] = EMPTY[tab]
  const nothing = (
    <State icon={<GitPullRequestArrow size={28} aria-hidden="true" />} title={title} text={text}>
      {tab === 'mine' && mayPropose && <Button onClick={() => startIsOpen.set(true)}>Start a proposal</Button>}
    </State>
  )
  const yes = (all: readonly ListedProposal[]) => {
    setChosen([])
    merge.mutate(all)
  }
  const renderRows = (rows: readonly ListedProposal[]) =>
    rows.map((proposal) => (
      <ProposalRow
        key={proposal.id}
        proposal={proposal}
        refusal={refusals.get(proposal.number)}
        decide={
          tab === 'review'
            ? {
                isChosen: chosen.some(({ id }) => id === proposal.id),
                isDisabled: isDeciding,
                onChoose: () => toggle(proposal),
                onYes: () => yes([proposal]),
                onNo: () => setRejected([proposal]),
              }
            : undefined
        }
      />
    ))
  const { filters } = TABS[tab]
  return (
    <>
      <PageHead isClockInMenu>
        <CommandMenu getCall={() => ({ op: contracts.proposals.list, input: filters[0] ?? {} })} />
        {mayPropose && (
          <Button look="primary" onClick={() => startIsOpen.set(true)} aria-keyshortcuts="p">
            Start a proposal<kbd>p</kbd>
          </Button>
        )}
      </PageHead>
      <Tabs label="Proposals" current={tab} tabs={ids.map((id) => ({ id, text: TABS[id].text }))} />
      <div className={css.scroller}>
        {may('proposals:list') ? (
          filters.map((filter) => (
            <Part
              key={`${tab} ${filter.state ?? ''}`}
              filter={filter}
              heading={filters.length > 1 ? HEADINGS[filter.state ?? ''] : undefined}
              render={renderRows}
              empty={filters.length > 1 ? <p className="muted">None.</p> : nothing}
            />
          ))
        ) : (
          <Failure error={createForbidden('proposals:list')} />
        )}
      </div>
      {chosen.length > 0 && (
        <div className={tableCss.bulk} role="toolbar" aria-label="Chosen proposals">
          <b>{formatCount(chosen.length)} chosen</b>
          <Button look="primary" onClick={() => yes(chosen)} disabled={isDeciding}>
            Yes to {formatCount(chosen.length)}
          </Button>
          <Button onClick={() => setRejected(chosen)} disabled={isDeciding}>
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
          isPending={reject.isPending}
          onClose={() => setRejected(undefined)}
          onSubmit={(reason) => {
            setChosen([])
            setRejected(undefined)
            reject.mutate({ all: rejected, text: reason })
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
