/** How zones are read, written, searched and sorted. */

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { invalidField } from '../../../src/contract/errors.ts'
import { toSortKey } from '../../../src/net/name-order.ts'
import { contracts } from '../api/contracts.ts'
import { isCode } from '../api/errors.ts'
import { createCrud } from '../resource/crud.ts'
import type { Input, Resource } from '../resource/resource.ts'
import { usePermit } from '../shell/me.ts'
import type { Space } from '../spaces/fields.ts'
import { useSpaces } from '../spaces/known-spaces.tsx'
import type { TableSpec } from '../table/engine.ts'
import { formatZoneKind, ZONE_MARKS } from './labels.ts'
import { getSettingsTime, readZone, serversQuery, ZONE_KEYS, type Zone, zoneQuery } from './queries.ts'
import { buildZoneFields } from './zone-fields.tsx'

/** Moves a conflict with the default zone from the name to another field. */
const toFieldError = (error: unknown): unknown =>
  isCode(error, 'ALREADY_EXISTS') && error.message.includes('default zone')
    ? invalidField('is_default', error.message)
    : error

/** The state of a zone may change between two requests, while names are on their way. */
const MOST_TRIES = 6

const CRUD = createCrud(contracts.dnsZones)

const put = async (id: string, input: Input, etag: string): Promise<Zone> => {
  let tag = etag
  for (let tries = 1; ; tries++)
    try {
      return await CRUD.update(id, input, tag)
    } catch (error) {
      if (!isCode(error, 'PRECONDITION_FAILED') || tries === MOST_TRIES) throw error
      // The ETag covers the state too, which changes by itself. Only another version of the settings is a conflict.
      const fresh = await readZone(id)
      if (fresh.value.updated_at !== getSettingsTime(etag)) throw error
      tag = fresh.etag
    }
}

const withFieldError = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw toFieldError(error)
  }
}

const buildZoneResource = (spaces: readonly Space[]): Resource<Zone> => ({
  noun: 'zone',
  fields: buildZoneFields(spaces),
  getName: ({ name }) => name,
  ...CRUD,
  get: readZone,
  create: (input) => withFieldError(() => CRUD.create(input)),
  update: (id, input, etag) => withFieldError(() => put(id, input, etag)),
  changes: [...ZONE_KEYS, 'feeds'],
  queryKey: (id) => zoneQuery(id).queryKey,
})

/** For actions that need no form. */
export const PLAIN_ZONE = buildZoneResource([])

/** The resource with the form of all its fields. */
export const useZoneResource = (): Resource<Zone> => {
  const spaces = useSpaces()
  return useMemo(() => buildZoneResource(spaces), [spaces])
}

/** Names of servers by their ids. */
export type ServerNames = ReadonlyMap<string, string>

export const useServerNames = (): ServerNames => {
  const { may } = usePermit()
  const { data } = useQuery({ ...serversQuery, enabled: may('dns:list') })
  return useMemo(() => new Map((data ?? []).map(({ id, name }) => [id, name])), [data])
}

export const getServerName = ({ provider_id }: Zone, names: ServerNames): string =>
  provider_id === null ? '' : (names.get(provider_id) ?? provider_id)

const ORDER = Object.keys(ZONE_MARKS)

export const buildZoneSpec = (names: ServerNames): TableSpec<Zone> => ({
  id: ({ id }) => id,
  text: (zone) =>
    [zone.name, zone.subnet ?? '', zone.description, zone.status_message, getServerName(zone, names)].join('\n'),
  sorts: {
    name: ({ name }) => toSortKey(name),
    kind: formatZoneKind,
    server: (zone) => toSortKey(getServerName(zone, names)),
    mode: ({ mode }) => mode,
    status: ({ status }) => ORDER.indexOf(status),
    rrsets: ({ rrset_count }) => rrset_count,
    pending: ({ pending_count }) => pending_count,
    conflicts: ({ conflict_count }) => conflict_count,
    blocked: ({ blocked_count }) => blocked_count,
    drift: ({ drift_count }) => drift_count,
    checked: ({ last_checked_at }) => last_checked_at ?? '',
  },
  fields: {
    status: ({ status }, value) => status.startsWith(value),
    kind: ({ kind }, value) => kind.startsWith(value),
    mode: ({ mode }, value) => mode.startsWith(value),
    server: (zone, value) => getServerName(zone, names).toLowerCase().startsWith(value),
  },
  facets: {
    status: ({ status }) => [status],
    kind: ({ kind }) => [kind],
    mode: ({ mode }) => [mode],
    server: (zone) => [getServerName(zone, names)].filter((name) => name !== ''),
  },
})
