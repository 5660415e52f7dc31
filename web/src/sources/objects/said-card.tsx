/** The card of a device with the differences and facts of each source. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { usePermit } from '../../shell/me.ts'
import { Badge, Card, Facts, TimeAgo } from '../../ui/primitives.tsx'
import css from '../sources.module.css'
import { type SourceObject, saidQuery, withId } from './queries.ts'
import { getVerdict, listDifferences, listNotes } from './words.ts'

/** Sources may have other objects of the same kind. */
const DEVICES = 'devices'

const Said = ({ object }: { readonly object: SourceObject }) => {
  const { tone, text } = getVerdict(object)
  const { id, source_id, source, state, key, type, place, facts, updated_at } = object
  const differences = listDifferences(object).map(
    ({ label, from, text: now }) => [label, from === undefined ? now : `${from} → ${now}`] as const,
  )
  const search = state === 'synced' ? { tab: 'objects', resource: DEVICES, entry: id } : { status: state }
  return (
    <li>
      <div className={css.saidHead}>
        <Link to="/sources/$id" params={{ id: source_id }} search={search} className="link">
          {source}
        </Link>
        <Badge tone={tone}>{text}</Badge>
        <span className="muted">
          {[type === 'device' ? '' : type, place].filter(Boolean).join(' · ')} <TimeAgo at={updated_at} />
        </span>
      </div>
      {listNotes(object).map((note) => (
        <p key={note}>{note}</p>
      ))}
      <Facts
        facts={[
          ...differences,
          ...Object.entries(facts),
          [
            'Id there',
            <code key="key" className="mono">
              {key}
            </code>,
          ],
        ]}
      />
    </li>
  )
}

export const SaidCard = ({ deviceId }: { readonly deviceId: string }) => {
  const { may } = usePermit()
  const { data = [] } = useQuery({ ...saidQuery(deviceId), enabled: may('sources:list') })
  if (data.length === 0) return null
  return (
    <Card title="Said by sources">
      <ul className={css.said}>
        {data.map((sent) => (
          <Said key={`${sent.source_id} ${sent.key}`} object={withId(sent)} />
        ))}
      </ul>
    </Card>
  )
}
