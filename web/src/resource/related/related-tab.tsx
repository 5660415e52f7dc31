/** The fields by which other objects name an object, each with the number of the objects, which it opens in place. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import { toKind } from '../../../../src/resource/nouns.ts'
import { kindsQuery } from '../../kinds/known-kinds.ts'
import { isPath } from '../../pages.ts'
import { useIsInUse } from '../../shell/me.ts'
import { buildObjectLink, findItem, findTitle } from '../../shell/nav.ts'
import { formatTerm } from '../../table/filter.ts'
import { formatCount } from '../../ui/format.ts'
import { Card, Skeleton } from '../../ui/primitives.tsx'
import { withCapital } from '../facts/from-facts.ts'
import { RESOURCE_NAMES } from '../facts/names.ts'
import { REFERRED } from '../form/referred-facts.ts'
import { MOST_LISTED, type Reference, type Referred, referringQuery } from './references.ts'
import css from './related.module.css'

/** Returns the function that names the list of a reference: the resource, or the kind. */
const useTitles = (): ((reference: Reference) => string) => {
  const { data: kinds } = useQuery({ ...kindsQuery, enabled: useIsInUse('kinds') })
  return ({ resource, kind_id }) =>
    kinds?.find(({ id }) => id === kind_id)?.name ?? findTitle(resource) ?? withCapital(resource)
}

const getKey = ({ resource, kind_id, field }: Reference): string => [resource, kind_id, field].join(' ')

type RowsProps = { readonly references: readonly Reference[] }

const MOST_SHOWN = 6

/** The first rows, for the card "Related", and the link to all of them. */
export const RelatedRows = ({ references }: RowsProps) => {
  const getTitle = useTitles()
  return (
    <>
      <ul className={css.brief}>
        {references.slice(0, MOST_SHOWN).map((one) => (
          <li key={getKey(one)}>
            {getTitle(one)} <span className="muted">{one.label}</span>{' '}
            <span className="num">{formatCount(one.objects)}</span>
          </li>
        ))}
      </ul>
      <p>
        <Link to="." search={(old: object) => ({ ...old, tab: 'related' })} className="link">
          All related
        </Link>
      </p>
    </>
  )
}

/** The link to the list with a filter for the same objects; null for objects without a list. */
const ListLink = ({ reference, name, title }: { reference: Reference; name: string; title: string }) => {
  const { resource, kind_id, field, objects } = reference
  const q = formatTerm(field === 'datacenter_id' ? 'dc' : field.replace(/_id$/, ''), name)
  const text = `${formatCount(objects)} in ${title}`
  if (kind_id !== null)
    return (
      <Link to="/kinds/$id" params={{ id: kind_id }} search={{ q }} className="link">
        {text}
      </Link>
    )
  const path = `/${resource}`
  return isPath(path) ? (
    // The path of a list, which has no parameters.
    <Link to={path as '/devices'} search={{ q }} className="link">
      {text}
    </Link>
  ) : null
}

/** Addresses of devices have values of their own, and no list. */
const ADDRESSES = 'addresses'

type ListProps = { readonly reference: Reference; readonly referred: Referred; readonly title: string }

const Objects = ({ reference, referred, title }: ListProps) => {
  const { data, isError } = useQuery(referringQuery(reference, referred.id))
  const { resource, objects } = reference
  const name = RESOURCE_NAMES.find((one) => one === resource)
  const item = name && findItem(toKind(name))
  if (resource === ADDRESSES) return <p className="muted">They are on the pages of their devices.</p>
  const { label = 'name', detail } = REFERRED[resource] ?? {}
  if (isError) return <p className="muted">They could not be loaded.</p>
  if (!data) return <Skeleton />
  return (
    <>
      <ul className={css.objects}>
        {data.map((row) => {
          const text = String(row[label] ?? row.id)
          const note = detail === undefined ? '' : String(row[detail] ?? '')
          return (
            <li key={String(row.id)}>
              {item ? (
                <Link {...buildObjectLink(item, String(row.id))} className="link">
                  {text}
                </Link>
              ) : (
                text
              )}{' '}
              <span className="muted">{note}</span>
            </li>
          )
        })}
      </ul>
      <p className={css.all}>
        {objects > MOST_LISTED && <span className="muted">The first {MOST_LISTED}. </span>}
        <ListLink reference={reference} name={referred.name} title={title} />
      </p>
    </>
  )
}

const Row = (props: ListProps) => {
  const { reference, title } = props
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <li>
      <button
        type="button"
        className={css.row}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronRight size={14} aria-hidden="true" />
        <b>{title}</b>
        <span className="muted">{reference.label}</span>
        <span className={css.count}>{formatCount(reference.objects)}</span>
      </button>
      {isOpen && (
        <div id={id} className={css.list}>
          <Objects {...props} />
        </div>
      )}
    </li>
  )
}

export const RelatedTab = ({ referred, references }: RowsProps & { readonly referred: Referred }) => {
  const getTitle = useTitles()
  return (
    <Card title={`What refers to ${referred.name}`}>
      <ul className={css.rows}>
        {references.map((reference) => (
          <Row key={getKey(reference)} reference={reference} referred={referred} title={getTitle(reference)} />
        ))}
      </ul>
    </Card>
  )
}
