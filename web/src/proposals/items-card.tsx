/** The objects that a proposal changes, by kind, each with both values and its comments. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { MessageSquare } from 'lucide-react'
import { useMemo } from 'react'
import { toAsOf } from '../api/as-of.ts'
import type { HistoryItem, Proposal } from '../api/contracts.ts'
import { ItemRow } from '../history/item-row.tsx'
import { countObjects, getKindNoun } from '../history/labels.ts'
import { ShowMore } from '../history/show-more.tsx'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import { Card, Skeleton, TimeAgo } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { formatItems, groupComments } from './labels.ts'
import css from './proposals.module.css'
import { isAlive, itemsQuery, type ProposalItem, timelineQuery } from './queries.ts'
import type { Target } from './timeline-card.tsx'

/** The pages show a new or changed object as the proposal would leave it. */
const getAsOf = (proposal: Proposal, { change }: ProposalItem): string | undefined =>
  isAlive(proposal) && change !== 'delete' ? toAsOf(proposal.number) : undefined

/** The key of an item, by which its comments are found. */
const toKey = ({ kind, id }: ProposalItem): string => `${kind} ${id}`

type Props = { readonly proposal: Proposal; readonly onComment: ((target: Target) => void) | undefined }

export const ItemsCard = ({ proposal, onComment }: Props) => {
  const id = String(proposal.number)
  const query = useInfiniteQuery(itemsQuery(id, proposal.fingerprint))
  const { data, error, refetch } = query
  const { data: timeline } = useInfiniteQuery(timelineQuery(id))
  const comments = useMemo(() => groupComments(timeline?.pages.flatMap(({ rows }) => rows) ?? []), [timeline])
  const items = useMemo(() => data?.pages.flatMap(({ rows }) => rows) ?? [], [data])
  const kinds = useMemo(() => [...Map.groupBy(items, ({ kind }) => kind)], [items])
  const total = data?.pages[0]?.total ?? countObjects(proposal.counts)
  return (
    <Card title={formatItems(proposal.state, total)}>
      {!data && !error && <Skeleton />}
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {kinds.map(([kind, some]) => (
        <section key={kind}>
          <h3 className={css.kind}>
            {getKindNoun(kind)} <span className="muted">{formatCount(some.length)}</span>
          </h3>
          <ul>
            {some.map((item) => (
              // An item of a kind without a history has the form of one with it.
              <ItemRow key={toKey(item)} item={item as HistoryItem} asOf={getAsOf(proposal, item)}>
                {onComment && (
                  <Button isIcon look="quiet" aria-label={`Comment on ${item.name}`} onClick={() => onComment(item)}>
                    <MessageSquare size={14} aria-hidden="true" />
                  </Button>
                )}
                {comments.get(toKey(item))?.map(({ id: entry, username, text, at }) => (
                  <span key={entry} className={css.comment}>
                    <b>{username}</b> {text}{' '}
                    <span className="muted">
                      <TimeAgo at={at} />
                    </span>
                  </span>
                ))}
              </ItemRow>
            ))}
          </ul>
        </section>
      ))}
      <ShowMore query={query} />
    </Card>
  )
}
