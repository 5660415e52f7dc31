/** A link to the object of the inventory that an object of a source is. */
import { Link } from '@tanstack/react-router'
import { getNoun, toKind } from '../../../../src/record/history/kind-names.ts'
import { findResource } from '../../export/fields.ts'
import { buildObjectLink, findItem } from '../../shell/nav.ts'
import type { SourceObject } from './queries.ts'

const findPage = (name: string) => {
  const resource = findResource(name)
  return resource && (findItem(toKind(resource)) ?? findItem(getNoun(resource)))
}

type Props = Pick<SourceObject, 'resource' | 'object_id' | 'name'>

export const ObjectLink = ({ resource, object_id, name }: Props) => {
  const page = object_id === null ? undefined : findPage(resource)
  if (!page || object_id === null) return name
  return (
    <Link {...buildObjectLink(page, object_id)} className="link">
      {name}
    </Link>
  )
}
