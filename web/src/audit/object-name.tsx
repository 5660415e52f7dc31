/** The name of an entry's object, with a link to its page if the object still exists. */
import { Link } from '@tanstack/react-router'
import type { AuditEntry } from '../api/contracts.ts'

const PAGES = {
  datacenter: '/datacenters/$id',
  device: '/devices/$id',
  network: '/networks/$id',
  pool: '/pools/$id',
  role: '/roles/$id',
  scan: '/scans/$id',
  user: '/users/$id',
  webhook: '/webhooks/$id',
} as const

/** Objects without a page. Their list opens them in a drawer. */
const DRAWERS = {
  conflict: ['/conflicts', 'entry'],
  credential: ['/credentials', 'edit'],
  discovery: ['/found', 'entry'],
  'discovery-rule': ['/rules', 'edit'],
} as const

const isIn = <T extends object>(table: T, name: string): name is keyof T & string => Object.hasOwn(table, name)

type Props = {
  readonly entry: Pick<AuditEntry, 'resource_id' | 'object'>
  /** -1 in a grid, which is a single tab stop. */
  readonly tabIndex?: -1
}

export const ObjectName = ({ entry: { resource_id: id, object }, tabIndex }: Props) => {
  // The name is unknown, or the caller may not read it.
  if (!object) return <span className="mono">{id}</span>
  const { type, name, is_deleted } = object
  if (is_deleted)
    return (
      <span title={id}>
        {name} <span className="muted">(deleted)</span>
      </span>
    )
  if (isIn(PAGES, type))
    return (
      <Link to={PAGES[type]} params={{ id }} title={id} tabIndex={tabIndex}>
        {name}
      </Link>
    )
  if (!isIn(DRAWERS, type)) return <span title={id}>{name}</span>
  const [page, parameter] = DRAWERS[type]
  return (
    <Link to={page} search={{ [parameter]: id }} title={id} tabIndex={tabIndex}>
      {name}
    </Link>
  )
}
