/** One change: who made it and how, and each of its objects. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Undo2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { type Change, contracts } from '../api/contracts.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import { MissingObject } from '../resource/object/object-page.tsx'
import { usePermit } from '../shell/me.ts'
import { Hints, PageBody, PageHead } from '../shell/page.tsx'
import { undoing } from '../shell/palette-state.ts'
import { Button } from '../ui/button.tsx'
import { formatExactMoment, plural } from '../ui/format.ts'
import { Card, CopyText, Facts } from '../ui/primitives.tsx'
import css from './history.module.css'
import { getMomentBefore, ItemRow } from './item-row.tsx'
import { countObjects, formatActor, formatProgram, getUndoPermission, withCapital } from './labels.ts'
import { changeQuery, moreItemsQuery } from './queries.ts'

const route = getRouteApi('/app/history/$id')
const PARENT = { text: 'History', link: { to: '/history' } } as const

const ChangeLink = ({ id }: { readonly id: string | null }) =>
  id === null ? null : (
    <Link to="/history/$id" params={{ id }} className="link mono">
      {id}
    </Link>
  )

const Circumstances = ({ change }: { readonly change: Change }) => {
  const { at, operation, note, ip_address, request_id, undoes, undone_by, id } = change
  const given = [
    ['Note', note],
    ['With', formatProgram(change)],
    ['From', ip_address],
    ['Undoes', undoes],
    ['Undone by', undone_by],
  ].filter(([, value]) => value !== '' && value !== null)
  const facts: Readonly<Record<string, React.ReactNode>> = {
    Undoes: <ChangeLink id={undoes} />,
    'Undone by': <ChangeLink id={undone_by} />,
  }
  return (
    <Card title="Who and when">
      <Facts
        facts={[
          [
            'When',
            <span key="at">
              <time dateTime={at}>{formatExactMoment(at)}</time>{' '}
              <Link to="/devices" search={{ as_of: id }} className="link">
                The estate as of then
              </Link>
            </span>,
          ],
          ['Who', <b key="who">{formatActor(change)}</b>],
          ...given.map(([name, value]) => [name ?? '', facts[name ?? ''] ?? value] as const),
          [
            'Operation',
            <span key="operation" className="mono">
              {operation}
            </span>,
          ],
          ['Request', request_id === '' ? '' : <CopyText key="request" text={request_id} label="request ID" />],
          ['ID', <CopyText key="id" text={id} label="ID" />],
        ]}
      />
    </Card>
  )
}

const Items = ({ change }: { readonly change: Change }) => {
  const { id, at, items: first = [], counts } = change
  const [isMore, setMore] = useState(false)
  const { data, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery({
    ...moreItemsQuery(id, first.length),
    enabled: isMore,
  })
  const items = useMemo(() => [...first, ...(data?.pages.flatMap(({ rows }) => rows) ?? [])], [first, data])
  const total = countObjects(counts)
  const more = () => (isMore && hasNextPage ? void fetchNextPage() : setMore(true))
  return (
    <Card title={plural(total, 'object')}>
      <ul>
        {items.map((item) => (
          <ItemRow
            key={`${item.kind} ${item.id}`}
            item={item}
            asOf={item.change === 'delete' ? getMomentBefore(at) : undefined}
          />
        ))}
      </ul>
      {items.length < total && (
        <Button onClick={more} disabled={isFetching}>
          Show more
        </Button>
      )}
    </Card>
  )
}

export const ChangePage = () => {
  const { id } = route.useParams()
  const { blockedNow } = usePermit()
  const { data: change, error, refetch } = useQuery(changeQuery(id))
  if (!change) return <MissingObject noun="change" parent={PARENT} error={error} refetch={refetch} />
  const missing = change.items
    ?.map((item) => blockedNow(getUndoPermission(item)))
    .find((reason) => reason !== undefined)
  return (
    <>
      <PageHead title={withCapital(change.summary)} parent={PARENT}>
        <CommandMenu getCall={() => ({ op: contracts.history.get, input: { id } })} />
        {change.undone_by === null && (
          <Button look="primary" onClick={() => undoing.set(id)} blocked={missing}>
            <Undo2 size={15} aria-hidden="true" />
            Undo
          </Button>
        )}
      </PageHead>
      <PageBody>
        <div className={css.two}>
          <Items change={change} />
          <Circumstances change={change} />
        </div>
      </PageBody>
      <Hints hints={[[['?'], 'all shortcuts']]} />
    </>
  )
}
