/** The queries of the objects that sources say, and the words of their states. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, send } from '../../api/client.ts'
import { type Contracts, contracts, type Out } from '../../api/contracts.ts'
import { getNextOffset, readPage } from '../queries.ts'

type Sent = Out<Contracts['sources']['objects']>[number]
/** Tables need an id, which an object of a source has not. */
export type SourceObject = Sent & { readonly id: string }
export type ObjectState = Sent['state']

export type ObjectFilter = {
  readonly source_id: string
  readonly state?: ObjectState
  readonly resource?: NonNullable<Parameters<typeof api.sources.objects>[0]>['resource']
  readonly name?: string
}

const PAGE = 200

export const buildId = ({ resource, key }: Pick<Sent, 'resource' | 'key'>): string => `${resource} ${key}`

export const withId = (sent: Sent): SourceObject => ({ ...sent, id: buildId(sent) })

export const objectsQuery = (filter: ObjectFilter) =>
  infiniteQueryOptions({
    queryKey: ['source-objects', filter],
    initialPageParam: 0,
    queryFn: async ({ pageParam: offset }) => {
      const { rows, total } = await readPage<Sent>(send(contracts.sources.objects, { ...filter, limit: PAGE, offset }))
      return { rows: rows.map(withId), total }
    },
    getNextPageParam: getNextOffset,
  })

/** The most sources that a device page shows. */
const MOST_SOURCES = 20

/** Returns the objects of all sources that are this device. */
export const saidQuery = (deviceId: string) =>
  queryOptions({
    queryKey: ['source-objects', 'of', deviceId],
    queryFn: () => api.sources.objects({ object_id: deviceId, resource: 'devices', limit: MOST_SOURCES }),
  })

export const STATES: readonly (readonly [ObjectState, string])[] = [
  ['changed', 'Differs'],
  ['unclear', 'Unclear'],
  ['gone', 'Gone'],
  ['failed', 'Refused'],
  ['kept', 'Kept'],
  ['synced', 'In sync'],
]

export const parseState = (text: string | undefined): ObjectState | undefined =>
  STATES.find(([state]) => state === text)?.[0]
