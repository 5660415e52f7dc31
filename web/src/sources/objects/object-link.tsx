/** A link to the object of the inventory that an object of a source is. */
import { Link } from '@tanstack/react-router'
import { isResource } from '../../../../src/inventory/resources.ts'
import { getNoun, toKind } from '../../../../src/resource/nouns.ts'
import { buildObjectLink, findItem } from '../../shell/nav.ts'
import type { SourceObject } from './queries.ts'

const findPage = (resource: string) =>
  isResource(resource) ? (findItem(toKind(resource)) ?? findItem(getNoun(resource))) : undefined

type Props = Pick<SourceObject, 'resource' | 'object_id' | 'name' | 'why'>

/** Without a link for an object that was deleted. */
export const ObjectLink = ({ resource, object_id, name, why }: Props) => {
  const page = object_id === null || why === 'deleted' ? undefined : findPage(resource)
  if (!page || object_id === null) return name
  return (
    <Link {...buildObjectLink(page, object_id)} className="link">
      {name}
    </Link>
  )
}
