/** How API keys are searched and sorted. */

import { toSortKey } from '../../../src/net/name-order.ts'
import type { ApiKey } from '../api/contracts.ts'
import type { TableSpec } from '../table/engine.ts'

const SOON_MS = 14 * 24 * 3600 * 1000

/** Returns the states by which keys are filtered, such as keys that need attention. */
const listStates = (
  { user_id, expires_at, last_used_at, permissions, scope_id, allowed_cidrs }: ApiKey,
  nowMs: number,
): readonly string[] => {
  const leftMs = expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at) - nowMs
  return [
    ...(user_id === null ? ['orphaned'] : []),
    ...(leftMs <= 0 ? ['expired'] : leftMs < SOON_MS ? ['soon'] : []),
    ...(expires_at === null ? ['endless'] : []),
    ...(last_used_at === null ? ['unused'] : []),
    ...(permissions === null && scope_id === null && allowed_cidrs.length === 0 ? [] : ['limited']),
  ]
}

export const buildKeySpec = (names: ReadonlyMap<string, string>): TableSpec<ApiKey> => {
  const getOwner = ({ user_id }: ApiKey) => (user_id === null ? '' : (names.get(user_id) ?? user_id))
  return {
    id: ({ id }) => id,
    text: (key) => `${key.name}\n${key.prefix}\n${getOwner(key)}`,
    sorts: {
      name: ({ name }) => toSortKey(name),
      owner: (key) => toSortKey(getOwner(key)),
      used: ({ last_used_at }) => last_used_at ?? '',
      // Keys without an expiry sort last.
      expires: ({ expires_at }) => expires_at ?? '~',
      rotated: ({ rotated_at }) => rotated_at ?? '',
      previous: ({ previous_expires_at }) => previous_expires_at ?? '',
      created: ({ created_at }) => created_at,
    },
    fields: {
      owner: (key, value) => getOwner(key).toLowerCase().startsWith(value),
      state: (key, value) => listStates(key, Date.now()).includes(value),
    },
    facets: { owner: (key) => [getOwner(key)], state: (key) => listStates(key, Date.now()) },
  }
}
