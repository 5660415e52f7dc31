/** The name of an entry's object, with a link to its page if the object still exists. */
import { Link } from '@tanstack/react-router'
import type { AuditEntry } from '../api/contracts.ts'
import { buildObjectLink, findItem } from '../shell/nav.ts'

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
  const item = findItem(type)
  if (!item) return <span title={id}>{name}</span>
  return (
    <Link {...buildObjectLink(item, id)} title={id} tabIndex={tabIndex}>
      {name}
    </Link>
  )
}
