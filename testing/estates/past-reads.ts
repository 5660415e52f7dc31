/** The reads of the estate of now and of another moment, in a form that is the same for both. */
import { INVENTORY } from '../../src/inventory/resources.ts'

/** A lookup has present conflicts and audit entries for callers who may list them, which other moments have not. */
export const PAST_READER = [
  ...INVENTORY.flatMap((noun) => (noun === 'relationships' ? [`${noun}:list`] : [`${noun}:list`, `${noun}:read`])),
  ...['search:read', 'proposals:read'],
]

/** The order of the lists of a lookup is undefined. */
const inOneOrder = (path: string, body: string): string => {
  if (!path.startsWith('/api/lookup/')) return body
  const { ways: _, ...answer } = JSON.parse(body) as Record<string, unknown>
  return JSON.stringify(answer, (_key, value) =>
    Array.isArray(value) ? value.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : value,
  )
}

type Reader = { readonly request: (method: string, path: string) => Promise<Response> }

/** Returns the status, the total and the body of a read. @param asOf the moment; now without it */
export const readAt = async (reader: Reader, path: string, asOf?: string): Promise<string> => {
  const moment = asOf === undefined ? '' : `${path.includes('?') ? '&' : '?'}as_of=${encodeURIComponent(asOf)}`
  const response = await reader.request('GET', path + moment)
  const body = await response.text()
  return `${response.status} ${response.headers.get('x-total-count')} ${response.ok ? inOneOrder(path, body) : body}`
}
