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

/** Returns the names of the objects that the filters of feeds may name. */
export const useFilterNames = (): Names => {
  const { may } = usePermit()
  const { data: datacenters } = useQuery({ ...datacentersQuery, enabled: may('datacenters:list') })
  const { data: networks } = useQuery({ ...networksQuery, enabled: may('networks:list') })
  const spaces = useSpaces()
  return useMemo(
    () => new Map([...(datacenters ?? []), ...(networks ?? []), ...spaces].map(({ id, name }) => [id, name])),
    [datacenters, networks, spaces],
  )
}
