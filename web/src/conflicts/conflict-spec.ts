/** How conflicts are searched and sorted. */

import { DEFAULT_SPACE, parseIpKey } from '../../../src/net/ip.ts'
import { toSortKey } from '../../../src/net/name-order.ts'
import { callTagged, write } from '../api/client.ts'
import { type Conflict, contracts } from '../api/contracts.ts'
import { buildSubnetKey } from '../networks/subnet-key.ts'
import type { Resource } from '../resource/resource.ts'
import type { TableSpec } from '../table/engine.ts'

/** Sorts by numeric value, addresses before subnets. */
const buildSubjectKey = ({ ip_address, subnets }: Conflict): string => {
  const key = parseIpKey(ip_address, DEFAULT_SPACE)
  return key ? `0${key}` : `1${buildSubnetKey(subnets[0] ?? '')}`
}

export const conflictSpec: TableSpec<Conflict> = {
  id: ({ id }) => id,
  text: ({ ip_address, subnets, description, notes, resolved_by, device_ids, network_ids }) =>
    [ip_address, ...subnets, description, notes, resolved_by, ...device_ids, ...network_ids].join('\n'),
  sorts: {
    subject: buildSubjectKey,
    type: ({ type }) => type,
    // Sorts by age, newest first.
    detected: ({ detected_at }) => -Date.parse(detected_at),
    resolved: ({ resolved_at }) => -Date.parse(resolved_at ?? ''),
    by: ({ resolved_by }) => toSortKey(resolved_by),
  },
  fields: {
    type: ({ type }, value) => type.startsWith(value),
    ip: ({ ip_address }, value) => ip_address.startsWith(value),
    by: ({ resolved_by }, value) => resolved_by.toLowerCase().startsWith(value),
  },
  facets: {
    type: ({ type }) => [type],
    by: ({ resolved_by }) => [resolved_by],
  },
}

const refuseCreate = async (): Promise<never> => {
  throw new Error('a conflict is found and not made')
}

/** Conflicts are detected, resolved and deleted. They have no editable fields. */
export const conflictResource: Resource<Conflict> = {
  noun: 'conflict',
  fields: [],
  getName: ({ description }) => description,
  operations: contracts.conflicts,
  get: (id) => callTagged(contracts.conflicts.get, { id }),
  create: refuseCreate,
  update: refuseCreate,
  remove: (id) => write(contracts.conflicts.delete, { id }),
  changes: ['conflicts', 'dashboard'],
}
