/** Loads the objects that the filter of a feed may name. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { datacentersQuery, networksQuery } from '../api/queries.ts'
import { usePermit } from '../shell/me.ts'
import { useSpaces } from '../spaces/known-spaces.tsx'
import { buildFeedResource } from './feed-resource.ts'
import type { Names } from './labels.ts'
import type { Feed } from './queries.ts'

/** @param format of the stored feed */
export const useFeedParts = (format?: Feed['format']) => {
  const { may } = usePermit()
  const { data: datacenters } = useQuery({ ...datacentersQuery, enabled: may('datacenters:list') })
  const { data: networks } = useQuery({ ...networksQuery, enabled: may('networks:list') })
  const spaces = useSpaces()
  const resource = useMemo(() => buildFeedResource({ format, spaces }), [format, spaces])
  const names: Names = useMemo(
    () => new Map([...(datacenters ?? []), ...(networks ?? []), ...spaces].map(({ id, name }) => [id, name])),
    [datacenters, networks, spaces],
  )
  return { resource, names }
}
