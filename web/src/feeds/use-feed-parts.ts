/** The form of a feed, and the names of the objects that its filter names. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { datacentersQuery, networksQuery } from '../api/queries.ts'
import type { Resource } from '../resource/resource.ts'
import { usePermit } from '../shell/me.ts'
import { useSpaces } from '../spaces/known-spaces.tsx'
import { buildFeedResource } from './feed-resource.ts'
import type { Names } from './labels.ts'
import type { Feed } from './queries.ts'

/** @param format of the stored feed */
export const useFeedResource = (format?: Feed['format']): Resource<Feed> => {
  const spaces = useSpaces()
  return useMemo(() => buildFeedResource({ format, spaces }), [format, spaces])
}

/** Returns the names of the objects that the filters of feeds may name. @param feed the only one whose objects are needed */
export const useFilterNames = (feed?: Pick<Feed, 'datacenter_id' | 'network_id'>): Names => {
  const { may } = usePermit()
  const isNamed = (field: 'datacenter_id' | 'network_id') => feed === undefined || feed[field] !== null
  const { data: datacenters } = useQuery({
    ...datacentersQuery,
    enabled: isNamed('datacenter_id') && may('datacenters:list'),
  })
  const { data: networks } = useQuery({ ...networksQuery, enabled: isNamed('network_id') && may('networks:list') })
  const spaces = useSpaces()
  return useMemo(
    () => new Map([...(datacenters ?? []), ...(networks ?? []), ...spaces].map(({ id, name }) => [id, name])),
    [datacenters, networks, spaces],
  )
}
